//! The card's styles for pages that do not link `style/question-card.css` themselves.

use std::cell::RefCell;
use wasm_bindgen::JsValue;
use web_sys::{CssStyleSheet, ShadowRoot};

/// The rules of `style/question-card.css`, without comments.
pub const STYLESHEET: &str = include_str!(concat!(env!("OUT_DIR"), "/question-card.css"));

/// Adopts [`STYLESHEET`] in the document as a constructed style sheet, which a strict Content-Security-Policy allows. Calling it again
/// changes nothing.
///
/// # Errors
/// The browser's error if it has no constructed style sheets.
pub fn adopt_styles() -> Result<(), JsValue> {
    match web_sys::window().and_then(|window| window.document()) {
        Some(document) => adopt(&document.adopted_style_sheets()),
        None => Ok(()),
    }
}

/// Like [`adopt_styles`], for a card in a shadow tree, which the document's styles do not reach.
///
/// # Errors
/// The browser's error if it has no constructed style sheets.
pub fn adopt_styles_in(tree: &ShadowRoot) -> Result<(), JsValue> {
    adopt(&tree.adopted_style_sheets())
}

fn adopt(adopted: &js_sys::Array) -> Result<(), JsValue> {
    let sheet = sheet()?;
    if !adopted.includes(&sheet, 0) {
        adopted.push(&sheet);
    }
    Ok(())
}

/// The one sheet that the document and all trees share.
fn sheet() -> Result<CssStyleSheet, JsValue> {
    thread_local! { static SHEET: RefCell<Option<CssStyleSheet>> = const { RefCell::new(None) }; }
    SHEET.with_borrow_mut(|shared| {
        if let Some(sheet) = shared {
            return Ok(sheet.clone());
        }
        let sheet = CssStyleSheet::new()?;
        sheet.replace_sync(STYLESHEET)?;
        *shared = Some(sheet.clone());
        Ok(sheet)
    })
}
