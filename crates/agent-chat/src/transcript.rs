//! From the run state to entries.

use crate::entry::{Ask, Entry, EntryKey, Item};
use ag_ui_stream::{Message, Thread};
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::Sending;
use leptos::prelude::*;
use std::collections::HashMap;

/// The entries and their signals. Structural changes lay the list anew, out of the signals that exist; deltas touch one signal.
pub(crate) struct Transcript {
    owner: Owner,
    entries: RwSignal<Vec<Entry>>,
    texts: HashMap<String, RwSignal<String>>,
    calls: HashMap<String, RwSignal<bool>>,
    asks: HashMap<String, Ask>,
}

impl Transcript {
    /// An empty one, whose signals belong to the current owner.
    pub(crate) fn new() -> Self {
        Self {
            owner: Owner::current().unwrap_or_default(),
            entries: RwSignal::new(Vec::new()),
            texts: HashMap::new(),
            calls: HashMap::new(),
            asks: HashMap::new(),
        }
    }

    /// What a page iterates over.
    pub(crate) fn entries(&self) -> RwSignal<Vec<Entry>> {
        self.entries
    }

    /// Where the reply to an ask stands.
    pub(crate) fn set_sending(&self, tool_call_id: &str, sending: Sending) {
        if let Some(ask) = self.asks.get(tool_call_id) {
            ask.sending.set(sending);
        }
    }

    /// Makes room for an ask; it appears in the list with the next [`lay`](Self::lay).
    pub(crate) fn open_ask(&mut self, tool_call_id: &str) {
        let ask = self.owner.with(|| Ask {
            tool_call_id: tool_call_id.to_owned(),
            ask: RwSignal::new(AskSnapshot::new(tool_call_id)),
            sending: RwSignal::new(Sending::Idle),
        });
        self.asks.insert(tool_call_id.to_owned(), ask);
    }

    /// Changes an ask in place, at the cost of the change.
    pub(crate) fn update_ask(&self, tool_call_id: &str, change: impl FnOnce(&mut AskSnapshot)) {
        if let Some(ask) = self.asks.get(tool_call_id) {
            ask.ask.update(change);
        }
    }

    /// Appends what a message's text grew by. False where the message has no entry yet.
    pub(crate) fn append(&self, message_id: &str, grown: &str) -> bool {
        let Some(text) = self.texts.get(message_id) else {
            return false;
        };
        text.update(|text| text.push_str(grown));
        true
    }

    /// Lays the list anew after messages or calls came, went or moved.
    pub(crate) fn lay(&mut self, thread: &Thread) {
        let mut entries = Vec::new();
        for message in thread.messages() {
            entries.extend(self.message_entry(message));
            entries.extend(
                message
                    .tool_calls()
                    .iter()
                    .map(|call| self.call_entry(thread, &call.id, &call.function.name)),
            );
        }
        self.entries.set(entries);
    }

    fn message_entry(&mut self, message: &Message) -> Option<Entry> {
        let text = message.text();
        let item = match message {
            Message::User(_) => Item::User(text.into_owned()),
            Message::Assistant(_) if !text.is_empty() => {
                Item::Assistant(self.text(message.id(), &text))
            }
            _ => return None,
        };
        Some(Entry {
            key: EntryKey::Message(message.id().to_owned()),
            item,
        })
    }

    fn text(&mut self, message_id: &str, text: &str) -> RwSignal<String> {
        let owner = &self.owner;
        let signal = *self
            .texts
            .entry(message_id.to_owned())
            .or_insert_with(|| owner.with(|| RwSignal::new(String::new())));
        if signal.with_untracked(|shown| shown != text) {
            signal.set(text.to_owned());
        }
        signal
    }

    fn call_entry(&mut self, thread: &Thread, tool_call_id: &str, name: &str) -> Entry {
        let item = match self.asks.get(tool_call_id) {
            Some(ask) => Item::Ask(ask.clone()),
            None => {
                let owner = &self.owner;
                let done = *self
                    .calls
                    .entry(tool_call_id.to_owned())
                    .or_insert_with(|| owner.with(|| RwSignal::new(false)));
                let answered = thread.call(tool_call_id).is_some_and(|call| call.answered);
                if done.get_untracked() != answered {
                    done.set(answered);
                }
                Item::Tool {
                    name: name.to_owned(),
                    done,
                }
            }
        };
        Entry {
            key: EntryKey::Call(tool_call_id.to_owned()),
            item,
        }
    }
}
