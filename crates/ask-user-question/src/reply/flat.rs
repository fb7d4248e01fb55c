//! Parses answers that are labels joined in one text.

use super::answer::Selection;
use crate::text::is_blank;
use crate::wire::Question;

/// The text after a label, if the label may end there: the rest of the text, or `None` at its end.
pub type Behind<'t> = Option<&'t str>;

/// An option whose label matches at some position, and the text after it.
pub type Part<'t> = (usize, Behind<'t>);

/// The longest label, by index from the given one on, that is a prefix of the text and for which `ends` accepts the rest. The last one wins among
/// equals.
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

/// Splits a text into options: calls `part` with the options so far and the rest of the text until it returns no option. Returns the options and the
/// unmatched rest. If there are more than `most` parts, the whole text is the rest.
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

/// The selection for a flat text: a label, labels joined by commas, or otherwise own words. `None` if the text is blank.
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

/// The options whose labels make up the text, in any order and without repetition. The longest matching label wins. A label may be a JSON string,
/// since Claude Code quotes labels with commas or quotation marks.
fn joined_labels(question: &Question, text: &str) -> Option<Vec<usize>> {
    // Every label is tried at every position, which is too slow for a hostile number of options.
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

/// A label as a JSON string, except that control characters are not escaped.
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
