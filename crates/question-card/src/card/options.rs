//! What a host may set of a card beside its ask: the options of the component.

use super::handle::FocusHandle;
use super::host::Options;
use super::{ClaimFocus, Decide, Layout, Notes, Skip, SubmitMode};
use crate::drafts::Persist;
use crate::labels::Labels;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::Sending;
use leptos::prelude::*;
use std::rc::Rc;

/// How a card is to be, and what its host takes beside replies and cancellations.
///
/// ```
/// use question_card::{CardOptions, Layout};
/// # let owner = leptos::prelude::Owner::new();
/// # owner.set();
/// let options = CardOptions::new().layout(Layout::Stepped).notes().on_late_message(|text| {
///     leptos::logging::log!("to the agent: {text}");
///     true
/// });
/// # let _ = options;
/// ```
#[derive(Default)]
#[must_use]
pub struct CardOptions {
    pub(super) plain: Options,
    pub(super) follows: Vec<Follow>,
    pub(super) sending: Option<Reads<Sending>>,
    pub(super) now: Option<Reads<u64>>,
    pub(super) handle: Option<FocusHandle>,
    pub(super) receipt_actions: Option<ViewFn>,
    pub(super) hears: Hears,
}

/// Reads a signal of the host's. A signal itself would bring the code of each kind of signal into every page.
pub(super) type Reads<T> = Rc<dyn Fn() -> T>;

/// Changes options by signals of the host's.
pub(super) type Follow = Rc<dyn Fn(&mut Options)>;

/// What the host hears, if it wants to.
#[derive(Default)]
pub(super) struct Hears {
    pub(super) reply_in_chat: Option<Box<dyn Fn(Vec<Selection>)>>,
    pub(super) picks: Option<Box<dyn Fn(Vec<Selection>)>>,
    pub(super) message: Option<Box<dyn Fn(String) -> bool>>,
    pub(super) extend: Option<Box<dyn Fn()>>,
    pub(super) change: Option<Box<dyn Fn()>>,
    pub(super) next: Option<Box<dyn Fn()>>,
}

/// How the card is.
impl CardOptions {
    /// A card in English, one question below the other, sent by Submit.
    pub fn new() -> Self {
        Self::default()
    }

    /// How an answer is given.
    pub fn mode(mut self, mode: SubmitMode) -> Self {
        self.plain.mode = mode;
        self
    }

    /// How several questions are laid out.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.plain.layout = layout;
        self
    }

    /// The built-in words, such as `Labels::for_lang("de")`; their language and direction become the card's. Without, English words, and
    /// the language and direction of the page.
    pub fn labels(mut self, labels: Labels) -> Self {
        self.plain.labels = Some(labels);
        self
    }

    /// Makes the name of the form a heading of this level (1 to 6), by which a screen reader finds it.
    pub fn heading_level(mut self, level: u8) -> Self {
        self.plain.heading_level = Some(level);
        self
    }

    /// Switches the digits off, which choose options while the focus is on one.
    pub fn without_shortcuts(mut self) -> Self {
        self.plain.shortcuts = false;
        self
    }

    /// Names the conversation to which the call belongs, such as an AG-UI thread id. Agents number their calls: drafts, announcements and
    /// the focus that was claimed are this call's in this scope.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.plain.scope = scope.into();
        self
    }

    /// Whether the ask came while the page was open, and not with a history: then it is announced even if it was complete when this card
    /// was made, as an ask is whose arguments the card saw arriving. Once for each call in the life of the page.
    pub fn fresh(mut self, is_fresh: bool) -> Self {
        self.plain.fresh = is_fresh;
        self
    }

    /// Whether the card can only be read, such as in a history whose asks nobody can answer any more: a record of what was asked and offered,
    /// without controls. What was typed before is offered beside it, as where an answer comes too late.
    pub fn readonly(mut self, is_readonly: bool) -> Self {
        self.plain.readonly = is_readonly;
        self
    }
}

/// What a card can do beside asking.
impl CardOptions {
    /// Each question takes a note beside its answer; it travels in the reply's `details`.
    pub fn notes(mut self) -> Self {
        self.plain.notes = Some(Notes::field());
        self
    }

    /// Each question has a "Skip", which counts as an answer. Where one tap answers, this one does too.
    pub fn skip(mut self) -> Self {
        self.plain.skip = Some(Skip::button());
        self
    }

    /// Shows a button with these words, such as "Let the agent decide". It answers: each open question is skipped, with the words as its note.
    pub fn agent_decides(mut self, words: impl Into<String>) -> Self {
        self.plain.agent_decides = Some(Decide::button(words));
        self
    }

    /// The most characters (Unicode scalar values) of each typed text, with a counter below its field. What is longer is not cut off, and
    /// not sent until it is shorter.
    pub fn max_length(mut self, most: usize) -> Self {
        self.plain.max_length = Some(most);
        self
    }

    /// What was chosen and typed outlives the page. In memory it is kept in any case.
    pub fn persist(mut self, persist: Persist) -> Self {
        self.plain.persist = persist;
        self
    }

    /// The card may take the focus when its question has arrived.
    pub fn claim_focus(mut self, claim: ClaimFocus) -> Self {
        self.plain.claim_focus = Some(claim);
        self
    }
}

