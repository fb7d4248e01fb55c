//! What this browser keeps of conversations that no server tells again: the last few, each up to a length.

use crate::conversation::Conversation;
use crate::ids::now;
use crate::storage::Shelf;
use crate::tabs::TabLock;
use ag_ui_stream::Thread;
use ag_ui_stream::message::Message;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::thread::RunState;
use json_tree::Json;
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

/// Under which the names of the conversations are kept, one a line, the latest first.
const LIST: &str = "agent-chat conversations";

/// How many conversations are kept.
const MOST: usize = 16;

/// How long what is kept of one may be, in bytes. Browsers keep about 5 million characters in all.
const LONGEST: usize = 256 * 1024;

/// One conversation in a browser's keeping. A trait of one kind, so that a page that keeps none does not carry how.
pub(crate) trait Keep {
    /// Takes over what is kept. False where that is nothing, or nothing that can be read.
    fn read(&self, conversation: &mut Conversation) -> bool;

    /// Keeps the conversation as it stands, in the place of the one that was kept longest where there is no more room.
    fn write(&self, conversation: &Conversation);

    /// Whether another tab has kept it since this one has read or written it.
    fn has_changed(&self) -> bool;

    /// Whether this is the browser's name for it.
    fn is_under(&self, key: &str) -> bool;

    /// The replies that tabs of the conversation hold until its other asks have theirs.
    fn held(&self) -> Option<String>;

    /// Keeps these in their place, where there are any.
    fn write_held(&self, held: Option<&str>);

    /// Queues for the turn to talk to its agent, which is told when it comes.
    fn request_turn(&self, on_grant: Rc<dyn Fn()>) -> TabLock;
}

/// By a word: the `Debug` of texts brings tables of all characters into every page.
impl fmt::Debug for dyn Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keep")
    }
}

pub(crate) struct Kept {
    key: String,
    /// What this tab has read or written last, by its digest.
    known: Cell<u64>,
}

impl Kept {
    pub(crate) fn new(name: &str) -> Self {
        Self { key: format!("agent-chat conversation {name}"), known: Cell::new(digest("")) }
    }
}

impl Keep for Kept {
    fn read(&self, conversation: &mut Conversation) -> bool {
        let Some(kept) = Shelf::Browser.read(&self.key) else {
            return false;
        };
        self.known.set(digest(&kept));
        // The event that ended its last run, if that did not end well, and then those that bring it back.
        let mut lines = kept.lines();
        let ended = lines.next().filter(|ended| !ended.is_empty());
        conversation.restore(now(), &lines.collect::<Vec<_>>(), ended)
    }

    fn write(&self, conversation: &Conversation) {
        let record = record(conversation);
        self.known.set(digest(&record));
        let known = Shelf::Browser.read(LIST).unwrap_or_default();
        let others = known.lines().filter(|key| *key != self.key);
        let mut list: Vec<&str> = [self.key.as_str()].into_iter().chain(others).collect();
        while list.len() > MOST || !Shelf::Browser.write(&self.key, &record) {
            // The last one left is this one, for which there is no room at all.
            let Some(oldest) = list.pop() else { return };
            Shelf::Browser.remove(oldest);
            Shelf::Browser.remove(&held_key(oldest));
        }
        Shelf::Browser.write(LIST, &list.join("\n"));
    }

    fn has_changed(&self) -> bool {
        let kept = Shelf::Browser.read(&self.key).unwrap_or_default();
        digest(&kept) != self.known.get()
    }

    fn is_under(&self, key: &str) -> bool {
        self.key == key
    }

    fn held(&self) -> Option<String> {
        Shelf::Browser.read(&held_key(&self.key))
    }

    fn write_held(&self, held: Option<&str>) {
        let key = held_key(&self.key);
        match held {
            Some(held) => drop(Shelf::Browser.write(&key, held)),
            None => Shelf::Browser.remove(&key),
        }
    }

    fn request_turn(&self, on_grant: Rc<dyn Fn()>) -> TabLock {
        TabLock::request(&self.key, on_grant)
    }
}

fn held_key(key: &str) -> String {
    [key, " held"].concat()
}

/// Tells texts apart (FNV-1a).
fn digest(text: &str) -> u64 {
    let take = |digest: u64, byte: u8| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, take)
}

fn record(conversation: &Conversation) -> String {
    let (thread, asks) = (conversation.thread(), conversation.asks());
    let state = thread.state();
    let state = match state.as_object().is_some_and(|members| members.is_empty()) {
        true => String::new(),
        false => format!("\n{{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{state}}}"),
    };
    let messages = messages(thread.messages()).join(",");
    let ended = ended(thread);
    let receipts: String = conversation.receipts().map(|event| format!("\n{event}")).collect();
    let interrupts: String = asks.legacy_interrupts().map(legacy).collect();
    format!("{ended}{state}\n{{\"type\":\"MESSAGES_SNAPSHOT\",\"messages\":[{messages}]}}{receipts}{interrupts}")
}

/// A legacy interrupt that waits, as the line of the event that brings it back.
fn legacy((id, value): (&str, &Json<'static>)) -> String {
    let raw = Json::object([("id", id.into())]);
    let event = Json::object([
        ("type", "CUSTOM".into()),
        ("name", "on_interrupt".into()),
        ("value", value.clone()),
        ("rawEvent", raw),
    ]);
    format!("\n{event}")
}

fn ended(thread: &Thread) -> String {
    match thread.run() {
        RunState::Ended { outcome: EndOutcome::Completed | EndOutcome::Cancelled } | RunState::Idle => String::new(),
        RunState::Ended { outcome: EndOutcome::Interrupt } => {
            let interrupts = Json::List(thread.open_interrupts().iter().map(Json::from).collect());
            let outcome = format!(r#"{{"type":"interrupt","interrupts":{interrupts}}}"#);
            format!(r#"{{"type":"RUN_FINISHED","threadId":"history","runId":"history","outcome":{outcome}}}"#)
        }
        RunState::Running { .. } | RunState::Ended { .. } => r#"{"type":"RUN_ERROR","message":""}"#.to_owned(),
    }
}

/// The latest messages that there is room for, beginning with one of the user's: a history never begins in the middle of a turn.
fn messages(messages: &[Message]) -> Vec<String> {
    let json: Vec<String> = messages.iter().map(|message| Json::from(message).to_string()).collect();
    let mut length: usize = json.iter().map(String::len).sum();
    let mut first = 0;
    while length > LONGEST && first < json.len() {
        length -= json[first].len();
        first += 1;
        while messages.get(first).is_some_and(|message| message.role() != "user") {
            length -= json[first].len();
            first += 1;
        }
    }
    json[first..].to_vec()
}
