//! A user of the hook, as a page is one.

use crate::scripted_agent::{self, Call};
use agent_chat::{AgentChat, Ask, ChatOptions, Connection, Delivery, EntryKey, Item, Status, Trouble, use_agent_chat};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskUserQuestion, Phase, Reply};
use leptos::prelude::*;

/// One question with two options.
pub(crate) const SIZE: &str =
    r#"{"questions":[{"question":"Which size?","header":"Size","options":[{"label":"Small"},{"label":"Large"}]}]}"#;
/// Another one.
pub(crate) const COLOUR: &str =
    r#"{"questions":[{"question":"Which colour?","header":"Colour","options":[{"label":"Red"},{"label":"Blue"}]}]}"#;

/// Both at once.
pub(crate) const BOTH: &str = r#"{"questions":[{"question":"Which size?","header":"Size","options":[{"label":"Small"},{"label":"Large"}]},{"question":"Which colour?","header":"Colour","options":[{"label":"Red"},{"label":"Blue"}]}]}"#;

/// The time for which a state is awaited before a test fails, in milliseconds.
const PATIENCE: f64 = 20_000.0;

pub(crate) struct Visitor {
    pub(crate) chat: AgentChat,
    owner: Owner,
}

impl Visitor {
    /// A visitor whose answers go as messages, too.
    pub(crate) fn new() -> Self {
        Self::first(by_messages())
    }

    /// A visitor whose page has these options, alone in the browser.
    pub(crate) fn first(options: ChatOptions) -> Self {
        scripted_agent::fresh();
        Self::beside(options)
    }

    /// A visitor whose page has these options, beside others or after them.
    pub(crate) fn beside(options: ChatOptions) -> Self {
        let _ = any_spawner::Executor::init_wasm_bindgen();
        let owner = Owner::new();
        let chat = owner.with(|| use_agent_chat(options));
        Self { chat, owner }
    }

    /// A visitor who has greeted, and the run that answers.
    pub(crate) async fn greeting() -> (Self, Call) {
        Self::greeting_with(by_messages()).await
    }

    /// The same, where the page is set up so.
    pub(crate) async fn greeting_with(options: ChatOptions) -> (Self, Call) {
        let visitor = Self::first(options);
        visitor.chat.send("Hello");
        let call = Call::next().await;
        call.accept();
        (visitor, call)
    }

    /// A visitor who was asked for the size, and is free to answer.
    pub(crate) async fn asked() -> Self {
        Self::asked_with(by_messages()).await
    }

    /// The same, where the page is set up so.
    pub(crate) async fn asked_with(options: ChatOptions) -> Self {
        let (visitor, call) = Self::greeting_with(options).await;
        call.asks("c1", SIZE);
        call.finishes();
        visitor.sees_status(Status::Idle).await;
        visitor
    }

    /// A visitor who was asked for size and colour at once.
    pub(crate) async fn asked_twice() -> Self {
        Self::asked_twice_with(by_messages()).await
    }

    /// The same, where the page is set up so.
    pub(crate) async fn asked_twice_with(options: ChatOptions) -> Self {
        let (visitor, call) = Self::greeting_with(options).await;
        call.asks("c1", SIZE);
        call.asks("c2", COLOUR);
        call.finishes();
        visitor.sees_phase("c2", Phase::Answerable).await;
        visitor.sees_status(Status::Idle).await;
        visitor
    }

    /// Waits until something holds.
    #[track_caller]
    pub(crate) fn sees(
        &self,
        what: &'static str,
        mut holds: impl FnMut(AgentChat) -> bool,
    ) -> impl Future<Output = ()> {
        let (chat, place) = (self.chat, std::panic::Location::caller());
        async move {
            let began = js_sys::Date::now();
            while js_sys::Date::now() - began < PATIENCE {
                if holds(chat) {
                    return;
                }
                // Lets all other tasks run first.
                scripted_agent::tick().await;
            }
            panic!("{place}: never seen: {what}; shown: {:?}, {:?}", lines(chat), chat.status.get_untracked());
        }
    }

    pub(crate) async fn sees_lines(&self, expected: &[&str]) {
        self.sees("the lines", |chat| lines(chat) == expected).await;
    }

    pub(crate) async fn sees_last_line(&self, expected: &str) {
        let last = |chat| lines(chat).pop();
        self.sees("the last line", |chat| last(chat).as_deref() == Some(expected)).await;
    }

