//! Arguments fed to a card in pieces.

use ask_user_question::AskSnapshot;
use ask_user_question::arriving::Arriving;
use ask_user_question::snapshot::Phase;
use question_compat::{REPAIRS, from_arguments};

/// The shown parts of arguments that come in pieces of `size` characters.
pub(crate) fn shown(arguments: &str, size: usize) -> AskSnapshot {
    let (mut arriving, mut shown) = (Arriving::new(&REPAIRS), AskSnapshot::new("call"));
    let characters: Vec<char> = arguments.chars().collect();
    for piece in characters.chunks(size) {
        arriving.feed(&piece.iter().collect::<String>(), &mut shown);
    }
    check_end(arriving, arguments, &shown);
    shown
}

/// Checks that the end of the arguments completes the ask that they say as a whole.
#[track_caller]
fn check_end(arriving: Arriving, arguments: &str, shown: &AskSnapshot) {
    let mut finished = shown.clone();
    let is_readable = arriving.finish(arguments, &mut finished);
    let whole = from_arguments(arguments);
    assert_eq!(is_readable, whole.is_some(), "{arguments}");
    assert_eq!(finished.ask.as_deref(), whole.as_ref(), "{arguments}");
    if let Some(whole) = whole {
        assert_eq!(finished.questions, AskSnapshot::complete("call", whole, Phase::Ready).questions, "{arguments}");
    }
}
