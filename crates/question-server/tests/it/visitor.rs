//! A visitor of the chat: speaks AG-UI with the project's own reader and answers asks as a page would.

use crate::http::{Answer, post};
use ag_ui_stream::asks::reply::{AskReply, Delivery, NextRun, RunDefaults, UserTurn};
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::{Conversation, Message};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Phase, Reply};
use axum::Router;
use serde_json::{Value, json};
use std::sync::Arc;

/// One client of one conversation.
pub(crate) struct Visitor {
    pub(crate) server: Router,
    pub(crate) conversation: Conversation,
    setup: RunDefaults,
    name: &'static str,
    /// True if its messages name the ask that they go with.
    marks: bool,
    ids: u32,
}

impl Visitor {
    /// A client that makes its ids from its name.
    pub(crate) fn new(server: &Router, name: &'static str, thread_id: &str) -> Self {
        Self {
            server: server.clone(),
            conversation: Conversation::default(),
            setup: RunDefaults {
                thread_id: thread_id.to_owned(),
                delivery: Delivery::UserMessage,
                ..RunDefaults::default()
            },
            name,
            marks: true,
            ids: 0,
        }
    }

    /// A client of the front desk in the conversation `car`, whose first question waits.
    pub(crate) async fn asked(server: &Router) -> Self {
        let mut visitor = Self::new(server, "v", "car");
        visitor.says("I need my car looked at").await;
        visitor
    }

    /// A delivery by interrupts needs runs that end with them.
    pub(crate) fn delivering(mut self, delivery: Delivery) -> Self {
        if delivery == Delivery::Resume {
            self.setup.forwarded_props.push(("interrupts".into(), true.into()));
        }
        self.setup.delivery = delivery;
        self
    }

    /// A client of another vendor: its messages do not say which ask they go with.
    pub(crate) fn unmarked(self) -> Self {
        let marks = false;
        Self { marks, ..self }
    }

    /// Sends this with every run.
    pub(crate) fn with_forwarded(mut self, name: &str, value: Value) -> Self {
        self.setup.forwarded_props.push((name.to_owned().into(), value.into()));
        self
    }

    /// Sends a message outside of any question, and returns the agent's text.
    pub(crate) async fn says(&mut self, text: &str) -> String {
        let text = Some(text.to_owned());
        self.send(UserTurn { text, ..UserTurn::default() }).await
    }

    /// Changes the answer to a question, and returns the agent's text.
    pub(crate) async fn changes(&mut self, tool_call_id: &str, reply: &Reply) -> String {
        let (text, replaces) = (Some(reply.change_message()), Some(tool_call_id.to_owned()));
        self.send(UserTurn { text, replaces, ..UserTurn::default() }).await
    }

    /// Picks an option of the question that waits.
    pub(crate) async fn picks(&mut self, label: &str) -> String {
        let outcome = self.pick(label);
        self.ends_question(outcome).await
    }

    /// Types under "Other".
    pub(crate) async fn types(&mut self, text: &str) -> String {
        let outcome = self.selection(Selection::typed(0, text));
        self.ends_question(outcome).await
    }

    pub(crate) async fn ends_question(&mut self, outcome: Outcome) -> String {
        let said = self.reply("reply", outcome);
        self.send(said).await
    }

    pub(crate) fn pick(&self, label: &str) -> Outcome {
        let options = &self.waiting().1.questions[0].options;
        let option = options
            .iter()
            .position(|option| option.label == label)
            .unwrap_or_else(|| panic!("{label} is not among {options:?}"));
        let selected = vec![option];
        self.selection(Selection::picked(0, selected))
    }

    fn selection(&self, selection: Selection) -> Outcome {
        Outcome::Answered(Reply::check(&self.waiting().1, vec![selection]).expect("the selection is legal"))
    }

    pub(crate) fn reply(&mut self, reply_id: &str, outcome: Outcome) -> UserTurn {
        let (tool_call_id, _) = self.waiting();
        let reply_id = format!("{reply_id}-{tool_call_id}");
        let by = AnsweredBy::Card;
        let replies = vec![AskReply { tool_call_id, reply_id, outcome, by }];
        UserTurn { replies, ..UserTurn::default() }
    }

    /// The ask that waits: its call and what it asks.
    pub(crate) fn waiting(&self) -> (String, Arc<AskUserQuestion>) {
        let waiting =
            self.conversation.asks().asks().find(|ask| ask.phase == Phase::Answerable).expect("a question waits");
        (waiting.tool_call_id.clone(), waiting.ask.clone().expect("what waits is complete"))
    }

    pub(crate) fn is_asked(&self, question: &str) -> bool {
        self.waiting().1.questions[0].question == question
    }

    pub(crate) fn is_asked_nothing(&self) -> bool {
        let conversation = &self.conversation;
        conversation.asks().asks().all(|ask| ask.phase != Phase::Answerable)
            && conversation.thread().unanswered_tool_call_ids().is_empty()
    }

    /// Sends a message as a client without knowledge of asks would: one user message more, and no other change.
    pub(crate) async fn says_beside_the_ask(&mut self, text: &str) -> String {
        self.ids += 1;
        let message = Message::user(format!("{}-{}", self.name, self.ids), text);
        self.conversation.push_message(message);
        let run_id = format!("{}-run-{}", self.name, self.ids);
        let input = json!({"threadId": self.setup.thread_id, "runId": run_id, "messages": self.conversation.thread().messages()});
        let answer = post(&self.server, "/agent", input).await;
        self.takes(&answer)
    }

    /// The run that would be posted.
    pub(crate) fn next_run(&mut self, said: &UserTurn) -> NextRun {
        let (ids, name) = (&mut self.ids, self.name);
        let next_id = || {
            *ids += 1;
            format!("{name}-{ids}")
        };
        self.conversation.request(0, &self.setup, said, next_id).expect("nothing else is pending")
    }

    async fn send(&mut self, said: UserTurn) -> String {
        let next = self.next_run(&said);
        self.conversation.start_response(&next);
        let mut input = json!(next.input());
        let messages = input["messages"].as_array_mut().into_iter().flatten();
        for message in messages.filter(|_| !self.marks) {
            let message = message.as_object_mut().expect("a message is an object");
            message.remove("metadata");
        }
        let answer = post(&self.server, "/agent", input).await;
        self.takes(&answer)
    }

    /// Applies a run that ended well, and gives the text that it added.
    pub(crate) fn takes(&mut self, answer: &Answer) -> String {
        let before = self.conversation.thread().messages().len();
        let (_, end) = answer.events_in(&mut self.conversation);
        assert!(matches!(end.outcome, EndOutcome::Completed | EndOutcome::Interrupt), "{end:?}");
        let added = self.conversation.thread().messages().iter().skip(before);
        added.filter(|message| message.role() == "assistant").map(Message::text).collect()
    }
}
