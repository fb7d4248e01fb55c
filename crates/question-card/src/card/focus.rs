//! Where the focus goes. The card moves it only in answer to what the user did.

use super::state::CardState;
use crate::anatomy::part;
use crate::dom::Control;
use crate::draft::Problem;
use crate::keyboard::TAB;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, FocusOptions, HtmlElement, HtmlTextAreaElement, KeyboardEvent, ScrollIntoViewOptions,
    ScrollLogicalPosition, ShadowRoot,
};

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
        self.enter(question, self.entry(question, problem));
    }

    /// As [`focus_question`](Self::focus_question), where nothing needs to be wrong: to what is chosen, or where a choice begins. Says
    /// whether there was anything.
    pub(crate) fn enter_question(self, question: usize) -> bool {
        let text = Control::OtherText { question };
        let (option, is_other) =
            self.draft.with_untracked(|draft| (draft.chosen(question), draft.is_other_chosen(question)));
        let chosen = match option {
            Some(option) => vec![Control::Option { question, option }],
            // Where one tap answers there is nothing but the text.
            None if is_other => vec![Control::Other { question }, text],
            None => Vec::new(),
        };
        let first = self.entry(question, Problem::Unanswered);
        let mut ways = chosen.into_iter().chain([first, text]);
        ways.any(|way| self.enter(question, way))
    }

    /// Puts the focus where the user would go on. Says whether there was anything.
    pub(crate) fn focus_next(self) -> bool {
        let receipt = || self.find(&format!(".{}", part::RECEIPT));
        let next = || {
            let problems = self.problems_untracked();
            let (question, _) = *problems.first()?;
            self.enter_question(question).then_some(())
        };
        let ways_out = || {
            let controls = [Control::Submit, Control::OtherText { question: 0 }, Control::Cancel];
            let control = controls.into_iter().find_map(|control| self.control(control))?;
            control.focus().ok()
        };
        match receipt().and_then(|receipt| receipt.dyn_into().ok()) {
            Some(receipt) => {
                focus_quietly(&receipt);
                true
            }
            None => next().or_else(ways_out).is_some(),
        }
    }

    fn enter(self, question: usize, control: Control) -> bool {
        let Some(control) = self.control(control) else {
            return false;
        };
        if let Some(legend) = self.find(&format!("#{}", self.ids.legend(question))) {
            scroll_to(&legend);
        }
        scroll_to(&control);
        focus_quietly(&control);
        true
    }

    /// Whether the focus is inside this card.
    pub(crate) fn has_focus(self) -> bool {
        self.root_element().is_some_and(|root| root.contains(active_beside(&root).as_deref()))
    }

    /// What has the focus; nothing if it is the page itself.
    pub(crate) fn focused(self) -> Option<HtmlElement> {
        let beside = self.root_element().and_then(|root| active_beside(&root));
        let focused = beside.or_else(|| document().active_element())?;
        let focused: HtmlElement = focused.dyn_into().ok()?;
        let is_page = document().body().is_some_and(|body| body == focused)
            || document().document_element().as_ref() == Some(focused.as_ref());
        (!is_page).then_some(focused)
    }

    /// Keeps the focus on a control that is about to be made anew.
    pub(crate) fn keep_focus(self) {
        let focused = self.focused().and_then(|focused| self.ids.parse(&focused.id()));
        if let Some(control) = focused {
            let go_back = move || {
                if self.focused().is_none()
                    && let Some(control) = self.control(control)
                {
                    focus_quietly(&control);
                }
            };
            // When the views have followed.
            set_timeout(go_back, Duration::ZERO);
        }
    }

    /// Brings what is said above the buttons, and what has the focus, into view.
    pub(crate) fn show_focus_soon(self) {
        let show = move || {
            if self.has_focus()
                && let Some(focused) = self.focused()
            {
                if let Some(last) = self.control(Control::Cancel) {
                    scroll_to(&last);
                }
                scroll_to(&focused);
            }
        };
        set_timeout(show, Duration::ZERO);
    }

    /// The element of a control of this card, if it is shown.
    pub(crate) fn control(self, control: Control) -> Option<HtmlElement> {
        let is_shown = |element: &HtmlElement| matches!(element.closest("[hidden]"), Ok(None));
        self.made(control).filter(is_shown)
    }

    /// The element of a control of this card, which may be still to be shown.
    pub(crate) fn made(self, control: Control) -> Option<HtmlElement> {
        // Ids need no escape (see `dom`).
        self.find(&format!("#{}", self.ids.control(control)))?.dyn_into().ok()
    }

    fn entry(self, question: usize, problem: Problem) -> Control {
        let has_options = self.shown.questions.with_untracked(|shown| {
            shown.get(question).is_some_and(|shown| shown.options.with_untracked(|options| !options.is_empty()))
        });
        match problem {
            Problem::OtherBlank | Problem::OtherTooLong { .. } => Control::OtherText { question },
            Problem::NoteTooLong { .. } => Control::Note { question },
            Problem::Unanswered if !has_options => Control::OtherText { question },
            Problem::Unanswered => Control::Option { question, option: 0 },
        }
    }

    fn find(self, selector: &str) -> Option<Element> {
        // Looked up inside the root: the card may live in a shadow tree.
        self.root_element()?.query_selector(selector).ok()?
    }

    /// The root, unless the card is gone: timers outlive it.
    pub(crate) fn root_element(self) -> Option<HtmlElement> {
        self.root.try_get_untracked().flatten()
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
pub(crate) fn focus_quietly(element: &HtmlElement) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    // The browser refuses only where nothing can be focused at all.
    let _ = element.focus_with_options(&options);
}

/// Brings a text field that Tab has come to into view as its `scroll-margin` wants it: browsers themselves look at the caret alone there,
/// and leave it below whatever stays at the edge of the window.
pub(crate) fn show_field(event: &KeyboardEvent) {
    let target = event.target();
    if let Some(field) = target.and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok())
        && event.key() == TAB
    {
        scroll_to(&field);
    }
}

fn scroll_to(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}
