//! What follows from signals.

use leptos::prelude::*;

/// Runs `act` soon, and whenever something that it has read has changed. For the compiler all of them are one, which saves a page
/// more than a kilobyte for each.
pub(crate) fn effect(act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(act);
}
