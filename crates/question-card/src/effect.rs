//! What follows from signals.

use leptos::prelude::*;

/// Runs `act` soon, and whenever something that it has read has changed. For the compiler all of them are one, which saves a page
/// more than a kilobyte for each.
pub(crate) fn effect(act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(act);
}

/// Changes a signal, where that is a change: whoever has read it is not called for nothing. Says whether it was one.
pub(crate) fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) -> bool {
    let changed = signal.with_untracked(|now| *now != value);
    if changed {
        signal.set(value);
    }
    changed
}
