//! Failed ends of answers.

use crate::refusal::EndpointRefusal;
use crate::secrets::left_out;

/// The failure of a request for an answer, or of the answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There was no response.
    Unreachable(String),
    Refused(EndpointRefusal),
    Answer(AnswerError),
}

impl From<AnswerError> for Failure {
    fn from(error: AnswerError) -> Self {
        Self::Answer(error)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerError {
    /// The reason, in words for the user.
    pub(crate) reason: String,
    pub(crate) retry: Retry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    Never,
    Once,
    Always,
}

impl AnswerError {
    pub(crate) fn retryable(reason: &str) -> Self {
        Self { reason: reason.to_owned(), retry: Retry::Always }
    }

    pub(crate) fn lasting(reason: &str) -> Self {
        Self { retry: Retry::Never, ..Self::retryable(reason) }
    }

    pub(crate) fn broken_off() -> Self {
        Self::retryable("The model broke off.")
    }

    pub(crate) fn cut() -> Self {
        Self::retryable("The model's answer broke off.")
    }

    pub(crate) fn endless() -> Self {
        Self::lasting("The model's answer does not come to an end.")
    }

    pub(crate) fn unreadable() -> Self {
        Self::retryable("The model's answer cannot be read.")
    }
}

/// Parts of the finish reasons of endpoints that failed, withheld an answer, paused or reached a limit of tokens.
const FAILED: [&str; 24] = [
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
    "disconnect",
    "killed",
    "internal",
    "time_limit",
    "rate_limit",
    "quota",
    "incomplete",
    "missing",
    "too_many",
    "repetition",
    "other",
];
const WITHHELD: [&str; 11] = [
    "filter",
    "safety",
    "recitation",
    "prohibited",
    "block",
    "spii",
    "sensitive",
    "guardrail",
    "refus",
    "moderat",
    "language",
];
const PAUSED: [&str; 1] = ["pause"];
const CUT: [&str; 5] = ["length", "max_", "maxpredicted", "limit", "context_window"];

/// The failure of an answer with this finish reason; `None` if it is a good one.
pub(crate) fn judge(reason: Option<&str>, is_said: bool, is_called: bool) -> Option<AnswerError> {
    let is = |words: &[&str]| names(reason, words);
    let once = |why: &str| Some(AnswerError { retry: Retry::Once, ..AnswerError::retryable(why) });
    match () {
        () if has_failed(reason) => Some(AnswerError::broken_off()),
        () if is(&WITHHELD) && !is_called => {
            once("The model's endpoint withheld the answer. Try again, or put it differently.")
        }
        () if is(&PAUSED) && !is_called => {
            let why = "The model's endpoint paused in the middle of its turn. Say something, and it continues.";
            Some(AnswerError::lasting(why))
        }
        () if is_said || is_called => None,
        () if is(&CUT) => once("The model ran out of room before it said anything."),
        () => once("The model said nothing. Try again."),
    }
}

/// Returns true if an answer with this finish reason failed.
pub(crate) fn has_failed(reason: Option<&str>) -> bool {
    names(reason, &FAILED)
}

/// Returns true if an answer ends at a limit of tokens.
pub(crate) fn is_cut(reason: Option<&str>) -> bool {
    names(reason, &CUT)
}

fn names(reason: Option<&str>, words: &[&str]) -> bool {
    let reason = reason.unwrap_or_default().to_ascii_lowercase();
    words.iter().any(|word| reason.contains(word))
}

/// Logs an endpoint's own words on its failure, without secrets.
pub(crate) fn note(why: &str, key: Option<&str>) {
    if tracing::enabled!(tracing::Level::DEBUG) {
        let why = left_out(why, key);
        tracing::debug!(?why, "model endpoint's error");
    }
}
