//! The card: one ask as a form.
//!
//! `machine` decides what happens, and knows no browser. `view` says what the card looks like, and changes nothing. `shell` carries events to
//! the one and to the page what the other says; the Leptos component at the end of this file feeds it with what the host's signals hold.

mod handle;
mod machine;
mod view;

// Nothing happens on a server.
#[cfg(not(feature = "ssr"))]
mod claim;
#[cfg(not(feature = "ssr"))]
mod events;
#[cfg(not(feature = "ssr"))]
mod focus;
#[cfg(not(feature = "ssr"))]
mod listening;
#[cfg(not(feature = "ssr"))]
mod shell;
#[cfg(feature = "ssr")]
#[path = "card/nowhere.rs"]
mod shell;

pub use self::handle::FocusHandle;
use self::machine::{Card, Settings};
use crate::dom::{Ids, call_key};
use crate::drafts::Persist;
use crate::drawn::Drawn;
use crate::labels::Labels;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Reply};
use leptos::prelude::*;
#[cfg(not(feature = "ssr"))]
use {
    self::machine::Input,
    self::shell::{Host, Shell},
    crate::drawn::Running,
    crate::effect::effect,
    std::rc::Rc,
};

/// How an answer is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubmitMode {
    /// The user picks, then presses Submit. Nothing is sent on a change.
    #[default]
    Explicit,
    /// One activation of an option answers at once. Applies only to an ask of exactly one single-select question without previews; any
    /// other ask is shown as [`Explicit`](Self::Explicit).
    OnPick,
}

/// How several questions are laid out. A single one looks the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Below each other, with the buttons and how many are answered at the lower edge of what is seen.
    #[default]
    Stacked,
    /// One at a time, below a list of all of them, with Back and Next beside Submit. A pick never turns to the next; Enter on an answered
    /// question does. A question is a step from when it begins to arrive, and whoever is on a step stays there.
    Stepped,
}

/// Whether a card may take the focus when its question has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClaimFocus {
    /// Never. Whoever reads or writes elsewhere is not disturbed.
    #[default]
    Never,
    /// Once for each call in the life of the page, and only if the user has not touched the page since the card appeared, the page has the
    /// focus and in it nothing or an empty text field, no dialog or menu is open, and there is a mouse or the like: a touch screen would
    /// cover the question with its keyboard.
    IfIdle,
}

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
    let settings = Settings {
        mode,
        layout,
        shortcuts,
        skip: allow_skip,
        notes,
        readonly,
        fresh,
        heading_level,
        takes_messages: on_late_message.is_some(),
        takes_chat: on_reply_in_chat.is_some(),
        extends: on_extend.is_some(),
        takes_back: on_change.is_some(),
        leads_on: on_next.is_some(),
        adds_actions: receipt_actions.is_some(),
    };
    let words = labels.unwrap_or(&Labels::ENGLISH);
    let (card, key) = ask.with_untracked(|ask| {
        let key = call_key(&scope, &ask.tool_call_id);
        let deadline = expires_at.get_untracked();
        (Card::new(ask, Ids::new(&key), words, settings, max_length, deadline), key)
    });
    #[cfg(feature = "ssr")]
    let drawn = {
        // Nothing happens on a server.
        let _ = (sending, on_reply, on_cancel, on_picks, now, held, claim_focus, handle, persist, key);
        Drawn::following(move |w| ask.with_untracked(|ask| view::card(w, &card, ask, labels.is_some())))
    };
    #[cfg(not(feature = "ssr"))]
    let drawn = {
        let host = Host {
            on_reply,
            on_cancel,
            on_reply_in_chat,
            on_picks,
            on_late_message,
            on_extend,
            on_change,
            on_next,
            now,
            claims_focus: claim_focus == ClaimFocus::IfIdle,
            persist,
            receipt_actions,
            has_labels: labels.is_some(),
            owner: Owner::current().map(|owner| owner.downgrade()),
        };
        let shell = Shell::new(ask, card, key, host);
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
