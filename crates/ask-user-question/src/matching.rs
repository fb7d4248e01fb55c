//! What a typed chat message answers.
//!
//! A user who types instead of tapping means the waiting ask, in the words of its options or in his own. What is certain becomes a
//! pick; what might mean two options stays his own words, since a wrong guess is worse than a question asked again.

use crate::outcome::Outcome;
use crate::reply::{Reply, SKIPPED_TEXT, Selection};
use crate::text::{fold, is_blank};
use crate::wire::{AskUserQuestion, Question};

/// Matches a typed message to a waiting ask; never guesses between two options. `partial` are the picks so far, kept for
/// [`Outcome::RepliedInChat`].
///
/// One question: a label, an unambiguous beginning of one, or its number (from 1) picks the option; several, with commas, where it
/// is multi-select; any other text is "Other". Several questions: `Header: answer` lines, one for each, are a reply; any other text
/// answers none of them. The result is `Answered` or `RepliedInChat`.
///
/// ```
/// use ask_user_question::{AskUserQuestion, Outcome, matching::match_message};
/// let ask: AskUserQuestion = serde_json::from_str(
///     r#"{"questions": [{"question": "Which database?", "options": [{"label": "PostgreSQL"}, {"label": "SQLite"}]}]}"#,
/// )?;
/// let Outcome::Answered(reply) = match_message(&ask, "postgres", vec![]) else { unreachable!() };
/// assert_eq!(reply.message(), "PostgreSQL");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn match_message(ask: &AskUserQuestion, text: &str, partial: Vec<Selection>) -> Outcome {
    let selections = match &ask.questions[..] {
        [only] => one_question(only, text, &partial).map(|selection| vec![selection]),
        questions => lines(questions, text, &partial),
    };
    match selections.and_then(|selections| Reply::check(ask, selections).ok()) {
        Some(reply) => Outcome::Answered(reply),
        None => Outcome::replied_in_chat(ask, text, partial),
    }
}

/// How many questions, or parts of one answer, a message is searched for. No profile comes near it; it bounds the work on hostile asks.
const MOST_PARTS: usize = 64;

fn one_question(question: &Question, text: &str, partial: &[Selection]) -> Option<Selection> {
    let named = || picks(question, strip_title(question, text)?);
    let selection = match picks(question, text).or_else(named) {
        Some(selected) => picked(selected),
        None => own_words(text)?,
    };
    Some(with_note(selection, 0, partial))
}

/// One line for each question, in any order; `None` where a line names no question, or two.
fn lines(questions: &[Question], text: &str, partial: &[Selection]) -> Option<Vec<Selection>> {
    if questions.len() > MOST_PARTS {
        return None;
    }
    let mut selections: Vec<Option<Selection>> = vec![None; questions.len()];
    for line in text.lines().filter(|line| !is_blank(line)) {
        let mut named = questions
            .iter()
            .enumerate()
            .filter_map(|(q, question)| Some((q, strip_title(question, line)?)));
        let (q, answer) = named.next()?;
        if named.next().is_some() || selections[q].is_some() {
            return None;
        }
        selections[q] = Some(with_note(line_answer(&questions[q], answer)?, q, partial));
    }
    selections.into_iter().collect()
}

fn line_answer(question: &Question, answer: &str) -> Option<Selection> {
    match picks(question, answer) {
        Some(selected) => Some(picked(selected)),
        None => own_words(answer.trim()),
    }
}

fn picked(selected: Vec<usize>) -> Selection {
    Selection {
        selected,
        ..Selection::default()
    }
}

/// The text as "Other", unless it is how a reply's own message says that the question was skipped.
fn own_words(text: &str) -> Option<Selection> {
    let skipped = text.trim() == SKIPPED_TEXT;
    (!is_blank(text)).then(|| Selection {
        other: (!skipped).then(|| text.to_owned()),
        skipped,
        ..Selection::default()
    })
}

/// A note that was written on the card before the user turned to typing is not lost.
fn with_note(selection: Selection, question: usize, partial: &[Selection]) -> Selection {
    let note = partial
        .iter()
        .find(|picks| picks.question == question)
        .and_then(|picks| picks.note.clone());
    Selection {
        question,
        note,
        ..selection
    }
}

