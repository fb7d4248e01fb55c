//! Effects of signals, and what is due later.

use leptos::prelude::*;
use std::time::Duration;

/// Runs `act` soon, and again when a signal that it has read changes. Boxed, so that all effects share one instantiation, which saves a
/// page more than a kilobyte for each.
pub(crate) fn effect(act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(act);
}

/// Runs `act` when the current owner is cleaned up. It may own what belongs to the browser, unlike that of [`on_cleanup`].
pub(crate) fn at_cleanup(act: impl FnOnce() + 'static) {
    let act: Box<dyn FnOnce()> = Box::new(act);
    let act = StoredValue::new_local(Some(act));
    on_cleanup(move || {
        if let Some(Some(act)) = act.try_update_value(Option::take) {
            act();
        }
    });
}

/// Runs `act` with the current owner in a task of its own, so that input comes first. If the owner is cleaned up until then, it does not run.
pub(crate) fn in_next_task(act: impl FnOnce() + 'static) {
    let act: Box<dyn FnOnce()> = Box::new(act);
    let owner = Owner::current().unwrap_or_default();
    // Fails only without a window.
    if let Ok(timer) = set_timeout_with_handle(move || owner.with(act), Duration::ZERO) {
        on_cleanup(move || timer.clear());
    }
}
