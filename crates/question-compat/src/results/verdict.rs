//! How a result says that an ask ended: by a word in a member, or by a flag.

use crate::case::folded;
use crate::words::is_among;
use json_tree::Json;

/// Words by which a member says how an ask ended, in folded form.
const VERDICTS: [(Verdict, &str); 6] = [
    (Verdict::Answered, "accept|accepted|answered|submitted|submit|responded"),
    (
        Verdict::Passes,
        "selected|success|succeeded|completed|complete|done|resolved|approved|confirmed|ok|userresponded|useranswered|isanswered",
    ),
    (Verdict::Chat, "chataboutthis"),
    (
        Verdict::Declined,
        "decline|declined|cancel|cancelled|canceled|reject|rejected|dismiss|dismissed|deny|denied|refused|skip|skipped|skipinterview",
    ),
    (Verdict::Expired, "expired|timeout|timedout"),
    (Verdict::Stopped, "aborted|interrupted"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The user answered, so a text that is no label is the user's own.
    Answered,
    /// The call succeeded, which does not show that the user answered.
    Passes,
    Chat,
    Declined,
    Expired,
    Stopped,
}

/// The members that hold a verdict: a word, or `true` in a member named after the verdict.
const SAYS: &str = "action|outcome|status|decision|state|kind";

fn verdict_named(word: &str) -> Option<Verdict> {
    let word = folded(word);
    VERDICTS.iter().find(|(_, words)| is_among(words, &word)).map(|(verdict, _)| *verdict)
}

/// A flag, which some tools write as a text if it is true.
fn flag(value: &Json<'_>) -> Option<bool> {
    value.as_bool().or_else(|| (value.as_str() == Some("true")).then_some(true))
}

/// Returns true if a flag says that the user gave no answer.
pub(super) fn denies(name: &str, value: &Json<'_>) -> bool {
    match (flag(value), verdict_named(name)) {
        (Some(flag), Some(Verdict::Answered | Verdict::Passes)) => !flag,
        (Some(flag), Some(_)) => flag,
        _ => false,
    }
}

/// The outcome that a result states; `None` for an unknown statement, such as a failure or a pending call.
pub(super) fn verdict(json: &Json<'_>) -> Option<Verdict> {
    let mut verdict = Verdict::Passes;
    for (name, value) in json.as_object().into_iter().flatten() {
        let said = match value {
            Json::Text(word) if is_among(SAYS, &folded(name)) => verdict_named(word)?,
            value if flag(value) == Some(true) => verdict_named(name).unwrap_or(Verdict::Passes),
            Json::Bool(false) if denies(name, value) => return None,
            _ => continue,
        };
        match (verdict, said) {
            (_, Verdict::Passes) => {}
            (Verdict::Passes, said) => verdict = said,
            (one, other) if one != other => return None,
            _ => {}
        }
    }
    Some(verdict)
}
