//! Texts of endpoints without secrets, for the log.

const HIDDEN: &str = "[…]";

/// The shortest word of letters and digits that is taken for a key.
const SHORTEST_KEY: usize = 28;

/// A text without the key and without words that may be keys.
pub(crate) fn left_out(text: &str, key: Option<&str>) -> String {
    let text = match key.filter(|key| !key.is_empty()) {
        Some(key) => text.replace(key, HIDDEN),
        None => text.to_owned(),
    };
    let mut out = String::with_capacity(text.len());
    let mut is_announced = false;
    for piece in text.split_inclusive(|c| !is_of_a_word(c)) {
        let word = piece.trim_end_matches(|c| !is_of_a_word(c));
        let end = &piece[word.len()..];
        if is_announced && !word.is_empty() || may_be_key(word) {
            out.push_str(HIDDEN);
        } else {
            out.push_str(word);
        }
        out.push_str(end);
        is_announced = word.eq_ignore_ascii_case("bearer") || (is_announced && word.is_empty());
    }
    out
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || "-_.*+/=~".contains(c)
}

fn may_be_key(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.chars().any(is);
    let is_long = word.len() >= SHORTEST_KEY;
    word.starts_with("sk-") || (is_long && has(char::is_numeric) && has(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::left_out;

    #[test]
    fn keys_are_left_out_and_the_rest_is_kept() {
        for (text, shown) in [
            ("boom sk-test-secret, sorry", "boom […], sorry"),
            ("key provided: sk-test-*6789.", "key provided: […]"),
            ("Authorization: Bearer  a.b=c was", "Authorization: Bearer  […] was"),
            ("hunter2 is not hunter3", "[…] is not hunter3"),
            ("id 0123456789abcdef0123456789abcdef", "id […]"),
            (
                "The model gpt-4o-mini-2024-07-18 is not there\n(see https://a.example/b)",
                "The model gpt-4o-mini-2024-07-18 is not there\n(see https://a.example/b)",
            ),
            ("", ""),
        ] {
            assert_eq!(left_out(text, Some("hunter2")), shown);
        }
    }
}
