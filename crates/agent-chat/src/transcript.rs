//! The page's entries, from the run state.

use crate::details::Details;
use crate::entry::{Ask, Entry, EntryKey, Item};
use crate::undone::Undone;
use ag_ui_stream::asks::reply::AskedBy;
use ag_ui_stream::{Asks, Message, Thread};
use ask_user_question::outcome::{AnsweredBy, AskMetadata};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Phase, tool};
use json_tree::Json;
use leptos::prelude::*;

/// The entries and their signals. A delta changes one signal. New messages and calls rebuild the list from the first change on.
/// [`flush`](Self::flush) notifies once of all changes of a chunk, so that earlier entries cost nothing.
#[derive(Default)]
pub(crate) struct Transcript {
    pub(crate) entries: RwSignal<Vec<Entry>>,
    pub(crate) waiting: RwSignal<Vec<Ask>>,
    pub(crate) open: RwSignal<Vec<Ask>>,
    pub(crate) undone: RwSignal<Undone>,
    pub(crate) arriving: RwSignal<Vec<String>>,
    /// The signals of each message, call and interrupt, sorted by id. A map would add code of its own.
    signals: Vec<(Box<str>, Box<IdSignals>)>,
    /// The asks without a call, with the message before each.
    callless: Vec<(Option<String>, String)>,
    /// The last message, while the agent does not have it.
    unsent: Option<Message>,
    /// The index of each message's first entry, and at the end that of the entries behind all messages.
    starts: Vec<usize>,
    /// The first message that changed since the last rebuild.
    changed: Option<usize>,
    /// The texts and the asks that changed since the last flush.
    grown: Vec<ArcRwSignal<String>>,
    changed_asks: Vec<ArcRwSignal<AskSnapshot>>,
    /// The details of calls, for a page that shows them.
    details: Option<Box<dyn Details>>,
    /// The versions of the list, each with the index of its first changed entry. A version is dropped once a later change covers it, so that
    /// both numbers increase.
    changes: Vec<(u64, usize)>,
    version: u64,
}

#[derive(Default)]
struct IdSignals {
    text: Option<TextSignal>,
    /// True if a call has its result.
    done: Option<ArcRwSignal<bool>>,
    ask: Option<AskSignals>,
}

/// A message's text, and the number of times that it was replaced by one that does not continue it.
#[derive(Clone)]
struct TextSignal {
    signal: ArcRwSignal<String>,
    version: u32,
}

pub(crate) struct AskSignals {
    snapshot: ArcRwSignal<AskSnapshot>,
    pub(crate) ask: Ask,
}

impl AskSignals {
    fn new(tool_call_id: &str) -> Self {
        let snapshot = ArcRwSignal::new(AskSnapshot::new(tool_call_id));
        let ask = Ask { tool_call_id: tool_call_id.to_owned(), snapshot: snapshot.read_only() };
        Self { snapshot, ask }
    }

    /// Sets the state of the ask's reply. A failure stays until the next reply, even if the typed text that failed is dropped.
    pub(crate) fn set_reply(&self, reply: ReplyState) {
        let is_news = |now: &ReplyState| *now != reply && (reply != ReplyState::None || now.is_pending());
        if self.snapshot.with_untracked(|ask| is_news(&ask.reply)) {
            self.snapshot.update(|ask| ask.reply = reply);
        }
    }

    fn entry(&self) -> Entry {
        Entry {
            key: EntryKey::Call(self.ask.tool_call_id.clone()),
            item: Item::Ask(self.ask.clone()),
            files: Vec::new(),
        }
    }
}

impl Transcript {
    /// An empty transcript, whose lists belong to the current owner.
    pub(crate) fn new(details: Option<Box<dyn Details>>) -> Self {
        Self { details, ..Self::default() }
    }

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

    /// Adds a message to those whose texts are arriving, or removes it.
    pub(crate) fn set_arriving(&self, message_id: &str, arrives: bool) {
        let is_known = |ids: &Vec<String>| ids.iter().any(|id| id == message_id);
        match (arrives, self.arriving.with_untracked(is_known)) {
            (true, false) => self.arriving.update(|ids| ids.push(message_id.to_owned())),
            (false, true) => self.arriving.update(|ids| ids.retain(|id| id != message_id)),
            _ => {}
        }
    }

