//! Snapshots: a complete ask, and one that grows patch by patch.

use crate::arriving::shown;
use ask_user_question::snapshot::{
    AskPatch, AskSnapshot, MemberPath, OptionSnapshot, Phase, QuestionSnapshot, TextSnapshot,
};
use ask_user_question::{Outcome, examples};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A complete ask takes the place of whatever grew before it, however far that had come.
#[test]
fn completing_leaves_nothing_of_another_ask() {
    let asks: Vec<_> = examples::all().iter().filter_map(|example| example.check().ask).collect();
    for grown in &asks {
        let arguments = serde_json::to_string(grown).unwrap();
        for quarters in 1..=4 {
            let shown = shown(&arguments[..arguments.floor_char_boundary(arguments.len() * quarters / 4)], 50);
            for complete in &asks {
                let mut snapshot = shown.clone();
                snapshot.apply(AskPatch::Complete(complete.clone().into()));
                assert_eq!(snapshot, AskSnapshot::complete("call", complete.clone(), Phase::Streaming));
            }
        }
    }
}

#[test]
fn every_step_shows_what_has_arrived_and_what_is_closed() {
    let mut snapshot = AskSnapshot::new("call");
    snapshot.apply(AskPatch::Append { text: MemberPath::label(0, 0), delta: "Post".into() });
    let label = |text: &str, closed| TextSnapshot { text: text.into(), closed };
    let shown = |label| {
        let (mut question, mut option) = (QuestionSnapshot::default(), OptionSnapshot::default());
        option.label = label;
        question.options.push(option);
        vec![question]
    };
    assert_eq!(snapshot.questions, shown(label("Post", false)));
    snapshot.apply(AskPatch::Append { text: MemberPath::label(0, 0), delta: "gres".into() });
    snapshot.apply(AskPatch::CloseText { text: MemberPath::label(0, 0) });
    assert_eq!(snapshot.questions, shown(label("Postgres", true)));
    snapshot.apply(AskPatch::CloseOption { question: 0, option: 0 });
    assert!(snapshot.questions[0].options[0].closed && !snapshot.questions[0].closed);
    assert_eq!(snapshot.questions[0].multi_select, None);
    snapshot.apply(AskPatch::CloseQuestion { question: 0 });
    assert_eq!(snapshot.questions[0].multi_select, Some(false));
}

#[test]
fn patches_for_elsewhere_change_nothing() {
    let mut snapshot = AskSnapshot::new("call");
    for patch in [
        AskPatch::OpenQuestion { question: 1 },
        AskPatch::CloseQuestion { question: usize::MAX },
        AskPatch::CloseText { text: MemberPath::preview(3, 0) },
    ] {
        snapshot.apply(patch);
    }
    assert_eq!(snapshot, AskSnapshot::new("call"));
    snapshot.apply(AskPatch::OpenQuestion { question: 0 });
    snapshot.apply(AskPatch::OpenOption { question: 0, option: 7 });
    assert_eq!(snapshot.questions, [QuestionSnapshot::default()]);
}

#[test]
fn the_end_comes_by_patches_or_at_once() {
    let made = AskSnapshot::new("call").with_phase(Phase::Declined).with_outcome(Outcome::Declined);
    let made = made.with_lang(Some("de".into()));
    let mut patched = AskSnapshot::new("call");
    for patch in [
        AskPatch::Lang("de".into()),
        AskPatch::ExpiresAt(Some(5)),
        AskPatch::Outcome(Outcome::Declined),
        AskPatch::Phase(Phase::Declined),
    ] {
        patched.apply(patch);
    }
    assert_eq!((patched.expires_at.take(), patched), (Some(5), made));
}

#[test]
fn a_phase_takes_an_answer_or_is_over() {
    for phase in Phase::ALL {
        let expected = match phase {
            Phase::Streaming | Phase::Malformed => (false, false),
            Phase::Ready | Phase::Answerable => (true, false),
            _ => (false, true),
        };
        assert_eq!((phase.takes_answer(), phase.is_over()), expected, "{phase:?}");
    }
}
