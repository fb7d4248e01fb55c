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
    texts: HashMap<String, GrowingText>,
    calls: HashMap<String, RwSignal<bool>>,
    asks: HashMap<String, Ask>,
    /// Asks that no call made, with the message after which each appeared.
    callless: Vec<(Option<String>, String)>,
}

/// A message's text, and how often it was replaced by one that does not continue it.
#[derive(Clone, Copy)]
struct GrowingText {
    signal: RwSignal<String>,
    version: u32,
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
            callless: Vec::new(),
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

    /// Makes room for an ask; it appears in the list with the next [`lay`](Self::lay): where its call is, or, for an interrupt that no call
    /// made, after what was said last.
    pub(crate) fn open_ask(&mut self, tool_call_id: &str, thread: &Thread) {
        let ask = self.owner.with(|| Ask {
            tool_call_id: tool_call_id.to_owned(),
            ask: RwSignal::new(AskSnapshot::new(tool_call_id)),
            sending: RwSignal::new(Sending::Idle),
        });
        self.asks.insert(tool_call_id.to_owned(), ask);
        if thread.call(tool_call_id).is_none() {
            let last = thread
                .messages()
                .last()
                .map(|message| message.id().to_owned());
            self.callless.push((last, tool_call_id.to_owned()));
        }
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
        text.signal.update(|text| text.push_str(grown));
        true
    }

    /// Lays the list anew after messages or calls came, went or moved.
    pub(crate) fn lay(&mut self, thread: &Thread) {
        let mut entries = self.callless_entries(None);
        for message in thread.messages() {
            entries.extend(self.message_entry(message));
            for call in message.tool_calls() {
                entries.push(self.call_entry(thread, &call.id, &call.function.name));
            }
            entries.extend(self.callless_entries(Some(message.id())));
        }
        self.entries.set(entries);
    }

    fn callless_entries(&self, after: Option<&str>) -> Vec<Entry> {
        let here = self
            .callless
            .iter()
            .filter(|(anchor, _)| anchor.as_deref() == after);
        here.filter_map(|(_, id)| self.asks.get(id))
            .map(ask_entry)
            .collect()
    }

    fn message_entry(&mut self, message: &Message) -> Option<Entry> {
        let text = message.text();
        let id = message.id().to_owned();
        match message {
            Message::User(_) => Some(Entry {
                key: EntryKey::Message(id, 0),
                item: Item::User(text.into_owned()),
            }),
            Message::Assistant(_) if !text.is_empty() => {
                let GrowingText { signal, version } = self.text(message.id(), &text);
                Some(Entry {
                    key: EntryKey::Message(id, version),
                    item: Item::Assistant(signal),
                })
            }
            _ => None,
        }
    }

    fn text(&mut self, message_id: &str, text: &str) -> GrowingText {
        let known = self.texts.get(message_id).copied();
        let grown = known.and_then(|known| {
            known
                .signal
                .with_untracked(|shown| text.strip_prefix(shown.as_str()).map(str::to_owned))
        });
        match (known, grown) {
            (Some(known), Some(grown)) => {
                if !grown.is_empty() {
                    known.signal.update(|shown| shown.push_str(&grown));
                }
                known
            }
            _ => {
                let signal = self.owner.with(|| RwSignal::new(text.to_owned()));
                let laid = GrowingText {
                    signal,
                    version: known.map_or(0, |known| known.version + 1),
                };
                self.texts.insert(message_id.to_owned(), laid);
                laid
            }
        }
    }

    fn call_entry(&mut self, thread: &Thread, tool_call_id: &str, name: &str) -> Entry {
        if let Some(ask) = self.asks.get(tool_call_id) {
            return ask_entry(ask);
        }
        let owner = &self.owner;
        let done = *self
            .calls
            .entry(tool_call_id.to_owned())
            .or_insert_with(|| owner.with(|| RwSignal::new(false)));
        let answered = thread.call(tool_call_id).is_some_and(|call| call.answered);
        if done.get_untracked() != answered {
            done.set(answered);
        }
        Entry {
            key: EntryKey::Call(tool_call_id.to_owned()),
            item: Item::Tool {
                name: name.to_owned(),
                done,
            },
        }
    }
}

fn ask_entry(ask: &Ask) -> Entry {
    Entry {
        key: EntryKey::Call(ask.tool_call_id.clone()),
        item: Item::Ask(ask.clone()),
    }
}
