//! Texts as a search compares them: without case and diacritics.

/// The text in small letters, without diacritics and the vowel signs of Hebrew and Arabic.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let is_mark = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{3099}' | '\u{309a}');
    apart(text).chars().filter(|c| !is_mark(c)).collect()
}

/// In small letters, with marks apart from their letters. The browser has the tables.
#[cfg(target_arch = "wasm32")]
fn apart(text: &str) -> String {
    let text = js_sys::JsString::from(text).normalize("NFKD").to_lower_case();
    String::from(text)
}

/// In small letters. Elsewhere letters keep their marks, unless these came apart.
#[cfg(not(target_arch = "wasm32"))]
fn apart(text: &str) -> String {
    text.to_lowercase()
}
