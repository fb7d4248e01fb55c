//! From the run state to entries.

use crate::details::Details;
use crate::entry::{Ask, Entry, EntryKey, Item};
use ag_ui_stream::{Asks, Message, Thread};
use ask_user_question::outcome::{AnsweredBy, AskMetadata};
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Phase};
use leptos::prelude::*;

/// The entries and their signals, each of which lives for as long as it is shown. A delta changes one signal. When messages or calls come, the list
/// is rebuilt from the first change on. [`lay`](Self::lay) notifies once of all changes of a chunk: earlier entries cost nothing.
pub(crate) struct Transcript {
    entries: RwSignal<Vec<Entry>>,
    waiting: RwSignal<Vec<Ask>>,
    /// The messages whose texts are arriving, by their ids.
    arriving: RwSignal<Vec<String>>,
    /// What is shown of each message, call and interrupt, by its id and in the order of ids. A map would be code of its own.
    shown: Vec<(Box<str>, Box<Shown>)>,
    /// Asks that no call made, with the message after which each appeared.
    callless: Vec<(Option<String>, String)>,
    /// The id and text of what the user said last, while the agent does not have it.
    unsent: Option<(String, String)>,
    /// Where in the list each message begins that is laid, and behind them, where what follows does.
    places: Vec<usize>,
    /// The first message that changed since the list was laid.
    changed: Option<usize>,
    /// The texts and the asks that changed since then and were not told.
    grown: Vec<ArcRwSignal<String>>,
    patched: Vec<ArcRwSignal<AskSnapshot>>,
    /// The details of calls, for a page that shows them.
    details: Option<Box<dyn Details>>,
    /// From which entry on the list changed at which of its versions. What a later change covers is not among them, so both only grow.
    changes: Vec<(u64, usize)>,
    version: u64,
}

/// What goes by one id.
#[derive(Default)]
struct Shown {
    text: Option<GrowingText>,
    /// Whether a call has its result.
    done: Option<ArcRwSignal<bool>>,
    ask: Option<AskSignals>,
}

/// A message's text, and how often it was replaced by one that does not continue it.
#[derive(Clone)]
struct GrowingText {
    signal: ArcRwSignal<String>,
    version: u32,
}

/// What an [`Ask`] is shown by.
pub(crate) struct AskSignals {
    ask: ArcRwSignal<AskSnapshot>,
    sending: ArcRwSignal<Sending>,
    shown: Ask,
}

impl AskSignals {
    fn new(tool_call_id: &str) -> Self {
        let ask = ArcRwSignal::new(AskSnapshot::new(tool_call_id));
        let sending = ArcRwSignal::new(Sending::Idle);
        let shown =
            Ask { tool_call_id: tool_call_id.to_owned(), snapshot: ask.read_only(), sending: sending.read_only() };
        Self { ask, sending, shown }
    }

    /// The call.
    pub(crate) fn tool_call_id(&self) -> &str {
        &self.shown.tool_call_id
    }

    /// Where the reply stands.
    pub(crate) fn sending(&self) -> &ArcRwSignal<Sending> {
        &self.sending
    }

    fn entry(&self) -> Entry {
        Entry { key: EntryKey::Call(self.shown.tool_call_id.clone()), item: Item::Ask(self.shown.clone()) }
    }
}

