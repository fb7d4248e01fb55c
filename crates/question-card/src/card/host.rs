//! What a card and the page that it is in have to do with each other, with or without a framework.

use super::machine::{Card, Settings};
use super::{ClaimFocus, Layout, Notes, Skip, SubmitMode};
use crate::dom::{Ids, call_key};
use crate::drafts::Persist;
use crate::labels::Labels;
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, Reply};
use web_sys::Element;

/// How a card without Leptos is to be, from its first moment on.
#[derive(Clone, Debug)]
pub struct Options {
    /// How an answer is given.
    pub mode: SubmitMode,
    /// How several questions are laid out.
    pub layout: Layout,
    /// Names the conversation to which the call belongs.
    pub scope: String,
    /// The built-in words; English ones where there are none.
    pub labels: Option<&'static Labels>,
    /// Makes the name of the form a heading of this level (1 to 6).
    pub heading_level: Option<u8>,
    /// Whether the ask came while the page was open, and not with a history.
    pub fresh: bool,
    /// Lets the card take the focus when its question has arrived.
    pub claim_focus: Option<ClaimFocus>,
    /// Whether digits choose options while the focus is on one.
    pub shortcuts: bool,
    /// Whether the card can only be read.
    pub readonly: bool,
    /// A "Skip" for each question.
    pub skip: Option<Skip>,
    /// A note beside each answer.
    pub notes: Option<Notes>,
    /// The most characters (Unicode scalar values) of each typed text.
    pub max_length: Option<usize>,
    /// Whether what was chosen and typed outlives the page.
    pub persist: Persist,
    /// A deadline of the host's own, in milliseconds since the Unix epoch.
    pub expires_at: Option<u64>,
    /// Whether the class of each element, without its `qc-`, is its `part` too: in a shadow tree, whose page can style parts alone.
    pub parts: bool,
    /// What the host takes beside replies and cancellations.
    pub offers: Offers,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: SubmitMode::default(),
            layout: Layout::default(),
            scope: String::new(),
            labels: None,
            heading_level: None,
            fresh: false,
            claim_focus: None,
            shortcuts: true,
            readonly: false,
            skip: None,
            notes: None,
            max_length: None,
            persist: Persist::default(),
            expires_at: None,
            parts: false,
            offers: Offers::default(),
        }
    }
}

/// What a host takes beside replies and cancellations: each shows a button that leads to one variant of [`Told`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// "Send as a message" and "Ask again", which lead to [`Told::Message`].
    pub messages: bool,
    /// "Reply in chat instead", which leads to [`Told::ReplyInChat`].
    pub reply_in_chat: bool,
    /// "More time", which leads to [`Told::Extend`].
    pub more_time: bool,
    /// "Change", which leads to [`Told::Change`].
    pub change: bool,
    /// "Go to the next question", which leads to [`Told::Next`].
    pub next: bool,
    /// A place below the receipt, which leads to [`Told::ReceiptActions`].
    pub receipt_actions: bool,
}

/// What a card tells its host.
#[derive(Debug)]
pub enum Told {
    /// The user answered: a reply that was checked against its ask. Once; again only after it failed or was returned.
    Reply(Reply),
    /// The user cancelled the question.
    Cancel,
    /// The user wants to go on in the chat, with these picks so far.
    ReplyInChat(Vec<Selection>),
    /// The picks so far: at first, and whenever they change.
    Picks(Vec<Selection>),
    /// The user wants to send this text as a message. The host is to say whether it takes it.
    Message(String),
    /// The user asks for more time.
    Extend,
    /// The user wants a reply back that the host keeps.
    Change,
    /// The user wants to go to the ask for which a reply is kept.
    Next,
    /// The place below the receipt where the host shows what it offers, or that there is none any more.
    ReceiptActions(Option<Element>),
}

/// Who put a card into a page.
pub(crate) trait Host {
    /// Lets the ask be read. Nothing is read where it is gone.
    fn read(&self, read: &mut dyn FnMut(&AskSnapshot));

    /// Hears of what happened. Says whether it took a [`Told::Message`].
    fn hear(&self, told: Told) -> bool;

    /// Whether it wants to hear of this at all: of [`Told::Picks`].
    fn wants_picks(&self) -> bool;

    /// Its clock (milliseconds since the Unix epoch), where it has one.
    fn now(&self) -> Option<u64>;
}

/// The card of this ask with its key, before it is in a page.
pub(crate) fn card_of(ask: &AskSnapshot, options: &Options) -> (Card, String) {
    let offers = options.offers;
    let settings = Settings {
        mode: options.mode,
        layout: options.layout,
        shortcuts: options.shortcuts,
        skip: options.skip,
        notes: options.notes,
        readonly: options.readonly,
        fresh: options.fresh,
        heading_level: options.heading_level,
        takes_messages: offers.messages,
        takes_chat: offers.reply_in_chat,
        extends: offers.more_time,
        takes_back: offers.change,
        leads_on: offers.next,
        adds_actions: offers.receipt_actions,
    };
    let words = options.labels.unwrap_or(&Labels::ENGLISH);
    let key = call_key(&options.scope, &ask.tool_call_id);
    (Card::new(ask, Ids::new(&key), words, settings, options.max_length, options.expires_at), key)
}
