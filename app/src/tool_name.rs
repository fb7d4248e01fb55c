//! Names of tools for people.

/// A tool's name as words: `look_up_price`, `LookUpPrice` and `look-up-price` become "Look up price". Providers allow ASCII alone, so
/// other letters stay as they are.
#[must_use]
pub(crate) fn tool_name(name: &str) -> String {
    let mut shown = String::new();
    let mut before = ' ';
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let next_is_lower = rest.peek().is_some_and(|next| next.is_ascii_lowercase());
        let begins_word =
            c.is_ascii_uppercase() && (before.is_ascii_lowercase() || (before.is_ascii_uppercase() && next_is_lower));
        let is_part = !c.is_ascii() || c.is_ascii_alphanumeric();
        if (begins_word || !is_part) && !shown.is_empty() && !shown.ends_with(' ') {
            shown.push(' ');
        }
        if is_part {
            match (shown.is_empty(), c.is_ascii_uppercase() && next_is_lower) {
                (true, _) => shown.push(c.to_ascii_uppercase()),
                (false, true) => shown.push(c.to_ascii_lowercase()),
                (false, false) => shown.push(c),
            }
        }
        before = c;
    }
    shown.truncate(shown.trim_end().len());
    shown
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::tool_name;

    #[test]
    fn names_become_words() {
        for (name, words) in [
            ("look_up_price", "Look up price"),
            ("LookUpPrice", "Look up price"),
            ("look-up.price", "Look up price"),
            ("lookUpPrice", "Look up price"),
            ("getHTTPStatus", "Get HTTP status"),
            ("ExitPlanMode", "Exit plan mode"),
            ("Bash", "Bash"),
            ("mcp__github__create_issue", "Mcp github create issue"),
            ("step2_done", "Step2 done"),
            ("__", ""),
            ("検索", "検索"),
            ("", ""),
        ] {
            assert_eq!(tool_name(name), words, "{name:?}");
        }
    }
}
