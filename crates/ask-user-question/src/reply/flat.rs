//! Answers that are labels joined in one text, however they are joined.

use super::answer::Selection;
use crate::text::is_blank;
use crate::wire::Question;

/// The text behind a label, if the label may end there: no more text, or the next part.
pub type Behind<'t> = Option<&'t str>;

/// An option whose label is at some place, and the text after it.
pub type Part<'t> = (usize, Behind<'t>);

/// The longest of the labels, from one of them on, with which a text begins and that `ends` there. The last wins among several of that length.
#[must_use]
pub fn longest<'t>(
    labels: &[&str],
    from: usize,
    text: &'t str,
    ends: fn(&'t str) -> Option<Behind<'t>>,
) -> Option<Part<'t>> {
    let mut longest: Option<Part<'t>> = None;
    for (option, label) in labels.iter().enumerate().skip(from) {
        let is_shorter = longest.is_some_and(|(longest, _)| label.len() < labels[longest].len());
        if !is_shorter && let Some(behind) = text.strip_prefix(label).and_then(ends) {
            longest = Some((option, behind));
        }
    }
    longest
}

/// Splits a text into options: calls `part` with the options so far and the rest of the text until it finds no option there. Returns the options, and
/// the rest that is none. A text of more than `most` parts is returned as the rest, whole.
pub fn parts<'t>(
    text: &'t str,
    most: usize,
    part: &mut dyn FnMut(&[usize], &'t str) -> Option<Part<'t>>,
) -> (Vec<usize>, Option<&'t str>) {
    let (mut found, mut rest) = (Vec::new(), text);
    while found.len() < most {
        let Some((option, behind)) = part(&found, rest) else {
            return (found, Some(rest));
        };
        found.push(option);
        match behind {
            Some(behind) => rest = behind,
            None => return (found, None),
        }
    }
    (Vec::new(), Some(text))
}

/// The selection of a flat text: one label, labels joined with commas, or else custom text; `None` if it is blank.
#[must_use]
pub fn flat_selection(question: &Question, q: usize, text: &str) -> Option<Selection> {
    let position = |text: &str| question.options.iter().position(|option| option.label == text);
    let mut selection = Selection::of(q);
    if let Some(option) = position(text).or_else(|| position(text.trim())) {
        selection.selected.push(option);
    } else if question.takes_several()
        && let Some(options) = joined_labels(question, text)
    {
        selection.selected = options;
    } else if is_blank(text) {
        return None;
    } else {
        selection.other = Some(text.to_owned());
    }
    Some(selection)
}

/// The options whose labels make up the text, each once and in any order; the longest label that fits counts. A label may be a JSON string: Claude
/// Code quotes those with commas or quotation marks.
fn joined_labels(question: &Question, text: &str) -> Option<Vec<usize>> {
    // Every label is tried at every place, which is nothing for the handful of options of a question and too much for a hostile one.
    const MOST_OPTIONS: usize = 1000;
    if question.options.len() > MOST_OPTIONS {
        return None;
    }
    let labels = question.labels();
    let quoted: Vec<String> = labels.iter().map(|label| quoted(label)).collect();
    let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
    let at = |text| longest(&labels, 0, text, ends_at_comma).or_else(|| longest(&quoted, 0, text, ends_at_comma));
    let (found, rest) = parts(text, labels.len(), &mut |found, rest| {
        let next = at(rest).or_else(|| at(rest.trim_start()));
        next.filter(|(option, _)| !found.contains(option))
    });
    rest.is_none().then(|| question.in_order(&found))
}

/// A label as a JSON string, without escapes of control characters.
fn quoted(label: &str) -> String {
    let mut quoted = String::from("\"");
    for c in label.chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted + "\""
}

fn ends_at_comma(text: &str) -> Option<Behind<'_>> {
    let text = text.trim_start();
    match text.strip_prefix(',') {
        Some(next) => Some(Some(next.strip_prefix(' ').unwrap_or(next))),
        None => text.is_empty().then_some(None),
    }
}