impl Transcript {
    /// An empty one, whose lists belong to the current owner.
    pub(crate) fn new(details: Option<Box<dyn Details>>) -> Self {
        Self {
            entries: RwSignal::new(Vec::new()),
            waiting: RwSignal::new(Vec::new()),
            arriving: RwSignal::new(Vec::new()),
            shown: Vec::new(),
            callless: Vec::new(),
            unsent: None,
            places: Vec::new(),
            changed: None,
            grown: Vec::new(),
            patched: Vec::new(),
            details,
            changes: Vec::new(),
            version: 0,
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

    /// From which entry on the list is another than at that version, which becomes the present one.
    pub(crate) fn changed_since(&self, version: &mut u64) -> usize {
        let since = std::mem::replace(version, self.version);
        let next = self.changes.partition_point(|(then, _)| *then <= since);
        self.changes.get(next).map_or(usize::MAX, |(_, from)| *from)
    }

    fn note_change(&mut self, from: usize) {
        self.version += 1;
        while self.changes.last().is_some_and(|(_, further)| *further >= from) {
            self.changes.pop();
        }
        self.changes.push((self.version, from));
    }

    /// The messages whose texts are arriving.
    pub(crate) fn arriving(&self) -> RwSignal<Vec<String>> {
        self.arriving
    }

    /// The text of a message is arriving, or has arrived.
    pub(crate) fn set_arriving(&self, message_id: &str, arrives: bool) {
        let is_known = |ids: &Vec<String>| ids.iter().any(|id| id == message_id);
        match (arrives, self.arriving.with_untracked(is_known)) {
            (true, false) => self.arriving.update(|ids| ids.push(message_id.to_owned())),
            (false, true) => self.arriving.update(|ids| ids.retain(|id| id != message_id)),
            _ => {}
        }
    }

    /// Nothing arrives any more.
    pub(crate) fn end_arriving(&self) {
        if !self.arriving.with_untracked(Vec::is_empty) {
            self.arriving.set(Vec::new());
        }
    }

    /// Every ask that is shown.
    pub(crate) fn asks(&self) -> impl Iterator<Item = &AskSignals> {
        self.shown.iter().filter_map(|(_, shown)| shown.ask.as_ref())
    }

    fn ask(&self, tool_call_id: &str) -> Option<&AskSignals> {
        self.known(tool_call_id)?.ask.as_ref()
    }

    fn place(&self, id: &str) -> Result<usize, usize> {
        self.shown.binary_search_by(|(known, _)| (**known).cmp(id))
    }

    fn known(&self, id: &str) -> Option<&Shown> {
        self.place(id).ok().map(|at| &*self.shown[at].1)
    }

    fn shown(&mut self, id: &str) -> &mut Shown {
        let at = self.place(id).unwrap_or_else(|at| {
            self.shown.insert(at, (id.into(), Box::default()));
            at
        });
        &mut self.shown[at].1
    }

    /// Updates which asks wait.
    pub(crate) fn show_waiting(&self, asks: &Asks) {
        let waits = |ask: &&AskSnapshot| ask.phase == Phase::Answerable;
        let waiting = asks.asks().filter(waits);
        let waiting: Vec<_> = waiting.filter_map(|ask| Some(&self.ask(&ask.tool_call_id)?.shown)).collect();
        let shown = self.waiting.with_untracked(|shown| {
            let ids = shown.iter().map(|ask| &ask.tool_call_id);
            ids.eq(waiting.iter().map(|ask| &ask.tool_call_id))
        });
        if !shown {
            self.waiting.set(waiting.into_iter().cloned().collect());
        }
    }

    /// The conversation is told from its beginning. What is shown already stays where it is told again.
    pub(crate) fn start_replay(&mut self) {
        self.callless.clear();
        self.touch(0);
        self.end_arriving();
    }

    /// The conversation was told: what is not in it is not shown any longer.
    pub(crate) fn forget_others(&mut self, thread: &Thread, asks: &Asks) {
        let unsent = self.unsent.as_ref().map(|(id, _)| id.as_str());
        self.shown.retain_mut(|(id, shown)| {
            shown.text.take_if(|_| thread.message(id).is_none() && unsent != Some(id));
            shown.done.take_if(|_| thread.call(id).is_none());
            shown.ask.take_if(|_| asks.ask(id).is_none());
            shown.text.is_some() || shown.done.is_some() || shown.ask.is_some()
        });
        if let Some(details) = &mut self.details {
            details.forget_others(thread);
        }
        self.show_waiting(asks);
    }

    /// Makes room for an ask; it appears in the list with the next [`lay`](Self::lay): where its call is, or, for an interrupt that no call
    /// made, after what was said last.
    pub(crate) fn open_ask(&mut self, tool_call_id: &str, thread: &Thread) {
        if self.ask(tool_call_id).is_some() {
            // A history tells again what is shown already.
            self.update_ask(tool_call_id, |ask| *ask = AskSnapshot::new(tool_call_id));
        } else {
            self.shown(tool_call_id).ask = Some(AskSignals::new(tool_call_id));
        }
        if thread.call(tool_call_id).is_none() {
            let last = thread.messages().last().map(|message| message.id().to_owned());
            self.callless.push((last, tool_call_id.to_owned()));
            self.touch(thread.messages().len().saturating_sub(1));
        } else {
            self.touch_call(tool_call_id, thread);
        }
    }

    /// A message came, went or changed: the list is rebuilt from there on.
    pub(crate) fn touch(&mut self, message: usize) {
        self.changed = Some(self.changed.map_or(message, |changed| changed.min(message)));
    }

    /// The same of the message that holds a call, which is one of the last.
    pub(crate) fn touch_call(&mut self, tool_call_id: &str, thread: &Thread) {
        let holds = |message: &Message| message.tool_calls().iter().any(|call| call.id == tool_call_id);
        self.touch(thread.messages().iter().rposition(holds).unwrap_or_default());
    }

    /// The same of a message that was just added.
    pub(crate) fn touch_added(&mut self, message: &Message, thread: &Thread) {
        match message.tool_call_id() {
            // It stands behind its call, under a name that may be another.
            Some(call) => self.touch_call(call, thread),
            None => {
                let is_it = |it: &Message| it.id() == message.id();
                self.touch(thread.messages().iter().rposition(is_it).unwrap_or_default());
            }
        }
    }

    /// The message after which an ask appeared that no call made, if it was not the first of all; `None` where a call made it.
    pub(crate) fn anchor(&self, tool_call_id: &str) -> Option<Option<&str>> {
        let mut callless = self.callless.iter();
        let (anchor, _) = callless.find(|(_, id)| id == tool_call_id)?;
        Some(anchor.as_deref())
    }

    /// Shows an ask that no call made after this message.
    pub(crate) fn set_anchor(&mut self, tool_call_id: &str, after: Option<String>) {
        let mut callless = self.callless.iter_mut();
        if let Some((anchor, _)) = callless.find(|(_, id)| id == tool_call_id) {
            *anchor = after;
        }
    }

    /// Changes an ask in place, at the cost of the change.
    pub(crate) fn update_ask(&mut self, tool_call_id: &str, change: impl FnOnce(&mut AskSnapshot)) {
        if let Some(AskSignals { ask, .. }) = self.known(tool_call_id).and_then(|shown| shown.ask.as_ref()) {
            ask.update_untracked(change);
            if self.patched.last() != Some(ask) {
                self.patched.push(ask.clone());
            }
        }
    }

    /// Appends what a message's text grew by. False where the message has no entry yet.
    pub(crate) fn append(&mut self, message_id: &str, grown: &str) -> bool {
        let Some(GrowingText { signal, .. }) = self.known(message_id).and_then(|shown| shown.text.as_ref()) else {
            return false;
        };
        signal.update_untracked(|text| text.push_str(grown));
        if self.grown.last() != Some(signal) {
            self.grown.push(signal.clone());
        }
        true
    }

    /// Appends to the arguments of a call what they grew by, if the page shows them.
    pub(crate) fn grow_arguments(&mut self, tool_call_id: &str, thread: &Thread, from: usize) {
        if let Some(details) = &mut self.details {
            details.grow(tool_call_id, thread.arguments(tool_call_id).unwrap_or_default(), from);
        }
    }

    /// Shows what the agent does not have yet behind everything else, from the next [`lay`](Self::lay) on.
    pub(crate) fn set_unsent(&mut self, message: Option<(String, String)>) {
        if self.unsent != message {
            self.unsent = message;
            self.touch(usize::MAX);
        }
    }

    /// Notifies of what changed since the last time.
    pub(crate) fn lay(&mut self, thread: &Thread) {
        if let Some(changed) = self.changed.take() {
            self.rebuild_entries(thread, changed);
        }
        self.grown.drain(..).for_each(|text| text.notify());
        self.patched.drain(..).for_each(|ask| ask.notify());
        if let Some(details) = &mut self.details {
            details.notify();
        }
    }

    /// Rebuilds the list from this message on, the first that came, went or changed.
    fn rebuild_entries(&mut self, thread: &Thread, changed: usize) {
        let messages = thread.messages();
        let first = changed.min(messages.len()).min(self.places.len().saturating_sub(1));
        let begin = match first {
            0 => 0,
            first => self.places[first],
        };
        self.places.truncate(first);
        let mut tail = if first == 0 { self.callless_entries(None) } else { Vec::new() };
        for message in &messages[first..] {
            self.places.push(begin + tail.len());
            tail.extend(self.message_entry(message));
            for call in message.tool_calls() {
                tail.push(self.call_entry(thread, &call.id, &call.name));
            }
            if let Some(call) = message.tool_call_id() {
                self.show_result(thread, call);
                if let Some(details) = &mut self.details {
                    details.set_result(call, message);
                }
            }
            tail.extend(self.callless_entries(Some(message.id())));
        }
        self.places.push(begin + tail.len());
        if let Some((id, text)) = self.unsent.clone()
            && thread.message(&id).is_none()
        {
            tail.push(self.text_entry(&id, &text, Item::User));
        }
        let is_shown = self.entries.with_untracked(|entries| {
            let shown = entries[begin..].iter().map(|entry| &entry.key);
            shown.eq(tail.iter().map(|entry| &entry.key))
        });
        if !is_shown {
            self.note_change(begin);
            self.entries.update(|entries| {
                entries.truncate(begin);
                entries.append(&mut tail);
            });
        }
    }

    fn callless_entries(&self, after: Option<&str>) -> Vec<Entry> {
        let here = self.callless.iter().filter(|(anchor, _)| anchor.as_deref() == after);
        here.filter_map(|(_, id)| self.ask(id)).map(AskSignals::entry).collect()
    }

    fn message_entry(&mut self, message: &Message) -> Option<Entry> {
        let item = self.text_item(message.role())?;
        if message.role() == "user" && self.has_receipt(message) {
            return None;
        }
        let text = message.text();
        (!text.is_empty()).then(|| self.text_entry(message.id(), &text, item))
    }

    /// The item for messages of a role, if the page shows their texts.
    pub(crate) fn text_item(&self, role: &str) -> Option<fn(ArcReadSignal<String>) -> Item> {
        match role {
            "user" => Some(Item::User),
            "assistant" => Some(Item::Assistant),
            "reasoning" if self.details.is_some() => Some(Item::Reasoning),
            _ => None,
        }
    }

    /// Whether a message says what the receipt of a card says already.
    fn has_receipt(&self, message: &Message) -> bool {
        let ask = message.metadata().and_then(|metadata| AskMetadata::read(metadata.get(AskMetadata::KEY)?));
        ask.is_some_and(|ask| ask.by == AnsweredBy::Card && self.ask(&ask.tool_call_id).is_some())
    }

    fn text_entry(&mut self, message_id: &str, text: &str, item: fn(ArcReadSignal<String>) -> Item) -> Entry {
        let GrowingText { signal, version } = self.text(message_id, text);
        Entry { key: EntryKey::Message(message_id.to_owned(), version), item: item(signal.read_only()) }
    }

    fn text(&mut self, message_id: &str, text: &str) -> GrowingText {
        let known = self.known(message_id).and_then(|shown| shown.text.clone());
        let grown = known.as_ref().and_then(|known| {
            known.signal.with_untracked(|shown| text.strip_prefix(shown.as_str()).map(str::to_owned))
        });
        match (known, grown) {
            (Some(known), Some(grown)) => {
                if !grown.is_empty() {
                    known.signal.update(|shown| shown.push_str(&grown));
                }
                known
            }
            (known, _) => {
                let laid = GrowingText {
                    signal: ArcRwSignal::new(text.to_owned()),
                    version: known.map_or(0, |known| known.version + 1),
                };
                self.shown(message_id).text = Some(laid.clone());
                laid
            }
        }
    }

    /// Shows whether a call has its result.
    fn show_result(&self, thread: &Thread, tool_call_id: &str) {
        let answered = thread.call(tool_call_id).is_some_and(|call| call.answered);
        let done = self.known(tool_call_id).and_then(|shown| shown.done.as_ref());
        if let Some(done) = done.filter(|done| done.get_untracked() != answered) {
            done.set(answered);
        }
    }

    fn call_entry(&mut self, thread: &Thread, tool_call_id: &str, name: &str) -> Entry {
        if let Some(ask) = self.ask(tool_call_id) {
            return ask.entry();
        }
        let done = self.shown(tool_call_id).done.get_or_insert_with(|| ArcRwSignal::new(false)).clone();
        self.show_result(thread, tool_call_id);
        let details = self.details.as_mut().map(|details| details.call(thread, tool_call_id));
        Entry {
            key: EntryKey::Tool(tool_call_id.to_owned()),
            item: Item::Tool { name: name.to_owned(), done: done.read_only(), details },
        }
    }
}
