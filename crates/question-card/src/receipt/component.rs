//! The receipt as a component of Leptos.

use super::receipt;
use crate::anatomy::part;
use crate::dom::Ids;
use crate::drawn::Drawn;
use crate::labels::Labels;
use ask_user_question::AskSnapshot;
use leptos::prelude::*;

/// A static record of an ask that is over: questions, choices and outcome. It has no listeners. For an ask that is not over, it shows the
/// questions and options, and that there is no answer.
///
/// [`QuestionCard`](crate::QuestionCard) shows it by itself when its ask ends. In a history it can stand alone, in an element with the
/// class `qc` or anywhere with the card's tokens.
#[component]
pub fn Receipt(
    /// The ask; the receipt reads its phase, questions and outcome.
    #[prop(into)]
    ask: Signal<AskSnapshot>,
    /// The built-in words; their language and direction become the receipt's. Without them, the words are English, and language and
    /// direction are the page's.
    #[prop(optional)]
    labels: Option<Labels>,
    /// The host's own view below it, such as "Ask again".
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let ids = ask.with_untracked(|ask| Ids::new(&ask.tool_call_id));
    let words = labels.clone().unwrap_or_default();
    let record = Drawn::following(move |w| ask.with(|ask| receipt(w, ask, ask.phase, ids, &words)));
    view! {
        <section
            class=part::CARD
            lang=labels.as_ref().map(|labels| labels.lang().to_owned())
            dir=labels.as_ref().map(|labels| labels.dir().as_str())
        >
            {record}
            {children.map(|children| children())}
        </section>
    }
}
