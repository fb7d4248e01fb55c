//! Results in the words of other agents' tools.
//!
//! Only what has one reading is an answer. A question that a result does not name is skipped, and a result that answers no question is none.

mod answer;
mod sentence;

use crate::case::folded;
use crate::repair::parsed;
use crate::words::is_among;
use answer::{Texts, answered, is_failure, member};
use ask_user_question::outcome::{Outcome, OutcomeKind};
use ask_user_question::reply::{MOST_PARTS, Selection};
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question};
use json_tree::{Json, Members};
use sentence::sentence;

/// As [`Outcome::parse`], and reads the results of other agents' tools: sentences with questions and answers, objects keyed by question,
/// id or index, refusals, timeouts, elicitations of MCP, a label alone. Returns `None` unless the content has one reading.
///
/// A short text such as "M" is an answer if it is a label. So call this for a result that ended the call, not for one that may announce an
/// answer.
#[must_use]
pub fn parse_foreign(ask: &AskUserQuestion, content: &str) -> Option<Outcome> {
    let own = Outcome::parse(ask, content);
    if !matches!(own, None | Some(Outcome::Answered(_))) {
        return own;
    }
    match read(ask, content, 0) {
        // Answers beside a refusal are none, nor are those of a failure.
        Some(refusal) if refusal.kind() != OutcomeKind::Answered => Some(refusal),
        foreign => own.filter(|_| !is_denied(content)).or(foreign),
    }
}

/// Returns true if a result in the tool's own form states that it is no answer, as a tool that failed or still waits does.
fn is_denied(content: &str) -> bool {
    let denies = |json: &Json<'_>| member(json, "details").is_none() && verdict(json).is_none();
    Json::parse(content.trim()).is_ok_and(|json| is_failure(&json) || denies(&json))
}

/// The most layers of JSON that are looked into.
const MOST_LAYERS: usize = 4;

/// Reads a text: a sentence, a label, or JSON, which may be packed.
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

