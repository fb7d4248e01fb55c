//! Drafts without their card.

use super::{ask, check, multi, single};
use crate::draft::{AnswerDraft, ChoiceKind, Field, FileState, Problem, QuestionDraft, StoredDraft};
use ask_user_question::attachment::Attachment;
use ask_user_question::snapshot::QuestionSnapshot;
use ask_user_question::{AskSnapshot, Phase};

const LABELS: [&str; 3] = ["A", "B", "C"];

fn whole(multi_select: bool, labels: &[&str]) -> AskSnapshot {
    AskSnapshot::complete("call", ask(multi_select, labels), Phase::Answerable)
}

/// Tells a draft the texts of the questions.
fn know(draft: &mut AnswerDraft, ask: &AskSnapshot) {
    for (index, asked) in ask.questions.iter().enumerate() {
        draft.know_text(index, &asked.question.text);
    }
}

/// A draft after it was written, and read again by a card that shows this ask.
fn again(draft: &AnswerDraft, written_of: &AskSnapshot, ask: &AskSnapshot, kind: ChoiceKind) -> AnswerDraft {
    let mut draft = draft.clone();
    know(&mut draft, written_of);
    let kept = draft.kept().expect("there is something to keep");
    let text = kept.to_text("call").expect("it is not too long");
    let mut again = AnswerDraft::default();
    again.know(0, kind);
    know(&mut again, ask);
    again.restore(StoredDraft::from_text("call", &text).expect("it is ours"));
    again.take_up(ask, true);
    again
}

#[test]
fn everything_comes_back() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.toggle(0, 2, "C");
    draft.type_text(0, Field::Other, "my \"own\"\n\u{202e}😀");
    draft.type_text(0, Field::Note, "soon");
    let asked = whole(true, &LABELS);
    know(&mut draft, &asked);
    assert_eq!(again(&draft, &asked, &asked, ChoiceKind::Multi).questions, draft.questions);
    draft.change(0, QuestionDraft::toggle_skip);
    assert_eq!(again(&draft, &asked, &asked, ChoiceKind::Multi).questions, draft.questions);
}

#[test]
fn the_option_that_a_text_took_the_place_of_comes_back_too() {
    let mut draft = single();
    draft.toggle(0, 1, "B");
    draft.type_text(0, Field::Other, "mine");
    let asked = whole(false, &LABELS);
    know(&mut draft, &asked);
    let mut again = again(&draft, &asked, &asked, ChoiceKind::Single);
    assert_eq!(again.questions, draft.questions);
    again.type_text(0, Field::Other, "");
    check(&again, &[1], None);
}

#[test]
fn an_untouched_draft_is_not_kept() {
    let mut draft = single();
    assert_eq!(draft.kept(), None);
    draft.toggle(0, 0, "A");
    assert!(draft.kept().is_some());
    draft.forget();
    assert_eq!(draft.kept(), None);
}

#[test]
fn labels_that_are_gone_do_not_come_back() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.toggle(0, 1, "B");
    let again = again(&draft, &whole(true, &LABELS), &whole(true, &["X", "C", "A"]), ChoiceKind::Multi);
    check(&again, &[2], None);
}

#[test]
fn another_question_under_the_same_id_gets_nothing() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "mine");
    let asked = whole(false, &LABELS);
    let mut other = asked.clone();
    other.questions[0].question.text = "Who?".to_owned();
    let again = again(&draft, &asked, &other, ChoiceKind::Single);
    assert_eq!(again.text(0, Field::Other), "");
    // Repair does not keep white space around the text.
    other.questions[0].question.text = " Which?\n".to_owned();
    let same = self::again(&draft, &other, &asked, ChoiceKind::Single);
    assert_eq!(same.text(0, Field::Other), "mine");
}

#[test]
fn a_question_that_became_single_takes_only_what_fits() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "mine");
    let (several, one) = (whole(true, &LABELS), whole(false, &LABELS));
    let again = again(&draft, &several, &one, ChoiceKind::Single);
    check(&again, &[0], None);
    assert!(again.is_other_unsent(0), "the text is not lost");
}

#[test]
fn what_is_kept_waits_for_its_question_to_be_whole() {
    let mut draft = single();
    draft.toggle(0, 1, "B");
    know(&mut draft, &whole(false, &LABELS));
    let kept = draft.kept().expect("a pick");
    let mut streaming = AskSnapshot::new("call");
    let mut question = QuestionSnapshot::default();
    question.question.text.push_str("Which?");
    streaming.questions.push(question);
    let mut again = single();
    again.restore(kept.clone());
    assert_eq!(again.take_up(&streaming, false), [0; 0]);
    assert_eq!(again.kept(), Some(kept.clone()), "it is still kept");
    streaming = whole(false, &LABELS);
    streaming.phase = Phase::Streaming;
    assert_eq!(again.take_up(&streaming, false), [0]);
    check(&again, &[1], None);
    assert!(!again.is_waiting());

    draft.type_text(0, Field::Note, "mine");
    let mut busy = single();
    busy.restore(draft.kept().expect("a pick and a note"));
    busy.toggle(0, 0, "A");
    assert_eq!(busy.take_up(&streaming, false), [0]);
    check(&busy, &[0], None);
    assert_eq!(busy.text(0, Field::Note), "mine", "the typed text is not lost");
}

