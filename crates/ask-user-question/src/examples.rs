//! Named asks, both ordinary and hostile, for tests and galleries (Cargo feature `examples`).
//!
//! They are the files in this crate's folder `examples`. To add one, write its file and add its name to [`FILES`]; a test compares both. Every test
//! that uses [`all`] then covers it.

use crate::limits::Limits;
use serde::Deserialize;
use serde_json::Value;

/// One example: the arguments of a call as a model sent them, and the expected verdict.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The name, also of the file.
    pub name: String,
    /// What the example shows, for people.
    pub title: String,
    /// The profile that it is checked against; [`limits`](Self::limits) returns its limits.
    pub profile: String,
    /// True if the ask is valid after repair.
    pub valid: bool,
    /// The codes of its violations, without duplicates, in the order of the verdict.
    pub codes: Vec<String>,
    /// The codes of its repairs, without duplicates, in the order of the verdict.
    pub repairs: Vec<String>,
    /// True if it is an edge case for tests rather than for a gallery.
    #[serde(default)]
    pub hidden: bool,
    /// The arguments before repair.
    #[serde(deserialize_with = "json_tree::plain")]
    pub ask: Value,
}

impl Example {
    /// The limits of its profile.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits::by_name(&self.profile).expect("a test checks that every example names a profile")
    }
}

/// Every example, including hidden ones.
#[must_use]
pub fn all() -> Vec<Example> {
    let parse =
        |(_, text): &(&str, &str)| serde_json::from_str(text).expect("a test checks that every example can be read");
    FILES.iter().map(parse).collect()
}

/// The example with this name; `None` if there is none.
#[must_use]
pub fn by_name(name: &str) -> Option<Example> {
    all().into_iter().find(|example| example.name == name)
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../examples/", $name, ".json")))),*]
    };
}

/// The name and content of every file, in the order of the gallery.
pub const FILES: &[(&str, &str)] = &files![
    "chat-service",
    "chat-schedule",
    "chat-confirm",
    "coding-refactor",
    "coding-auth",
    "coding-four-questions",
    "coding-plan",
    "runtime-no-header",
    "runtime-multi-select",
    "previews",
    "pictures",
    "bad-pictures",
    "typed",
    "typed-texts",
    "typed-number",
    "typed-json",
    "ranking",
    "yes-or-no",
    "previews-of-several",
    "values",
    "conditions",
    "bad-conditions",
    "approval",
    "long-texts",
    "unbroken",
    "right-to-left",
    "arabic-multi-select",
    "bidi-controls",
    "cjk",
    "emoji",
    "header-of-twelve",
    "combining-marks",
    "markup",
    "line-breaks",
    "number-labels",
    "comma-labels",
    "quotes-and-backslashes",
    "object-keys",
    "many-options",
    "unknown-fields",
    "json-strings",
    "plain-options",
    "single-question",
    "bare-question",
    "plain-question",
    "own-other",
    "white-space",
    "own-other-too-few",
    "one-option",
    "no-options",
    "seven-options",
    "long-list",
    "two-questions-in-chat",
    "five-questions",
    "no-questions",
    "long-header",
    "duplicate-labels",
    "duplicate-questions",
    "blank-texts",
    "missing-fields",
    "other-shapes",
    "wrong-types",
    "everything-wrong",
    "bad-inputs",
    "not-an-object",
];
