//! Claims the focus for a card, if the host allows it and the user is idle.

use super::shell::{Claim, Shell};
use crate::browser::{
    self, Listening, clock, each_inside, flag, focus_quietly, match_media, number, page_has_focus, text,
};
use crate::once::Once;
use std::time::Duration;
use web_sys::{Element, Event, HtmlElement, Node};

/// A key pressed this soon (milliseconds) after the claim was meant for the element that had the focus before.
const TOO_SOON: f64 = 300.0;
/// Elements that lie over the page or take the keyboard while they are open.
const OVERLAYS: &str = "dialog[open], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
/// Popovers, in a query of its own: an older browser refuses a selector that it does not know.
const POPOVERS: &str = ":popover-open";

/// Events by which the user shows not to be idle.
const TOUCHES: [&str; 2] = ["pointerdown", "keydown"];

thread_local! {
    /// The keys of the calls whose card has claimed the focus since the page was loaded.
    static CLAIMED: Once = const { Once::new() };
}

/// Lets a card take the focus when its question has arrived.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFocus {
    watch: fn(&Claim, &Node),
    claim: fn(&Shell),
    return_focus: fn(&Shell, &Event) -> bool,
}

impl ClaimFocus {
    /// Claims once for each call in the life of the page, and only if the user is idle. That is so if all of this holds:
    ///
    /// - The user has not touched the page since the card appeared.
    /// - The page has the focus, and in it nothing or an empty text field.
    /// - No dialog and no menu is open.
    /// - There is a mouse or similar: on a touch screen the keyboard would cover the question.
    #[must_use]
    pub fn if_idle() -> Self {
        Self { watch: Claim::watch, claim: Shell::claim_focus, return_focus: Shell::return_focus }
    }
}

impl Claim {
    /// Watches from now on for input by the user.
    fn watch(&self, document: &Node) {
        self.watching.get_or_init(|| {
            self.idle.set(true);
            let idle = self.idle.clone();
            Listening::before_all(document, &TOUCHES, move |_| idle.set(false))
        });
    }
}

impl Shell {
    /// Watches from now on for input by the user, if the host allows a claim.
    pub(super) fn watch_for_claim(&self) {
        if let (Some(claims), Some(document)) = (self.allows_claim(), self.document()) {
            (claims.watch)(&self.claim, &document);
        }
    }

    /// Claims the focus soon, if the host allows it.
    pub(super) fn request_focus(&self) {
        if let Some(claims) = self.allows_claim() {
            (claims.claim)(self);
        }
    }

    /// Returns the focus to where it was if this key was meant for that element, and then returns true.
    pub(super) fn returns_focus(&self, key: &Event) -> bool {
        self.allows_claim().is_some_and(|claims| (claims.return_focus)(self, key))
    }

    fn allows_claim(&self) -> Option<ClaimFocus> {
        self.card.borrow().options.claim_focus
    }

    /// Returns the focus to where it was if this key was pressed before the user could see the claim, and then returns true. The key
    /// reaches the element that it was meant for.
    fn return_focus(&self, key: &Event) -> bool {
        let Some((at, from)) = self.claim.taken.take() else {
            return false;
        };
        let too_soon = number(key, "timeStamp") - at < TOO_SOON;
        if too_soon {
            match (from, self.focused()) {
                (Some(from), _) => focus_quietly(&from),
                (None, Some(ours)) => {
                    // Refused only if nothing has the focus.
                    let _ = ours.blur();
                }
                (None, None) => {}
            }
        }
        too_soon
    }

    /// Claims the focus soon, if the user is still idle then.
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
        if CLAIMED.with(|claimed| claimed.insert(&self.card.borrow().key)) {
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

    /// Returns true if an overlay is open that does not contain the card.
    fn is_covered(&self) -> bool {
        let page = self.document().and_then(|document| browser::element(&document, "documentElement"));
        let (Some(root), Some(page)) = (self.root.get(), page) else {
            return true;
        };
        let place = in_document(root.clone().into());
        let mut is_covered = false;
        for selector in [OVERLAYS, POPOVERS] {
            each_inside(&page, selector, &mut |overlay| {
                is_covered |= is_visible(overlay) && !overlay.contains(Some(&place));
            });
        }
        is_covered
    }
}

/// The element itself, or the outermost host of the shadow trees around it.
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
