//! The card as a component of Leptos.

use super::handle::FocusHandle;
use super::host::{Offers, Options, card_of};
#[cfg(feature = "ssr")]
use super::view;
use super::{ClaimFocus, Layout, SubmitMode};
use crate::drafts::Persist;
use crate::drawn::Drawn;
use crate::labels::Labels;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Reply};
use leptos::prelude::*;
#[cfg(not(feature = "ssr"))]
use {
    super::host::{Host, Told},
    super::machine::Input,
    super::shell::Shell,
    crate::drawn::Running,
    crate::effect::effect,
    leptos::reactive::owner::WeakOwner,
    leptos::tachys::view::any_view::AnyViewState,
    std::cell::RefCell,
    std::rc::Rc,
    web_sys::Element,
};

/// One ask, from its first streamed byte to its receipt.
///
/// The card never moves the focus by itself while an ask arrives, never sends on a change, and forgets nothing that was typed: what did not
/// reach the agent stays beside the receipt until the user puts it away.
///
/// # Events
/// `qc-waiting` bubbles from the root when the arguments are complete, `qc-resolved` when the ask is over, and `qc-waiting` again where it is
/// opened again. Whoever prevents the default of `qc-resolved` takes care of the focus; else the receipt gets it where the form had it.
///
/// # Styling
/// `data-state` of the root is one of `composing`, `streaming`, `awaiting`, `invalid`, `submitting`, `failed`, `malformed`, `answered`,
/// `declined`, `superseded`, `expired`, `interrupted`, `readonly`; [`anatomy`](crate::anatomy) has the rest.
#[component]
pub fn QuestionCard(
    /// What is known of the ask. Read by `.with()` alone, never cloned; the host changes it through
    /// [`AskSnapshot::apply`]. One card shows one call: give a keyed list the `tool_call_id` as its key.
    #[prop(into)]
    ask: Signal<AskSnapshot>,
    /// How an answer is given.
    #[prop(optional)]
    mode: SubmitMode,
    /// How several questions are laid out.
    #[prop(optional)]
    layout: Layout,
    /// Where the host stands with the reply. From [`Sending::Pending`] back to [`Sending::Idle`] while the ask is not over, the reply was
    /// given back, and the card is open again with all that was chosen, and says so; so let the phase change first where the reply went through.
    #[prop(optional, into)]
    sending: Signal<Sending>,
    /// Called once with a reply that was checked against its ask; again only after [`Sending::Failed`] or a reply given back.
    on_reply: Callback<Reply>,
    /// Called once when the user cancels the question. Where the question could not be read the card then shows "Cancelled" by itself,
    /// until [`Sending::Failed`] or the cancellation is given back.
    on_cancel: Callback<()>,
    /// Shows "Reply in chat instead", which hands the picks so far to the host and leaves the rest to its composer.
    #[prop(optional)]
    on_reply_in_chat: Option<Callback<Vec<Selection>>>,
    /// Called with the picks so far, at first and whenever they change: for a host whose composer takes them along with what is typed instead.
    #[prop(optional)]
    on_picks: Option<Callback<Vec<Selection>>>,
    /// Shows "Send as a message" where an answer came too late or the question could not be read; takes the typed text and picks. Gives
    /// back whether the host took them: what it did not take stays on the card.
    #[prop(optional)]
    on_late_message: Option<Callback<String, bool>>,
    /// Shows "More time" beside the time that is left, and is called at each press. More time is a later deadline.
    #[prop(optional)]
    on_extend: Option<Callback<()>>,
    /// A deadline of the host's own (milliseconds since the Unix epoch), which goes before [`AskSnapshot::expires_at`]. Until then the card
    /// shows the time that is left, and says it once when a minute is left; then it is a receipt, and keeps what was chosen and typed.
    #[prop(optional, into)]
    expires_at: Signal<Option<u64>>,
    /// The host's clock (milliseconds since the Unix epoch), by which deadlines are kept; without one, the browser's.
    #[prop(optional, into)]
    now: Option<Signal<u64>>,
    /// Names the conversation to which the call belongs, such as an AG-UI thread id. Agents number their calls: drafts, announcements and
    /// the focus that was claimed are this call's in this scope. Read once.
    #[prop(optional, into)]
    scope: String,
    /// Whether the host keeps the reply until another ask has its answer too ([`Sending`] is then `Pending`). The card then says that it goes
    /// out with the next answer, and not that it is being sent.
    #[prop(optional, into)]
    held: Signal<bool>,
    /// Shows "Change" while the reply is `held`. The host gives the reply back, by [`Sending::Idle`].
    #[prop(optional)]
    on_change: Option<Callback<()>>,
    /// Shows "Go to the next question" while the reply is `held`. The host leads to the card that still waits, by its [`FocusHandle`].
    #[prop(optional)]
    on_next: Option<Callback<()>>,
    /// What the host offers below the receipt, such as "Ask again" or, for a history, [`CopyReceipt`](crate::CopyReceipt).
    #[prop(optional, into)]
    receipt_actions: Option<ViewFn>,
    /// The built-in words, such as `Labels::for_lang("de")`; their language and direction become the card's. Without, English words, and
    /// the language and direction of the page.
    #[prop(optional)]
    labels: Option<&'static Labels>,
    /// Makes the name of the form a heading of this level (1 to 6), by which a screen reader finds it. No heading, by default.
    #[prop(optional)]
    heading_level: Option<u8>,
    /// Whether the ask came while the page was open, and not with a history: then it is announced even if it was complete when this card
    /// was made, as an ask is whose arguments the card saw arriving. Once for each call in the life of the page.
    #[prop(optional)]
    fresh: bool,
    /// Whether the card may take the focus when its question has arrived. It may not, by default.
    #[prop(optional)]
    claim_focus: ClaimFocus,
    /// Moves the focus into this card when the host says so.
    #[prop(optional)]
    handle: Option<FocusHandle>,
    /// Whether digits choose options while the focus is on one. On by default.
    #[prop(default = true)]
    shortcuts: bool,
    /// Whether the card can only be read, such as in a history whose asks nobody can answer any more: a record of what was asked and offered,
    /// without controls. What was typed before is offered beside it, as where an answer comes too late.
    #[prop(optional)]
    readonly: bool,
    /// Whether each question has a "Skip", which counts as an answer. Off by default. Where one tap answers, this one does too.
    #[prop(optional)]
    allow_skip: bool,
    /// Whether each question takes a note beside its answer; it travels in the reply's `details`. On by default.
    #[prop(default = true)]
    notes: bool,
    /// The most characters (Unicode scalar values) of each typed text, with a counter below its field. What is longer is not cut off, and
    /// not sent until it is shorter.
    #[prop(optional)]
    max_length: Option<usize>,
    /// Whether what was chosen and typed outlives the page. In memory it is kept in any case.
    #[prop(optional)]
    persist: Persist,
) -> impl IntoView {
    let offers = Offers {
        messages: on_late_message.is_some(),
        reply_in_chat: on_reply_in_chat.is_some(),
        more_time: on_extend.is_some(),
        change: on_change.is_some(),
        next: on_next.is_some(),
        receipt_actions: receipt_actions.is_some(),
    };
    let options = Options {
        mode,
        layout,
        scope,
        labels,
        heading_level,
        fresh,
        claim_focus,
        shortcuts,
        readonly,
        allow_skip,
        notes,
        max_length,
        persist,
        expires_at: expires_at.get_untracked(),
        parts: false,
        offers,
    };
    let (card, key) = ask.with_untracked(|ask| card_of(ask, &options));
    #[cfg(feature = "ssr")]
    let drawn = {
        // Nothing happens on a server.
        let _ = (sending, on_reply, on_cancel, on_picks, now, held, handle, key);
        Drawn::following(move |w| ask.with_untracked(|ask| view::card(w, &card, ask, labels.is_some())))
    };
    #[cfg(not(feature = "ssr"))]
    let drawn = {
        let page = Page {
            ask,
            on_reply,
            on_cancel,
            on_reply_in_chat,
            on_picks,
            on_late_message,
            on_extend,
            on_change,
            on_next,
            now,
            receipt_actions,
            owner: Owner::current().map(|owner| owner.downgrade()),
            added: RefCell::default(),
        };
        let shell = Shell::new(card, key, &options, Box::new(page));
        if let Some(handle) = handle {
            handle.lead_to(&shell);
        }
        follow(&shell, ask, (held, expires_at, now), sending);
        let shell = StoredValue::new_local(shell);
        Drawn::by_itself(move |adopts| {
            let shell = shell.try_get_value()?;
            Some(Running::new(shell.start(adopts)?, shell))
        })
    };
    drawn.into_any()
}

