//! Texts whole and in any pieces: exactly those that `serde_json` accepts, and no token is ever taken back.

use crate::so_far::SoFar;
use json_tree::{Bounds, Error, ErrorKind, Json, PartialParser, Token};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A text that comes in pieces, and the value that they add up to.
#[derive(Default)]
pub(crate) struct Arguments {
    parser: PartialParser,
    value: SoFar,
}

impl Arguments {
    pub(crate) fn feed(&mut self, piece: &str) -> Result<(), Error> {
        self.parser.feed(piece, |token| self.value.take(&token))
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.parser.finish(|token| self.value.take(&token))
    }

    pub(crate) fn so_far(&self) -> Option<Value> {
        self.value.json().map(Json::into_value)
    }

    fn complete(&self) -> Option<Value> {
        self.so_far().filter(|_| self.value.is_complete())
    }
}

/// Checks a text in one piece, character by character and split at each index against `serde_json`.
#[track_caller]
pub(crate) fn check(text: &str) {
    let expected = serde_json::from_str::<Value>(text).ok();
    let characters: Vec<String> = text.chars().map(String::from).collect();
    let whole = read([text]);
    assert_eq!(Json::parse(text).map(Json::into_value).ok(), expected, "{text:?} as a tree");
    let (at_once, in_pieces) = (Json::parse(text).err(), error_of(text));
    assert_eq!(at_once.map(|error| error.kind), in_pieces.map(|error| error.kind), "{text:?} by both readers");
    assert_eq!(whole.0, expected, "{text:?} in one piece: {:?}", whole.1);
    assert_eq!(read(characters.iter().map(String::as_str)), whole, "{text:?} by characters");
    for (index, _) in text.char_indices() {
        let (first, second) = text.split_at(index);
        assert_eq!(read([first, second]), whole, "{text:?} split at {index}");
    }
}

/// The complete value, or the offset at which it cannot become one.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (Option<Value>, Option<usize>) {
    let mut arguments = Arguments::default();
    let fed = pieces.into_iter().try_for_each(|piece| arguments.feed(piece));
    match fed.and_then(|()| arguments.finish()) {
        Ok(()) => (arguments.complete(), None),
        Err(error) => (None, Some(error.offset)),
    }
}

/// The error of a text that comes in one piece.
fn error_of(text: &str) -> Option<Error> {
    let mut parser = PartialParser::default();
    parser.feed(text, |_| {}).and_then(|()| parser.finish(|_| {})).err()
}

/// Returns true if a value may become another as more of its text arrives.
pub(crate) fn grows_into(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len() && before.iter().zip(after).all(|(before, after)| grows_into(before, after))
        }
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(key, before)| after.get(key).is_some_and(|after| grows_into(before, after)))
        }
        (before, after) => before == after,
    }
}

