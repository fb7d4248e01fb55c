//! Halves of characters that stand alone.

use json_tree::{ErrorKind, Halves, Json};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn read(text: &str) -> (Value, Halves) {
    let (json, halves) = Json::parse_with_halves(text, "delta").unwrap();
    (json.into_value(), halves)
}

#[test]
fn the_member_tells_what_stands_at_its_ends() {
    let (first, second) = (Some(0xD83D), Some(0xDE00));
    for (delta, read_as, halves) in [
        (r"a", "a", Halves::default()),
        (r"\ud83d\ude00", "😀", Halves::default()),
        (r"a\ud83d", "a\u{fffd}", Halves { first, second: None }),
        (r"\ude00a", "\u{fffd}a", Halves { first: None, second }),
        (r"\ude00a\ud83d", "\u{fffd}a\u{fffd}", Halves { first, second }),
        (r"\ude00", "\u{fffd}", Halves { first: None, second }),
        (r"\ud83d", "\u{fffd}", Halves { first, second: None }),
        (r"a\ud83db", "a\u{fffd}b", Halves::default()),
        (r"a\ud83d\n", "a\u{fffd}\n", Halves::default()),
        (r"\ud83d\ud83d\ude00", "\u{fffd}😀", Halves::default()),
        (r"\ud83d\u0041", "\u{fffd}A", Halves::default()),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}", Halves { first, second }),
        ("\u{fffd}", "\u{fffd}", Halves::default()),
    ] {
        let text = format!(r#"{{"x":["\ud83d"],"delta":"{delta}","y":{{"delta":"\ud83d"}},"z":"\ude00"}}"#);
        let (value, found) = read(&text);
        assert_eq!((value["delta"].as_str(), found), (Some(read_as), halves), "{delta}");
        assert_eq!(value["x"], json!(["\u{fffd}"]));
    }
    assert_eq!(read(r#"{"delta":["\ud83d"]}"#).1, Halves::default());
    assert_eq!(read(r#""\ud83d""#), (json!("\u{fffd}"), Halves::default()));
    assert_eq!(read(r#"{"\ud83d":1}"#).0, json!({"\u{fffd}": 1}));
}

#[test]
fn without_leave_a_half_is_an_error() {
    for text in [r#""\ud83d""#, r#""\ude00""#, r#""\ud83dx""#, r#""\ud83d\ud83d""#, r#""\ud83d\n""#] {
        assert_eq!(Json::parse(text).unwrap_err().kind, ErrorKind::LoneSurrogate, "{text}");
    }
}

#[test]
fn with_leave_all_else_is_refused_as_before() {
    for text in [r#"{"delta":"\ud83d"#, r#"{"delta":"\ud83d\"#, r#"{"delta":"\ud83d\u"#, r#"{"delta":"\ud83d\ude"#] {
        assert!(Json::parse_with_halves(text, "delta").unwrap_err().is_incomplete(), "{text}");
    }
    for text in
        [r#"{"delta":"\ud83d\x"}"#, r#"{"delta":"\ud83g"}"#, "{\"delta\":\"\\ud83d\n\"}", r#"{"delta":"\ud83d"}]"#]
    {
        assert!(!Json::parse_with_halves(text, "delta").unwrap_err().is_incomplete(), "{text}");
    }
}