/// A Leptos application, as a card sees it.
#[cfg(not(feature = "ssr"))]
struct Page {
    ask: Signal<AskSnapshot>,
    on_reply: Callback<Reply>,
    on_cancel: Callback<()>,
    on_reply_in_chat: Option<Callback<Vec<Selection>>>,
    on_picks: Option<Callback<Vec<Selection>>>,
    on_late_message: Option<Callback<String, bool>>,
    on_extend: Option<Callback<()>>,
    on_change: Option<Callback<()>>,
    on_next: Option<Callback<()>>,
    now: Option<Signal<u64>>,
    receipt_actions: Option<ViewFn>,
    /// What the host's own views belong to. It holds the card, and would keep itself alive.
    owner: Option<WeakOwner>,
    /// What the host shows below the receipt.
    added: RefCell<Option<(Owner, AnyViewState)>>,
}

#[cfg(not(feature = "ssr"))]
impl Host for Page {
    fn read(&self, read: &mut dyn FnMut(&AskSnapshot)) {
        // By reference, and nothing where it is gone.
        let _ = self.ask.try_with_untracked(read);
    }

    fn hear(&self, told: Told) -> bool {
        match told {
            Told::Reply(reply) => self.on_reply.run(reply),
            Told::Cancel => self.on_cancel.run(()),
            Told::ReplyInChat(picks) => run(self.on_reply_in_chat, picks),
            Told::Picks(picks) => run(self.on_picks, picks),
            Told::Message(text) => return self.on_late_message.is_some_and(|on_message| on_message.run(text)),
            Told::Extend => run(self.on_extend, ()),
            Told::Change => run(self.on_change, ()),
            Told::Next => run(self.on_next, ()),
            Told::ReceiptActions(place) => self.add_actions(place),
        }
        false
    }

