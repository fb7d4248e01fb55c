//! Taking the focus by oneself, where the host allows it and nobody is busy with anything else.

use super::focus::focus_quietly;
use super::machine::takes_answer;
use super::shell::{Shell, clock};
use crate::browser::{Listening, document, window};
use crate::once::Once;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent, ShadowRoot};

/// A key that comes this soon, in milliseconds, after the focus was claimed was meant for where the focus had been.
const TOO_SOON: f64 = 300.0;
/// What lies over the page or has the keyboard while it is open.
const OVERLAYS: &str = "dialog[open], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
/// The same, in a query of its own: older browsers refuse what they do not know.
const POPOVERS: &str = ":popover-open";

/// What a user does who is not idle.
const TOUCHES: [&str; 2] = ["pointerdown", "keydown"];

thread_local! {
    /// The calls whose card has claimed the focus in the life of this page, each by its key.
    static CLAIMED: Once = const { Once::new() };
}

/// Lets a card take the focus when its question has arrived.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFocus {
    watch: fn(&Claim),
    claim: fn(&Shell),
    gives_back: fn(&Shell, &KeyboardEvent) -> bool,
}

impl ClaimFocus {
    /// Once for each call in the life of the page, and only if the user is idle. That is so if all of this holds:
    ///
    /// - The user has not touched the page since the card appeared.
    /// - The page has the focus, and in it nothing or an empty text field.
    /// - No dialog and no menu is open.
    /// - There is a mouse or the like: a touch screen would cover the question with its keyboard.
    #[must_use]
    pub fn if_idle() -> Self {
        Self { watch: Claim::watch, claim: Shell::claim_focus, gives_back: Shell::gives_focus_back }
    }
}

/// Where a card stands with its claim.
#[derive(Default)]
pub(super) struct Claim {
    /// The user has been idle since the card appeared; never true where the host allows no claim.
    idle: Rc<Cell<bool>>,
    /// Sees the user touch the page.
    watching: OnceCell<Listening>,
    /// When the focus was claimed, and what had it.
    taken: RefCell<Option<(f64, Option<HtmlElement>)>>,
}

impl Claim {
    /// Watches from now on whether the user touches the page.
    fn watch(&self) {
        self.watching.get_or_init(|| {
            self.idle.set(true);
            let idle = self.idle.clone();
            Listening::before_all(&document(), &TOUCHES, move |_| idle.set(false))
        });
    }
}

impl Shell {
    /// Watches from now on whether the user touches the page, where the host allows a claim.
    pub(super) fn watch_for_claim(&self) {
        if let Some(claims) = self.claims {
            (claims.watch)(&self.claim);
        }
    }

    /// Takes the focus soon, if the host allows that.
    pub(super) fn claims(&self) {
        if let Some(claims) = self.claims {
            (claims.claim)(self);
        }
    }

    /// Whether a key goes back to where the focus was claimed from.
    pub(super) fn is_claimed_from(&self, key: &KeyboardEvent) -> bool {
        self.claims.is_some_and(|claims| (claims.gives_back)(self, key))
    }

    /// Gives the focus back if this key was on its way before the focus was claimed. The key then goes where it was meant to.
    fn gives_focus_back(&self, key: &KeyboardEvent) -> bool {
        let Some((at, from)) = self.claim.taken.take() else {
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

    /// Takes the focus soon, if the user is idle then.
    fn claim_focus(&self) {
        if self.claim.idle.get() {
            self.later(Duration::ZERO, Self::claim_now);
        }
    }

    fn claim_now(&self) {
        let waits = takes_answer(self.card.borrow().phase);
        if !self.claim.idle.get() || !waits || !self.is_page_idle() {
            return;
        }
        if CLAIMED.with(|claimed| claimed.is_first(&self.key)) {
            let from = self.focused();
            if self.enter_question(0) {
                self.claim.taken.replace(Some((clock(), from)));
            }
        }
    }

    fn is_page_idle(&self) -> bool {
        let has_mouse = window().match_media("(pointer: fine)").ok().flatten().is_some_and(|query| query.matches());
        let has_focus = document().has_focus().unwrap_or(false);
        has_mouse
            && has_focus
            && self.focused().is_none_or(|focused| is_empty_text_field(&focused))
            && !self.is_covered()
    }

    /// Whether something lies over the page that the card is not part of.
    fn is_covered(&self) -> bool {
        let Some(root) = self.root() else {
            return true;
        };
        let place = in_document(root.clone().into());
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
