//! Snapshots of complete asks, and of those that are over.

use crate::feeding::shown;
use ask_user_question::snapshot::{AskSnapshot, Phase, ReplyState};
use ask_user_question::{Outcome, examples};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A complete ask takes the place of whatever grew before it, however far that had come.
#[test]
fn completing_leaves_nothing_of_another_ask() {
    let asks: Vec<_> = examples::all().iter().filter_map(|example| question_compat::from_json(&example.ask)).collect();
    for grown in &asks {
        let arguments = serde_json::to_string(grown).unwrap();
        for quarters in 1..=4 {
            let shown = shown(&arguments[..arguments.floor_char_boundary(arguments.len() * quarters / 4)], 50);
            for complete in &asks {
                let mut snapshot = shown.clone();
                snapshot.finish(complete.clone());
                assert_eq!(snapshot, AskSnapshot::complete("call", complete.clone(), Phase::Streaming));
            }
        }
    }
}

#[test]
fn an_ask_that_is_asked_again_has_no_outcome() {
    let mut snapshot = AskSnapshot::new("call").with_phase(Phase::Declined).with_outcome(Outcome::Declined);
    snapshot.set_phase(Phase::Declined);
    assert_eq!(snapshot.outcome, Some(Outcome::Declined));
    snapshot.set_phase(Phase::Answerable);
    assert_eq!(snapshot, AskSnapshot::new("call").with_phase(Phase::Answerable));
}

#[test]
fn a_copy_follows_all_but_the_reply_which_is_its_hosts() {
    let (mut snapshot, mut copy) = (AskSnapshot::new("call"), AskSnapshot::new("call"));
    snapshot.lang = Some("de".into());
    (snapshot.expires_at, snapshot.result, copy.reply) = (Some(5), Some("Done.".into()), ReplyState::Sending);
    snapshot.set_phase(Phase::Settled);
    copy.follow(&snapshot);
    assert_eq!(std::mem::take(&mut copy.reply), ReplyState::Sending);
    assert_eq!(copy, snapshot);
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
