//! Arguments are what `serde_json` makes of them, and only grow.

use crate::laws::{cuts, json, law, text_pieces};
use crate::partial::{Arguments, check, grows_into};
use json_tree::Json;
use proptest::prelude::*;
use serde_json::Value;
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
        let mut arguments = Arguments::default();
        let mut before = None;
        for piece in text_pieces(&text, &cuts) {
            arguments.feed(piece).unwrap();
            let after = arguments.so_far();
            prop_assert!(
                before.is_none()
                    || after.as_ref().zip(before.as_ref()).is_some_and(|(after, before)| grows_into(before, after))
            );
            before = after;
        }
        Ok(())
    });
}

#[test]
fn numbers_are_the_nearest_doubles() {
    let digits = "[1-9][0-9]{0,30}(\\.[0-9]{1,30})?";
    let exponents = prop_oneof![(-345..320_i32), (-25..25_i32)];
    law(4_000, &(digits, exponents), |(digits, exponent)| {
        check_number(&format!("{digits}e{exponent}"));
        Ok(())
    });
    law(2_000, &any::<f64>(), |number| {
        if number.is_finite() {
            check_number(&format!("{number:e}"));
            check_number(&format!("{number}"));
        }
        Ok(())
    });
}

fn check_number(text: &str) {
    assert_eq!(Json::parse(text).map(Json::into_value).ok(), serde_json::from_str(text).ok(), "{text}");
}

#[test]
fn numbers_at_the_edges_are_the_nearest_doubles() {
    for text in [
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.797693134862315807e308",
        "1.7976931348623158079372897140530341507993413271003e308",
        "1.7976931348623159e308",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272088284396434110686182e-324",
        "9007199254740993.0",
        "9007199254740992.99999999999999999999999999999999",
        "9007199254740993.00000000000000000000000000000001",
        "0.000000000000000000000000000000000000000000000e400",
        "0e99999999999999999999",
        "1e-99999999999999999999",
    ] {
        check_number(text);
        check_number(&format!("-{text}"));
    }
    let zeros = "0".repeat(1_000);
    check_number(&format!("1{zeros}e-1000"));
    check_number(&format!("0.{zeros}1e1001"));
    check_number(&format!("9007199254740993.{zeros}1"));
    check_number(&format!("{}e-700", "1".repeat(900)));
}

#[test]
fn numbers_are_equal_by_value_however_they_are_written() {
    let read = |text: &str| Json::parse(text).unwrap().into_static();
    let same = [
        &["1", "1.0", "10e-1", "0.1e1", "1E0", "100.00e-2"][..],
        &["0", "-0", "0.0", "-0e5", "0e-99999999999999999999"],
        &["-12.5", "-1250e-2", "-0.0125E+3"],
        &["18446744073709551615", "18446744073709551615.0", "1.8446744073709551615e19"],
        &["18446744073709551616", "1844674407370955161.6e1"],
        &["0.1", "0.10", "1e-1"],
        &["0.10000000000000000001"],
    ];
    for (at, texts) in same.iter().enumerate() {
        for text in *texts {
            let mut equal = same.iter().enumerate().flat_map(|(at, texts)| texts.iter().map(move |other| (at, other)));
            assert!(equal.all(|(other_at, other)| (read(text) == read(other)) == (other_at == at)), "{text}");
        }
    }
}

#[test]
fn a_whole_number_is_one_however_it_is_written() {
    let whole = |text: &str| match Json::parse(text).unwrap() {
        Json::Number(number) => number.as_whole(),
        _ => None,
    };
    for (text, number) in [
        ("12", Some(12)),
        ("-12.00", Some(-12)),
        ("1.2e1", Some(12)),
        ("12e17", Some(1_200_000_000_000_000_000)),
        ("-0.0", Some(0)),
        ("1.5", None),
        ("15e-1", None),
        ("12e18", None),
        ("9223372036854775808", None),
        ("1e300", None),
    ] {
        assert_eq!(whole(text), number, "{text}");
    }
}

#[test]
fn values_are_written_as_serde_json_writes_them() {
    law(1000, &json(), |value| {
        let text = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(&value.to_string(), &text);
        prop_assert_eq!(Json::from(value).to_string(), text);
        Ok(())
    });
}

#[test]
fn doubles_are_written_as_serde_json_writes_them() {
    law(4_000, &any::<f64>().prop_filter("finite", |it| it.is_finite()), |double| {
        prop_assert_eq!(Json::from(Value::from(double)).to_string(), Value::from(double).to_string());
        Ok(())
    });
}
