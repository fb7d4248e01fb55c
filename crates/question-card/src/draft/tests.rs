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
    assert_eq!(StoredDraft::from_text("call", &text.replacen('2', "1", 1)), None);
    let head = "1:24:call".len();
    for cut in (0..text.len()).filter(|cut| *cut != head) {
        assert_eq!(StoredDraft::from_text("call", &text[..cut]), None);
    }
    let long = "x".repeat(3 << 20);
    assert_eq!(StoredDraft::from_text("call", &text.replace("4:mine", &(long.len().to_string() + ":" + &long))), None);
    draft.type_text(0, Field::Other, &long);
    assert_eq!(written(&draft), None);
}

/// Any text in the storage is harmless, and leads to legal answers only.
#[test]
fn hostile_texts_do_no_harm() {
    // The index, the hash of the question, both texts, and the rest.
    let question = |fields: &str| {
        let all = ["2", "call"].into_iter().chain(fields.split(','));
        all.map(|field| format!("{}:{field}", field.len())).collect::<String>()
    };
    let texts = [
        String::new(),
        "null".to_owned(),
        "99999999999999999999:".to_owned(),
        "4:".repeat(100_000),
        question("18446744073709551615,,mine,,0,0,0,0,0"),
        question("-1,,mine,,0,0,0,0,0"),
        question("0,,mine,,0,4,0,A,0,A,1,B,9,A,0,0,0"),
        question("0,,mine,,0,1,4294967296,C,0,0,0"),
        question("0,,mine,,0,18446744073709551615,0,A,0,0,0"),
        question("0,7,mine,,1,1,0,A,1,1,B,0,0"),
        question("0,,mine,,1,1,0,A,1,1,B,0,0"),
        question("0,,mine,,1,1,0,A,0,0,1,0,1,1,B,0"),
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
