//! Named asks, ordinary and hostile, for tests and galleries (Cargo feature `examples`).
//!
//! They are the files in this crate's folder `examples`. To add one, write its file and add its name to the list here. A test compares
//! folder and list. Every test that runs over [`all`] then covers it.

use crate::limits::Limits;
use serde::Deserialize;
use serde_json::Value;

/// One example: the arguments of a call as a model sent them, and the verdict on them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Its name, which is its file's too.
    pub name: String,
    /// Its subject, for people.
    pub title: String,
    /// The profile for which it was written; [`limits`](Self::limits) gives its limits.
    pub profile: String,
    /// True if it is valid after repair.
    pub valid: bool,
    /// The codes of its violations, each once, in the order of the verdict.
    pub codes: Vec<String>,
    /// The codes of its repairs, each once, in the order of the verdict.
    pub repairs: Vec<String>,
    /// True if it is an edge case for tests rather than for a gallery.
    #[serde(default)]
    pub hidden: bool,
    /// The arguments, before repair.
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

/// Every example, hidden ones too.
#[must_use]
pub fn all() -> Vec<Example> {
    let parse =
        |(_, text): &(&str, &str)| serde_json::from_str(text).expect("a test checks that every example can be read");
    FILES.iter().map(parse).collect()
}

/// The example of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<Example> {
    all().into_iter().find(|example| example.name == name)
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../examples/", $name, ".json")))),*]
    };
}

/// Name and content of every file, in the order in which a gallery shows them.
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
