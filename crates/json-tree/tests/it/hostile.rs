//! Texts that are made to do harm.

use json_tree::{ErrorKind, Json, NotUnique, parse, parse_unique};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_million_brackets_are_refused_where_they_become_too_many() {
    for bracket in ["[", "{\"a\":"] {
        let error = Json::parse(&bracket.repeat(1_000_000)).unwrap_err();
        assert_eq!((error.kind, error.offset), (ErrorKind::TooDeep, 127 * bracket.len()));
    }
}

#[test]
fn the_keys_of_serde_jsons_features_are_keys_like_others() {
    for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        let text = format!(r#"{{"{key}":"[1]"}}"#);
        assert_eq!(parse(&text).unwrap(), json!({ key: "[1]" }));
        assert_eq!(serde_json::from_str::<json_tree::Plain>(&text).unwrap().0, json!({ key: "[1]" }));
    }
}

#[test]
fn a_key_that_comes_twice_is_told_where_it_matters() {
    let text = r#"{"a":1,"b":[{"c":1,"d":2,"c":3}]}"#;
    assert_eq!(parse(text).unwrap(), json!({"a": 1, "b": [{"c": 3, "d": 2}]}));
    let error = parse_unique(text).unwrap_err();
    assert_eq!(error, NotUnique::RepeatedKey("c".to_owned()));
    assert_eq!(error.to_string(), r#"the key "c" is given twice"#);
    assert_eq!(parse_unique("[1,]").unwrap_err().to_string(), "unexpected character at byte 3");
}

#[test]
fn the_order_of_members_and_the_digits_of_numbers_are_kept_as_text() {
    let json = Json::parse(r#"{ "z": 1, "a": [ -0, 1e2 ], "z": "\u00e4" }"#).unwrap();
    assert_eq!(json.text(), r#"{"z":1,"a":[-0,1e2],"z":"ä"}"#);
}

#[test]
fn numbers_keep_their_digits() {
    for text in
        ["3.10", "2e3", "1E-2", "-0", "0.0", "123456789012345678901234567890", "18446744073709551616", "1.50e+3"]
    {
        let json = Json::parse(text).unwrap();
        assert_eq!(json.text(), text);
        assert_eq!(json.into_static().into_unique().text(), text);
    }
}

#[test]
fn a_name_that_comes_twice_is_there_once_in_place() {
    let mut json = Json::parse(r#"{"c": [{"b": 1, "a": 2}], "a": 0, "c": [{"z": 1, "b": 2}]}"#).unwrap().into_static();
    json.make_unique();
    assert_eq!(json.text(), r#"{"c":[{"z":1,"b":2}],"a":0}"#);
}
