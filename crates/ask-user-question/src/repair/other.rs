/// Whether a label says nothing but "something else": "Other", "Other (please specify)", "Something else…".
///
/// Only words that ask for typing may follow, so that "Other branch" and "Other (S3)" stay options.
pub(super) fn means_other(label: &str) -> bool {
    // Long labels say more than that, and need no copy.
    if label.len() > 100 {
        return false;
    }
    let plain = label.trim().to_ascii_lowercase().replace(['\'', '’'], "");
    let Some(rest) = ["others", "other", "something else"]
        .iter()
        .find_map(|opening| plain.strip_prefix(opening))
    else {
        return false;
    };
    let rest = rest.trim_start();
    let set_apart = !rest.starts_with(is_letter);
    let asks = ["please", "specify"]
        .iter()
        .any(|word| rest.starts_with(word));
    let mut words = rest
        .split(|c: char| !is_letter(c))
        .filter(|word| !word.is_empty());
    (set_apart || asks) && words.all(|word| FILLERS.contains(&word))
}

/// Letters and digits, near enough: punctuation outside of ASCII that stands behind "Other" is named, and everything else is taken for a
/// letter, so that it makes the option one of its own.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || !c.is_ascii()
            && !matches!(
                c,
                '…' | '–' | '—' | '“' | '”' | '‘' | '’' | '（' | '）' | '：'
            )
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
    use super::means_other;
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
            assert!(means_other(label), "{label}");
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
            assert!(!means_other(label), "{label}");
        }
    }
}