    /// Waits until the page says that it can't read what the agent sends.
    pub(crate) async fn sees_unreadable(&self) {
        self.sees("the failure", |chat| matches!(chat.status.get_untracked(), Status::Failed(Trouble::Unreadable(_))))
            .await;
    }

    pub(crate) async fn sees_status(&self, status: Status) {
        self.sees("the status", |chat| chat.status.get_untracked() == status).await;
    }

    pub(crate) async fn sees_connection(&self, connection: Connection) {
        self.sees("the connection", |chat| chat.connection.get_untracked() == connection).await;
    }

    pub(crate) async fn sees_phase(&self, tool_call_id: &str, phase: Phase) {
        self.sees("the phase", |chat| {
            find(chat, tool_call_id).is_some_and(|ask| ask.snapshot.with_untracked(|ask| ask.phase) == phase)
        })
        .await;
    }

    pub(crate) fn keys(&self) -> Vec<EntryKey> {
        self.chat.entries.with_untracked(|entries| entries.iter().map(|entry| entry.key.clone()).collect())
    }

    /// One line of the transcript.
    pub(crate) fn line(&self, index: usize) -> String {
        lines(self.chat).swap_remove(index)
    }

    /// The ask as a card gets it.
    pub(crate) fn ask(&self, tool_call_id: &str) -> Ask {
        find(self.chat, tool_call_id).expect("the ask is shown")
    }

    /// The state of the reply to an ask.
    pub(crate) fn reply_to(&self, tool_call_id: &str) -> ReplyState {
        self.ask(tool_call_id).snapshot.get_untracked().reply
    }

    pub(crate) async fn sees_failed_reply(&self, tool_call_id: &str) {
        self.sees("the failure", |_| matches!(self.reply_to(tool_call_id), ReplyState::Failed(_))).await;
    }

    /// Returns true if a reply waits for another.
    pub(crate) fn holds(&self, tool_call_id: &str) -> bool {
        self.reply_to(tool_call_id) == ReplyState::Held
    }

    /// Checks that the page has no request open that the test has not taken.
    pub(crate) async fn sends_nothing(&self) {
        scripted_agent::tick().await;
        assert_eq!(scripted_agent::waiting(), [""; 0]);
    }

    /// Picks an option of the only question.
    pub(crate) fn picks(&self, tool_call_id: &str, arguments: &str, option: usize) {
        self.chat.reply(tool_call_id, reply(arguments, option));
    }
}

impl Drop for Visitor {
    /// Leaves as a page does: the open request is aborted.
    fn drop(&mut self) {
        self.owner.cleanup();
    }
}

fn by_messages() -> ChatOptions {
    ChatOptions::new("/agent").with_delivery(Delivery::UserMessage)
}

/// The reply that picks an option of the only question.
pub(crate) fn reply(arguments: &str, option: usize) -> Reply {
    let ask: AskUserQuestion = serde_json::from_str(arguments).expect("the arguments are an ask");
    let selection = Selection::picked(0, [option]);
    Reply::check(&ask, vec![selection]).expect("the option exists")
}

fn find(chat: AgentChat, tool_call_id: &str) -> Option<Ask> {
    chat.entries.with_untracked(|entries| {
        entries.iter().find_map(|entry| match &entry.item {
            Item::Ask(ask) if ask.tool_call_id == tool_call_id => Some(ask.clone()),
            _ => None,
        })
    })
}

/// The transcript in a line an entry.
fn lines(chat: AgentChat) -> Vec<String> {
    let line = |item: &Item| match item {
        Item::User(text) => format!("user: {}", text.get_untracked()),
        Item::Assistant(text) => format!("agent: {}", text.get_untracked()),
        Item::Ask(ask) => format!("ask: {}", ask.snapshot.with_untracked(|ask| ask.phase.as_str())),
        Item::Reasoning(text) => format!("reasoning: {}", text.get_untracked()),
        Item::Tool { name, done, details } => {
            let done = if done.get_untracked() { ", done" } else { "" };
            let details = details.as_ref().map(|details| {
                let result = details.result.get_untracked();
                let result =
                    result.map(|result| [if result.is_error { " failed: " } else { " -> " }, &result.text].concat());
                [" ", &details.arguments.get_untracked(), &result.unwrap_or_default()].concat()
            });
            format!("tool: {name}{done}{}", details.unwrap_or_default())
        }
    };
    chat.entries.with_untracked(|entries| entries.iter().map(|entry| line(&entry.item)).collect())
}
