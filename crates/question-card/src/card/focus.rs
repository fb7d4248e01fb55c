//! Where the focus goes. The card moves it only in answer to what the user did.

use super::shell::Shell;
use crate::browser::{self, set_flag, set_text, text};
use crate::dom::Control;
use crate::keyboard::TAB;
use crate::labels::concat;
use js_sys::Object;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, Node};

impl Shell {
    /// Puts the focus on a control, if it is there.
    pub(super) fn focus(&self, control: Control) {
        if let Some(element) = self.control(control) {
            focus_on(&element);
        }
    }

    /// Brings a question into view, and the focus to the first of these controls that is there. Says whether there was one.
    pub(super) fn enter(&self, question: usize, ways: &[Control]) -> bool {
        let Some(control) = ways.iter().find_map(|way| self.control(*way)) else {
            return false;
        };
        let legend = self.card.borrow().ids.legend(question);
        // The legend itself has no box.
        if let Some(text) = self.by_id(&legend).and_then(|legend| browser::element(&legend, "lastElementChild")) {
            scroll_to(&text);
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
        let document = self.document()?;
        let beside = self.root().and_then(|root| active_beside(root));
        let mut focused = beside.or_else(|| active_in(&document))?;
        while let Some(inner) = browser::node(&focused, "shadowRoot").and_then(|tree| active_in(&tree)) {
            focused = inner;
        }
        let is = |page| browser::element(&document, page).as_ref() == Some(&focused);
        let is_page = is("body") || is("documentElement");
        (!is_page).then(|| focused.unchecked_into())
    }

    /// The document that the card is in.
    pub(super) fn document(&self) -> Option<Node> {
        browser::node(self.root()?, "ownerDocument")
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
        Some(self.by_id(&id)?.unchecked_into())
    }

    fn by_id(&self, id: &str) -> Option<Element> {
        // Looked up inside the root: the card may live in a shadow tree. Ids need no escape (see `dom`).
        self.root()?.query_selector(&concat(&["#", id])).ok()?
    }
}

/// What has the focus in the tree that an element is part of. For the document all of a shadow tree is its host.
fn active_beside(element: &Element) -> Option<Element> {
    active_in(&element.get_root_node())
}

/// What has the focus in a tree.
fn active_in(tree: &Node) -> Option<Element> {
    browser::element(tree, "activeElement")
}

/// Focuses, and lets the browser scroll there.
pub(super) fn focus_on(element: &HtmlElement) {
    focus_with(element, false);
}

/// Focuses without scrolling.
pub(super) fn focus_quietly(element: &HtmlElement) {
    focus_with(element, true);
}

fn focus_with(element: &HtmlElement, prevents_scroll: bool) {
    let options = Object::new();
    set_flag(&options, "preventScroll", prevents_scroll);
    // The browser refuses only where nothing can be focused at all.
    let _ = element.focus_with_options(options.unchecked_ref());
}

/// Brings a text field that Tab has come to into view as its `scroll-margin` wants it: browsers themselves look at the caret alone there,
/// and leave it below whatever stays at the edge of the window.
pub(super) fn show_field(event: &Event, target: &Element) {
    if text(target, "localName") == "textarea" && text(event, "key") == TAB {
        scroll_to(target);
    }
}

fn scroll_to(element: &Element) {
    let options = Object::new();
    set_text(&options, "block", "nearest");
    element.scroll_into_view_with_scroll_into_view_options(options.unchecked_ref());
}