/// What the host knows, and the card follows.
impl CardOptions {
    /// Changes any option by signals, while the card is there: `follow` runs again when a signal that it reads changes. Drafts, and what was
    /// sent, stay as they are.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use question_card::{CardOptions, Labels, SubmitMode};
    /// # let owner = Owner::new();
    /// # owner.set();
    /// let (language, mode) = (RwSignal::new("de"), RwSignal::new(SubmitMode::OnPick));
    /// let options = CardOptions::new().following(move |options| {
    ///     options.labels = Some(Labels::for_lang(language.get()));
    ///     options.mode = mode.get();
    /// });
    /// # let _ = options;
    /// ```
    pub fn following(mut self, follow: impl Fn(&mut Options) + 'static) -> Self {
        self.follows.push(Rc::new(follow));
        self
    }

    /// Where the host stands with the reply; an [`Action`] for `on_reply` says it by itself.
    ///
    /// From [`Sending::Pending`] back to [`Sending::Idle`] while the ask is not over, the host gives the reply back. The card is open again then, with
    /// all that was chosen, and says so. So where the reply went through, change the phase first.
    pub fn sending(mut self, sending: impl Into<Signal<Sending>>) -> Self {
        self.sending = Some(reads(sending.into()));
        self
    }

    /// Whether the host keeps the reply until another ask has its answer too ([`Sending`] is then `Pending`). The card then says that it goes
    /// out with the next answer, and not that it is being sent.
    pub fn held(self, held: impl Into<Signal<bool>>) -> Self {
        let held = reads(held.into());
        self.following(move |options| options.held = held())
    }

    /// A deadline of the host's own (milliseconds since the Unix epoch), which overrides the ask's own
    /// ([`AskSnapshot::expires_at`](ask_user_question::AskSnapshot::expires_at)).
    ///
    /// The card shows the time that is left, and announces the last minute. When time is up it is a receipt, and keeps what was chosen and typed.
    pub fn expires_at(self, expires_at: impl Into<Signal<Option<u64>>>) -> Self {
        let expires_at = reads(expires_at.into());
        self.following(move |options| options.expires_at = expires_at())
    }

    /// The host's clock (milliseconds since the Unix epoch), by which deadlines are kept; without one, the browser's.
    pub fn now(mut self, now: impl Into<Signal<u64>>) -> Self {
        self.now = Some(reads(now.into()));
        self
    }

    /// Moves the focus into this card when the host says so.
    pub fn handle(mut self, handle: FocusHandle) -> Self {
        self.handle = Some(handle);
        self
    }

    /// What the host offers below the receipt, such as "Ask again" or, for a history, [`CopyReceipt`](crate::CopyReceipt).
    pub fn receipt_actions(mut self, actions: impl Into<ViewFn>) -> Self {
        self.receipt_actions = Some(actions.into());
        self.plain.offers.receipt_actions = true;
        self
    }
}

/// What the host takes; each brings the button that leads to it.
impl CardOptions {
    /// Shows "Reply in chat instead", which hands the picks so far to the host and leaves the rest to its composer.
    pub fn on_reply_in_chat(mut self, hear: impl Fn(Vec<Selection>) + 'static) -> Self {
        self.hears.reply_in_chat = Some(Box::new(hear));
        self.plain.offers.reply_in_chat = true;
        self
    }

    /// Called with the picks so far, at first and whenever they change: for a host whose composer takes them along with what is typed instead.
    pub fn on_picks(mut self, hear: impl Fn(Vec<Selection>) + 'static) -> Self {
        self.hears.picks = Some(Box::new(hear));
        self
    }

    /// Shows "Send as a message" where an answer came too late or the question could not be read; takes the typed text and picks. Shows "Ask
    /// again" where time ran out, which sends the question. Returns whether the host took them: what it did not take stays on the card.
    pub fn on_late_message(mut self, hear: impl Fn(String) -> bool + 'static) -> Self {
        self.hears.message = Some(Box::new(hear));
        self.plain.offers.messages = true;
        self
    }

    /// Shows "More time" beside the time that is left, and is called at each press. More time is a later deadline.
    pub fn on_extend(mut self, hear: impl Fn() + 'static) -> Self {
        self.hears.extend = Some(Box::new(hear));
        self.plain.offers.more_time = true;
        self
    }

    /// Shows "Change" while the reply is [`held`](Self::held). The host gives the reply back, by [`Sending::Idle`].
    pub fn on_change(mut self, hear: impl Fn() + 'static) -> Self {
        self.hears.change = Some(Box::new(hear));
        self.plain.offers.change = true;
        self
    }

    /// Shows "Go to the next question" while the reply is [`held`](Self::held). The host leads to the card that still waits, by its
    /// [`FocusHandle`].
    pub fn on_next(mut self, hear: impl Fn() + 'static) -> Self {
        self.hears.next = Some(Box::new(hear));
        self.plain.offers.next = true;
        self
    }
}

/// What is read of a signal that is gone is what there is by default.
fn reads<T: Clone + Default + Send + Sync + 'static>(signal: Signal<T>) -> Reads<T> {
    Rc::new(move || signal.try_get().unwrap_or_default())
}
