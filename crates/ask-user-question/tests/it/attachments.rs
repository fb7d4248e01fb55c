//! Files in answers: what is legal, how they travel, and what the agent reads of them.

use crate::replies::{noted, pick};
use ask_user_question::attachment::{Attachment, FileLimits, MAX_ATTACHMENTS, clean_name};
use ask_user_question::reply::Selection;
use ask_user_question::tool::description;
use ask_user_question::{AskUserQuestion, Limits, Outcome, Question, Reply};
use json_tree::Json;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn ask() -> AskUserQuestion {
    let number = serde_json::from_value(json!({"question": "How many?", "input": {"type": "integer"}})).unwrap();
    AskUserQuestion::new([
        Question::new("Which design?", ["Plain", "Bold"]),
        Question::new("What is wrong?", [""; 0]),
        number,
    ])
}

fn file(name: &str, media_type: &str, url: &str) -> Attachment {
    Attachment { url: url.to_owned(), name: name.to_owned(), media_type: media_type.to_owned(), size: 12 }
}

fn cat() -> Attachment {
    file("cat.png", "image/png", "/files/1")
}

fn with(selection: Selection, attachments: &[Attachment]) -> Selection {
    selection.with_attachments(attachments.to_vec())
}

fn typed(question: usize, text: &str) -> Selection {
    pick(question, &[]).with_other(text)
}

fn reply() -> Reply {
    let pdf = file("spec.pdf", "application/pdf", "data:application/pdf;base64,JVBERg==");
    let selections =
        vec![with(noted(pick(0, &[1]), "see"), &[cat()]), with(pick(1, &[]), &[cat(), pdf]), typed(2, "3")];
    Reply::check(&ask(), selections).unwrap()
}

fn refused(selections: Vec<Selection>) -> Vec<String> {
    let violations = Reply::check(&ask(), selections).unwrap_err();
    violations.iter().map(|it| format!("{} {}", it.path, it.code.as_str())).collect()
}

#[test]
fn files_stand_in_the_details_beside_a_choice_or_alone() {
    let json = reply().to_json();
    let expected = json!({
        "answers": {"Which design?": "Bold", "What is wrong?": "2 files: cat.png, spec.pdf", "How many?": "3"},
        "details": [
            {"index": 0, "selected": [{"index": 1, "label": "Bold"}], "note": "see",
                "attachments": [{"url": "/files/1", "name": "cat.png", "type": "image/png", "size": 12}], "status": "answered"},
            {"index": 1, "selected": [], "attachments": [
                {"url": "/files/1", "name": "cat.png", "type": "image/png", "size": 12},
                {"url": "data:application/pdf;base64,JVBERg==", "name": "spec.pdf", "type": "application/pdf", "size": 12},
            ], "status": "answered"},
            {"index": 2, "selected": [], "value": 3, "status": "answered"},
        ],
        "message": "What is `attachments` in `details` are files of the user.",
    });
    assert_eq!(json, expected);
    assert_eq!(Reply::parse(&ask(), &json), Ok(reply()));
    assert_eq!(Reply::check(&ask(), reply().selections()), Ok(reply()));
    let selections: Vec<Selection> = serde_json::from_value(json!(reply().selections())).unwrap();
    assert_eq!(selections, reply().selections());
}

#[test]
fn the_message_names_the_files_and_is_read_with_them() {
    let text = "Which design?: Bold (note: see) (1 picture: cat.png)\nWhat is wrong?: 2 files: cat.png, spec.pdf\nHow many?: 3";
    assert_eq!(reply().message(), text);
    let files = reply().attachments().map(|(of, it)| (of, it.clone())).collect();
    assert_eq!(Reply::read_message_with(&ask(), text, files), Some(reply()));
    assert!(Reply::read_message(&ask(), text).is_some_and(|reply| reply.attachments().next().is_none()));
    let open = AskUserQuestion::new([Question::new("What?", ["A"])]);
    let alone = with(noted(pick(0, &[]), "n"), &[cat()]);
    let own = with(typed(0, "like this (1 picture: cat.png)"), &[cat()]);
    for selection in [alone, own] {
        let reply = Reply::check(&open, vec![selection]).unwrap();
        assert_eq!(Reply::read_message_with(&open, &reply.message(), vec![(0, cat())]), Some(reply));
    }
}

#[test]
fn an_unfinished_reply_keeps_legal_files() {
    let hostile = file("x", "image/png", "javascript:alert(1)");
    let partial = vec![with(pick(0, &[]), &[cat(), hostile])];
    let outcome = Outcome::replied_in_chat(&ask(), "hm", partial);
    assert_eq!(outcome.attachments(), [(0, &cat())]);
    assert_eq!(Outcome::parse(&ask(), &outcome.tool_content(&ask())), Some(outcome));
}