#[test]
fn a_text_for_what_could_not_be_read_comes_back() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "mine");
    let unread = AskSnapshot::new("call");
    let again = again(&draft, &unread, &unread, ChoiceKind::Single);
    check(&again, &[], Some("mine"));
}

#[test]
fn a_text_of_another_call_form_or_size_is_ignored() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "mine");
    let kept = draft.kept().expect("a text");
    let text = kept.to_text("call").expect("it is not too long");
    assert_eq!(StoredDraft::from_text("call", &text), Some(kept));
    assert_eq!(StoredDraft::from_text("another", &text), None);
    assert_eq!(StoredDraft::from_text("call", &text.replace("\"v\":1", "\"v\":2")), None);
    for cut in 0..text.len() {
        assert_eq!(StoredDraft::from_text("call", &text[..cut]), None);
    }
    draft.type_text(0, Field::Other, &"x".repeat(3 << 20));
    let kept = draft.kept().expect("a text");
    assert_eq!(kept.to_text("call"), None);
    let long = text.replace("mine", &"x".repeat(3 << 20));
    assert_eq!(StoredDraft::from_text("call", &long), None);
}

/// Any text in the storage is harmless, and leads to legal answers only.
#[test]
fn hostile_texts_do_no_harm() {
    let question = |fields: &str| {
        format!(r#"{{"v":1,"call":"call","questions":[{{"other":"","note":"","skipped":null,{fields}}}]}}"#)
    };
    let chosen = r#""chosen":false,"before":null,"asked":null"#;
    let texts = [
        String::new(),
        "null".to_owned(),
        "[".repeat(100_000),
        r#"{"v":1,"call":"call","questions":{}}"#.to_owned(),
        r#"{"v":1,"call":"call","questions":[null,3,"x"]}"#.to_owned(),
        question(&format!(r#""index":18446744073709551615,"picks":[],{chosen}"#)),
        question(&format!(r#""index":-1,"picks":[],{chosen}"#)),
        question(&format!(r#""index":0,"picks":[[0,"A"],[0,"A"],[1,"B"],[9,"A"]],{chosen}"#)),
        question(&format!(r#""index":0,"picks":[[4294967296,"C"]],{chosen}"#)),
        question(&format!(r#""index":0,"picks":[[0,{{}}]],{chosen}"#)),
        question(r#""index":0,"picks":[[0,"A"]],"chosen":true,"before":[1,"B"],"asked":7"#),
        question(r#""index":0,"picks":[[0,"A"]],"chosen":true,"before":[1,"B"],"asked":null"#),
    ];
    for kind in [ChoiceKind::Single, ChoiceKind::Multi] {
        let asked = whole(kind == ChoiceKind::Multi, &LABELS);
        for text in &texts {
            let mut draft = AnswerDraft::default();
            draft.know(0, kind);
            if let Some(kept) = StoredDraft::from_text("call", text) {
                draft.restore(kept);
                draft.take_up(&asked, true);
            }
            let sent = draft.selections();
            assert!(draft.known() == 1 && sent.len() <= 1, "{text:.80}");
            if draft.problem(0).is_none() {
                let ask = asked.ask.as_ref().expect("it is whole");
                let reply = ask_user_question::Reply::check(ask, sent);
                assert!(reply.is_ok(), "{text:.80}: {reply:?}");
            }
        }
    }
}

#[test]
fn a_skip_beside_a_choice_is_a_skip() {
    let text = r#"{"v":1,"call":"call","questions":[{"index":0,"asked":null,"other":"mine","note":"",
        "picks":[[0,"A"]],"chosen":true,"before":null,
        "skipped":{"picks":[[1,"B"]],"chosen":false,"before":null}}]}"#;
    let mut draft = single();
    draft.restore(StoredDraft::from_text("call", text).expect("it is ours"));
    draft.take_up(&whole(false, &LABELS), true);
    assert!(draft.is_skipped(0));
    check(&draft, &[], None);
    draft.change(0, QuestionDraft::toggle_skip);
    check(&draft, &[1], None);
    assert_eq!(draft.problem(0), None::<Problem>);
}

#[test]
fn the_text_of_a_draft_has_no_large_files() {
    let mut draft = single();
    for (name, bytes) in [("small.png", 40), ("large.png", 70_000)] {
        let file = Attachment { url: "A".repeat(bytes), name: name.to_owned(), ..Attachment::default() };
        let key = draft.add_file(0, file).expect("the question is known");
        draft.file_mut(key).expect("it is there").1.state = FileState::There;
    }
    let asked = whole(false, &LABELS);
    let again = again(&draft, &asked, &asked, ChoiceKind::Single);
    assert_eq!(again.files(0).iter().map(|file| &*file.file.name).collect::<Vec<_>>(), ["small.png"]);
}
