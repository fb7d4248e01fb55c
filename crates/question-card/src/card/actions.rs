//! The buttons below the questions and what is said beside them.

use super::deadline::deadline;
use super::question::name;
use super::state::{CardState, Layout, Submission};
use crate::anatomy::part;
use crate::dom::Control;
use crate::labels::isolate;
use ask_user_question::Phase;
use leptos::ev::MouseEvent;
use leptos::prelude::*;

/// Submit, Cancel and the ways out of the card.
pub(crate) fn actions(card: CardState) -> impl IntoView {
    let submit = move || (card.layout.get() == Layout::Explicit).then(|| submit_button(card, card.labels.submit));
    view! {
        {alert(card)}
        {summary(card)}
        {deadline(card)}
        <div class=part::ACTIONS>
            {submit}
            {try_again(card)}
            {cancel_button(card)}
            {keep_answering(card)}
            {reply_in_chat(card)}
            {while_held(card)}
            {wait(card)}
        </div>
    }
}

/// The button that submits the form. It is never `disabled`, which would drop the focus; while it cannot act, it says why.
pub(crate) fn submit_button(card: CardState, text: &'static str) -> impl IntoView {
    let inert = move || (!card.is_open()).then_some("true");
    view! {
        <button
            type="submit"
            class=format!("{} {}", part::BUTTON, part::SUBMIT)
            id=card.ids.control(Control::Submit)
            aria-disabled=inert
            aria-describedby=move || (inert().is_some() || card.refused.get()).then(|| card.ids.wait())
            on:click=move |click| guard(card, &click)
        >
            {text}
        </button>
    }
}

/// Where one tap answers: sends once more what was tapped or typed, which did not go through.
fn try_again(card: CardState) -> impl IntoView {
    let can = Memo::new(move |_| card.can_try_again());
    let button = move || {
        let act = move |click: MouseEvent| {
            if card.is_meant(&click) {
                card.try_again();
            }
        };
        let option = card.draft.with_untracked(|draft| draft.chosen(0));
        let tried = option.map(|option| card.ids.control(Control::Option { question: 0, option }));
        view! {
            <button type="button" class=part::BUTTON aria-describedby=tried on:click=act>
                {card.labels.try_again}
            </button>
        }
    };
    move || can.get().then(button)
}

/// Keeps a tap that landed on something which just moved from submitting the form.
fn guard(card: CardState, click: &MouseEvent) {
    if !card.is_meant(click) {
        click.prevent_default();
    }
}

/// Declines. One node throughout: while it asks to be pressed again, the focus stays on it.
pub(crate) fn cancel_button(card: CardState) -> impl IntoView {
    let inert = move || (card.shown.phase.get() == Phase::Streaming || card.is_latched()).then_some("true");
    let text = move || match card.confirming.get() {
        true => card.labels.cancel_confirm,
        false => card.labels.cancel,
    };
    let cancel = move |click: MouseEvent| {
        if card.is_meant(&click) {
            card.cancel();
        }
    };
    view! {
        <button
            type="button"
            class=format!("{} {}", part::BUTTON, part::CANCEL)
            id=card.ids.control(Control::Cancel)
            data-confirm=move || card.confirming.get().then_some("")
            aria-disabled=inert
            aria-describedby=move || inert().map(|_| card.ids.wait())
            on:click=cancel
        >
            {text}
        </button>
    }
}

/// Takes the first press of Cancel back, while it asks for the second.
pub(crate) fn keep_answering(card: CardState) -> impl IntoView {
    let button = move || {
        view! {
            <button type="button" class=format!("{} {}", part::BUTTON, part::QUIET) on:click=move |_| card.keep_answering()>
                {card.labels.keep_answering}
            </button>
        }
    };
    move || card.confirming.get().then(button)
}

fn reply_in_chat(card: CardState) -> impl IntoView {
    let button = move |on_reply_in_chat: Callback<_>| {
        let inert = move || (!card.is_open()).then_some("true");
        let hand_over = move |click: MouseEvent| {
            if card.is_meant(&click) && card.is_open_untracked() {
                on_reply_in_chat.run(card.draft.with_untracked(|draft| draft.selections()));
            }
        };
        view! {
            <button
                type="button"
                class=format!("{} {}", part::BUTTON, part::QUIET)
                aria-disabled=inert
                aria-describedby=move || inert().map(|_| card.ids.wait())
                on:click=hand_over
            >
                {card.labels.reply_in_chat}
            </button>
        }
    };
    card.calls.on_reply_in_chat.map(button)
}

/// What can be done while the reply waits for the one to another ask: to take it back, to go there.
fn while_held(card: CardState) -> impl IntoView {
    let held = Memo::new(move |_| card.is_held());
    let button = move |(text, act): (&'static str, Callback<()>)| {
        let act = move |click: MouseEvent| {
            if card.is_meant(&click) {
                // The button is about to go; a host that leads elsewhere takes the focus along.
                card.enter_question(0);
                act.run(());
            }
        };
        view! {
            <button type="button" class=format!("{} {}", part::BUTTON, part::QUIET) on:click=act>
                {text}
            </button>
        }
    };
    let offered = [(card.labels.change, card.calls.on_change), (card.labels.next_ask, card.calls.on_next)];
    let offered = move || {
        let offered = offered.into_iter();
        let offered = offered.filter_map(|(text, act)| Some((text, act?)));
        offered.map(button).collect_view()
    };
    move || held.get().then(offered)
}

/// Why the buttons do not act.
pub(crate) fn wait(card: CardState) -> impl IntoView {
    let text = move || match card.shown.phase.get() {
        _ if card.is_held() => card.labels.held,
        _ if card.is_latched() => card.labels.sending,
        _ if card.refused.get() => card.labels.not_now,
        Phase::Streaming => card.labels.submit_wait,
        Phase::Ready
        | Phase::Answerable
        | Phase::Malformed
        | Phase::Answered
        | Phase::Declined
        | Phase::Superseded
        | Phase::Expired
        | Phase::Interrupted => "",
    };
    view! { <p class=part::WAIT id=card.ids.wait()>{text}</p> }
}

/// That the reply was not sent.
pub(crate) fn alert(card: CardState) -> impl IntoView {
    move || match card.submission.get() {
        Submission::Failed { reason, .. } => {
            let text = (card.labels.failed)(&isolate(&reason));
            Some(view! { <p class=part::ALERT role="alert">{text}</p> })
        }
        Submission::Open | Submission::Latched | Submission::Settled(_) => None,
    }
}

/// Where more than one question is open, a way to each of them.
fn summary(card: CardState) -> impl IntoView {
    let problems = Memo::new(move |_| match card.validating.get() && card.layout.get() == Layout::Explicit {
        true => card.problems(),
        false => Vec::new(),
    });
    let way_to = move |(index, problem)| {
        let shown = card.shown.questions.with_untracked(|shown| shown.get(index).copied())?;
        Some(view! {
            <li>
                <button
                    type="button"
                    class=format!("{} {}", part::BUTTON, part::QUIET)
                    dir="auto"
                    on:click=move |_| card.focus_question(index, problem)
                >
                    {name(card, shown)}
                </button>
            </li>
        })
    };
    move || {
        let problems = problems.get();
        let count = card.shown.questions.with(Vec::len);
        (problems.len() > 1).then(|| {
            view! {
                <div class=part::SUMMARY>
                    <p>{(card.labels.unanswered)(problems.len(), count)}</p>
                    <ul>{problems.into_iter().map(way_to).collect_view()}</ul>
                </div>
            }
        })
    }
}
