//! Any text as the arguments of an ask, as the result of its call and as what a user types: what streams is what is read in the end, and
//! whatever is read as a reply is one.
#![no_main]

#[path = "../../../ask-user-question/tests/it/kept.rs"]
mod kept;

use ask_user_question::arriving::Arriving;
use ask_user_question::{AskSnapshot, AskUserQuestion, Limits, Outcome, Phase, Question, Reply};
use libfuzzer_sys::fuzz_target;
use question_compat::{REPAIRS, check_text, from_arguments, match_message, parse_foreign};

fuzz_target!(|text: &str| {
    let limits = Limits::RUNTIME.with_options(0..=9).with_header_max(None);
    let checked = check_text(&limits, text);
    let (mut arriving, mut shown) = (Arriving::new(&REPAIRS), AskSnapshot::new("c"));
    for character in text.chars() {
        arriving.feed(character.encode_utf8(&mut [0; 4]), &mut shown);
    }
    let mut finished = shown.clone();
    let is_readable = arriving.finish(text, &mut finished);
    let whole = from_arguments(text);
    assert_eq!(is_readable.then_some(finished.ask).flatten().as_deref(), whole.as_ref(), "the grown ask is another one");
    let arrived = whole.filter(|ask| {
        let whole = AskSnapshot::complete("c", ask.clone(), Phase::Ready);
        kept::is_kept(&shown.questions, &whole.questions)
    });
    // A list in a string may turn out to be none after its first items were shown.
    assert!(arrived == checked.ask || arrived.is_none() && !checked.is_valid(), "{arrived:?} {checked:?}");

    let one = AskUserQuestion::new([Question::new("Which?", ["A", "B, C", "2"])]);
    let two = AskUserQuestion::new([
        Question::new("Which?", ["A", "B"]).with_header("H"),
        Question::new("What?", ["No", "Not 5"]).with_multi_select(true),
    ]);
    for ask in [one, two] {
        let outcomes = [parse_foreign(&ask, text), Some(match_message(&ask, text, Vec::new()))];
        for outcome in outcomes.into_iter().flatten() {
            if let Outcome::Answered(reply) = outcome {
                assert_eq!(Reply::check(&ask, reply.selections()), Ok(reply));
            }
        }
    }
});
