//! Every file in `examples/` holds what it says of itself.

use ask_user_question::Limits;
use ask_user_question::examples::{FILES, all, by_name};
use ask_user_question::validate::Code;
use question_compat::{RepairCode, check};
use std::collections::BTreeSet;
use std::fmt::Display;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn verdicts_are_as_labelled() {
    for example in all() {
        let name = &example.name;
        let checked = check(&example.limits(), example.ask.clone());
        assert_eq!(
            distinct(checked.violations.iter().map(|v| v.code)),
            example.codes,
            "{name}: {:?}",
            checked.violations
        );
        assert_eq!(distinct(checked.repairs.iter().map(|r| r.code)), example.repairs, "{name}: {:?}", checked.repairs);
        assert_eq!(checked.is_valid(), example.valid, "{name}");
        assert_eq!(checked.clone().into_valid().is_ok(), example.valid, "{name}");
    }
}

#[test]
fn names_are_those_of_the_files() {
    let names: BTreeSet<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), FILES.len());
    for (file, text) in FILES {
        let example = by_name(file).unwrap();
        assert_eq!(serde_json::from_str::<ask_user_question::examples::Example>(text).unwrap(), example);
        assert!(Limits::by_name(&example.profile).is_some(), "{file}");
        assert!(!example.title.is_empty());
    }
}

#[test]
fn every_rule_about_asks_has_an_example() {
    let shown: BTreeSet<String> = all().into_iter().flat_map(|example| example.codes).collect();
    // The rest is about replies, or about input that no small JSON file can hold.
    let expected = [
        Code::WrongType,
        Code::MissingField,
        Code::TooFewQuestions,
        Code::TooManyQuestions,
        Code::TooFewOptions,
        Code::TooManyOptions,
        Code::HeaderTooLong,
        Code::BlankText,
        Code::DuplicateQuestion,
        Code::DuplicateLabel,
        Code::BadInput,
        Code::BadCondition,
        Code::BadImage,
    ];
    assert_eq!(shown, expected.iter().map(Code::to_string).collect());
}

#[test]
fn every_repair_but_one_has_an_example() {
    let shown: BTreeSet<String> = all().into_iter().flat_map(|example| example.repairs).collect();
    let missing: Vec<_> = RepairCode::ALL.into_iter().filter(|code| !shown.contains(code.as_str())).collect();
    // An array cannot be the arguments of a call, so it is tested with the repairs alone.
    assert_eq!(missing, [RepairCode::BareQuestions]);
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".json")?.to_owned()))
        .collect();
    assert_eq!(files, FILES.iter().map(|(name, _)| (*name).to_owned()).collect());
}

fn distinct(codes: impl Iterator<Item = impl Display>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for code in codes.map(|code| code.to_string()) {
        if !distinct.contains(&code) {
            distinct.push(code);
        }
    }
    distinct
}
