//! The receipt: an ask that is over.

use crate::anatomy::part;
use crate::dom::Ids;
use crate::labels::{Labels, isolate};
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use leptos::html::Div;
use leptos::prelude::*;

/// A static record of an ask that is over: what was asked, what was chosen, how it ended. It has no controls and no listeners. Of an ask that
/// is not over it says what was asked and offered, and that it was not answered.
///
/// [`QuestionCard`](crate::QuestionCard) shows it by itself when its ask ends; for a history it can stand alone, in an element with the
/// class `qc` or anywhere else that has the card's tokens.
#[component]
pub fn Receipt(
    /// The ask; the receipt reads its phase, questions and outcome.
    #[prop(into)]
    ask: Signal<AskSnapshot>,
    /// The built-in words; their language and direction become the receipt's. Without, English words, and the language and direction of
    /// the page.
    #[prop(optional)]
    labels: Option<&'static Labels>,
    /// What the host wants to offer below it, such as "Ask again".
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let phase = Signal::derive(move || ask.with(|ask| ask.phase));
    view! {
        <section
            class=part::CARD
            lang=labels.map(|labels| labels.lang)
            dir=labels.map(|labels| labels.dir.as_str())
        >
            {receipt_view((ask, phase), labels.unwrap_or(&Labels::ENGLISH), NodeRef::new())}
            {children.map(|children| children())}
        </section>
    }
}