/// What follows `Header:` (or the question's text and a colon) on a line.
fn strip_title<'a>(question: &Question, line: &'a str) -> Option<&'a str> {
    let titles = [question.header.as_deref(), Some(question.question.as_str())];
    titles
        .into_iter()
        .flatten()
        .filter(|title| !is_blank(title))
        .find_map(|title| {
            // A title may have colons of its own, so the colon that ends it is the first one after as many.
            let colons = title.matches(is_colon).count();
            let (at, colon) = line.match_indices(is_colon).nth(colons)?;
            (fold(&line[..at]) == fold(title)).then(|| &line[at + colon.len()..])
        })
}

fn is_colon(c: char) -> bool {
    matches!(c, ':' | '：')
}

/// The options that a text picks; `None` where it is not certain.
fn picks(question: &Question, text: &str) -> Option<Vec<usize>> {
    let labels: Vec<String> = question
        .options
        .iter()
        .map(|option| fold(&option.label))
        .collect();
    if let Some(option) = pick(question, &labels, text) {
        return Some(vec![option]);
    }
    let parts: Vec<&str> = text
        .split([',', '、', '،', ';', '\n'])
        .take(MOST_PARTS + 1)
        .collect();
    if !question.multi_select || parts.len() > MOST_PARTS {
        return None;
    }
    let picked = parts
        .iter()
        .map(|part| pick(question, &labels, part))
        .collect::<Option<Vec<usize>>>()?;
    Some(question.in_order(&picked))
}

/// The one option that a text means: its label, else its number or a beginning that no other label shares.
fn pick(question: &Question, labels: &[String], text: &str) -> Option<usize> {
    let exact = |text: &str| only(question.options.iter().map(|option| option.label == text));
    let typed = fold(text);
    let spoken = typed.trim_end_matches(['.', '!', '。']).trim_end();
    if spoken.is_empty() {
        return None;
    }
    let equals = |wanted: &str| only(labels.iter().map(|label| label == wanted));
    let equals_short = |wanted: &str| {
        only(
            labels
                .iter()
                .map(|label| without_recommended(label) == wanted),
        )
    };
    if let Some(option) = exact(text.trim())
        .or_else(|| equals(&typed))
        .or_else(|| equals(spoken))
        .or_else(|| equals_short(spoken))
    {
        return Some(option);
    }
    let begins = labels
        .iter()
        .enumerate()
        .filter(|(_, label)| label.starts_with(spoken))
        .map(|(o, _)| o);
    let numbered = number(spoken).filter(|o| *o < labels.len());
    let mut meant: Vec<usize> = begins.chain(numbered).collect();
    meant.dedup();
    match meant[..] {
        [option] => Some(option),
        _ => None,
    }
}

/// The index of the only true value.
fn only(matches: impl Iterator<Item = bool>) -> Option<usize> {
    let mut indexes = matches
        .enumerate()
        .filter_map(|(index, matches)| matches.then_some(index));
    let first = indexes.next()?;
    indexes.next().is_none().then_some(first)
}

fn without_recommended(label: &str) -> &str {
    label
        .strip_suffix("(recommended)")
        .unwrap_or(label)
        .trim_end()
}

/// The index that a number such as `2`, `#2`, `2)` or `٢` stands for.
fn number(text: &str) -> Option<usize> {
    let digits = text
        .trim_start_matches(['#', '('])
        .trim_end_matches([')', '.', ':']);
    if digits.is_empty() || digits.chars().count() > 4 {
        return None;
    }
    let value = digits
        .chars()
        .try_fold(0usize, |value, c| Some(value * 10 + digit(c)?))?;
    value.checked_sub(1)
}

/// The value of a decimal digit in the scripts whose keyboards offer their own.
fn digit(c: char) -> Option<usize> {
    const ZEROS: [u32; 6] = [0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xFF10];
    let code = u32::from(c);
    ZEROS
        .iter()
        .find(|&&zero| (zero..zero + 10).contains(&code))
        .map(|zero| (code - zero) as usize)
}
