//! Options that have pictures.

use ask_user_question::arriving::Arriving;
use ask_user_question::limits::ExtraMember;
use ask_user_question::tool::tool_definition;
use ask_user_question::validate::{Code, validate};
use ask_user_question::{AskSnapshot, Limits};
use question_compat::REPAIRS;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn options_have_pictures_only_where_limits_offer_them() {
    let with = Limits::RUNTIME.with(ExtraMember::Image);
    assert_eq!(Limits::by_name("runtime+image"), Some(with.clone()));
    let properties = |limits: &Limits| {
        let schema = serde_json::to_value(tool_definition(limits)).unwrap();
        schema["parameters"]["properties"]["questions"]["items"]["properties"]["options"]["items"]["properties"].clone()
    };
    assert_eq!(properties(&Limits::RUNTIME)["image"], json!(null));
    assert_eq!(properties(&with)["image"]["type"], "string");
    let asked =
        |option: Value| json!({"questions": [{"question": "Which?", "options": [option, {"label": "Other one"}]}]});
    for (option, expected) in [
        (json!({"label": "A", "image": "/a.png", "alt": "An a"}), None),
        (json!({"label": "A", "image": "data:image/png;base64,AA", "alt": "An a"}), None),
        (json!({"label": "A", "alt": "A description of nothing"}), None),
        (json!({"label": "A", "image": "https://example.com/a.png", "alt": "An a"}), Some(("image", Code::BadImage))),
        (json!({"label": "A", "image": "//example.com/a.png", "alt": "An a"}), Some(("image", Code::BadImage))),
        (json!({"label": "A", "image": "/\\example.com/a.png", "alt": "An a"}), Some(("image", Code::BadImage))),
        (json!({"label": "A", "image": "/\t/example.com/a.png", "alt": "An a"}), Some(("image", Code::BadImage))),
        (json!({"label": "A", "image": "data:text/html,a", "alt": "An a"}), Some(("image", Code::BadImage))),
        (json!({"label": "A", "image": "javascript:a", "alt": "An a"}), Some(("image", Code::BadImage))),
        (json!({"label": "A", "image": {"url": "/a.png"}, "alt": "An a"}), Some(("image", Code::WrongType))),
        (json!({"label": "A", "image": "/a.png"}), Some(("alt", Code::MissingField))),
        (json!({"label": "A", "image": "/a.png", "alt": " "}), Some(("alt", Code::BlankText))),
    ] {
        let ask = asked(option);
        let found = validate(&with, &ask);
        let found: Vec<_> = found.iter().map(|it| (it.path.as_str(), it.code)).collect();
        let expected = expected.map(|(name, code)| (format!("questions[0].options[0].{name}"), code));
        assert_eq!(found, expected.iter().map(|(path, code)| (path.as_str(), *code)).collect::<Vec<_>>(), "{ask}");
        assert_eq!(validate(&Limits::RUNTIME, &ask), [], "{ask}");
    }
}

#[test]
fn a_picture_is_shown_once_it_is_whole() {
    let text = r#"{"questions": [{"question": "Which?", "multiSelect": false, "options": [
        {"label": "A", "image": "/a.png", "alt": "An a"}, {"label": "B", "alt": "A b", "image": "https://example.com/b.png"}]}]}"#;
    let (mut arriving, mut shown) = (Arriving::new(&REPAIRS), AskSnapshot::new("call"));
    let pieces = text.char_indices().map(|(at, c)| (at, &text[at..at + c.len_utf8()]));
    let first = pieces.into_iter().find_map(|(at, piece)| {
        arriving.feed(piece, &mut shown);
        let [first, rest @ ..] = &shown.questions.first()?.options[..] else { return None };
        assert!(rest.iter().all(|option| option.picture().is_none()));
        let (url, alt) = first.picture()?;
        Some((at, url.to_owned(), alt.to_owned()))
    });
    let (at, url, alt) = first.expect("it is shown before the end");
    assert_eq!((url.as_str(), alt.as_str()), ("/a.png", "An a"));
    assert!(text[..=at].ends_with("\"An a\""), "{}", &text[..=at]);
}