#[test]
fn takes_what_is_json_though_hardly_anybody_writes_it_so() {
    for text in [
        "-0",
        "-0.0",
        "1E+5",
        "0e1",
        "1e-999",
        "[123e-10000000]",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        r#""\"\\\/\b\f\n\r\t""#,
        r#""\u0000\u0041\u00e4\u12AB\uFFFF""#,
        r#"{"\ud83d\ude00":"\uD83D\uDE00"}"#,
        "\"\u{7f}\u{2028}\"",
        r#"{"a":[1],"b":2,"a":"x"}"#,
        r#"{"\u0061":1,"a":2}"#,
        " \t\n\r[ \n1 ] \r\n",
    ] {
        check(text);
        check(&format!(" {text} "));
        check(&format!("[{text},{text}]"));
        check(&format!(r#"{{"k":{text}}}"#));
    }
}

#[test]
fn refuses_what_other_readers_take() {
    let short = [
        "",
        " ",
        "trux",
        "True",
        "NaN",
        "Infinity",
        "--1",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1.e5",
        "1e",
        "1e+",
        "0x1",
        "1_0",
        "1e999",
        "-1e999",
        r#""\x""#,
        "\"\n\"",
        "\"\0\"",
        "'a'",
        "[1,]",
        "[,1]",
        "[}",
        "{,}",
        "{a:1}",
        "{1:1}",
        "1 2",
        "{}x",
        "\u{a0}1",
        "// c\n1",
        "[\u{b}1]",
        "[１]",
        "[é]",
        "\u{feff}[]",
        "[1]/* c */",
    ];
    let halves = [
        r#""\u12""#,
        r#""\u12G4""#,
        r#""\u+123""#,
        r#""\uD83D""#,
        r#""\uD83Dx""#,
        r#""\uD83D\n""#,
        r#""\uD83D\u0041""#,
        r#""\uD83D\uD83D""#,
        r#""\uDE00""#,
        r#"{"\uDFAA":0}"#,
        r#"["\uD800\u1x"]"#,
    ];
    for text in short.into_iter().chain(halves) {
        assert!(serde_json::from_str::<Value>(text).is_err(), "{text:?}");
        check(text);
    }
}

#[test]
fn goes_as_deep_as_serde_json_and_no_deeper() {
    for depth in [1, 126, 127, 128, 129] {
        check(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        check(&format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
    }
    let mut parser = PartialParser::new(Bounds { depth: 2, ..Bounds::default() });
    let error = parser.feed("[[[", |_| {}).unwrap_err();
    assert_eq!((error.kind, error.offset), (ErrorKind::TooDeep, 2));
}

#[test]
fn reads_no_more_than_allowed() {
    for size in 1..=12 {
        let mut parser = PartialParser::new(Bounds { bytes: 10, ..Bounds::default() });
        let text = "[\"12345€789\"]";
        let pieces: Vec<String> =
            text.chars().collect::<Vec<_>>().chunks(size).map(|piece| piece.iter().collect()).collect();
        let mut told = Vec::new();
        let result = pieces.iter().try_for_each(|piece| {
            parser.feed(piece, |event| {
                if let Token::Text(text) = event {
                    told.push(text.to_owned());
                }
            })
        });
        let error = result.unwrap_err();
        assert_eq!(
            (error.kind, error.offset, told.concat().as_str()),
            (ErrorKind::TooLong, 10, "12345€"),
            "pieces of {size}"
        );
    }
}

#[test]
fn says_where_it_went_wrong() {
    let error = |text: &str| {
        let mut parser = PartialParser::default();
        parser.feed(text, |_| {}).and_then(|()| parser.finish(|_| {})).unwrap_err()
    };
    assert_eq!((error("[1,x]").kind, error("[1,x]").offset), (ErrorKind::Unexpected, 3));
    assert_eq!((error("{} {}").kind, error("{} {}").offset), (ErrorKind::Trailing, 3));
    assert_eq!((error("[\"ä\n\"]").kind, error("[\"ä\n\"]").offset), (ErrorKind::ControlCharacter, 4));
    assert_eq!((error("\"\\q\"").kind, error("\"\\q\"").offset), (ErrorKind::Escape, 2));
    assert_eq!((error("[\"\\ud800x\"]").kind, error("[\"\\ud800x\"]").offset), (ErrorKind::LoneSurrogate, 8));
    assert_eq!((error("[1e999]").kind, error("[1e999]").offset), (ErrorKind::NumberOutOfRange, 6));
    assert_eq!((error("[1,").kind, error("[1,").offset), (ErrorKind::Incomplete, 3));
    assert!(error("[1,").is_incomplete() && !error("]").is_incomplete());
}

#[test]
fn the_first_error_is_final() {
    let mut arguments = Arguments::default();
    arguments.feed("[\"a").unwrap();
    let first = arguments.feed("b\",x").unwrap_err();
    assert_eq!(arguments.feed("]").unwrap_err(), first);
    assert_eq!(arguments.finish().unwrap_err(), first);
    assert_eq!((arguments.so_far(), arguments.complete()), (Some(json!(["ab"])), None));
}

#[test]
fn a_string_grows_as_it_arrives() {
    let mut arguments = Arguments::default();
    let mut shown = Vec::new();
    for piece in ["{\"q\":\"Wh", "ich \\", "\"db\\ud83d", "\\ude00", "\",\"n\":4", "2", "}"] {
        arguments.feed(piece).unwrap();
        shown.push(arguments.so_far().unwrap());
    }
    assert_eq!(
        shown,
        [
            json!({"q": "Wh"}),
            json!({"q": "Which "}),
            json!({"q": "Which \"db"}),
            json!({"q": "Which \"db😀"}),
            json!({"q": "Which \"db😀"}),
            json!({"q": "Which \"db😀"}),
            json!({"q": "Which \"db😀", "n": 42}),
        ]
    );
}

#[test]
fn each_value_says_when_it_is_closed() {
    let mut events = Vec::new();
    let mut parser = PartialParser::default();
    for piece in ["{\"a\":[\"x", "y\",1", "2,true,null]", "}"] {
        parser.feed(piece, |event| events.push(format!("{event:?}"))).unwrap();
    }
    parser.finish(|event| events.push(format!("{event:?}"))).unwrap();
    let expected = [
        "ObjectStart",
        "Key(\"a\")",
        "ArrayStart",
        "StringStart",
        "Text(\"x\")",
        "Text(\"y\")",
        "StringEnd",
        "Number(Number(12))",
        "Bool(true)",
        "Null",
        "ArrayEnd",
        "ObjectEnd",
    ];
    assert_eq!(events, expected);
}

#[test]
fn what_a_piece_has_of_a_string_is_told_as_one_text() {
    let mut texts = Vec::new();
    let mut parser = PartialParser::default();
    for piece in [r#"["a\"b\u00e4\"c"#, r#"d\n"#, r#"e", "\t", "f\ud83d"#, r#"\ude00"#, "\n"] {
        let fed = parser.feed(piece, |token| {
            if let Token::Text(text) = token {
                texts.push(text.to_owned());
            }
        });
        assert_eq!(fed.is_err(), piece == "\n");
    }
    assert_eq!(texts, ["a\"bä\"c", "d\n", "e", "\t", "f", "😀"]);
}

#[test]
fn a_number_at_the_end_is_told_at_the_end() {
    let mut arguments = Arguments::default();
    arguments.feed("12").unwrap();
    assert_eq!((arguments.so_far(), arguments.complete()), (None, None));
    arguments.finish().unwrap();
    assert_eq!((arguments.so_far(), arguments.complete()), (Some(json!(12)), Some(json!(12))));
}
