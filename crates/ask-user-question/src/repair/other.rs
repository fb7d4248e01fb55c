use crate::text::Kind;

/// What a label, or the beginning of one, says about being "Other".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It says something of its own, whatever follows.
    Own,
    /// It says nothing yet, or may become "Other" or something of its own.
    Open,
    /// It says nothing but "something else": "Other", "Other (please specify)", "Something else…". More text may give it a meaning of its
    /// own.
    Other,
}

/// What a label means, or would mean if it ended here. [`repair`](super::repair) leaves a model's own "Other" out. While such a label is
/// being written, it is never [`Meaning::Own`]. So hold a growing label back until it is.
///
/// Only words that ask for typing may follow, so that "Other branch" and "Other (S3)" stay options.
#[must_use]
pub fn meaning(label: &str) -> Meaning {
    const OPENINGS: [&str; 3] = ["others", "other", "something else"];
    // Long labels say more than that, and need no copy. White space around them says nothing.
    let label = label.trim_start();
    if label.trim_end().len() > 100 {
        return Meaning::Own;
    }
    let mut plain = String::new();
    for c in label.chars() {
        if !matches!(c, '\'' | '’') {
            plain.push(c.to_ascii_lowercase());
        }
    }
    let opening = OPENINGS.iter().find_map(|opening| plain.strip_prefix(opening));
    let Some(rest) = opening.map(str::trim_start) else {
        let begins = |opening: &&str| opening.starts_with(&plain);
        return if OPENINGS.iter().any(begins) { Meaning::Open } else { Meaning::Own };
    };
    const IS_BETWEEN: Kind = |c| !is_letter(c);
    let (mut last, mut invites) = ("", true);
    for word in rest.split(IS_BETWEEN) {
        if !word.is_empty() {
            invites &= last.is_empty() || FILLERS.contains(&last);
            last = word;
        }
    }
    let may_grow = rest.ends_with(is_letter);
    let is_word = FILLERS.contains(&last) || last.is_empty();
    let begins_word = may_grow && FILLERS.iter().any(|word| word.starts_with(last));
    let asks = |word: &&str| rest.starts_with(*word);
    let begins_asking = |word: &&str| word.starts_with(rest);
    let set_apart = !rest.starts_with(is_letter);
    if !invites {
        Meaning::Own
    } else if is_word && (set_apart || ASKING.iter().any(asks)) {
        Meaning::Other
    } else if (is_word || begins_word) && (set_apart || ASKING.iter().any(|word| asks(word) || begins_asking(word))) {
        Meaning::Open
    } else {
        Meaning::Own
    }
}

/// Words that need nothing between them and "Other".
const ASKING: [&str; 2] = ["please", "specify"];

/// Letters and digits, near enough. Punctuation outside of ASCII that may follow "Other" is listed. Everything else counts as a letter, and
/// so makes the option one of its own.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || !c.is_ascii()
            && !matches!(c, '…' | '–' | '—' | '“' | '”' | '‘' | '’' | '（' | '）' | '：')
            && !c.is_whitespace()
}

/// Words that only invite to type.
const FILLERS: [&str; 33] = [
    "a",
    "an",
    "answer",
    "as",
    "below",
    "choice",
    "custom",
    "describe",
    "else",
    "enter",
    "explain",
    "field",
    "fill",
    "form",
    "free",
    "here",
    "i",
    "ill",
    "in",
    "input",
    "it",
    "my",
    "own",
    "please",
    "provide",
    "something",
    "specify",
    "text",
    "the",
    "type",
    "will",
    "write",
    "your",
];

#[cfg(test)]
mod tests {
    use super::{Meaning, meaning};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn only_an_invitation_to_type_is_other() {
        for label in [
            "Other",
            "other",
            "OTHER…",
            "Other (please specify)",
            "Other – I’ll describe it",
            "Something else",
            "Something else: type your own answer",
        ] {
            assert_eq!(meaning(label), Meaning::Other, "{label}");
            for (cut, _) in label.char_indices() {
                assert_ne!(meaning(&label[..cut]), Meaning::Own, "{}", &label[..cut]);
            }
        }
        for label in [
            "",
            "Other branch",
            "Other (S3)",
            "Another",
            "Something",
            "Something elsewhere",
            "Otherwise",
            "Other type",
            "Mother",
            "None of these",
        ] {
            assert_ne!(meaning(label), Meaning::Other, "{label}");
        }
    }

    #[test]
    fn a_label_counts_as_an_option_as_soon_as_it_cannot_be_other() {
        for (open, own) in [
            ("", "B"),
            ("O", "Or"),
            ("Other", "Otherw"),
            ("Other ", "Other b"),
            ("Other pl", "Other pla"),
            ("Other (f", "Other (fu"),
            ("Something e", "Something ea"),
            ("Other (free t", "Other (free to"),
            ("Other (free form", "Other (free forms"),
        ] {
            assert_ne!(meaning(open), Meaning::Own, "{open}");
            assert_eq!(meaning(own), Meaning::Own, "{own}");
        }
    }

    #[test]
    fn what_is_known_of_a_beginning_holds_whatever_follows() {
        // Every label of up to four of these pieces.
        let pieces =
            ["other", "s", " ", "Something Else", "please", "pl", "specify", "(", "your", "you", "x", "’", "é"];
        let mut labels = vec![String::new()];
        for _ in 0..4 {
            let longer: Vec<String> =
                labels.iter().flat_map(|label| pieces.iter().map(move |piece| format!("{label}{piece}"))).collect();
            for (index, label) in longer.iter().enumerate() {
                let before = meaning(&labels[index / pieces.len()]);
                assert!(before != Meaning::Own || meaning(label) == Meaning::Own, "{label}");
            }
            labels = longer;
        }
    }
}
