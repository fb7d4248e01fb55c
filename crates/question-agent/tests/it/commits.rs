//! A client that is told of commits as a whole has what the host has.

use crate::dice::Dice;
use crate::properties::{SEQUENCES, walk};
use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::RunOutcome;
use ag_ui_stream::{Conversation as Client, Event};
use question_agent::ag_ui::{Edition, Outgoing, Step, View, wire};
use question_agent::message::Message;
use question_agent::registry::{ToolContext, ToolSpec};
use question_agent::{Conversation, Event as Given};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A reader of the events, with the host's conversation.
#[derive(Default)]
struct Watcher {
    client: Client,
    conversation: Conversation,
    open_run: Option<String>,
    runs: usize,
}

impl Watcher {
    fn take(&mut self, event: Given, context: &ToolContext) {
        let step = Step::of(self.conversation.handle(event).expect("the walk has taken it"));
        let conversation = self.conversation.clone();
        let view = View { conversation: &conversation, context };
        if self.open_run.is_some() && step.messages.iter().any(|message| matches!(message, Message::User(_))) {
            self.end();
        }
        if self.open_run.is_none() {
            self.runs += 1;
            self.read(&wire::run_started("t", &format!("run-{}", self.runs), step.taken(None)));
        }
        let answers = step.messages.iter().flat_map(|message| wire::whole_answer(context, message));
        answers.for_each(|event| self.read(&event));
        for outgoing in step.outgoing(Some(view), None) {
            if let Outgoing::Event(event) = outgoing {
                self.read(&event);
            }
        }
        if !view.is_at_work() {
            self.end();
        }
        assert_eq!(without_errors(self.client.thread().messages()), without_errors(&wire::messages(view)));
    }

    fn end(&mut self) {
        let outcome = RunOutcome::Success { pending_tool_call_ids: Vec::new() };
        let run = self.open_run.clone().unwrap_or_default();
        self.read(&wire::run_finished(Edition::Current, "t", &run, outcome));
    }

    fn read(&mut self, event: &Event) {
        match event.kind() {
            EventType::RunStarted => self.open_run = Some(event.run_id().to_owned()),
            EventType::RunFinished => self.open_run = None,
            _ => {}
        }
        let text = json!(event).to_string();
        self.client.feed_json(&text);
        while let Some(update) = self.client.next_update(0) {
            assert!(!matches!(update, Update::Refused(_) | Update::Warning(_)), "{text}: {update:?}");
        }
        if self.open_run.is_none() {
            self.client.finish();
            while self.client.next_update(0).is_some() {}
        }
    }
}

/// An event of a result has no place for its error.
fn without_errors(messages: &[ag_ui_stream::Message]) -> Value {
    let mut messages = json!(messages);
    for message in messages.as_array_mut().into_iter().flatten() {
        message.as_object_mut().expect("it is one").remove("error");
    }
    messages
}

#[test]
fn commits_are_told_whole_and_once() {
    for seed in 0..SEQUENCES / 4 {
        // In some, a client answers asks alone, in others it also runs the other tool.
        let read_file = ToolSpec::new("read_file", "Reads a file.", &json!({"type": "object"}));
        let client_tools = if Dice::new(seed + 1).flip() { vec![read_file] } else { Vec::new() };
        let context = ToolContext { client_tools, ..ToolContext::default() };
        let mut watcher = Watcher::default();
        walk(seed, |_, event, taken| {
            if taken {
                watcher.take(event.clone(), &context);
            }
        });
    }
}
