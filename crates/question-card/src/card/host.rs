//! The interface between a card and its host, with or without a framework.

use super::{Files, Layout, Notes, Parts, Skip, SubmitMode};
use crate::drafts::Persist;
use crate::labels::Labels;
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, Reply};
use web_sys::Element;

/// The settings of a card. The host can change them at any time: no choice, text or reply is lost.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The way an answer is given.
    pub mode: SubmitMode,
    /// The layout of several questions.
    pub layout: Layout,
    /// The conversation that the call belongs to, such as an AG-UI thread id. Drafts and announcements are kept by scope and call, because
    /// agents number their calls. If the scope changes, the draft moves along.
    pub scope: String,
    /// The built-in words, such as `Labels::for_lang("de")`; their language and direction become the card's. Without them, the words are
    /// English, and language and direction are the page's.
    pub labels: Option<Labels>,
    /// The ask arrived while the page was open, and not with a history. It is announced even if it was complete when this card was made,
    /// once for each call in the life of the page. Only read when the card is made.
    pub fresh: bool,
    /// Shows texts of the agent as they were written. By default a small part of Markdown is shown: code, strong and emphasized words,
    /// bullets, and links as their words with the host.
    pub plain_text: bool,
    /// Shows the ask without controls, as a record of what was asked and offered, such as in a history whose asks can't be answered any
    /// more. Text typed before is offered beside it, as after a late answer.
    pub readonly: bool,
    /// A "Skip" for each question, which counts as an answer. If one tap answers, this one does too.
    pub skip: Option<Skip>,
    /// A note beside each answer; it travels in the reply's `details`.
    pub notes: Option<Notes>,
    /// Files beside an answer or instead of one.
    pub files: Option<Files>,
    /// The most characters (Unicode scalar values) of each typed text, with a counter below its field. A longer text is not cut off, and not
    /// sent until it is shorter.
    pub max_length: Option<usize>,
    /// Where choices and text are stored beyond the life of the page. They are kept in memory in any case.
    pub persist: Persist,
    /// A deadline of the host's own, in milliseconds since the Unix epoch, which overrides the ask's.
    pub expires_at: Option<u64>,
    /// Milliseconds for which the user can undo "Don't answer" before it is sent; 0 sends it at once, `None` waits five seconds.
    pub undo_within: Option<u64>,
    /// Names the elements as parts, for a shadow tree. Only read when the card is made.
    pub parts: Option<Parts>,
    /// The optional buttons, whose events the host handles.
    pub offers: Offers,
}

/// Optional buttons. Pressing one emits the matching [`CardEvent`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// "Send as a message" and "Ask again", which lead to [`CardEvent::Message`].
    pub messages: bool,
    /// "Reply in chat instead", which leads to [`CardEvent::ReplyInChat`].
    pub reply_in_chat: bool,
    /// "More time", which leads to [`CardEvent::Extend`].
    pub more_time: bool,
    /// "Change", which leads to [`CardEvent::Change`].
    pub change: bool,
    /// "Change" in the receipt of an answer that can still be changed, which leads to [`CardEvent::Update`].
    pub update: bool,
    /// "Go to the next question", which leads to [`CardEvent::Next`].
    pub next: bool,
    /// A place below the receipt, which leads to [`CardEvent::ReceiptActions`].
    pub receipt_actions: bool,
}

/// An event that a card emits to its host.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum CardEvent {
    /// The user gave a reply, which was checked against its ask. Emitted once, and again only after a reply failed or was returned.
    Reply(Reply),
    /// The user cancelled the question.
    Cancel,
    /// The user wants to continue in the chat, with these picks so far.
    ReplyInChat(Vec<Selection>),
    /// The picks so far: at first, and after each change.
    Picks(Vec<Selection>),
    /// The user wants to send this text as a message. The host returns its [`Acceptance`].
    Message(String),
    /// The user asks for more time.
    Extend,
    /// The user wants to change a reply that the host holds.
    Change,
    /// The user changed the answer that the agent has, to this one. The host returns its [`Acceptance`], and writes the answer into the ask's
    /// [`replaced`](AskSnapshot::replaced) once it is sent.
    Update(Reply),
    /// The user wants to go to the ask that a held reply waits for.
    Next,
    /// The place below the receipt for the host's own view, or `None` once it is gone.
    ReceiptActions(Option<Element>),
}

/// The host's result for a [`CardEvent::Message`] or [`CardEvent::Update`]; other events have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// The host refuses it. The text or choice stays on the card, which says so.
    No,
    /// The host has sent it, or will send it.
    Yes,
    /// The host will report whether it was sent. Until then the text or choice stays on the card, and no other is emitted.
    Later,
}

/// For handlers of events that have no result.
impl From<()> for Acceptance {
    fn from((): ()) -> Self {
        Self::No
    }
}

impl From<bool> for Acceptance {
    fn from(accepts: bool) -> Self {
        if accepts { Self::Yes } else { Self::No }
    }
}

/// The program that put a card into a page.
pub(crate) struct CardHost {
    /// Passes the ask to a function, by reference; does nothing if the ask is gone.
    pub(crate) read: Box<dyn Fn(Read<'_>)>,
    /// Handles an event. The result counts for a [`CardEvent::Message`] or [`CardEvent::Update`].
    pub(crate) on_event: Box<dyn Fn(CardEvent) -> Acceptance>,
}

pub(crate) type Read<'a> = &'a mut dyn FnMut(&AskSnapshot);