#[test]
fn the_bytes_may_go_beside_the_text_for_the_model() {
    let outcome = Outcome::Answered(reply()).without_data();
    let urls: Vec<&str> = outcome.attachments().iter().map(|(_, it)| it.url.as_str()).collect();
    assert_eq!(urls, ["/files/1", "/files/1", ""]);
    assert_eq!(Outcome::parse(&ask(), &outcome.tool_content(&ask())), Some(outcome));
}

#[test]
fn names_types_and_addresses_are_judged() {
    for (name, media_type, url, member) in [
        ("a/b.png", "image/png", "/1", "name"),
        ("..", "image/png", "/1", "name"),
        (" ", "image/png", "/1", "name"),
        ("a\u{202E}gnp.exe", "image/png", "/1", "name"),
        ("a\nb", "image/png", "/1", "name"),
        ("a", "image", "/1", "type"),
        ("a", "Image/PNG", "/1", "type"),
        ("a", "text/plain; charset=utf-8", "/1", "type"),
        ("a", "image/png", "javascript:alert(1)", "url"),
        ("a", "image/png", "java\nscript:alert(1)", "url"),
        ("a", "image/png", "blob:https://example.org/1", "url"),
    ] {
        let selections = vec![with(pick(0, &[0]), &[file(name, media_type, url)]), typed(1, "x"), typed(2, "3")];
        assert_eq!(refused(selections), [format!("selections[0].attachments[0].{member} bad_attachment")], "{name}");
    }
    for url in ["https://example.org/a", "HTTP://example.org", "data:image/png;base64,AA==", "/a:b", "files/1", ""] {
        let reply = vec![with(pick(0, &[0]), &[file("a", "image/png", url)]), typed(1, "x"), typed(2, "3")];
        assert!(Reply::check(&ask(), reply).is_ok(), "{url}");
    }
    let many = vec![cat(); MAX_ATTACHMENTS + 1];
    let selections = vec![with(pick(0, &[0]), &many), with(Selection::skipped(1), &[cat()])];
    let expected = ["selections[0].attachments bad_attachment", "selections[1] answered_and_skipped"];
    assert_eq!(refused(selections)[..2], expected);
}

#[test]
fn a_file_alone_is_no_number() {
    let selections = vec![pick(0, &[0]), typed(1, "x"), with(pick(2, &[]), &[cat()])];
    assert_eq!(refused(selections), ["selections[2] unanswered"]);
}

#[test]
fn members_of_the_wrong_type_are_refused_with_a_path() {
    for (attachments, path) in [
        (json!({}), "details[0].attachments"),
        (json!(["a"]), "details[0].attachments[0]"),
        (json!([{"name": 1}]), "details[0].attachments[0]"),
        (json!([{"name": "a", "type": "a/b", "size": -1}]), "details[0].attachments[0]"),
    ] {
        let ask = AskUserQuestion::new([Question::new("What?", ["A"])]);
        let json = json!({"answers": {"What?": "A"}, "details": [{"index": 0, "attachments": attachments}]});
        let violations = Reply::parse(&ask, &Json::from(&json)).unwrap_err();
        assert_eq!(violations[0].path, path, "{violations:?}");
    }
}

#[test]
fn limits_say_what_may_be_attached() {
    let limits = Limits::by_name("chat+pictures").unwrap();
    let files = limits.attachments().unwrap();
    assert!(description(&limits).contains("custom answers and attach files."));
    assert!(!description(&Limits::CHAT).contains("attach"));
    assert_eq!(Limits::CHAT.attachments(), None);
    let flaw = |others, media_type, size| files.check(others, media_type, size).map_err(|flaw| flaw.as_str());
    assert_eq!(flaw(3, "image/png", 5 << 20), Ok(()));
    assert_eq!(flaw(4, "image/png", 1), Err("too_many_files"));
    assert_eq!(flaw(0, "image/svg+xml", 1), Err("wrong_file_type"));
    assert_eq!(flaw(0, "image/png", 0), Err("empty_file"));
    assert_eq!(flaw(0, "image/png", (5 << 20) + 1), Err("file_too_large"));
    assert!(FileLimits { types: &["image/*"], ..FileLimits::PICTURES }.accepts("image/avif"));
    let violations = reply().check_attachments(Some(files)).unwrap_err();
    assert_eq!(
        violations[0].to_string(),
        format!("details[1].attachments[1]: These types are taken: {}.", files.types.join(", "))
    );
    assert_eq!(reply().check_attachments(None).unwrap_err().len(), 3);
}

#[test]
fn a_name_is_made_legal() {
    let long = "x".repeat(300);
    for (name, clean) in [
        ("/tmp/a b.png", "a b.png"),
        ("", "file"),
        ("\u{200B}", "file"),
        ("a\u{0}\u{202E}b", "ab"),
        (&*long, &long[..200]),
    ] {
        assert_eq!(clean_name(name), clean);
        assert_eq!(clean_name(clean), clean);
    }
}