/// The words in which a member says how an ask ended, folded.
const VERDICTS: [(Verdict, &str); 6] = [
    (Verdict::Answered, "accept|accepted|answered|submitted|submit|responded"),
    (Verdict::Passes, "selected|success|succeeded|completed|complete|done|resolved|approved|ok"),
    (Verdict::Chat, "chataboutthis"),
    (
        Verdict::Declined,
        "decline|declined|cancel|cancelled|canceled|reject|rejected|dismiss|dismissed|deny|denied|refused|skip|skipped|skipinterview",
    ),
    (Verdict::Expired, "expired|timeout|timedout"),
    (Verdict::Stopped, "aborted|interrupted"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The user answered, so a text that is no label is in the user's own words.
    Answered,
    /// The call went well, which says nothing about the user.
    Passes,
    Chat,
    Declined,
    Expired,
    Stopped,
}

/// The members that hold a verdict: a word, or `true` for what their name says.
const SAYS: &str = "action|outcome|status|decision|state|kind";

/// The members that hold answers or the rest of the result. The user's own words are certain in the first four alone, and in the next of a
/// result that says that the user answered.
const HOLDS: &str = "answers|answer|userresponse|partialanswers|content|responses|response|structuredcontent|selected|selection|selections|selectedoptions|\
    selectedoption|choice|value|label|optionid|text|result|output|data";
const HOLDS_WORDS: usize = 4;

/// The members that name the question of an answer.
const NAMES: &str = "question|id|questionid|header|questionheader|key|index";

/// Reads a result that is JSON.
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
            // A lone text may be the tool's own, such as a state; the picks of a list are the user's.
            let are_picks = members.iter().all(|(_, value)| value.as_list().is_some());
            self.texts = if are_picks { Texts::Words } else { Texts::Labels };
            let entries: Vec<_> = members.iter().map(|(key, value)| (&**key, value)).collect();
            if let Some(selections) = self.named(&entries, false) {
                return answered(self.ask, selections);
            }
            self.texts = Texts::Labels;
        }
        // Among the user's answers are no words of the tool.
        if self.texts == Texts::Labels {
            if is_failure(json) {
                // A refusal is one also where the call counts as failed.
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

    /// Answers by the names of their questions; by their whole texts alone, if `strict`.
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
            // Forms have a field of its own for own words.
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
            // A lone `1` may count from 0 or from 1, which labels tell.
            let is_certain = text.is_some() || first || behind_last || index(key).is_none();
            let texts = if is_certain { self.texts } else { Texts::Labels };
            let mut selection = texts.answer(&questions[q], value)?;
            selection.question = q;
            selections.push(selection);
        }
        Some(selections)
    }

    /// Returns true if an object names each question by its header, and nothing else.
    fn are_headers(self, members: &Members<'_>) -> bool {
        let is_named =
            |question: &Question| question.header.as_deref().is_some_and(|header| members.position(header).is_some());
        members.len() == self.ask.questions.len() && self.ask.questions.iter().all(is_named)
    }

    /// The question of an id, header or index. Among answers, one question alone may have any id.
    fn question(self, key: &str, from: usize) -> Option<usize> {
        let questions = &self.ask.questions;
        if questions.len() == 1 && self.texts == Texts::Words {
            return Some(0);
        }
        let titled = self.sole(&|question| folded(question.title()) == folded(key));
        titled.or_else(|| index(key)?.checked_sub(from).filter(|q| *q < questions.len()))
    }

    /// The only question that has the labels of an answer.
    fn by_labels(self, key: &str, value: &Json<'_>) -> Option<usize> {
        let has =
            |question: &Question| Texts::Labels.answer(question, value).is_some_and(|picks| !picks.selected.is_empty());
        if self.texts == Texts::Words && index(key).is_none() { self.sole(&has) } else { None }
    }

    /// The only question for which something is so.
    fn sole(self, is: &dyn Fn(&Question) -> bool) -> Option<usize> {
        let mut sole = None;
        for (q, question) in self.ask.questions.iter().enumerate() {
            if is(question) && sole.replace(q).is_some() {
                return None;
            }
        }
        sole
    }

    /// A list of answers: with the names of their questions, in the order of all questions, or the picks of the only one.
    fn listed(self, items: &[Json<'_>]) -> Option<Vec<Selection>> {
        let questions = &self.ask.questions;
        let mut names = Vec::new();
        // Members beside answers have the names of their questions; members beside the picks of one question have the names of options.
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
            // A list in another order, by names that are not known.
            if self.by_labels("", item).is_some_and(|other| other != q) {
                return None;
            }
            selection.question = q;
            selections.push(selection);
        }
        Some(selections)
    }
}

/// The number in names such as `0`, `question_0` and `q1`.
fn index(key: &str) -> Option<usize> {
    let key = folded(key);
    let digits = ["question", "answer", "q"].iter().find_map(|name| key.strip_prefix(name)).unwrap_or(&key);
    digits.parse().ok().filter(|_| digits.len() < 4)
}

/// The text in parts, as tools of MCP send it.
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

/// The outcome that a result states; `None` for any unknown statement, such as a failure or a pending call.
fn verdict(json: &Json<'_>) -> Option<Verdict> {
    let of = |word: &str| {
        let word = folded(word);
        VERDICTS.iter().find(|(_, words)| is_among(words, &word)).map(|(verdict, _)| *verdict)
    };
    let mut verdict = Verdict::Passes;
    for (name, value) in json.as_object().into_iter().flatten() {
        let said = match value {
            Json::Text(word) if is_among(SAYS, &folded(name)) => of(word)?,
            Json::Bool(true) => of(name).unwrap_or(Verdict::Passes),
            Json::Bool(false) if matches!(of(name), Some(Verdict::Answered | Verdict::Passes)) => return None,
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
