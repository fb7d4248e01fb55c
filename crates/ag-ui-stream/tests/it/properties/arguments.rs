//! Arguments are what `serde_json` makes of them, and only grow.

use super::{cuts, json, law, text_pieces};
use crate::args::{check, grows_into};
use ag_ui_stream::args::ArgsValue;
use proptest::prelude::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// JSON text, with escapes and white space where they may be.
fn json_text() -> impl Strategy<Value = String> {
    (json(), any::<bool>(), any::<bool>()).prop_map(|(value, pretty, escaped)| {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        if !escaped {
            return text;
        }
        let mut units = [0; 2];
        text.chars()
            .map(|character| match character {
                character if character.is_ascii() => character.to_string(),
                character => character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
            })
            .collect()
    })
}

#[test]
fn arguments_are_what_serde_json_makes_of_them() {
    law(200, &json_text(), |text| {
        check(&text);
        Ok(())
    });
}

#[test]
fn spoilt_arguments_are_refused_where_serde_json_refuses_them() {
    let spoilt = (json_text(), any::<usize>(), "[\\[\\]{}\",:\\\\u0-9a-f.eE+\\- \n\u{0}tn]{0,3}", 0..3_usize);
    law(800, &spoilt, |(text, place, inserted, removed)| {
        let place = text.floor_char_boundary(place % (text.len() + 1));
        let after = text.ceil_char_boundary((place + removed).min(text.len()));
        check(&format!("{}{inserted}{}", &text[..place], &text[after..]));
        Ok(())
    });
}

#[test]
fn arguments_never_take_back_what_they_showed() {
    law(200, &(json_text(), cuts()), |(text, cuts)| {
        let mut arguments = ArgsValue::default();
        let mut before = None;
        for piece in text_pieces(&text, &cuts) {
            arguments.feed(piece).unwrap();
            let after = arguments.value();
            prop_assert!(
                before.is_none()
                    || after.as_ref().zip(before.as_ref()).is_some_and(|(after, before)| grows_into(before, after))
            );
            before = after;
        }
        Ok(())
    });
}
