//! Reads results in the formats of other agents' tools.
//!
//! A result is an answer only if it has a single interpretation. Questions that it does not name are skipped, and a result that answers no question
//! is no answer.

mod answer;
mod sentence;
mod verdict;

use crate::case::folded;
use crate::repair::parsed;
use answer::{Texts, answered, is_failure, is_marked_unanswered, member};
use ask_user_question::outcome::{Outcome, OutcomeKind};
use ask_user_question::reply::{MOST_PARTS, Selection};
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question};
use json_tree::{Json, Members};
use sentence::sentence;
use verdict::{Verdict, verdict};

/// As [`Outcome::parse`], and reads results of other agents' tools: sentences with questions and answers, objects keyed by question, id or index,
/// refusals, timeouts, MCP elicitations, a single label. Returns `None` unless the content has a single interpretation.
///
/// A short text such as "M" is an answer if it is a label. So call this only for a result that ended the call, not for one that may announce a later
/// answer.
#[must_use]
pub fn parse_foreign(ask: &AskUserQuestion, content: &str) -> Option<Outcome> {
    let own = Outcome::parse(ask, content);
    if !matches!(own, None | Some(Outcome::Answered(_))) {
        return own;
    }
    match read(ask, content, 0) {
        // Answers in a refused or failed result do not count.
        Some(refusal) if refusal.kind() != OutcomeKind::Answered => Some(refusal),
        foreign => own.filter(|own| !is_denied(content, own)).or(foreign),
    }
}

/// Returns true if a result in the tool's own form says that it is no answer, such as that of a failed or waiting tool.
fn is_denied(content: &str, own: &Outcome) -> bool {
    let Outcome::Answered(reply) = own else {
        return false;
    };
    // A reply of this project has details if anything was typed.
    let marks = || {
        let answers = || reply.answers().iter().map(|answer| &answer.given);
        answers().any(|given| given.typed().is_some_and(|typed| is_marked_unanswered(&typed)))
            && answers().all(|given| given.options().is_empty())
    };
    let denies = |json: &Json<'_>| member(json, "details").is_none() && (verdict(json).is_none() || marks());
    Json::parse(content.trim()).is_ok_and(|json| is_failure(&json) || denies(&json))
}

const MOST_LAYERS: usize = 4;

/// Reads a text: a sentence, a label, or JSON, possibly packed in strings.
fn read(ask: &AskUserQuestion, content: &str, depth: usize) -> Option<Outcome> {
    let content = content.trim();
    match parsed(content) {
        Ok((Json::Text(text), _)) if depth < MOST_LAYERS => read(ask, &text, depth + 1),
        Ok((json @ (Json::List(_) | Json::Object(_)), _)) => {
            Results { ask, texts: Texts::Labels, is_partial: false }.read(&json, depth)
        }
        _ => sentence(ask, content),
    }
}

/// The members that hold answers or the rest of a result. Own words are accepted in the first [`HOLDS_WORDS`], and in the next one (`content`) if
/// the result says that the user answered.
const HOLDS: &str = "answers|answer|userresponse|partialanswers|content|responses|response|structuredcontent|selected|selection|selections|selectedoptions|\
    selectedoption|selectedlabels|choice|value|label|optionid|text|result|output|data";
const HOLDS_WORDS: usize = 4;

/// The members that identify the question of an answer.
const NAMES: &str = "question|id|questionid|header|questionheader|key|index";

#[derive(Clone, Copy)]
struct Results<'a> {
    ask: &'a AskUserQuestion,
    texts: Texts,
    is_partial: bool,
}

