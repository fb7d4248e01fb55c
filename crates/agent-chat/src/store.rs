//! This browser's store of conversations that no server has: the last few, each up to a size.

use crate::chat_state::ChatState;
use crate::ids::now;
use crate::json;
use crate::storage::Shelf;
use crate::tabs::TabLock;
use ag_ui_stream::Message;
use json_tree::Json;
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

/// The key of the list of stored conversations: one key a line, the latest first.
const LIST_KEY: &str = "agent-chat conversations";

const MAX_CONVERSATIONS: usize = 16;

/// The maximum size of a stored history, in bytes. Browsers store about 5 million characters in all.
const MAX_BYTES: usize = 256 * 1024;

/// The store of one conversation. It is a trait, so that a page without a store does not carry the code.
pub(crate) trait ConversationStore {
    /// Restores the conversation. Returns false if none is stored, or none that can be read.
    fn restore(&self, conversation: &mut ChatState) -> bool;

    /// Stores the conversation. If there is no room, evicts the conversations that were stored longest ago. If that makes too little room,
    /// all of them stay, and so does the last record of this one.
    fn save(&self, conversation: &ChatState);

    /// Returns true if another tab has stored it since this tab last read or wrote it.
    fn has_changed(&self) -> bool;

    fn has_key(&self, key: &str) -> bool;

    /// The replies that tabs of the conversation hold until each other ask has its reply.
    fn held_replies(&self) -> Option<String>;

    /// Replaces the held replies, or removes them.
    fn set_held_replies(&self, held: Option<&str>);

    /// Queues for the lock on requests to its agent. `on_grant` is called when it is granted.
    fn request_lock(&self, on_grant: Rc<dyn Fn()>) -> TabLock;
}

/// Prints a constant, because the `Debug` of strings would add Unicode tables to every page.
impl fmt::Debug for dyn ConversationStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keep")
    }
}

pub(crate) struct BrowserStore {
    key: String,
    /// The digest of the last record that this tab read or wrote.
    last_digest: Cell<u64>,
}

impl BrowserStore {
    pub(crate) fn new(name: &str) -> Self {
        Self { key: format!("agent-chat conversation {name}"), last_digest: Cell::new(digest("")) }
    }
}

impl ConversationStore for BrowserStore {
    fn restore(&self, conversation: &mut ChatState) -> bool {
        let Some(stored) = Shelf::Browser.read(&self.key) else {
            return false;
        };
        self.last_digest.set(digest(&stored));
        let stored = json::parse(&stored);
        stored.get("history").is_some_and(|history| conversation.restore(now(), history.clone()))
    }

    fn save(&self, conversation: &ChatState) {
        let record = record(conversation);
        let keys = Shelf::Browser.read(LIST_KEY).unwrap_or_default();
        let others = keys.lines().filter(|key| *key != self.key);
        let mut list: Vec<&str> = [self.key.as_str()].into_iter().chain(others).collect();
        let mut evicted: Vec<(String, String)> = Vec::new();
        while list.len() > MAX_CONVERSATIONS || !Shelf::Browser.write(&self.key, &record) {
            // If even this record alone does not fit, other data of this origin takes the room.
            let Some(oldest) = list.pop().filter(|oldest| *oldest != self.key) else {
                for (key, value) in &evicted {
                    Shelf::Browser.write(key, value);
                }
                return;
            };
            for key in [oldest.to_owned(), held_key(oldest)] {
                if let Some(value) = Shelf::Browser.read(&key) {
                    Shelf::Browser.remove(&key);
                    evicted.push((key, value));
                }
            }
        }
        self.last_digest.set(digest(&record));
        Shelf::Browser.write(LIST_KEY, &list.join("\n"));
    }

    fn has_changed(&self) -> bool {
        let stored = Shelf::Browser.read(&self.key).unwrap_or_default();
        digest(&stored) != self.last_digest.get()
    }

    fn has_key(&self, key: &str) -> bool {
        self.key == key
    }

    fn held_replies(&self) -> Option<String> {
        Shelf::Browser.read(&held_key(&self.key))
    }

    fn set_held_replies(&self, held: Option<&str>) {
        let key = held_key(&self.key);
        match held {
            Some(held) => drop(Shelf::Browser.write(&key, held)),
            None => Shelf::Browser.remove(&key),
        }
    }

    fn request_lock(&self, on_grant: Rc<dyn Fn()>) -> TabLock {
        TabLock::request(&self.key, on_grant)
    }
}

fn held_key(key: &str) -> String {
    [key, " held"].concat()
}

/// The digest of a text (FNV-1a).
fn digest(text: &str) -> u64 {
    let take = |digest: u64, byte: u8| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, take)
}

fn record(conversation: &ChatState) -> String {
    let mut history = conversation.history();
    drop_oldest(&mut history.messages);
    Json::object([("history", Json::from(&history))]).to_string()
}

/// Drops the oldest messages until the rest fits, but never the last turn. The first one left is the user's, since a history never begins in
/// the middle of a turn.
fn drop_oldest(messages: &mut Vec<Message>) {
    let lengths: Vec<usize> = messages.iter().map(|message| Json::from(message).to_string().len()).collect();
    let mut length: usize = lengths.iter().sum();
    let mut first = 0;
    let last = messages.iter().rposition(|message| message.role() == "user").unwrap_or_default();
    while length > MAX_BYTES && first < last {
        length -= lengths[first];
        first += 1;
        while messages.get(first).is_some_and(|message| message.role() != "user") {
            length -= lengths[first];
            first += 1;
        }
    }
    *messages = messages.split_off(first);
}
