//! Where the focus goes. The card moves it only in answer to what the user did.

use super::state::CardState;
use crate::dom::Control;
use crate::draft::Problem;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

impl CardState {
    /// Puts the focus on a control, if it is there.
    pub(crate) fn focus(self, control: Control) {
        if let Some(element) = self.control(control) {
            // The browser refuses only where nothing can be focused at all.
            let _ = element.focus();
        }
    }

    /// Brings a question into view and puts the focus where its problem can be solved.
    pub(crate) fn focus_question(self, question: usize, problem: Problem) {
        let Some(control) = self.control(self.entry(question, problem)) else {
            return;
        };
        if let Some(legend) = self.by_id(&self.ids.legend(question)) {
            scroll_to(&legend);
        }
        scroll_to(&control);
        focus_quietly(&control);
    }

    /// Whether the focus is inside this card.
    pub(crate) fn has_focus(self) -> bool {
        let active = document().active_element();
        self.root
            .get_untracked()
            .is_some_and(|root| root.contains(active.as_deref()))
    }

    /// The element of a control of this card.
    pub(crate) fn control(self, control: Control) -> Option<HtmlElement> {
        self.by_id(&self.ids.control(control))?.dyn_into().ok()
    }

    fn entry(self, question: usize, problem: Problem) -> Control {
        let has_options = self.shown.questions.with_untracked(|shown| {
            shown
                .get(question)
                .is_some_and(|shown| shown.options.with_untracked(|options| !options.is_empty()))
        });
        match problem {
            Problem::OtherBlank => Control::OtherText { question },
            Problem::Unanswered if !has_options => Control::OtherText { question },
            Problem::Unanswered => Control::Option {
                question,
                option: 0,
            },
        }
    }

    fn by_id(self, id: &str) -> Option<Element> {
        // Looked up inside the root: the card may live in a shadow tree. Ids need no escape (see `dom`).
        self.root
            .get_untracked()?
            .query_selector(&format!("#{id}"))
            .ok()
            .flatten()
    }
}

/// Focuses without scrolling.
pub(crate) fn focus_quietly(element: &HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // The browser refuses only where nothing can be focused at all.
    let _ = element.focus_with_options(&options);
}

fn scroll_to(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}
