//! Drafts as text, including texts that no card has written.

use super::*;
use ask_user_question::attachment::Attachment;
use ask_user_question::{AskSnapshot, Phase, Question, Reply};

fn whole(multi_select: bool) -> AskSnapshot {
    let question = Question::new("Which?", ["A", "B", "C"]).with_multi_select(multi_select);
    AskSnapshot::complete("call", AskUserQuestion::new([question]), Phase::Answerable)
}

fn draft_of(kind: ChoiceKind) -> AnswerDraft {
    let mut draft = AnswerDraft::default();
    draft.know(0, kind);
    draft.know_text(0, "Which?");
    draft
}

/// A draft of the same question, restored from this text.
fn read(text: &str, kind: ChoiceKind) -> AnswerDraft {
    let mut draft = draft_of(kind);
    if let Some(kept) = StoredDraft::from_text("call", text) {
        draft.restore(kept);
        draft.take_up(&whole(kind == ChoiceKind::Multi), true);
    }
    draft
}

fn written(draft: &AnswerDraft) -> Option<String> {
    draft.kept().expect("there is something to keep").to_text("call")
}

#[test]
fn everything_comes_back() {
    let mut draft = draft_of(ChoiceKind::Single);
    draft.toggle(0, 1, "B");
    draft.type_text(0, Field::Other, "my \"own\"\n\u{202e}😀");
    draft.type_text(0, Field::Note, "soon");
    for act in [|_: &mut QuestionDraft| {}, QuestionDraft::toggle_skip] {
        draft.change(0, act);
        let again = read(&written(&draft).expect("it is not too long"), ChoiceKind::Single);
        assert_eq!(again.questions, draft.questions);
    }
}

#[test]
fn a_text_of_another_call_form_or_size_is_ignored() {
    let mut draft = draft_of(ChoiceKind::Single);
    draft.type_text(0, Field::Other, "mine");
    let text = written(&draft).expect("it is not too long");
    assert_eq!(StoredDraft::from_text("call", &text), draft.kept());
    assert_eq!(StoredDraft::from_text("another", &text), None);
    assert_eq!(StoredDraft::from_text("call", &text.replace("\"v\":1", "\"v\":2")), None);
    for cut in 0..text.len() {
        assert_eq!(StoredDraft::from_text("call", &text[..cut]), None);
    }
    let long = "x".repeat(3 << 20);
    assert_eq!(StoredDraft::from_text("call", &text.replace("mine", &long)), None);
    draft.type_text(0, Field::Other, &long);
    assert_eq!(written(&draft), None);
}

/// Any text in the storage is harmless, and leads to legal answers only.
#[test]
fn hostile_texts_do_no_harm() {
    let question =
        |members: &str| format!(r#"{{"v":1,"call":"call","questions":[{{"other":"mine","note":"",{members}}}]}}"#);
    let rest = r#""chosen":false,"before":null,"asked":null,"skipped":null"#;
    let texts = [
        String::new(),
        "null".to_owned(),
        "[".repeat(100_000),
        r#"{"v":1,"call":"call","questions":{}}"#.to_owned(),
        r#"{"v":1,"call":"call","questions":[null,3,"x"]}"#.to_owned(),
        question(&format!(r#""index":18446744073709551615,"picks":[],{rest}"#)),
        question(&format!(r#""index":-1,"picks":[],{rest}"#)),
        question(&format!(r#""index":0,"picks":[[0,"A"],[0,"A"],[1,"B"],[9,"A"]],{rest}"#)),
        question(&format!(r#""index":0,"picks":[[4294967296,"C"]],{rest}"#)),
        question(&format!(r#""index":0,"picks":[[0,{{}}]],{rest}"#)),
        question(r#""index":0,"picks":[[0,"A"]],"chosen":true,"before":[1,"B"],"asked":7,"skipped":null"#),
        question(r#""index":0,"picks":[[0,"A"]],"chosen":true,"before":[1,"B"],"asked":null,"skipped":null"#),
        question(
            r#""index":0,"picks":[[0,"A"]],"chosen":true,"before":null,"asked":null,
               "skipped":{"picks":[[1,"B"]],"chosen":false,"before":null}"#,
        ),
    ];
    for kind in [ChoiceKind::Single, ChoiceKind::Multi] {
        for text in &texts {
            let draft = read(text, kind);
            let sent = draft.selections();
            assert!(draft.known() == 1 && sent.len() <= 1, "{text:.80}");
            if draft.problem(0).is_none() {
                let asked = whole(kind == ChoiceKind::Multi).ask.expect("it is whole");
                let reply = Reply::check(&asked, sent);
                assert!(reply.is_ok(), "{text:.80}: {reply:?}");
            }
        }
        let skipped = read(&texts[texts.len() - 1], kind);
        assert!(skipped.is_skipped(0) && !skipped.is_chosen(0, 0), "a skip beside a choice is a skip");
    }
}

#[test]
fn the_text_of_a_draft_has_no_large_files() {
    let mut draft = draft_of(ChoiceKind::Single);
    for (name, bytes) in [("small.png", 40), ("large.png", 70_000)] {
        let file = Attachment { url: "A".repeat(bytes), name: name.to_owned(), ..Attachment::default() };
        let key = draft.add_file(0, file).expect("the question is known");
        draft.file_mut(key).expect("it is there").1.state = FileState::There;
    }
    let again = read(&written(&draft).expect("it is not too long"), ChoiceKind::Single);
    assert_eq!(again.files(0).iter().map(|file| &*file.file.name).collect::<Vec<_>>(), ["small.png"]);
}