impl Results<'_> {
    fn read(mut self, json: &Json<'_>, depth: usize) -> Option<Outcome> {
        if depth == MOST_LAYERS {
            return None;
        }
        if let Some(text) = spoken(json) {
            return read(self.ask, text, depth + 1);
        }
        if let Json::Object(members) = json
            && depth == 0
            && self.are_headers(members)
        {
            // A single text may come from the tool itself, such as a state; a list of options comes from the user.
            let are_picks = members.iter().all(|(_, value)| value.as_list().is_some());
            self.texts = if are_picks { Texts::Words } else { Texts::Labels };
            let entries: Vec<_> = members.iter().map(|(key, value)| (&**key, value)).collect();
            if let Some(selections) = self.named(&entries, false) {
                return answered(self.ask, selections);
            }
            self.texts = Texts::Labels;
        }
        // The user's answers contain no texts of the tool.
        if self.texts == Texts::Labels {
            if is_failure(json) {
                // A refusal also counts if the call is marked as failed.
                let told = member(json, HOLDS).and_then(|(_, inner)| match inner {
                    Json::Text(text) => read(self.ask, text, depth + 1),
                    inner => self.read(inner, depth + 1),
                });
                return told.filter(|outcome| outcome.kind() != OutcomeKind::Answered);
            }
            if member(json, "details").is_some() {
                return None;
            }
            let verdict = verdict(json)?;
            match verdict {
                Verdict::Answered | Verdict::Passes => {}
                Verdict::Chat => self.is_partial = true,
                Verdict::Declined => return Some(Outcome::Declined),
                Verdict::Expired => return Some(Outcome::Expired),
                Verdict::Stopped => return Some(Outcome::Cancelled),
            }
            if let Some((at, inner)) = member(json, HOLDS) {
                if at < HOLDS_WORDS + usize::from(verdict == Verdict::Answered) {
                    self.texts = Texts::Words;
                }
                return self.read(inner, depth + 1);
            }
            if let Some((_, inner @ Json::Object(_))) = member(json, "outcome") {
                return self.read(inner, depth + 1);
            }
        } else if let Some((_, inner)) = member(json, HOLDS).filter(|(at, _)| *at < HOLDS_WORDS) {
            return self.read(inner, depth + 1);
        }
        let selections = match json {
            Json::Object(_) if depth == 0 && self.is_partial => Vec::new(),
            Json::Object(members) => {
                let entries: Vec<_> = members.iter().map(|(key, value)| (&**key, value)).collect();
                self.named(&entries, depth == 0)?
            }
            Json::List(items) => self.listed(items)?,
            value => vec![self.texts.answer(self.ask.only()?, value)?],
        };
        if self.is_partial {
            return Some(Outcome::replied_in_chat(self.ask, "", selections));
        }
        answered(self.ask, selections)
    }

    /// Answers keyed by question. If `strict`, only the full text of a question is accepted as its key.
    fn named(self, entries: &[(&str, &Json<'_>)], strict: bool) -> Option<Vec<Selection>> {
        let questions = &self.ask.questions;
        if entries.len() > MOST_PARTS {
            return None;
        }
        let (mut first, mut behind_last) = (questions.len() == 1, false);
        for (key, _) in entries {
            let at = index(key);
            first |= at == Some(0);
            behind_last |= at == Some(questions.len());
        }
        let from = usize::from(behind_last && !first);
        let mut selections: Vec<Selection> = Vec::new();
        for (key, value) in entries {
            let text = questions.iter().position(|question| question.question.trim() == key.trim());
            // Forms have a separate member for own words.
            let custom = key.strip_suffix("_custom").filter(|_| text.is_none());
            let key = custom.unwrap_or(key);
            let q = match text {
                Some(q) => q,
                None if strict => return None,
                None => self.question(key, from).or_else(|| self.by_labels(key, value))?,
            };
            if let Some(known) = selections.iter_mut().find(|known| known.question == q) {
                let words = value.as_str().filter(|_| custom.is_some())?;
                if !is_blank(words) {
                    let is_beside = !questions[q].multi_select && known.says_something();
                    let place = if is_beside { &mut known.note } else { &mut known.other };
                    *place = Some(words.to_owned());
                    known.skipped = false;
                }
                continue;
            }
            // A single `1` may be counted from 0 or from 1; only labels decide.
            let is_certain = text.is_some() || first || behind_last || index(key).is_none();
            let texts = if is_certain { self.texts } else { Texts::Labels };
            let mut selection = texts.answer(&questions[q], value)?;
            selection.question = q;
            selections.push(selection);
        }
        Some(selections)
    }

    /// Returns true if an object has exactly one member per question, named by its header.
    fn are_headers(self, members: &Members<'_>) -> bool {
        let is_named =
            |question: &Question| question.header.as_deref().is_some_and(|header| members.position(header).is_some());
        members.len() == self.ask.questions.len() && self.ask.questions.iter().all(is_named)
    }

    /// The question for an id, header or index. Within the user's answers, any id matches an only question.
    fn question(self, key: &str, from: usize) -> Option<usize> {
        let questions = &self.ask.questions;
        if questions.len() == 1 && self.texts == Texts::Words {
            return Some(0);
        }
        let titled = self.sole(&|question| folded(question.title()) == folded(key));
        titled.or_else(|| index(key)?.checked_sub(from).filter(|q| *q < questions.len()))
    }

    /// The only question whose labels match the answer.
    fn by_labels(self, key: &str, value: &Json<'_>) -> Option<usize> {
        let has =
            |question: &Question| Texts::Labels.answer(question, value).is_some_and(|picks| !picks.selected.is_empty());
        if self.texts == Texts::Words && index(key).is_none() { self.sole(&has) } else { None }
    }

    /// The only question that satisfies the predicate; `None` if several do.
    fn sole(self, is: &dyn Fn(&Question) -> bool) -> Option<usize> {
        let mut sole = None;
        for (q, question) in self.ask.questions.iter().enumerate() {
            if is(question) && sole.replace(q).is_some() {
                return None;
            }
        }
        sole
    }

    /// A list of answers: with the names of their questions, in the order of all questions, or the options of the only question.
    fn listed(self, items: &[Json<'_>]) -> Option<Vec<Selection>> {
        let questions = &self.ask.questions;
        let mut names = Vec::new();
        // With answers to several questions, these members name the questions; with the options of a single question, they name the options.
        let may_be_named = self.texts == Texts::Words || questions.len() > 1;
        for item in items.iter().filter(|_| may_be_named) {
            names.push(match member(item, NAMES) {
                Some((_, Json::Text(name))) => name.to_string(),
                Some((_, Json::Number(number))) => number.text().to_owned(),
                _ => break,
            });
        }
        if names.len() == items.len() {
            let entries: Vec<_> = names.iter().map(String::as_str).zip(items).collect();
            return self.named(&entries, false);
        }
        if items.len() != questions.len() {
            return Some(vec![self.texts.answer(self.ask.only()?, &Json::List(items.to_vec()))?]);
        }
        let mut selections = Vec::new();
        for (q, (question, item)) in questions.iter().zip(items).enumerate() {
            let mut selection = self.texts.answer(question, item)?;
            // The list may be in another order, with unknown names.
            if self.by_labels("", item).is_some_and(|other| other != q) {
                return None;
            }
            selection.question = q;
            selections.push(selection);
        }
        Some(selections)
    }
}

/// The number in keys such as `0`, `question_0` and `q1`.
fn index(key: &str) -> Option<usize> {
    let key = folded(key);
    let digits = ["question", "answer", "q"].iter().find_map(|name| key.strip_prefix(name)).unwrap_or(&key);
    digits.parse().ok().filter(|_| digits.len() < 4)
}

/// The text of a content part of an MCP tool.
fn spoken<'j>(json: &'j Json<'_>) -> Option<&'j str> {
    match json {
        Json::List(parts) => match &parts[..] {
            [part] => spoken(part),
            _ => None,
        },
        Json::Object(_) if json.get("type")?.as_str() == Some("text") => json.get("text")?.as_str(),
        _ => None,
    }
}
