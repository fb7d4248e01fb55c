//! The receipt: an ask that is over.

use crate::anatomy::part;
use crate::dom::Ids;
use crate::labels::{Labels, isolate};
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::text::is_blank;
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
    let ids = ask.with_untracked(|ask| Ids::new(&ask.tool_call_id));
    view! {
        <section
            class=part::CARD
            lang=labels.map(|labels| labels.lang)
            dir=labels.map(|labels| labels.dir.as_str())
        >
            {receipt_view((ask, phase), ids, labels.unwrap_or(&Labels::ENGLISH), NodeRef::new())}
            {children.map(|children| children())}
        </section>
    }
}

/// A receipt as plain text: each question after "Q:" and its answer after "A:", in the words of `labels`. What was replied in the chat
/// follows as an answer without a question of its own.
#[must_use]
pub fn receipt_text(ask: &AskSnapshot, labels: &Labels) -> String {
    let reply = chat_reply(ask);
    let to_answer = |text: &str| [labels.copy_answer, " ", text].concat();
    let texts = rows_of(ask, ask.outcome.as_ref()).into_iter().map(|row| {
        let without = row.without_text(labels).unwrap_or_default();
        let answer = match row.has_answer() {
            false => without.to_owned(),
            true => [row.chosen, row.own].concat().join(labels.list),
        };
        // The answer to it may be in the chat.
        let is_answered = reply.is_none() || !answer.is_empty();
        let answer = is_answered.then(|| to_answer(&answer));
        let note = row.note.map(|note| (labels.noted)(&note));
        let question = [labels.copy_question, " ", &row.question].concat();
        let lines: Vec<String> = [question].into_iter().chain(answer).chain(note).collect();
        lines.join("\n")
    });
    let texts = texts.chain(reply.map(to_answer));
    texts.collect::<Vec<_>>().join("\n\n")
}

/// What the user replied in the chat.
fn chat_reply(ask: &AskSnapshot) -> Option<&str> {
    match &ask.outcome {
        Some(Outcome::RepliedInChat { text, .. }) => Some(text).filter(|text| !is_blank(text)).map(String::as_str),
        _ => None,
    }
}

/// The record itself, without a root of its own.
pub(crate) fn receipt_view(
    (ask, phase): (Signal<AskSnapshot>, Signal<Phase>),
    ids: Ids,
    labels: &'static Labels,
    node: NodeRef<Div>,
) -> impl IntoView {
    // How it ended and what was asked; then what was answered.
    let named_by = move || {
        let rows = ask.with(|ask| rows(ask, phase.get()).len());
        let questions = (0..rows).map(|index| ids.receipt_question(index));
        [ids.receipt()].into_iter().chain(questions).collect::<Vec<_>>().join(" ")
    };
    let described_by = move || {
        let describes = |(index, row): (usize, &Row)| row.says_anything(labels).then(|| ids.receipt_answer(index));
        let described = ask.with(|ask| {
            let rows = rows(ask, phase.get());
            let answers = rows.iter().enumerate().filter_map(describes);
            answers.chain(chat_reply(ask).map(|_| ids.receipt_reply())).collect::<Vec<_>>()
        });
        (!described.is_empty()).then(|| described.join(" "))
    };
    let content = move || {
        ask.with(|ask| {
            let rows = rows(ask, phase.get()).into_iter().enumerate();
            let rows = rows.map(|(index, row)| row_view((ids, index), row, &ask.lang, labels));
            let reply = chat_reply(ask).map(|text| {
                view! { <p class=part::REPLY id=ids.receipt_reply() dir="auto">{text.to_owned()}</p> }
            });
            (rows.collect_view(), reply)
        })
    };
    view! {
        <div
            class=part::RECEIPT
            node_ref=node
            role="group"
            aria-labelledby=named_by
            aria-describedby=described_by
            // A host's transcript may be a live region itself, and what ended was said.
            aria-live="off"
            tabindex="-1"
            data-state=move || state_name(phase.get())
        >
            <p class=part::RECEIPT_STATE id=ids.receipt()>{move || ask.with(|ask| state_label(phase.get(), ask, labels))}</p>
            {content}
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

    /// Whether anything stands in the place of its answer.
    fn says_anything(&self, labels: &Labels) -> bool {
        self.has_answer() || !self.offered.is_empty() || self.without_text(labels).is_some()
    }

    fn has_answer(&self) -> bool {
        !self.chosen.is_empty() || !self.own.is_empty()
    }
}

/// A row; `lang` is the language of what the agent wrote.
fn row_view(
    (ids, index): (Ids, usize),
    row: Row,
    lang: &Option<String>,
    labels: &'static Labels,
) -> impl IntoView + use<> {
    let id = || ids.receipt_answer(index);
    let without = row.without_text(labels);
    let has_answer = row.has_answer();
    let chip = row.header.map(|header| view! { <span class=part::CHIP dir="auto">{header}</span> " " });
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
        view! { <ul class=part::ANSWERS id=id()>{answers.map(answer).collect_view()}</ul> }
    });
    let offered = (!row.offered.is_empty()).then(|| {
        let option = |label| view! { <li dir="auto">{label}</li> };
        view! { <ul class=part::OFFERED id=id() lang=lang.clone()>{row.offered.into_iter().map(option).collect_view()}</ul> }
    });
    view! {
        <p class=part::RECEIPT_QUESTION id=ids.receipt_question(index) lang=lang.clone() dir="auto">{chip}{row.question}</p>
        {answers}
        {offered}
        {without.map(|text| view! { <p class=part::NO_ANSWER id=(!has_answer).then(id)>{text}</p> })}
        {row.note.map(|note| view! { <p class=part::OPTION_DESC>{(labels.noted)(&isolate(&note))}</p> })}
    }
}

fn rows(ask: &AskSnapshot, phase: Phase) -> Vec<Row> {
    match (&ask.outcome, phase) {
        // What still grows is shown when it is whole, and not anew at each byte.
        (None, Phase::Streaming) => Vec::new(),
        (None, Phase::Ready | Phase::Answerable | Phase::Malformed) => {
            let rows = asked(ask).zip(&ask.questions);
            rows.map(|(row, question)| Row { offered: labels_of(question), ..row }).collect()
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
        Some(Outcome::RepliedInChat { partial, .. }) => {
            asked(ask).enumerate().map(|(index, row)| with_partial(ask, index, row, partial)).collect()
        }
        Some(Outcome::Declined | Outcome::Expired | Outcome::Superseded | Outcome::Cancelled) | None => {
            asked(ask).collect()
        }
    }
}

fn answered(answer: &Answer) -> Row {
    let labels = answer.selected.iter().map(|selected| selected.label.clone());
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
    let label = |option: &usize| Some(ask.questions.get(index)?.options.get(*option)?.label.text.clone());
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

/// How an ask ended, in a few words.
pub(crate) fn state_label(phase: Phase, ask: &AskSnapshot, labels: &'static Labels) -> &'static str {
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
