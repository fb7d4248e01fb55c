//! What the card tells the page around it, as events that bubble.

use web_sys::{CustomEvent, CustomEventInit, HtmlElement};

/// An answer is waited for now.
pub(super) const WAITING: &str = "qc-waiting";
/// The ask is over. A host that calls `preventDefault` takes care of the focus itself.
pub(super) const RESOLVED: &str = "qc-resolved";

/// Dispatches an event at the card's root. Says whether nobody prevented its default.
pub(super) fn dispatch(root: &HtmlElement, name: &str) -> bool {
    let init = CustomEventInit::new();
    init.set_bubbles(true);
    init.set_composed(true);
    init.set_cancelable(name == RESOLVED);
    let event = CustomEvent::new_with_event_init_dict(name, &init);
    event.map_or(true, |event| root.dispatch_event(&event).unwrap_or(true))
}