    fn wants_picks(&self) -> bool {
        self.on_picks.is_some()
    }

    fn now(&self) -> Option<u64> {
        Some(self.now?.try_get_untracked().unwrap_or_default())
    }
}

#[cfg(not(feature = "ssr"))]
impl Page {
    fn add_actions(&self, place: Option<Element>) {
        let added = place.zip(self.receipt_actions.as_ref()).map(|(place, actions)| {
            let owner = self.owner.as_ref().and_then(WeakOwner::upgrade);
            let owner = owner.map_or_else(Owner::new, |owner| owner.child());
            let mut view = owner.with(|| untrack(|| actions.run().build()));
            view.mount(&place, None);
            (owner, view)
        });
        self.added.replace(added);
    }
}

#[cfg(not(feature = "ssr"))]
fn run<T: 'static>(callback: Option<Callback<T>>, with: T) {
    if let Some(callback) = callback {
        callback.run(with);
    }
}

/// Tells the card whatever changes at its host.
#[cfg(not(feature = "ssr"))]
fn follow(
    shell: &Rc<Shell>,
    ask: Signal<AskSnapshot>,
    (held, expires_at, now): (Signal<bool>, Signal<Option<u64>>, Option<Signal<u64>>),
    sending: Signal<Sending>,
) {
    let me = Rc::downgrade(shell);
    let mut has_begun = false;
    effect(move || {
        ask.track();
        if let Some(now) = now {
            now.track();
        }
        let host = Input::Host { held: held.get(), expires_at: expires_at.get() };
        if let Some(shell) = me.upgrade() {
            untrack(|| {
                if !std::mem::replace(&mut has_begun, true) {
                    shell.take(Input::Begin);
                }
                shell.take(host);
            });
        }
    });
    let me = Rc::downgrade(shell);
    effect(move || {
        let sending = sending.get();
        if let Some(shell) = me.upgrade() {
            untrack(|| shell.take(Input::Sending(&sending)));
        }
    });
}
