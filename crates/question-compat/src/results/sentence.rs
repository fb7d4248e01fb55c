//! Results that are sentences for a model.

use super::answer::{Texts, answered};
use crate::repair::without_bullet;
use ask_user_question::reply::MOST_PARTS;
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use json_tree::Json;

/// The beginnings of a user's refusal, after "The user".
const REFUSES: &[&str] = &[
    "doesn't want to",
    "does not want to",
    "didn't want to",
    "did not want to",
    "declined",
    "cancelled",
    "canceled",
    "dismissed",
    "rejected",
    "refused",
    "denied",
    "skipped",
    "has declined",
    "chose not to",
];

/// The beginnings of a sentence with the user's words.
const QUOTES: &[&str] = &[
    "the user said:",
    "user responded:",
    "the user responded:",
    "user answered:",
    "the user answered:",
    "user selected:",
    "the user selected:",
    "user chose:",
    "the user chose:",
    "user's answer:",
];

/// Reads a sentence, or a label alone.
pub(super) fn sentence(ask: &AskUserQuestion, content: &str) -> Option<Outcome> {
    let content = bare(content);
    if content.is_empty() {
        return None;
    }
    let told = content.strip_prefix("Error:").unwrap_or(content).trim();
    let small = told.get(..told.floor_char_boundary(400)).unwrap_or_default().to_ascii_lowercase();
    let quoted = QUOTES.iter().find_map(|quote| Some(told.get(small.find(*quote)? + quote.len()..)?.trim()));
    let about_user = small.strip_prefix("the ").unwrap_or(&small).strip_prefix("user ");
    if about_user.is_some_and(|said| REFUSES.iter().any(|word| said.starts_with(word))) {
        let said = quoted.filter(|said| !is_blank(said));
        return Some(said.map_or(Outcome::Declined, |said| Outcome::replied_in_chat(ask, said, Vec::new())));
    }
    if let Some(outcome) = pairs(ask, content) {
        return Some(outcome);
    }
    if let Some(said) = quoted.filter(|said| small.find(':').is_some_and(|colon| colon < 24) && !is_blank(said)) {
        let Some(question) = ask.only() else {
            return Some(Outcome::replied_in_chat(ask, said, Vec::new()));
        };
        let bare = said.trim_end_matches('.').trim_matches('"');
        let picked = |text: &str| Texts::Labels.answer(question, &Json::Text(text.into()));
        let picks = picked(bare).or_else(|| picked(without_bullet(bare)?));
        return answered(ask, vec![picks.or_else(|| Texts::Words.answer(question, &Json::Text(said.into())))?]);
    }
    if let Some(question) = ask.only() {
        let picks = Texts::Labels.answer(question, &Json::Text(content.into()));
        return picks.map_or_else(|| ended(&small), |picks| answered(ask, vec![picks]));
    }
    Reply::read_message(ask, content).map(Outcome::Answered).or_else(|| ended(&small))
}

/// A result without the tag around it or the word before it that say what it is.
fn bare(content: &str) -> &str {
    const TAGS: [&str; 5] = ["answer", "response", "user_answer", "user_response", "user_message"];
    const WORDS: [&str; 4] = ["Answer:", "Selected:", "User response:", "User choice:"];
    let inner = |tag: &str| {
        let rest = content.strip_prefix('<')?.strip_prefix(tag)?.strip_prefix('>')?;
        rest.strip_suffix('>')?.strip_suffix(tag)?.strip_suffix("</")
    };
    let behind = WORDS.iter().find_map(|word| content.strip_prefix(word));
    TAGS.into_iter().find_map(inner).or(behind).unwrap_or(content).trim()
}

/// A short sentence about a question that ended by itself.
fn ended(small: &str) -> Option<Outcome> {
    const ENDS: [(&str, Outcome); 5] = [
        ("timed out", Outcome::Expired),
        ("time limit exceeded", Outcome::Expired),
        ("was aborted", Outcome::Cancelled),
        ("interrupted by user", Outcome::Cancelled),
        ("was interrupted", Outcome::Cancelled),
    ];
    let found = ENDS.iter().find(|(words, _)| small.len() < 200 && small.contains(*words));
    found.map(|(_, outcome)| outcome.clone())
}

/// Reads `"QUESTION"="ANSWER"` for the questions of the ask. Questions and answers may hold commas and quotation marks, so the known texts
/// are looked for, in the order of the questions, each once.
fn pairs(ask: &AskUserQuestion, content: &str) -> Option<Outcome> {
    let mut found = Vec::new();
    for (q, question) in ask.questions.iter().enumerate().take(MOST_PARTS) {
        let mut only = None;
        if is_blank(&question.question) {
            continue;
        }
        for equals in ["\"=", "\" = "] {
            let text = String::from("\"") + &question.question + equals;
            let mut from = 0;
            while let Some(at) = content.get(from..)?.find(text.as_str()) {
                from += at + text.len();
                if only.replace((q, from - text.len(), from)).is_some() {
                    return None;
                }
            }
        }
        found.extend(only);
    }
    let (_, first, _) = *found.first()?;
    let before = content.get(..first)?;
    if !before.contains("answered") || before.contains(" not ") || !found.is_sorted_by_key(|(_, at, _)| *at) {
        return None;
    }
    let mut selections = Vec::new();
    for (place, &(q, _, from)) in found.iter().enumerate() {
        let to = found.get(place + 1).map_or(content.len(), |(_, at, _)| *at);
        let (answer, note) = split_answer(content.get(from..to)?.trim_end_matches([' ', ',', '\n']))?;
        let mut selection = Texts::Words.answer(&ask.questions[q], &Json::Text(answer.into()))?;
        (selection.question, selection.note) = (q, note.map(str::to_owned));
        selections.push(selection);
    }
    answered(ask, selections)
}

/// The answer in quotation marks, and the note behind it.
fn split_answer(text: &str) -> Option<(&str, Option<&str>)> {
    const CLOSES: [&str; 2] = [". You can now", ". Read the answers"];
    let (mut answer, mut note) = (text, None);
    for close in CLOSES {
        // The last one: an answer may say the same.
        let ends = |at: &usize| answer.get(*at..).is_some_and(|rest| rest.starts_with(close));
        answer = (0..answer.len()).rev().find(ends).and_then(|at| answer.get(..at)).unwrap_or(answer);
    }
    for marker in ["selected preview:", "user notes:", "notes:"] {
        if let Some(at) = answer.find(marker)
            && let (Some(before), Some(behind)) = (answer.get(..at), answer.get(at + marker.len()..))
            && before.trim_end_matches([' ', '.']).ends_with(['"', ')'])
        {
            (answer, note) = (before, marker.ends_with("notes:").then_some(behind.trim()));
        }
    }
    let answer = answer.trim_end_matches([' ', '.']);
    if answer.starts_with('(') { Some(("", note)) } else { Some((answer.strip_prefix('"')?.strip_suffix('"')?, note)) }
}
