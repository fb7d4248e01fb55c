//! Ends of answers that are none.

use serde_json::Value;

/// Why an answer goes no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Trouble {
    /// In words for the user.
    pub(in super::super) reason: String,
    pub(in super::super) again: Again,
}

/// The tries that may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Again {
    Never,
    Once,
    Some,
}

impl Trouble {
    pub(super) fn again(reason: &str) -> Self {
        Self { reason: reason.to_owned(), again: Again::Some }
    }

    pub(super) fn for_good(reason: &str) -> Self {
        Self { again: Again::Never, ..Self::again(reason) }
    }

    pub(super) fn broken_off() -> Self {
        Self::again("The model broke off.")
    }

    pub(super) fn unreadable() -> Self {
        Self::again("The model's answer cannot be read.")
    }
}

/// Parts of the words by which endpoints say that they failed, withheld something, or came to the end of their room.
const FAILED: [&str; 13] = [
    "error",
    "fail",
    "abort",
    "cancel",
    "timeout",
    "timed_out",
    "malformed",
    "unexpected",
    "overload",
    "unavailable",
    "insufficient",
    "interrupt",
    "exception",
];
const WITHHELD: [&str; 9] =
    ["filter", "safety", "recitation", "prohibited", "blocklist", "spii", "sensitive", "guardrail", "refus"];
const CUT: [&str; 3] = ["length", "max_tokens", "token_limit"];

/// What is wrong with an answer that ends for this reason, with something said or called.
pub(super) fn judge(reason: Option<&str>, is_said: bool, is_called: bool) -> Option<Trouble> {
    let is = |words: &[&str]| names(reason, words);
    let once = |why: &str| Some(Trouble { again: Again::Once, ..Trouble::again(why) });
    match () {
        () if is(&FAILED) => Some(Trouble::broken_off()),
        () if is(&WITHHELD) && !is_called => {
            once("The model's endpoint withheld the answer. Try again, or put it differently.")
        }
        () if is_said || is_called => None,
        () if is(&CUT) => once("The model ran out of room before it said anything."),
        () => once("The model said nothing. Try again."),
    }
}

/// Returns true if an answer ends because there was no room for more of it.
pub(super) fn is_cut(reason: Option<&str>) -> bool {
    names(reason, &CUT)
}

fn names(reason: Option<&str>, words: &[&str]) -> bool {
    let reason = reason.unwrap_or_default().to_ascii_lowercase();
    words.iter().any(|word| reason.contains(word))
}

/// Adds to a list of thoughts what goes on with the last of them.
pub(super) fn join(known: &mut Vec<Value>, detail: &Value) {
    let goes_on =
        |last: &Value| last["index"] == detail["index"] && last["type"] == detail["type"] && !last["index"].is_null();
    let Some(Value::Object(last)) = known.last_mut().filter(|last| goes_on(last)) else {
        known.push(detail.clone());
        return;
    };
    for (name, value) in detail.as_object().into_iter().flatten() {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more))
                if ["text", "summary", "data"].contains(&name.as_str()) =>
            {
                text.push_str(more);
            }
            (_, Value::Null) => {}
            _ => {
                last.insert(name.clone(), value.clone());
            }
        }
    }
}
