//! The card's styles for pages that do not link `style/question-card.css` themselves.

/// The text of `style/question-card.css`.
pub const STYLESHEET: &str = include_str!("../../../style/question-card.css");

/// Adopts [`STYLESHEET`] in the document as a constructed style sheet, which a strict Content-Security-Policy allows. Calling it again
/// changes nothing.
///
/// # Errors
/// The browser's error where it has no constructed style sheets.
pub fn adopt_styles() -> Result<(), wasm_bindgen::JsValue> {
    thread_local! { static ADOPTED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) }; }
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return Ok(());
    };
    if ADOPTED.get() {
        return Ok(());
    }
    let sheet = web_sys::CssStyleSheet::new()?;
    sheet.replace_sync(STYLESHEET)?;
    document.adopted_style_sheets().push(&sheet);
    ADOPTED.set(true);
    Ok(())
}
