//! Answers in others' words: what is certain is read, and nothing else is taken for an answer. One suite runs natively and as wasm32.

#[path = "../../../ask-user-question/tests/it/feeding.rs"]
mod feeding;
#[allow(dead_code, reason = "the generators serve three suites, and this one needs a few")]
#[path = "../../../ask-user-question/tests/it/generate.rs"]
mod generate;
#[path = "../../../ask-user-question/tests/it/kept.rs"]
mod kept;
mod matching;
mod odd;
mod other;
mod properties;
mod repairs;
mod results;
mod shapes;

use ask_user_question::reply::Selection;

fn pick(question: usize, selected: &[usize]) -> Selection {
    Selection::picked(question, selected)
}

fn skip(question: usize) -> Selection {
    Selection::skipped(question)
}

fn noted(selection: Selection, note: &str) -> Selection {
    selection.with_note(note)
}
