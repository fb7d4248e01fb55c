//! The card: one ask as a form.

mod actions;
mod acts;
mod claim;
mod deadline;
mod events;
mod extras;
mod field;
mod focus;
mod follow;
mod handle;
mod host;
mod keep;
mod keys;
mod late;
mod malformed;
mod on_pick;
mod option_row;
mod other;
mod press;
mod preview;
mod question;
mod state;
mod status;
mod steady;
mod text;

pub use self::claim::ClaimFocus;
use self::deadline::HostTime;
pub use self::handle::FocusHandle;
use self::state::{Calls, CardState, Layout, Offers, Settings, Submission, is_over, takes_answer};
pub(crate) use self::status::Announcer;
use crate::anatomy::part;
use crate::copy::copy_button;
use crate::draft::Draft;
use crate::drafts::Persist;
use crate::effect::effect;
use crate::labels::Labels;
use crate::receipt::{receipt_text, receipt_view};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::Sending;
use ask_user_question::{AskSnapshot, Phase, Reply};
use leptos::attr::custom::custom_attribute;
use leptos::either::{Either, EitherOf3};
use leptos::ev::SubmitEvent;
use leptos::html::Div;
use leptos::prelude::*;

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
    let calls = Calls { on_reply, on_cancel, on_reply_in_chat, on_late_message, on_extend, on_change, on_next };
    let settings = Settings {
        mode,
        labels: labels.unwrap_or(&Labels::ENGLISH),
        shortcuts,
        offers: Offers { skip: allow_skip, notes },
        max_length,
        time: HostTime { expires_at, now },
        persist,
        readonly,
        fresh,
        scope,
        held,
    };
    let card = CardState::new(ask, calls, settings);
    let over = Memo::new(move |_| readonly || is_over(card.shown.phase.get()));
    // A card that begins as a receipt comes from a history: nothing is announced, unless its ask is opened again.
    let live = Memo::new(move |was: Option<&bool>| was == Some(&true) || !over.get());
    let begins_live = live.get_untracked();
    card.resolved.set_value(!begins_live);
    // Looks at the ask only once that is over: before, each byte of its arguments would be a reason to look again.
    let late = Memo::new(move |_| match over.get() {
        true => card.late_text(),
        false => String::new(),
    });

    if let Some(handle) = handle {
        handle.lead_to(card);
    }
    let came_as = (fresh && !readonly).then(|| card.shown.phase.get_untracked());

    effect(move || {
        if let Some(root) = card.root.get()
            && live.get()
        {
            card.steady.watch(&root);
            if claim_focus == ClaimFocus::IfIdle {
                card.claim.watch();
            }
            if !begins_live {
                card.keep_deadline();
            }
        }
    });
    effect(move || card.restore());
    effect(move || ask.with(|ask| card.follow(ask)));
    effect(move || match came_as {
        Some(phase) if takes_answer(phase) => ask.with_untracked(|ask| card.arrive(ask)),
        Some(Phase::Malformed) => card.announce_damage(),
        _ => {}
    });
    effect(move || sending.with(|sending| card.follow_sending(sending)));
    if begins_live {
        card.keep_deadline();
    }
    effect(move || card.keep(is_kept(card, over, late)));
    if let Some(on_picks) = on_picks {
        let picks = Memo::new(move |_| card.draft.with(Draft::selections));
        effect(move || on_picks.run(picks.get()));
    }
    on_cleanup(move || card.write_now());

    view! {
        <section
            class=part::CARD
            node_ref=card.root
            lang=labels.map(|labels| labels.lang)
            dir=labels.map(|labels| labels.dir.as_str())
            data-state=move || state_name(card)
            data-mode=move || mode_name(card)
            data-dirty=move || is_dirty(card, over, late).then_some("")
            data-tool-call-id=ask.with_untracked(|ask| ask.tool_call_id.clone())
        >
            {move || live.get().then(|| card.announcer.view())}
            {move || match over.get() {
                true => Either::Left(ended(card, live.get_untracked(), late, receipt_actions.clone())),
                false => Either::Right(form(card, heading_level)),
            }}
        </section>
    }
    // Without its type a page that hydrates needs no higher recursion limit.
    .into_any()
}

