//! A client that is told of commits alone has what the host has, however many of them it is told at once.

use crate::dice::Dice;
use crate::properties::{SEQUENCES, walk};
use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::EventType;
use ag_ui_stream::{Conversation as Client, Event};
use question_agent::Conversation;
use question_agent::ag_ui::{KnownMessages, Outgoing, View, catch_up, wire};
use question_agent::registry::ToolContext;
use serde_json::{Value, json};
use std::sync::Arc;

/// A reader of the events, with the messages that it knows.
struct Watcher {
    client: Client,
    known: KnownMessages,
    open_run: Option<Arc<str>>,
    runs: usize,
    works_in: Option<String>,
}

impl Watcher {
    fn take(&mut self, conversation: &Conversation, context: &ToolContext) {
        let view = View { conversation, context };
        let run = self.works_in.clone().filter(|_| view.is_at_work());
        let runs = &mut self.runs;
        let id = || {
            *runs += 1;
            format!("unknown-{runs}")
        };
        let mut last_said_in = None;
        for outgoing in catch_up(view, "t", self.known, self.open_run.clone(), run.as_deref(), id) {
            if let Outgoing::Event(event) = outgoing {
                if event.kind() == EventType::RunStarted && json!(event)["input"].is_object() {
                    last_said_in = Some(event.run_id().to_owned());
                }
                self.read(event);
            }
        }
        if run.is_some() && last_said_in.is_some() {
            assert_eq!(last_said_in, run, "what was said last is answered in the run at work");
        }
        self.known = KnownMessages::all(conversation);
        assert_eq!(self.open_run.is_some(), view.is_at_work(), "a run is told while there is one");
        assert_eq!(without_errors(self.client.thread().messages()), without_errors(&wire::messages(view)));
    }

    fn read(&mut self, event: Event) {
        match event.kind() {
            EventType::RunStarted => self.open_run = Some(event.run_id().into()),
            EventType::RunFinished | EventType::RunError => self.open_run = None,
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
        let mut dice = Dice::new(seed + 1);
        // In some, a client answers asks alone, in others it also runs the other tool.
        let read_file =
            question_agent::registry::ToolSpec::new("read_file", "Reads a file.", &json!({"type": "object"}));
        let client_tools = if dice.flip() { vec![read_file] } else { Vec::new() };
        let context = ToolContext { client_tools, ..ToolContext::default() };
        let mut watcher = Watcher {
            client: Client::default(),
            known: KnownMessages::default(),
            open_run: None,
            runs: 0,
            works_in: None,
        };
        let (mut step, mut was_at_work) = (0, false);
        let end = walk(seed, |conversation, _, _| {
            step += 1;
            let is_at_work = View { conversation, context: &context }.is_at_work();
            if is_at_work && !was_at_work {
                watcher.works_in = Some(format!("run-{step}"));
            }
            was_at_work = is_at_work;
            if dice.flip() {
                watcher.take(conversation, &context);
            }
        });
        watcher.take(&end, &context);
    }
}
