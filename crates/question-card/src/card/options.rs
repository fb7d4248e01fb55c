//! The options of the Leptos component: the settings of a card beside its ask.

use super::handle::FocusHandle;
use super::host::{Acceptance, CardEvent, Options};
use super::{Files, Layout, Notes, Skip, SubmitMode};
use crate::drafts::Persist;
use crate::labels::Labels;
use ask_user_question::Reply;
use ask_user_question::reply::Selection;
#[cfg(doc)]
use ask_user_question::snapshot::ReplyState;
use leptos::prelude::*;
use std::rc::Rc;

/// The settings of a card, and the handlers beside those of replies and cancellations.
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
    pub(super) handle: Option<FocusHandle>,
    pub(super) handlers: Vec<Handler>,
}

pub(super) type Follow = Rc<dyn Fn(&mut Options)>;

/// Handles an event; `None` if it is not the handler's.
pub(super) type Handler = Box<dyn Fn(&CardEvent) -> Option<Acceptance>>;

/// Declares a method for each of these members of [`Options`], which have the documentation.
macro_rules! setters {
    ($($name:ident($($value:ident: $of:ty)?) => $set:expr;)*) => {$(
        #[doc = concat!("Sets [`Options::", stringify!($name), "`].")]
        pub fn $name(mut self, $($value: $of)?) -> Self {
            self.plain.$name = $set;
            self
        }
    )*};
}

/// Settings of the card.
impl CardOptions {
    /// A card in English, one question below the other, sent by Submit.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        mode(mode: SubmitMode) => mode;
        layout(layout: Layout) => layout;
        scope(scope: impl Into<String>) => scope.into();
        labels(labels: Labels) => Some(labels);
        fresh(is_fresh: bool) => is_fresh;
        plain_text() => true;
        readonly(is_readonly: bool) => is_readonly;
        skip() => Some(Skip::button());
        notes() => Some(Notes::field());
        files(files: Files) => Some(files);
        persist(persist: Persist) => persist;
        max_length(most: usize) => Some(most);
        undo_within(milliseconds: u64) => Some(milliseconds);
    }
}

/// Settings that follow the host's signals.
impl CardOptions {
    /// Changes any option by signals, while the card is there: `follow` runs again when a signal that it reads changes. Drafts and sent
    /// replies stay as they are.
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

    /// Sets a deadline of the host's own (milliseconds since the Unix epoch), which overrides the ask's own
    /// ([`AskSnapshot::expires_at`](ask_user_question::AskSnapshot::expires_at)).
    ///
    /// The card shows the time left, and announces the last minute. When the time is up, the card is a receipt and keeps choices and text.
    pub fn expires_at(self, expires_at: impl Into<Signal<Option<u64>>>) -> Self {
        let expires_at = expires_at.into();
        // A signal that was disposed of reads as `None`.
        self.following(move |options| options.expires_at = expires_at.try_get().flatten())
    }

    /// Connects a handle, by which the host moves the focus into this card.
    pub fn handle(mut self, handle: FocusHandle) -> Self {
        self.handle = Some(handle);
        self
    }
}

/// Declares a method for each of these events, and for the button that leads to it.
macro_rules! handlers {
    ($($(#[$doc:meta])* $name:ident $(shows $offer:ident)?: $event:ident$(($value:ident: $of:ty))? $(-> $accepts:ty)?;)*) => {$(
        $(#[$doc])*
        pub fn $name(mut self, handle: impl Fn($($of)?) $(-> $accepts)? + 'static) -> Self {
            $(self.plain.offers.$offer = true;)?
            self.handlers.push(Box::new(move |event| match event {
                CardEvent::$event$(($value))? => Some(handle($($value.clone())?).into()),
                _ => None,
            }));
            self
        }
    )*};
}

/// Handlers of the host; each shows the button that leads to it. The last one for an event counts.
impl CardOptions {
    handlers! {
        /// Shows "Reply in chat instead", which passes the picks so far to the host and leaves the rest to its composer.
        on_reply_in_chat shows reply_in_chat: ReplyInChat(picks: Vec<Selection>);

        /// Called with the picks so far, at first and whenever they change: for a host whose composer sends them along with a text.
        on_picks: Picks(picks: Vec<Selection>);

        /// Shows "Send as a message" if an answer came too late or the question could not be read; takes the typed text and picks. Shows
        /// "Ask again" if time ran out, which sends the question. The handler returns true if the host accepts them: a refused text stays
        /// on the card.
        on_late_message shows messages: Message(text: String) -> bool;

        /// Shows "More time" beside the time left; called at each press. A later deadline grants it.
        on_extend shows more_time: Extend;

        /// Shows "Change" while the reply is [held](ReplyState::Held). The host returns the reply by [`ReplyState::None`].
        on_change shows change: Change;

        /// Shows "Change" in the receipt of an answer, which opens the card again with that answer in it. A host whose answers can be
        /// changed for a while alone sets [`offers.update`](super::Offers::update) by [`following`](Self::following). The handler returns
        /// true if the host sends the new answer, which comes back as the ask's [`replaced`](ask_user_question::AskSnapshot::replaced); a
        /// refused one stays on the card.
        on_update shows update: Update(reply: Reply) -> bool;

        /// Shows "Go to the next question" while the reply is [held](ReplyState::Held). The host moves the focus to the card that still
        /// waits, by its [`FocusHandle`].
        on_next shows next: Next;
    }
}
