//! Taking the focus by oneself, where the host allows it and nobody is busy with anything else.

use super::focus::focus_quietly;
use super::shell::Shell;
use crate::browser::{self, Listening, clock, find_all, flag, match_media, number, page_has_focus, text};
use crate::once::Once;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, Node};

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
    watch: fn(&Claim, &Node),
    claim: fn(&Shell),
    gives_back: fn(&Shell, &Event) -> bool,
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
    fn watch(&self, document: &Node) {
        self.watching.get_or_init(|| {
            self.idle.set(true);
            let idle = self.idle.clone();
            Listening::before_all(document, &TOUCHES, move |_| idle.set(false))
        });
    }
}

impl Shell {
    /// Watches from now on whether the user touches the page, where the host allows a claim.
    pub(super) fn watch_for_claim(&self) {
        if let (Some(claims), Some(document)) = (self.allows_claim(), self.document()) {
            (claims.watch)(&self.claim, &document);
        }
    }

    /// Takes the focus soon, if the host allows that.
    pub(super) fn claims(&self) {
        if let Some(claims) = self.allows_claim() {
            (claims.claim)(self);
        }
    }

    /// Whether a key goes back to where the focus was claimed from.
    pub(super) fn is_claimed_from(&self, key: &Event) -> bool {
        self.allows_claim().is_some_and(|claims| (claims.gives_back)(self, key))
    }

    fn allows_claim(&self) -> Option<ClaimFocus> {
        self.card.borrow().options.claim_focus
    }

    /// Gives the focus back if this key was on its way before the focus was claimed. The key then goes where it was meant to.
    fn gives_focus_back(&self, key: &Event) -> bool {
        let Some((at, from)) = self.claim.taken.take() else {
            return false;
        };
        let too_soon = number(key, "timeStamp") - at < TOO_SOON;
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
        let waits = self.card.borrow().phase.takes_answer();
        if !self.claim.idle.get() || !waits || !self.is_page_idle() {
            return;
        }
        if CLAIMED.with(|claimed| claimed.is_first(&self.card.borrow().key)) {
            let from = self.focused();
            if self.enter_question(0) {
                self.claim.taken.replace(Some((clock(), from)));
            }
        }
    }

    fn is_page_idle(&self) -> bool {
        flag(&match_media("(pointer: fine)"), "matches")
            && page_has_focus()
            && self.focused().is_none_or(|focused| is_empty_text_field(&focused))
            && !self.is_covered()
    }

    /// Whether something lies over the page that the card is not part of.
    fn is_covered(&self) -> bool {
        let Some(root) = self.root() else {
            return true;
        };
        let place = in_document(root.clone().into());
        for found in [find_all(OVERLAYS), find_all(POPOVERS)].into_iter().flatten() {
            for index in 0..number(&found, "length") as u32 {
                let overlay: Option<Element> = found.item(index).map(JsCast::unchecked_into);
                if overlay.is_some_and(|overlay| is_visible(&overlay) && !overlay.contains(Some(&place))) {
                    return true;
                }
            }
        }
        false
    }
}

/// The element itself, or in whose shadow trees it is.
fn in_document(mut element: Element) -> Element {
    while let Some(host) = browser::element(&element.get_root_node(), "host") {
        element = host;
    }
    element
}

fn is_empty_text_field(element: &HtmlElement) -> bool {
    let is_empty = |name| text(element, name).is_empty();
    match text(element, "localName").as_str() {
        "textarea" => is_empty("value"),
        "input" => text(element, "type") == "text" && is_empty("value"),
        _ => flag(element, "isContentEditable") && is_empty("textContent"),
    }
}

fn is_visible(element: &Element) -> bool {
    number(&element.get_client_rects(), "length") > 0.0
}