/// A receipt as plain text: each question after "Q:" and its answer after "A:", in the words of `labels`.
#[must_use]
pub fn receipt_text(ask: &AskSnapshot, labels: &Labels) -> String {
    let texts = rows_of(ask, ask.outcome.as_ref()).into_iter().map(|row| {
        let without = row.without_text(labels).unwrap_or_default();
        let answer = match row.has_answer() {
            false => without.to_owned(),
            true => [row.chosen, row.own].concat().join(labels.list),
        };
        let note = row.note.map(|note| (labels.noted)(&note));
        let question = [labels.copy_question, " ", &row.question].concat();
        let answer = [labels.copy_answer, " ", &answer].concat();
        let lines: Vec<String> = [question, answer].into_iter().chain(note).collect();
        lines.join("\n")
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The record itself, without a root of its own.
pub(crate) fn receipt_view(
    (ask, phase): (Signal<AskSnapshot>, Signal<Phase>),
    labels: &'static Labels,
    node: NodeRef<Div>,
) -> impl IntoView {
    let id = ask.with_untracked(|ask| Ids::new(&ask.tool_call_id).receipt());
    let labelled_by = id.clone();
    view! {
        <div
            class=part::RECEIPT
            node_ref=node
            role="group"
            aria-labelledby=labelled_by
            tabindex="-1"
            data-state=move || state_name(phase.get())
        >
            <p class=part::RECEIPT_STATE id=id>{move || ask.with(|ask| state_label(phase.get(), ask, labels))}</p>
            {move || ask.with(|ask| rows(ask, phase.get()).into_iter().map(|row| row_view(row, &ask.lang, labels)).collect_view())}
        </div>
    }
}

/// One question of the record.
struct Row {
    header: Option<String>,
    question: String,
    /// The labels that were chosen.
    chosen: Vec<String>,
    /// What was typed, in whatever language.
    own: Vec<String>,
    /// What could be chosen, where nothing was.
    offered: Vec<String>,
    note: Option<String>,
    /// What to say where there is no answer; nothing where none could be expected.
    without: Without,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Without {
    Nothing,
    Skipped,
    NoAnswer,
}

impl Row {
    /// What is said where there is no answer.
    fn without_text(&self, labels: &Labels) -> Option<&'static str> {
        match self.without {
            Without::Skipped => Some(labels.skipped),
            Without::NoAnswer if !self.has_answer() => Some(labels.no_answer),
            Without::NoAnswer | Without::Nothing => None,
        }
    }

    fn has_answer(&self) -> bool {
        !self.chosen.is_empty() || !self.own.is_empty()
    }
}

/// A row; `lang` is the language of what the agent wrote.
fn row_view(row: Row, lang: &Option<String>, labels: &'static Labels) -> impl IntoView + use<> {
    let without = row.without_text(labels);
    let has_answer = row.has_answer();
    let chip = row
        .header
        .map(|header| view! { <span class=part::CHIP dir="auto">{header}</span> " " });
    let answer = |(text, lang): (String, Option<String>)| {
        view! {
            <li class=part::ANSWER>
                <span class=part::HIDDEN>{labels.selected_prefix} " "</span>
                <span lang=lang dir="auto">{text}</span>
            </li>
        }
    };
    let chosen = row.chosen.into_iter().map(|label| (label, lang.clone()));
    let answers = chosen.chain(row.own.into_iter().map(|text| (text, None)));
    let answers = has_answer.then(|| {
        view! { <ul class=part::ANSWERS>{answers.map(answer).collect_view()}</ul> }
    });
    let offered = (!row.offered.is_empty()).then(|| {
        let option = |label| view! { <li dir="auto">{label}</li> };
        view! { <ul class=part::OFFERED lang=lang.clone()>{row.offered.into_iter().map(option).collect_view()}</ul> }
    });
    view! {
        <p class=part::RECEIPT_QUESTION lang=lang.clone() dir="auto">{chip}{row.question}</p>
        {answers}
        {offered}
        {without.map(|text| view! { <p class=part::NO_ANSWER>{text}</p> })}
        {row.note.map(|note| view! { <p class=part::OPTION_DESC>{(labels.noted)(&isolate(&note))}</p> })}
    }
}

fn rows(ask: &AskSnapshot, phase: Phase) -> Vec<Row> {
    match (&ask.outcome, phase) {
        // What still grows is shown when it is whole, and not anew at each byte.
        (None, Phase::Streaming) => Vec::new(),
        (None, Phase::Ready | Phase::Answerable | Phase::Malformed) => {
            let rows = asked(ask).zip(&ask.questions);
            rows.map(|(row, question)| Row {
                offered: labels_of(question),
                ..row
            })
            .collect()
        }
        (outcome, _) => rows_of(ask, outcome.as_ref()),
    }
}

fn labels_of(question: &QuestionSnapshot) -> Vec<String> {
    let options = question.options.iter();
    options.map(|option| option.label.text.clone()).collect()
}

fn rows_of(ask: &AskSnapshot, outcome: Option<&Outcome>) -> Vec<Row> {
    match outcome {
        Some(Outcome::Answered(reply)) => reply.answers().iter().map(answered).collect(),
        Some(Outcome::RepliedInChat { text, partial }) => {
            let mut rows: Vec<Row> = asked(ask)
                .enumerate()
                .map(|(index, row)| with_partial(ask, index, row, partial))
                .collect();
            if let Some(last) = rows.last_mut() {
                last.own.push(text.clone());
            }
            rows
        }
        Some(Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled)
        | None => asked(ask).collect(),
    }
}

fn answered(answer: &Answer) -> Row {
    let labels = answer
        .selected
        .iter()
        .map(|selected| selected.label.clone());
    Row {
        header: answer.header.clone(),
        question: answer.question.clone(),
        chosen: labels.collect(),
        own: answer.other.iter().cloned().collect(),
        offered: Vec::new(),
        note: answer.note.clone(),
        without: match answer.skipped {
            true => Without::Skipped,
            false => Without::NoAnswer,
        },
    }
}

fn asked(ask: &AskSnapshot) -> impl Iterator<Item = Row> {
    ask.questions.iter().map(|question| Row {
        header: question.header.as_ref().map(|header| header.text.clone()),
        question: question.question.text.clone(),
        chosen: Vec::new(),
        own: Vec::new(),
        offered: Vec::new(),
        note: None,
        without: Without::Nothing,
    })
}

fn with_partial(ask: &AskSnapshot, index: usize, row: Row, partial: &[Selection]) -> Row {
    let Some(selection) = partial.iter().find(|selection| selection.question == index) else {
        return row;
    };
    let label = |option: &usize| {
        Some(
            ask.questions
                .get(index)?
                .options
                .get(*option)?
                .label
                .text
                .clone(),
        )
    };
    let labels = selection.selected.iter().filter_map(label);
    Row {
        chosen: labels.collect(),
        own: selection.other.iter().cloned().collect(),
        note: selection.note.clone(),
        ..row
    }
}

fn state_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Answered => "answered",
        Phase::Declined => "declined",
        Phase::Superseded => "superseded",
        Phase::Expired => "expired",
        Phase::Interrupted => "interrupted",
        Phase::Streaming | Phase::Ready | Phase::Malformed | Phase::Answerable => "readonly",
    }
}

fn state_label(phase: Phase, ask: &AskSnapshot, labels: &'static Labels) -> &'static str {
    match (phase, &ask.outcome) {
        (_, Some(Outcome::RepliedInChat { .. })) => labels.replied_in_chat,
        (Phase::Answered, _) => labels.answered,
        (Phase::Declined, _) => labels.cancelled,
        (Phase::Superseded, _) => labels.superseded,
        (Phase::Expired, _) => labels.expired,
        (Phase::Interrupted, _) => labels.interrupted,
        (Phase::Streaming, _) => labels.composing,
        (Phase::Malformed, _) => labels.malformed,
        (Phase::Ready | Phase::Answerable, _) => labels.not_answered,
    }
}