    pub(crate) fn end_arriving(&self) {
        if !self.arriving.with_untracked(Vec::is_empty) {
            self.arriving.set(Vec::new());
        }
    }

    pub(crate) fn asks(&self) -> impl Iterator<Item = &AskSignals> {
        self.signals.iter().filter_map(|(_, signals)| signals.ask.as_ref())
    }

    fn ask(&self, tool_call_id: &str) -> Option<&AskSignals> {
        self.signals(tool_call_id)?.ask.as_ref()
    }

    fn position(&self, id: &str) -> Result<usize, usize> {
        self.signals.binary_search_by(|(it, _)| (**it).cmp(id))
    }

    fn signals(&self, id: &str) -> Option<&IdSignals> {
        self.position(id).ok().map(|at| &*self.signals[at].1)
    }

    fn signals_mut(&mut self, id: &str) -> &mut IdSignals {
        let at = self.position(id).unwrap_or_else(|at| {
            self.signals.insert(at, (id.into(), Box::default()));
            at
        });
        &mut self.signals[at].1
    }

    /// Updates the lists of the asks that take an answer: those that wait for it, and those for which the agent does not wait.
    pub(crate) fn show_waiting(&self, asks: &Asks) {
        let takes_answer = asks.asks().filter(|ask| ask.phase == Phase::Answerable);
        let takes_answer = takes_answer.filter_map(|ask| Some(&self.ask(&ask.tool_call_id)?.ask));
        let is_open = |ask: &&Ask| asks.asked_by(&ask.tool_call_id) == Some(AskedBy::Background);
        let (open, waiting): (Vec<_>, Vec<_>) = takes_answer.partition(is_open);
        for (list, asks) in [(self.waiting, waiting), (self.open, open)] {
            let is_current = list.with_untracked(|current| {
                let ids = current.iter().map(|ask| &ask.tool_call_id);
                ids.eq(asks.iter().map(|ask| &ask.tool_call_id))
            });
            if !is_current {
                list.set(asks.into_iter().cloned().collect());
            }
        }
    }

    /// Starts a replay from the beginning. Entries stay if the replay has them.
    pub(crate) fn start_replay(&mut self) {
        self.callless.clear();
        self.touch(0);
        self.end_arriving();
    }

    /// Ends a replay: drops the signals of everything that it did not have.
    pub(crate) fn forget_others(&mut self, thread: &Thread, asks: &Asks) {
        let unsent = self.unsent.as_ref().map(Message::id);
        self.signals.retain_mut(|(id, signals)| {
            signals.text.take_if(|_| thread.message(id).is_none() && unsent != Some(id));
            signals.done.take_if(|_| thread.call(id).is_none());
            signals.ask.take_if(|_| asks.ask(id).is_none());
            signals.text.is_some() || signals.done.is_some() || signals.ask.is_some()
        });
        if let Some(details) = &mut self.details {
            details.forget_others(thread);
        }
        self.show_waiting(asks);
    }

    /// Adds an ask. The next [`flush`](Self::flush) shows it: at its call or, for an interrupt without a call, after this message.
    pub(crate) fn open_ask(&mut self, tool_call_id: &str, after: Option<&str>, thread: &Thread) {
        if self.ask(tool_call_id).is_some() {
            // A history repeats an ask that is shown already.
            self.update_ask(tool_call_id, |ask| {
                let reply = std::mem::take(&mut ask.reply);
                *ask = AskSnapshot::new(tool_call_id);
                ask.reply = reply;
            });
        } else {
            self.signals_mut(tool_call_id).ask = Some(AskSignals::new(tool_call_id));
        }
        if thread.call(tool_call_id).is_none() {
            self.callless.push((after.map(str::to_owned), tool_call_id.to_owned()));
            self.touch(thread.messages().iter().rposition(|it| Some(it.id()) == after).unwrap_or_default());
        } else {
            self.touch_call(tool_call_id, thread);
        }
    }

    /// Marks a message as added, removed or changed: the list is rebuilt from there on.
    pub(crate) fn touch(&mut self, message: usize) {
        self.changed = Some(self.changed.map_or(message, |changed| changed.min(message)));
    }

