//! A page with one card, whose answer it logs.

use ask_user_question::snapshot::Phase;
use ask_user_question::wire::Question;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Reply};
use leptos::prelude::*;
use question_card::{CardOptions, QuestionCard};

/// A page with one card.
pub(crate) fn page(ask: AskUserQuestion, options: CardOptions) -> impl IntoView {
    let ask = RwSignal::new(AskSnapshot::complete("call-1", ask, Phase::Answerable));
    let end = move |outcome, phase| {
        ask.update(|ask| {
            ask.outcome = Some(outcome);
            ask.set_phase(phase);
        });
    };
    let on_reply = move |reply: Reply| {
        leptos::logging::log!("{} {}", reply.to_json(), reply.message());
        end(Outcome::Answered(reply), Phase::Answered);
    };
    let on_cancel = move |()| end(Outcome::Declined, Phase::Declined);
    view! { <QuestionCard ask on_reply on_cancel options /> }
}

/// A question of the page itself.
#[allow(dead_code, reason = "pages that read their question do not call it")]
pub(crate) fn own_question() -> AskUserQuestion {
    AskUserQuestion::new([Question::new("Which size?", ["Small", "Large"]).with_header("Size")])
}
