//! Snapshots: a complete ask, and one that grows patch by patch.

use ask_user_question::examples;
use ask_user_question::snapshot::{
    AskPatch, AskSnapshot, MemberPath, OptionSnapshot, Phase, QuestionSnapshot, TextSnapshot,
};
use ask_user_question::{AskUserQuestion, Outcome};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The patches by which an ask would stream in, texts in two pieces.
fn patches(ask: &AskUserQuestion) -> Vec<AskPatch> {
    fn text(patches: &mut Vec<AskPatch>, path: MemberPath, value: &str) {
        let middle = value.char_indices().nth(value.chars().count() / 2).map_or(0, |(at, _)| at);
        for delta in [&value[..middle], &value[middle..]] {
            patches.push(AskPatch::Append { text: path, delta: delta.to_owned() });
        }
        patches.push(AskPatch::CloseText { text: path });
    }
    let mut patches = Vec::new();
    for (q, question) in ask.questions.iter().enumerate() {
        patches.push(AskPatch::OpenQuestion { question: q });
        text(&mut patches, MemberPath::question(q), &question.text());
        if let Some(header) = &question.header {
            text(&mut patches, MemberPath::header(q), header);
        }
        if question.multi_select {
            patches.push(AskPatch::Flag { flag: MemberPath::multi_select(q), value: true });
        }
        for (o, option) in question.options.iter().enumerate() {
            patches.push(AskPatch::OpenOption { question: q, option: o });
            text(&mut patches, MemberPath::label(q, o), &option.label);
            if let Some(description) = &option.description {
                text(&mut patches, MemberPath::description(q, o), description);
            }
            if let Some(preview) = &option.preview {
                text(&mut patches, MemberPath::preview(q, o), preview);
            }
            patches.push(AskPatch::CloseOption { question: q, option: o });
        }
        patches.push(AskPatch::CloseQuestion { question: q });
    }
    patches
}

/// A complete ask takes the place of whatever grew before it, however far that had come.
#[test]
fn completing_leaves_nothing_of_another_ask() {
    let asks: Vec<_> = examples::all().iter().filter_map(|example| example.check().ask).collect();
    for (grown, complete) in asks.iter().flat_map(|ask| asks.iter().map(move |other| (ask, other))) {
        let patches = patches(grown);
        for count in [1, patches.len() / 2, patches.len()] {
            let mut snapshot = AskSnapshot::new("call");
            for patch in &patches[..count] {
                snapshot.apply(patch);
            }
            snapshot.apply(AskPatch::Complete(complete.clone().into()));
            let expected = AskSnapshot::complete("call", complete.clone(), Phase::Streaming);
            assert_eq!(snapshot, expected);
        }
    }
}

#[test]
fn growing_ends_where_completing_begins() {
    for example in examples::all() {
        let Some(ask) = example.check().ask else {
            continue;
        };
        let complete = AskSnapshot::complete("call", ask.clone(), Phase::Ready);
        let mut growing = AskSnapshot::new("call");
        for patch in patches(&ask) {
            growing.apply(patch);
        }
        assert_eq!(growing.questions, complete.questions, "{}", example.name);
        assert_eq!((growing.phase, &growing.ask), (Phase::Streaming, &None));
        growing.apply(AskPatch::Complete(ask.into()));
        growing.apply(AskPatch::Phase(Phase::Ready));
        assert_eq!(growing, complete);
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
fn the_end_is_kept() {
    let mut snapshot = AskSnapshot::new("call");
    snapshot.apply(AskPatch::ExpiresAt(Some(5)));
    snapshot.apply(AskPatch::Outcome(Outcome::Declined));
    snapshot.apply(AskPatch::Phase(Phase::Declined));
    assert_eq!(
        (snapshot.expires_at, snapshot.outcome, snapshot.phase),
        (Some(5), Some(Outcome::Declined), Phase::Declined)
    );
}

#[test]
fn phases_are_words_in_lower_case() {
    let words = Phase::ALL.map(Phase::as_str);
    assert_eq!(
        words,
        [
            "streaming",
            "ready",
            "malformed",
            "answerable",
            "answered",
            "declined",
            "superseded",
            "expired",
            "interrupted",
            "settled"
        ]
    );
    for phase in Phase::ALL {
        assert_eq!(serde_json::to_value(phase).unwrap(), phase.to_string());
    }
}

#[test]
fn a_snapshot_is_made_as_it_is_needed() {
    let snapshot = AskSnapshot::new("call").with_phase(Phase::Declined).with_outcome(Outcome::Declined);
    let snapshot = snapshot.with_lang(Some("de".into()));
    assert_eq!((snapshot.tool_call_id.as_str(), snapshot.phase), ("call", Phase::Declined));
    assert_eq!((snapshot.outcome, snapshot.lang.as_deref()), (Some(Outcome::Declined), Some("de")));
}

#[test]
fn what_is_made_whole_is_what_has_arrived_whole() {
    for ask in examples::all().iter().filter_map(|example| example.check().ask) {
        let shown = AskSnapshot::complete("call", ask.clone(), Phase::Ready);
        for (shown, question) in shown.questions.iter().zip(&ask.questions) {
            assert_eq!(*shown, QuestionSnapshot::complete(question));
            for (shown, option) in shown.options.iter().zip(&question.options) {
                assert_eq!(*shown, OptionSnapshot::complete(option));
                assert_eq!(shown.label, TextSnapshot::complete(&*option.label));
            }
        }
    }
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