    /// Marks the message with a call, which is one of the last.
    pub(crate) fn touch_call(&mut self, tool_call_id: &str, thread: &Thread) {
        let holds = |message: &Message| message.tool_calls().iter().any(|call| call.id == tool_call_id);
        self.touch(thread.messages().iter().rposition(holds).unwrap_or_default());
    }

    /// Marks a message that was just added.
    pub(crate) fn touch_added(&mut self, message: &Message, thread: &Thread) {
        match message.tool_call_id() {
            // A result comes right behind its call, and may have another id.
            Some(call) => self.touch_call(call, thread),
            None => {
                let is_it = |it: &Message| it.id() == message.id();
                self.touch(thread.messages().iter().rposition(is_it).unwrap_or_default());
            }
        }
    }

    /// Changes an ask in place, without a rebuild of the list.
    pub(crate) fn update_ask<T>(
        &mut self,
        tool_call_id: &str,
        change: impl FnOnce(&mut AskSnapshot) -> T,
    ) -> Option<T> {
        let AskSignals { snapshot, .. } = self.signals(tool_call_id)?.ask.as_ref()?;
        let snapshot = snapshot.clone();
        let told = snapshot.try_update_untracked(change);
        if self.changed_asks.last() != Some(&snapshot) {
            self.changed_asks.push(snapshot);
        }
        told
    }

    /// Appends to a message's text. Returns false if the message has no entry yet.
    pub(crate) fn append(&mut self, message_id: &str, grown: &str) -> bool {
        let Some(TextSignal { signal, .. }) = self.signals(message_id).and_then(|signals| signals.text.as_ref()) else {
            return false;
        };
        signal.update_untracked(|text| text.push_str(grown));
        if self.grown.last() != Some(signal) {
            self.grown.push(signal.clone());
        }
        true
    }

    /// Appends the growth of a call's arguments, if the page shows them.
    pub(crate) fn grow_arguments(&mut self, tool_call_id: &str, thread: &Thread, from: usize) {
        if let Some(details) = &mut self.details {
            details.grow(tool_call_id, thread.arguments(tool_call_id).unwrap_or_default(), from);
        }
    }

    /// Sets the message at the end that the agent does not have yet. The next [`flush`](Self::flush) shows it.
    pub(crate) fn set_unsent(&mut self, message: Option<Message>) {
        if self.unsent.is_some() || message.is_some() {
            self.unsent = message;
            self.touch(usize::MAX);
        }
    }

    /// Notifies of all changes since the last flush.
    pub(crate) fn flush(&mut self, thread: &Thread) {
        if let Some(changed) = self.changed.take() {
            self.rebuild_entries(thread, changed);
        }
        self.grown.drain(..).for_each(|text| text.notify());
        self.changed_asks.drain(..).for_each(|ask| ask.notify());
        if let Some(details) = &mut self.details {
            details.notify();
        }
    }

    /// Rebuilds the list from this message on, the first that changed.
    fn rebuild_entries(&mut self, thread: &Thread, changed: usize) {
        let messages = thread.messages();
        let first = changed.min(messages.len()).min(self.starts.len().saturating_sub(1));
        let start = match first {
            0 => 0,
            first => self.starts[first],
        };
        self.starts.truncate(first);
        let mut tail = if first == 0 { self.callless_entries(None) } else { Vec::new() };
        for message in &messages[first..] {
            self.starts.push(start + tail.len());
            tail.extend(self.message_entry(message));
            for call in message.tool_calls() {
                tail.extend(self.call_entry(thread, &call.id, &call.name));
            }
            if let Some(call) = message.tool_call_id() {
                self.show_result(thread, call);
                if let Some(details) = &mut self.details {
                    details.set_result(call, message);
                }
            }
            tail.extend(self.callless_entries(Some(message.id())));
        }
        self.starts.push(start + tail.len());
        if let Some(message) = self.unsent.clone()
            && thread.message(message.id()).is_none()
        {
            tail.extend(self.message_entry(&message));
        }
        let is_current = self.entries.with_untracked(|entries| {
            let shown = entries[start..].iter().map(|entry| &entry.key);
            shown.eq(tail.iter().map(|entry| &entry.key))
        });
        if !is_current {
            self.note_change(start);
            self.entries.update(|entries| {
                entries.truncate(start);
                entries.append(&mut tail);
            });
        }
        self.show_undone(messages, first);
    }

