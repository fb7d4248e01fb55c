//! What this browser keeps of conversations that no server tells again: the last few, each up to a length.

use crate::conversation::Conversation;
use crate::ids::now;
use crate::json;
use crate::receipt::Receipt;
use crate::storage::Shelf;
use crate::tabs::TabLock;
use ag_ui_stream::Message;
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
        let kept = json::parse(&kept);
        let receipts = json::items(&kept, "receipts").iter().filter_map(Receipt::of).collect();
        kept.get("history").is_some_and(|history| conversation.restore(now(), history.clone(), receipts))
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

/// The history, and what it does not tell of.
fn record(conversation: &Conversation) -> String {
    let mut history = conversation.history();
    drop_oldest(&mut history.messages);
    let record = [("history", Json::from(&history)), ("receipts", Json::List(conversation.receipts()))];
    Json::object(record).to_string()
}

/// Leaves the latest messages that there is room for, beginning with one of the user's: a history never begins in the middle of a turn.
fn drop_oldest(messages: &mut Vec<Message>) {
    let lengths: Vec<usize> = messages.iter().map(|message| Json::from(message).to_string().len()).collect();
    let mut length: usize = lengths.iter().sum();
    let mut first = 0;
    while length > LONGEST && first < lengths.len() {
        length -= lengths[first];
        first += 1;
        while messages.get(first).is_some_and(|message| message.role() != "user") {
            length -= lengths[first];
            first += 1;
        }
    }
    *messages = messages.split_off(first);
}
