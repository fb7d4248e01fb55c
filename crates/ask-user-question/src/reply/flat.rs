//! Answers that are labels joined in one text, however they are joined.

/// What follows a label, where the label may end there: nothing more, or the next part.
pub(crate) type Behind<'t> = Option<&'t str>;

/// An option whose label stands somewhere, and what follows.
type Part<'t> = (usize, Behind<'t>);

/// The longest of the labels, from one of them on, that a text begins with and that `ends` there. Of several as long it is the last.
pub(crate) fn longest<'t>(
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

/// Reads parts for as long as `part`, which is told what was found, finds an option in the rest: the options, and what is left, if anything
/// is. Where there are more parts than `most`, all is left.
pub(crate) fn parts<'t>(
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
