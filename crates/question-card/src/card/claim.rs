//! Taking the focus by oneself, where the host allows it and nobody is busy with anything else.

use super::focus::focus_quietly;
use super::state::{CardState, takes_answer};
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent, ShadowRoot};

/// Whether a card may take the focus when its question has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClaimFocus {
    /// Never. Whoever reads or writes elsewhere is not disturbed.
    #[default]
    Never,
    /// Once for each call in the life of the page, and only if the user has not touched the page since the card appeared, the page has the
    /// focus and in it nothing or an empty text field, no dialog or menu is open, and there is a mouse or the like: a touch screen would
    /// cover the question with its keyboard.
    IfIdle,
}

/// A key that comes this soon, in milliseconds, after the focus was claimed was meant for where the focus had been.
const TOO_SOON: f64 = 300.0;
/// What lies over the page or has the keyboard while it is open.
const OVERLAYS: &str = "dialog[open], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
/// The same, in a query of its own: older browsers refuse what they do not know.
const POPOVERS: &str = ":popover-open";

thread_local! {
    /// The calls whose card has claimed the focus in the life of this page, each by its key.
    static CLAIMED: RefCell<HashSet<String>> = RefCell::new(HashSet::new());
}

/// Where a card stands with its claim.
#[derive(Clone, Copy)]
pub(crate) struct Claim {
    /// The user has been idle since the card appeared; never true where the host allows no claim.
    idle: StoredValue<bool>,
    /// When the focus was claimed, and what had it.
    taken: StoredValue<Option<(f64, Option<HtmlElement>)>, LocalStorage>,
}

impl Claim {
    pub(crate) fn new() -> Self {
        Self { idle: StoredValue::new(false), taken: StoredValue::new_local(None) }
    }

    /// Watches from now on whether the user touches the page.
    pub(crate) fn watch(self) {
        self.idle.set_value(true);
        let on_act = Closure::<dyn FnMut()>::new(move || {
            self.idle.try_set_value(false);
        });
        // In the capture phase, so that nobody can hide it from us.
        for name in ["pointerdown", "keydown"] {
            let listener = on_act.as_ref().unchecked_ref();
            // The browser refuses only what is no listener.
            let _ = document().add_event_listener_with_callback_and_bool(name, listener, true);
        }
        let listening = StoredValue::new_local(on_act);
        on_cleanup(move || {
            listening.try_with_value(|on_act| {
                for name in ["pointerdown", "keydown"] {
                    let listener = on_act.as_ref().unchecked_ref();
                    let _ = document().remove_event_listener_with_callback_and_bool(name, listener, true);
                }
            });
        });
    }
}

impl CardState {
    /// Gives the focus back if this key was on its way before the focus was claimed. The key then goes where it was meant to.
    pub(crate) fn gives_focus_back(self, key: &KeyboardEvent) -> bool {
        let taken = self.claim.taken.try_update_value(Option::take);
        let Some((at, from)) = taken.flatten() else {
            return false;
        };
        let too_soon = key.time_stamp() - at < TOO_SOON;
        if too_soon {
            match (from, self.focused()) {
                (Some(from), _) => focus_quietly(&from),
                (None, Some(ours)) => {
                    // The browser refuses only where nothing has the focus.
                    let _ = ours.blur();
                }
                (None, None) => {}
            }
        }
        too_soon
    }

    /// Takes the focus once the views have followed, if the user is idle then.
    pub(crate) fn claim_focus(self) {
        if self.claim.idle.get_value() {
            set_timeout(move || self.claim_now(), Duration::ZERO);
        }
    }

    fn claim_now(self) {
        let idle = self.claim.idle.try_get_value() == Some(true);
        if !idle || !takes_answer(self.shown.phase.get_untracked()) || !self.is_page_idle() {
            return;
        }
        let key = self.key.get_value();
        if CLAIMED.with_borrow_mut(|claimed| claimed.insert(key)) {
            let from = self.focused();
            if self.enter_question(0)
                && let Some(clock) = window().performance()
            {
                self.claim.taken.set_value(Some((clock.now(), from)));
            }
        }
    }

    fn is_page_idle(self) -> bool {
        let has_mouse = window().match_media("(pointer: fine)").ok().flatten().is_some_and(|query| query.matches());
        let has_focus = document().has_focus().unwrap_or(false);
        has_mouse
            && has_focus
            && self.focused().is_none_or(|focused| is_empty_text_field(&focused))
            && !self.is_covered()
    }

    /// Whether something lies over the page that the card is not part of.
    fn is_covered(self) -> bool {
        let Some(root) = self.root_element() else {
            return true;
        };
        let place = in_document(root.into());
        let overlays =
            [OVERLAYS, POPOVERS].into_iter().filter_map(|selector| document().query_selector_all(selector).ok());
        overlays
            .flat_map(|found| (0..found.length()).filter_map(move |index| found.item(index)))
            .filter_map(|node| node.dyn_into::<Element>().ok())
            .any(|overlay| is_visible(&overlay) && !overlay.contains(Some(&place)))
    }
}

/// The element itself, or in whose shadow trees it is.
fn in_document(mut element: Element) -> Element {
    while let Ok(tree) = element.get_root_node().dyn_into::<ShadowRoot>() {
        element = tree.host();
    }
    element
}

fn is_empty_text_field(element: &HtmlElement) -> bool {
    if let Some(area) = element.dyn_ref::<HtmlTextAreaElement>() {
        area.value().is_empty()
    } else if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
        input.type_() == "text" && input.value().is_empty()
    } else {
        element.is_content_editable() && element.text_content().unwrap_or_default().is_empty()
    }
}

fn is_visible(element: &Element) -> bool {
    element.get_client_rects().length() > 0
}
