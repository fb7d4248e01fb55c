//! From the run state to entries.

use crate::entry::{Ask, Entry, EntryKey, Item};
use ag_ui_stream::{Asks, Message, Thread};
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::*;
use std::collections::HashMap;

/// The entries and their signals. Structural changes lay the list anew, out of the signals that exist; deltas touch one signal.
pub(crate) struct Transcript {
    owner: Owner,
    entries: RwSignal<Vec<Entry>>,
    waiting: RwSignal<Vec<Ask>>,
    texts: HashMap<String, GrowingText>,
    calls: HashMap<String, RwSignal<bool>>,
    asks: HashMap<String, Ask>,
    /// Asks that no call made, with the message after which each appeared.
    callless: Vec<(Option<String>, String)>,
    /// The id and text of what the user said last, while the agent does not have it.
    unsent: Option<(String, String)>,
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
            waiting: RwSignal::new(Vec::new()),
            texts: HashMap::new(),
            calls: HashMap::new(),
            asks: HashMap::new(),
            callless: Vec::new(),
            unsent: None,
        }
    }

    /// What a page iterates over.
    pub(crate) fn entries(&self) -> RwSignal<Vec<Entry>> {
        self.entries
    }

    /// The asks that wait for their answers.
    pub(crate) fn waiting(&self) -> RwSignal<Vec<Ask>> {
        self.waiting
    }

    /// Every ask that is shown.
    pub(crate) fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.asks.values()
    }

    /// Learns anew which asks wait.
    pub(crate) fn show_waiting(&self, asks: &Asks) {
        let waits = |ask: &&AskSnapshot| ask.phase == Phase::Answerable;
        let waiting = asks.asks().filter(waits);
        let waiting: Vec<_> = waiting
            .filter_map(|ask| self.asks.get(&ask.tool_call_id))
            .collect();
        let shown = self.waiting.with_untracked(|shown| {
            let ids = shown.iter().map(|ask| &ask.tool_call_id);
            ids.eq(waiting.iter().map(|ask| &ask.tool_call_id))
        });
        if !shown {
            self.waiting.set(waiting.into_iter().cloned().collect());
        }
    }

    /// The conversation is told from its beginning. What is shown already stays where it is told again.
    pub(crate) fn begin_again(&mut self) {
        self.callless.clear();
    }

    /// The conversation was told: what is not in it is not shown any longer.
    pub(crate) fn forget_others(&mut self, thread: &Thread, asks: &Asks) {
        self.texts.retain(|id, _| thread.message(id).is_some());
        self.calls.retain(|id, _| thread.call(id).is_some());
        self.asks.retain(|id, _| asks.ask(id).is_some());
        self.show_waiting(asks);
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
        let snapshot = AskSnapshot::new(tool_call_id);
        match self.asks.get(tool_call_id) {
            // A history tells again what is shown already.
            Some(ask) => ask.ask.set(snapshot),
            None => {
                let ask = self.owner.with(|| Ask {
                    tool_call_id: tool_call_id.to_owned(),
                    ask: RwSignal::new(snapshot),
                    sending: RwSignal::new(Sending::Idle),
                });
                self.asks.insert(tool_call_id.to_owned(), ask);
            }
        }
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

    /// Shows what the agent does not have yet behind everything else, from the next [`lay`](Self::lay) on. False where nothing changes.
    pub(crate) fn set_unsent(&mut self, message: Option<(String, String)>) -> bool {
        let changes = self.unsent != message;
        self.unsent = message;
        changes
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
        if let Some((id, text)) = &self.unsent
            && thread.message(id).is_none()
        {
            entries.push(Entry {
                key: EntryKey::Message(id.clone(), 0),
                item: Item::User(text.clone()),
            });
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
