//! Reads one answer in a result.

use super::verdict::denies;
use crate::case::folded;
use crate::text::plain;
use crate::words::{is_among, place};
use ask_user_question::reply::flat::flat_selection;
use ask_user_question::reply::{MOST_PARTS, Selection};
use ask_user_question::text::{CharClass, is_blank};
use ask_user_question::{AskUserQuestion, Outcome, Question, Reply};
use json_tree::Json;

/// The members of one answer that hold the selected options.
const PICKS: &str = "answers|answer|selected|selectedoptions|selectedoption|selectedoptionids|selectedlabels|labels|selection|selections|value|\
    label|option|choice|response";
const WORDS: &str = "other|custom|customtext|freetext|freeform|othertext|text";
const NOTES: &str = "note|notes|usernotes";

/// Texts by which results mark a question as unanswered, without the brackets around them.
const UNANSWERED: &str = "unanswered|not answered|skipped|question skipped|cancelled|dismissed|no answer|no answer provided|no option selected|\
    no preference|no response|no input|no selection|timeout|none|n/a|null|undefined|-|other"; // "Other" stands beside the user's own words.

/// Texts by which a tool says that the user did not answer, such as Hermes' `clarify` and bridges of Codex.
const NOBODY: &str = "nobody answered|no answer was given|user did not|user didn't|user skipped|user is away|no user |no response after|\
    no response within|no response from|auto-selected|automatically|timed out";

fn is_unanswered(text: &str) -> bool {
    const BRACKETS: CharClass = |c| matches!(c, '(' | ')' | '[' | ']' | '<' | '>' | '.' | ' ');
    is_among(UNANSWERED, plain(text).trim_matches(BRACKETS))
}

/// Returns true if a text says that the user gave no answer, or that the program chose one.
fn is_nobodys(text: &str) -> bool {
    let text = plain(text);
    place(NOBODY, &mut |words| text.contains(words)).is_some()
}

/// Returns true if a program marks a question as unanswered by this text: between brackets, in a sentence, or by a value of its language.
pub(super) fn is_marked_unanswered(text: &str) -> bool {
    let text = text.trim();
    is_nobodys(text) || matches!(text, "null" | "undefined") || text.starts_with(['(', '[', '<']) && is_unanswered(text)
}

/// Returns true if a result, or part of it, is not from a user: the call failed, timed out, or was answered by the program.
pub(super) fn is_failure(json: &Json<'_>) -> bool {
    const NAMES: &str = "iserror|error|unanswered|noanswer|noresponse|afktimeoutms|auto|autoanswered|autoapproved|autoresolved|autoselected|\
        default|defaulted|isdefault|usedefault|useddefault|fallback|isfallback";
    const GIVERS: &str = "source|answersource|by|answeredby|selectedby|resolvedby|resolution|provenance|origin|method|mode|reason|trigger";
    const PROGRAMS: &str = "default|timeout|timedout|timer|afk|auto|automatic|autoresolved|autoselected|autotimeout|autoapprover|policy|hook|\
        fallback|system|agent|model|assistant|recommended|defaultuntouched|headless|noninteractive|noresponse|noanswer";
    let is_told = |told: &Json<'_>| match told {
        Json::Null | Json::Bool(false) => false,
        Json::Text(text) => !is_blank(text),
        _ => true,
    };
    let is_programs = |told: &Json<'_>| told.as_str().is_some_and(|giver| is_among(PROGRAMS, &folded(giver)));
    json.as_object().into_iter().flatten().any(|(name, told)| {
        let name = folded(name);
        is_told(told) && is_among(NAMES, &name) || is_programs(told) && is_among(GIVERS, &name)
    })
}

/// Acknowledgements by a tool; ignored even if a label is equal.
const ACKNOWLEDGES: &str = "ok|okay|done|sent|success|pending|waiting|received|true|false|asked";

/// A member by its folded name, with the index of the name. The first name that is present and not null wins.
pub(super) fn member<'j, 'a>(json: &'j Json<'a>, names: &str) -> Option<(usize, &'j Json<'a>)> {
    let members = json.as_object()?;
    let mut found = None;
    let at = place(names, &mut |name| {
        found = members.iter().rfind(|(key, value)| !matches!(value, Json::Null) && folded(key) == name);
        found.is_some()
    })?;
    Some((at, &found?.1))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    Labels,
    /// Also texts that are no label, since they are known to be the user's.
    Words,
}

impl Texts {
    pub(super) fn answer(self, question: &Question, value: &Json<'_>) -> Option<Selection> {
        let mut selection = Selection::default();
        self.add(&mut selection, question, value, 0)?;
        if !question.multi_select && selection.other.is_some() {
            selection.selected.clear();
        }
        selection.skipped = !selection.says_something();
        Some(selection)
    }

    fn add(self, selection: &mut Selection, question: &Question, value: &Json<'_>, depth: usize) -> Option<()> {
        match value {
            Json::Null => {}
            Json::Text(text) => self.say(selection, question, text)?,
            // A bare number may be an index with an unknown base, so it counts only as a label.
            Json::Number(number) => {
                selection.selected.push(question.options.iter().position(|option| option.label == number.text())?);
            }
            Json::List(items) => {
                for item in items.iter().take(MOST_PARTS) {
                    self.add(selection, question, item, depth + 1)?;
                }
            }
            // Skipped, even if the object also has a selected option.
            Json::Object(members) if is_failure(value) || members.iter().any(|(name, it)| denies(name, it)) => {}
            Json::Object(_) if depth < 3 => {
                let (picks, words) = (member(value, PICKS), member(value, WORDS));
                if let Some((_, picks)) = picks {
                    self.add(selection, question, picks, depth + 1)?;
                }
                if let Some((_, words)) = words {
                    Self::Words.add(selection, question, words, depth + 1)?;
                }
                if let Some((_, Json::Text(note))) = member(value, NOTES) {
                    selection.note = Some(note.to_string());
                }
                picks.or(words)?;
            }
            Json::Bool(_) | Json::Object(_) => return None,
        }
        Some(())
    }

    fn say(self, selection: &mut Selection, question: &Question, text: &str) -> Option<()> {
        if let Some(note) = text.strip_prefix("user_note: ") {
            selection.note = Some(note.to_owned());
            return Some(());
        }
        let Some(said) = flat_selection(question, 0, text) else {
            return Some(());
        };
        if self == Self::Labels && is_among(ACKNOWLEDGES, &plain(text)) {
            return None;
        }
        if said.other.is_some() && (is_unanswered(text) || self == Self::Words && is_nobodys(text)) {
            return Some(());
        }
        for option in said.selected {
            if !selection.selected.contains(&option) {
                selection.selected.push(option);
            }
        }
        if said.other.is_some() {
            let is_second = selection.other.is_some();
            if is_second || self == Self::Labels {
                return None;
            }
            selection.other = said.other;
        }
        Some(())
    }
}

/// A reply with these selections, with all other questions skipped; `None` if nothing is answered.
pub(super) fn answered(ask: &AskUserQuestion, mut selections: Vec<Selection>) -> Option<Outcome> {
    if selections.iter().all(|selection| selection.skipped) {
        return None;
    }
    for question in 0..ask.questions.len() {
        if selections.iter().all(|selection| selection.question != question) {
            selections.push(Selection::skipped(question));
        }
    }
    Reply::of(ask, selections).map(Outcome::Answered)
}
