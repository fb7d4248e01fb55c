//! Moves the focus. The card does so only in answer to the user.

use super::shell::Shell;
use crate::browser::{self, focus_on, focus_quietly, scroll_to};
use crate::dom::Control;
use crate::labels::concat;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

impl Shell {
    pub(super) fn focus(&self, control: Control) {
        if let Some(element) = self.control(control) {
            focus_on(&element);
        }
    }

    /// Brings a question into view and focuses the first of these controls that is there. Returns true if there was one.
    pub(super) fn enter(&self, question: usize, ways: &[Control]) -> bool {
        let Some(control) = ways.iter().find_map(|way| self.control(*way)) else {
            return false;
        };
        let legend = self.card().ids().legend(question);
        // A legend has no box of its own.
        if let Some(text) = self.by_id(&legend).and_then(|legend| browser::element(&legend, "lastElementChild")) {
            scroll_to(&text);
        }
        scroll_to(&control);
        focus_quietly(&control);
        true
    }

    /// The element inside this card that has the focus.
    pub(super) fn focused_inside(&self) -> Option<Element> {
        let root = self.root.get()?;
        active_beside(root).filter(|active| root.contains(Some(active)))
    }

    /// The element that has the focus, in any open shadow tree; `None` if only the page itself has it.
    pub(super) fn focused(&self) -> Option<HtmlElement> {
        let document = self.document()?;
        let beside = self.root.get().and_then(|root| active_beside(root));
        let mut focused = beside.or_else(|| active_in(&document))?;
        while let Some(inner) = browser::node(&focused, "shadowRoot").and_then(|tree| active_in(&tree)) {
            focused = inner;
        }
        let is = |page| browser::element(&document, page).as_ref() == Some(&focused);
        let is_page = is("body") || is("documentElement");
        (!is_page).then(|| focused.unchecked_into())
    }

    pub(super) fn document(&self) -> Option<Node> {
        browser::node(self.root.get()?, "ownerDocument")
    }

    /// Scrolls the messages above the buttons, and the focused element, into view.
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

    /// The element of a control of this card, even if it is not shown yet.
    pub(super) fn made(&self, control: Control) -> Option<HtmlElement> {
        let id = self.card().ids().control(control);
        Some(self.by_id(&id)?.unchecked_into())
    }

    fn by_id(&self, id: &str) -> Option<Element> {
        // Looked up inside the root, because the card may be in a shadow tree. Ids need no escape (see `dom`).
        self.root.get()?.query_selector(&concat(&["#", id])).ok()?
    }
}

/// The focused element of the tree that an element is part of. The document reports the host of a shadow tree.
fn active_beside(element: &Element) -> Option<Element> {
    active_in(&element.get_root_node())
}

fn active_in(tree: &Node) -> Option<Element> {
    browser::element(tree, "activeElement")
}
