//! Where the focus goes. The card moves it only in answer to what the user did.

use super::shell::Shell;
use crate::browser::document;
use crate::dom::Control;
use crate::keyboard::TAB;
use crate::labels::concat;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, FocusOptions, HtmlElement, HtmlTextAreaElement, KeyboardEvent, ScrollIntoViewOptions,
    ScrollLogicalPosition, ShadowRoot,
};

impl Shell {
    /// Puts the focus on a control, if it is there.
    pub(super) fn focus(&self, control: Control) {
        if let Some(element) = self.control(control) {
            // The browser refuses only where nothing can be focused at all.
            let _ = element.focus();
        }
    }

    /// Brings a question into view, and the focus to the first of these controls that is there. Says whether there was one.
    pub(super) fn enter(&self, question: usize, ways: &[Control]) -> bool {
        let Some(control) = ways.iter().find_map(|way| self.control(*way)) else {
            return false;
        };
        let legend = self.card.borrow().ids.legend(question);
        if let Some(legend) = self.by_id(&legend) {
            scroll_to(&legend);
        }
        scroll_to(&control);
        focus_quietly(&control);
        true
    }

    /// What has the focus inside this card.
    pub(super) fn focused_inside(&self) -> Option<Element> {
        let root = self.root()?;
        active_beside(root).filter(|active| root.contains(Some(active)))
    }

    /// What has the focus, in whichever open tree; nothing if it is the page itself.
    pub(super) fn focused(&self) -> Option<HtmlElement> {
        let beside = self.root().and_then(|root| active_beside(root));
        let mut focused = beside.or_else(|| document().active_element())?;
        while let Some(inner) = focused.shadow_root().and_then(|tree| tree.active_element()) {
            focused = inner;
        }
        let is_page = document().body().is_some_and(|body| *body == focused)
            || document().document_element().as_ref() == Some(&focused);
        if is_page { None } else { focused.dyn_into().ok() }
    }

    /// Brings what is said above the buttons, and what has the focus, into view.
    pub(super) fn show_focus(&self) {
        if let Some(focused) = self.focused_inside() {
            if let Some(last) = self.control(Control::Cancel) {
                scroll_to(&last);
            }
            scroll_to(&focused);
        }
    }

    /// The element of a control of this card, if it is shown.
    pub(super) fn control(&self, control: Control) -> Option<HtmlElement> {
        self.made(control).filter(|element| matches!(element.closest("[hidden]"), Ok(None)))
    }

    /// The element of a control of this card, which may be still to be shown.
    pub(super) fn made(&self, control: Control) -> Option<HtmlElement> {
        let id = self.card.borrow().ids.control(control);
        self.by_id(&id)?.dyn_into().ok()
    }

    fn by_id(&self, id: &str) -> Option<Element> {
        // Looked up inside the root: the card may live in a shadow tree. Ids need no escape (see `dom`).
        self.root()?.query_selector(&concat(&["#", id])).ok()?
    }
}

/// What has the focus in the tree that an element is part of. For the document all of a shadow tree is its host.
fn active_beside(element: &Element) -> Option<Element> {
    match element.get_root_node().dyn_into::<ShadowRoot>() {
        Ok(tree) => tree.active_element(),
        Err(_) => document().active_element(),
    }
}

/// Focuses without scrolling.
pub(super) fn focus_quietly(element: &HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // The browser refuses only where nothing can be focused at all.
    let _ = element.focus_with_options(&options);
}

/// Brings a text field that Tab has come to into view as its `scroll-margin` wants it: browsers themselves look at the caret alone there,
/// and leave it below whatever stays at the edge of the window.
pub(super) fn show_field(event: &KeyboardEvent, target: &Element) {
    if target.is_instance_of::<HtmlTextAreaElement>() && event.key() == TAB {
        scroll_to(target);
    }
}

fn scroll_to(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}
