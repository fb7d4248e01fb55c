//! What the card tells the page around it, as events that bubble.

use leptos::html::Section;
use leptos::prelude::*;
use web_sys::{CustomEvent, CustomEventInit};

/// An answer is waited for now.
pub(crate) const WAITING: &str = "qc-waiting";
/// The ask is over. A host that calls `preventDefault` takes care of the focus itself.
pub(crate) const RESOLVED: &str = "qc-resolved";

/// Dispatches an event at the card's root. Says whether nobody prevented its default.
pub(crate) fn dispatch(root: NodeRef<Section>, name: &str) -> bool {
    let init = CustomEventInit::new();
    init.set_bubbles(true);
    init.set_composed(true);
    init.set_cancelable(name == RESOLVED);
    let event = CustomEvent::new_with_event_init_dict(name, &init);
    match (root.get_untracked(), event) {
        (Some(root), Ok(event)) => root.dispatch_event(&event).unwrap_or(true),
        _ => true,
    }
}
