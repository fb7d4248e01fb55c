//! Case folding for the search: texts without case and diacritics.

/// Lowercases the text, and removes diacritics and the vowel signs of Hebrew and Arabic.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let is_mark = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{3099}' | '\u{309a}');
    apart(text).chars().filter(|c| !is_mark(c)).collect()
}

/// Lowercases the text and decomposes it (NFKD) by the browser's tables.
#[cfg(target_arch = "wasm32")]
fn apart(text: &str) -> String {
    let text = js_sys::JsString::from(text).normalize("NFKD").to_lower_case();
    String::from(text)
}

/// Lowercases the text. Outside a browser there are no tables to decompose it, so precomposed letters keep their marks.
#[cfg(not(target_arch = "wasm32"))]
fn apart(text: &str) -> String {
    text.to_lowercase()
}
