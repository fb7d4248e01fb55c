//! Texts and calls of an agent, cut as models stream them.

use question_agent::ag_ui::Delta;

pub(crate) fn text(text: &str) -> Vec<Delta> {
    words(text).map(|word| Delta::Text(word.to_owned())).collect()
}

/// A call, its arguments in uneven pieces.
pub(crate) fn call(call: usize, name: &str, arguments: &str) -> Vec<Delta> {
    let start = Delta::CallStart { call, name: name.to_owned() };
    let pieces = crumbs(arguments).map(|crumb| Delta::CallArgs { call, delta: crumb.to_owned() });
    std::iter::once(start).chain(pieces).chain([Delta::CallEnd { call }]).collect()
}

/// The longest piece of arguments, in bytes.
const MAX_CRUMB: usize = 20;

/// The words of a text, each with the space behind it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// A text in pieces of 1 to [`MAX_CRUMB`] bytes, uneven but the same each time, never inside a character.
fn crumbs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let mut chance: u32 = 7;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        chance = chance.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        let wanted = 1 + (chance >> 16) as usize % MAX_CRUMB;
        let fits = (1..=wanted.min(rest.len())).rev().find(|&end| rest.is_char_boundary(end));
        // A character longer than the piece is still given whole.
        let end = fits.unwrap_or_else(|| rest.chars().next().map_or(rest.len(), char::len_utf8));
        let (crumb, behind) = rest.split_at(end);
        rest = behind;
        Some(crumb)
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_CRUMB, crumbs, words};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn pieces_are_small_and_make_up_the_text() {
        let text = "{\"question\":\"Which service do you need? 🚗🚗🚗 ü\"}".repeat(9);
        assert_eq!(crumbs(&text).collect::<String>(), text);
        assert!(crumbs(&text).all(|crumb| (1..=MAX_CRUMB).contains(&crumb.len())));
        assert!(crumbs(&text).any(|crumb| crumb.len() == 1) && crumbs(&text).any(|crumb| crumb.len() > 15));
        assert_eq!(words("one two  three").collect::<Vec<_>>(), ["one ", "two ", " ", "three"]);
    }
}