    /// Updates what is undone, if a message from this index on undoes something or an earlier one did.
    fn show_undone(&self, messages: &[Message], from: usize) {
        let is_known = self.undone.with_untracked(|undone| !undone.is_empty());
        if !is_known && !messages[from..].iter().any(|message| undoes(message).is_some()) {
            return;
        }
        let mut undone = Undone::default();
        self.entries.with_untracked(|entries| {
            let keys = |from: usize, to: usize| {
                let entries = entries.get(self.starts[from]..self.starts[to]).unwrap_or_default();
                entries.iter().map(|entry| entry.key.clone())
            };
            for (position, message) in messages.iter().enumerate() {
                let Some((after, tools)) = undoes(message) else { continue };
                let Some(last) = messages[..position].iter().rposition(|message| message.id() == after) else {
                    continue;
                };
                undone.entries.extend(keys(last + 1, position));
                undone.changes.extend(keys(position, position + 1).next().map(|key| (key, tools)));
            }
        });
        if self.undone.with_untracked(|known| *known != undone) {
            self.undone.set(undone);
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
        let (text, mut files) = (message.text(), Vec::new());
        for (_, file) in message.files() {
            files.push(file);
        }
        let says_anything = !text.is_empty() || !files.is_empty();
        says_anything.then(|| Entry { files, ..self.text_entry(message.id(), &text, item) })
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

    /// Returns true if a card's receipt shows the text of a message already.
    fn has_receipt(&self, message: &Message) -> bool {
        let ask = message.metadata().and_then(AskMetadata::of);
        ask.is_some_and(|ask| {
            ask.replaces.is_none() && ask.by == AnsweredBy::Card && self.ask(&ask.tool_call_id).is_some()
        })
    }

    fn text_entry(&mut self, message_id: &str, text: &str, item: fn(ArcReadSignal<String>) -> Item) -> Entry {
        let TextSignal { signal, version } = self.text(message_id, text);
        Entry {
            key: EntryKey::Message(message_id.to_owned(), version),
            item: item(signal.read_only()),
            files: Vec::new(),
        }
    }

    fn text(&mut self, message_id: &str, text: &str) -> TextSignal {
        let known = self.signals(message_id).and_then(|signals| signals.text.clone());
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
                let new = TextSignal {
                    signal: ArcRwSignal::new(text.to_owned()),
                    version: known.map_or(0, |known| known.version + 1),
                };
                self.signals_mut(message_id).text = Some(new.clone());
                new
            }
        }
    }

    /// Updates the signal for the result of a call.
    fn show_result(&self, thread: &Thread, tool_call_id: &str) {
        let answered = thread.call(tool_call_id).is_some_and(|call| call.is_answered());
        let done = self.signals(tool_call_id).and_then(|signals| signals.done.as_ref());
        if let Some(done) = done.filter(|done| done.get_untracked() != answered) {
            done.set(answered);
        }
    }

    /// `None` for a question that was asked twice: the card of the other call has its answer.
    fn call_entry(&mut self, thread: &Thread, tool_call_id: &str, name: &str) -> Option<Entry> {
        if let Some(ask) = self.ask(tool_call_id) {
            return Some(ask.entry());
        }
        if tool::NAMES.contains(&name) && thread.call(tool_call_id).is_some_and(|call| call.is_answered()) {
            return None;
        }
        let done = self.signals_mut(tool_call_id).done.get_or_insert_with(|| ArcRwSignal::new(false)).clone();
        self.show_result(thread, tool_call_id);
        let details = self.details.as_mut().map(|details| details.call(thread, tool_call_id));
        Some(Entry {
            key: EntryKey::Tool(tool_call_id.to_owned()),
            item: Item::Tool { name: name.to_owned(), done: done.read_only(), details },
            files: Vec::new(),
        })
    }
}

/// The id of the last message that a changed answer leaves, and the tools that were called since.
fn undoes(message: &Message) -> Option<(&str, Vec<String>)> {
    let undone = message.metadata().filter(|_| message.role() == "user")?.get("undoes")?;
    let tools = undone.get("tools").and_then(Json::as_list).unwrap_or_default();
    Some((undone.get("after")?.as_str()?, tools.iter().filter_map(|tool| Some(tool.as_str()?.to_owned())).collect()))
}