fn form(card: CardState, heading_level: Option<u8>) -> impl IntoView {
    let begun = Memo::new(move |_| card.shown.questions.with(|questions| !questions.is_empty()));
    let malformed = Memo::new(move |_| card.shown.phase.get() == Phase::Malformed);
    let busy = move || {
        let is_sent = card.is_latched() && !card.is_held();
        card.shown.phase.get() == Phase::Streaming || is_sent
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        card.submit();
    };
    // Where several ask, their landmarks differ by what they ask.
    let named_by = move || match begun.get() && !malformed.get() {
        true => format!("{} {}", card.ids.title(), card.ids.legend(0)),
        false => card.ids.title(),
    };
    let content = move || match (malformed.get(), begun.get()) {
        (true, _) => EitherOf3::A(malformed::malformed(card)),
        (false, false) => EitherOf3::B(view! { <p class=part::COMPOSING>{card.labels.composing}</p> }),
        (false, true) => EitherOf3::C(view! {
            <For
                each=move || card.shown.questions.get()
                key=|question| question.index
                children=move |shown| question::question(card, shown)
            />
            {actions::actions(card)}
        }),
    };
    view! {
        <form
            class=part::FORM
            novalidate
            aria-labelledby=named_by
            // A host's transcript may be a live region itself; the card speaks for itself.
            aria-live="off"
            aria-busy=move || busy().then_some("true")
            on:submit=submit
            on:keydown=move |event| keys::on_keydown(card, &event)
            on:keyup=move |event| focus::show_field(&event)
            on:pointerdown=move |event| card.press(&event)
            on:focusin=move |event| preview::on_focusin(card, &event)
        >
            <p
                class=format!("{} {}", part::TITLE, part::HIDDEN)
                id=card.ids.title()
                role=heading_level.map(|_| "heading")
                // Leptos has no name for it.
                {..custom_attribute("aria-level", heading_level.map(|level| level.to_string()))}
            >
                {card.labels.title}
            </p>
            {content}
        </form>
    }
}

fn ended(card: CardState, live: bool, late: Memo<String>, receipt_actions: Option<ViewFn>) -> impl IntoView {
    let receipt = NodeRef::<Div>::new();
    // The form is gone, and the focus with it: without this it would be nowhere.
    effect(move || {
        if let Some(receipt) = receipt.get() {
            card.resolve(&receipt);
        }
    });
    view! {
        {receipt_view((card.ask, card.shown.phase.into()), card.ids, card.labels, receipt)}
        {receipt_actions_view(card, live, receipt_actions)}
        {late::late(card, live.then_some(card.announcer), late, receipt)}
    }
}

/// What ended before the user's eyes can be copied; a history would have a button and a listener for each receipt.
fn receipt_actions_view(card: CardState, live: bool, of_host: Option<ViewFn>) -> impl IntoView {
    let copies = move || live && card.shown.phase.get() == Phase::Answered;
    let text = move || card.ask.with_untracked(|ask| receipt_text(ask, card.labels));
    let name = card.labels.copy_answers;
    let copy = move || copies().then(|| copy_button(card.labels, name, text, Some(card.announcer)));
    (live || of_host.is_some()).then(|| {
        view! {
            <div class=part::RECEIPT_ACTIONS aria-live="off">
                {copy}
                {of_host.map(|of_host| of_host.run())}
            </div>
        }
    })
}

fn state_name(card: CardState) -> &'static str {
    match card.shown.phase.get() {
        phase if card.readonly && !is_over(phase) => "readonly",
        Phase::Answered => "answered",
        Phase::Declined => "declined",
        Phase::Superseded => "superseded",
        Phase::Expired => "expired",
        Phase::Interrupted => "interrupted",
        Phase::Streaming if card.shown.questions.with(Vec::is_empty) => "composing",
        Phase::Streaming => "streaming",
        Phase::Malformed => "malformed",
        Phase::Ready | Phase::Answerable => match card.submission.get() {
            Submission::Latched | Submission::Settled(_) => "submitting",
            Submission::Failed { .. } => "failed",
            Submission::Open if card.validating.get() && !card.problems().is_empty() => "invalid",
            Submission::Open => "awaiting",
        },
    }
}

/// Whether the draft is worth keeping: until the ask is over, and then as long as something did not reach the agent.
fn is_kept(card: CardState, over: Memo<bool>, late: Memo<String>) -> bool {
    let settled = card.submission.with(Submission::settled);
    match over.get() {
        true => late.with(|late| !late.is_empty()),
        false => settled.is_none(),
    }
}

/// Whether something would be lost with the card. What the user gave away or up is not.
fn is_dirty(card: CardState, over: Memo<bool>, late: Memo<String>) -> bool {
    is_kept(card, over, late) && (over.get() || card.draft.with(Draft::is_dirty))
}

fn mode_name(card: CardState) -> &'static str {
    match card.layout.get() {
        Layout::Undecided => "undecided",
        Layout::Explicit => "explicit",
        Layout::OnPick => "on-pick",
    }
}
