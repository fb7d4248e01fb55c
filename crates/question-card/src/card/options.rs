//! The options of the Leptos component: the settings of a card beside its ask.

use super::handle::FocusHandle;
use super::host::{CardEvent, Options};
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

/// Changes options by signals of the host.
pub(super) type Follow = Rc<dyn Fn(&mut Options)>;

/// Handles an event, if it is its own. Returns true if it accepts it.
pub(super) type Handler = Box<dyn Fn(&CardEvent) -> Option<bool>>;

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
        max_length(most: usize) => Some(most);
        persist(persist: Persist) => persist;
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
        // One that is gone reads as none.
        self.following(move |options| options.expires_at = expires_at.try_get().flatten())
    }

    /// Connects a handle, by which the host moves the focus into this card.
    pub fn handle(mut self, handle: FocusHandle) -> Self {
        self.handle = Some(handle);
        self
    }
}

/// Handlers of the host; each shows the button that leads to it.
impl CardOptions {
    /// Shows "Reply in chat instead", which passes the picks so far to the host and leaves the rest to its composer.
    pub fn on_reply_in_chat(mut self, handle: impl Fn(Vec<Selection>) + 'static) -> Self {
        self.plain.offers.reply_in_chat = true;
        self.on(move |event| match event {
            CardEvent::ReplyInChat(picks) => Some(picks.clone()).map(&handle).map(|()| false),
            _ => None,
        })
    }

    /// Called with the picks so far, at first and whenever they change: for a host whose composer sends them along with a text.
    pub fn on_picks(self, handle: impl Fn(Vec<Selection>) + 'static) -> Self {
        self.on(move |event| match event {
            CardEvent::Picks(picks) => Some(picks.clone()).map(&handle).map(|()| false),
            _ => None,
        })
    }

    /// Shows "Send as a message" if an answer came too late or the question could not be read; takes the typed text and picks. Shows "Ask
    /// again" if time ran out, which sends the question. The handler returns true if the host accepts them: a refused text stays on the
    /// card.
    pub fn on_late_message(mut self, handle: impl Fn(String) -> bool + 'static) -> Self {
        self.plain.offers.messages = true;
        self.on(move |event| match event {
            CardEvent::Message(text) => Some(handle(text.clone())),
            _ => None,
        })
    }

    /// Shows "More time" beside the time left; called at each press. A later deadline grants it.
    pub fn on_extend(mut self, handle: impl Fn() + 'static) -> Self {
        self.plain.offers.more_time = true;
        self.on(move |event| matches!(event, CardEvent::Extend).then(&handle).map(|()| false))
    }

    /// Shows "Change" while the reply is [held](ReplyState::Held). The host returns the reply by [`ReplyState::None`].
    pub fn on_change(mut self, handle: impl Fn() + 'static) -> Self {
        self.plain.offers.change = true;
        self.on(move |event| matches!(event, CardEvent::Change).then(&handle).map(|()| false))
    }

    /// Shows "Change" in the receipt of an answer, which opens the card again with that answer in it. A host whose answers can be changed for a
    /// while alone sets [`offers.update`](super::Offers::update) by [`following`](Self::following). The handler returns true if the host sends
    /// the new answer, which comes back as the ask's [`replaced`](ask_user_question::AskSnapshot::replaced); a refused one stays on the card.
    pub fn on_update(mut self, handle: impl Fn(Reply) -> bool + 'static) -> Self {
        self.plain.offers.update = true;
        self.on(move |event| match event {
            CardEvent::Update(reply) => Some(handle(reply.clone())),
            _ => None,
        })
    }

    /// Shows "Go to the next question" while the reply is [held](ReplyState::Held). The host moves the focus to the card that still waits, by
    /// its [`FocusHandle`].
    pub fn on_next(mut self, handle: impl Fn() + 'static) -> Self {
        self.plain.offers.next = true;
        self.on(move |event| matches!(event, CardEvent::Next).then(&handle).map(|()| false))
    }

    /// The last one for an event counts.
    fn on(mut self, handler: impl Fn(&CardEvent) -> Option<bool> + 'static) -> Self {
        self.handlers.push(Box::new(handler));
        self
    }
}
