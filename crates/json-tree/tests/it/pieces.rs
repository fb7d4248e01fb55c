//! Arguments that came in other pieces than fragments of one text.

use json_tree::pieces::{Pieces, settle};
use proptest::prelude::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WHOLE: &str =
    r#"{"questions": [{"question": "Which \"size\"? \\", "options": [{"label": "}{"}, {"label": "M"}]}]}"#;

fn settled(pieces: &[&str]) -> String {
    let (mut state, mut text) = (Pieces::default(), String::new());
    for piece in pieces {
        state.push(&text, piece);
        text.push_str(piece);
    }
    state.settle(&text).to_owned()
}

#[test]
fn what_is_json_stays_as_it_is() {
    for text in [WHOLE, "{}", "null", " {\"a\": 1}\n", "", "[]", "\"{}\"", "12"] {
        assert_eq!(settle(text), text);
        assert_eq!(settled(&[text]), text);
    }
    // A fragment may begin with a bracket, and may be one that begins with the fragment before it.
    assert_eq!(settled(&[r#"{"mark": ""#, "{{ or [[\"", "}"]), r#"{"mark": "{{ or [["}"#);
    assert_eq!(settled(&["{", "{", "}}"]), "{{}}");
    assert_eq!(settled(&["1", "11"]), "111");
}

#[test]
fn the_whole_is_found_among_other_things() {
    let half = &WHOLE[..20];
    assert_eq!(settled(&[half, &WHOLE[..40], WHOLE]), WHOLE, "everything so far in each piece");
    assert_eq!(settled(&[half, half, "", WHOLE, WHOLE]), WHOLE, "the same with repetitions");
    assert_eq!(settled(&["{}", half, WHOLE]), WHOLE, "the same behind a placeholder");
    assert_eq!(settled(&["{}", half, &WHOLE[20..]]), WHOLE, "fragments behind a placeholder");
    assert_eq!(settled(&[half, &WHOLE[20..], WHOLE]), WHOLE, "fragments, then the whole");
    for placeholder in ["{}", "null", "\"\"", "[]", "{}\n{}"] {
        assert_eq!(settle(&format!("{placeholder}{WHOLE}")), WHOLE, "behind {placeholder}");
    }
    assert_eq!(settle(&format!("{WHOLE}{{}}")), WHOLE, "before a placeholder");
    assert_eq!(settle(&format!("{WHOLE}}}\n")), WHOLE, "before a stray bracket");
    assert_eq!(settle(r#"{"a": 1, "b": 2} {"b":2,"a":1}"#), r#"{"b":2,"a":1}"#, "twice, written otherwise");
}

#[test]
fn what_can_be_read_in_two_ways_is_not() {
    for text in [
        r#"{"a": 1}{"a": 2}"#,
        r#"{"a": 1}{"a""#,
        r#"{"a": 1} and more"#,
        r#"{"a": 1}["b"]"#,
        r#"{"a": 1"#,
        "}{",
        "null null",
        "{}}",
    ] {
        assert_eq!(settle(text), text);
        assert_eq!(settled(&[text]), text);
    }
}

proptest! {
    #[test]
    fn fragments_of_one_text_are_joined(cuts in prop::collection::vec(0..=WHOLE.len(), 0..12)) {
        let mut cuts = cuts;
        cuts.extend([0, WHOLE.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|cut| &WHOLE[cut[0]..cut[1]]).collect();
        prop_assert_eq!(settled(&pieces), WHOLE);
        let so_far: Vec<&str> = cuts[1..].iter().map(|cut| &WHOLE[..*cut]).collect();
        prop_assert_eq!(settled(&so_far), WHOLE);
    }

    #[test]
    fn any_text_is_returned_or_a_part_of_it_that_is_json(text in r#"([{}\[\]",: a\\]|null|\{\}){0,30}"#) {
        let settled = settle(&text);
        prop_assert!(settled == text || serde_json::from_str::<serde_json::Value>(settled).is_ok() && text.contains(settled));
    }
}
