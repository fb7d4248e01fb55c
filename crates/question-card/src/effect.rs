//! Effects of signals.

use leptos::prelude::*;

/// Runs `act` soon, and again when a signal that it has read changes. Boxed, so that all effects share one instantiation, which saves a
/// page more than a kilobyte for each.
pub(crate) fn effect(act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(act);
}
