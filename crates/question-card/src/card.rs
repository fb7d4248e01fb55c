//! The card: one ask as a form.
//!
//! `machine` decides what happens, independent of the browser. `view` draws the card, and changes nothing. `shell` carries events to the
//! machine and changes to the page. [`MountedCard`] feeds it in any page, the Leptos component from the host's signals.

#[cfg(feature = "leptos")]
pub(crate) mod component;
pub(crate) mod extras;
pub(crate) mod files;
#[cfg(feature = "leptos")]
mod handle;
mod host;
pub(crate) mod machine;
#[cfg(feature = "leptos")]
mod options;
pub(crate) mod view;

pub(crate) use self::machine::Unsettled;

mod focus;
mod listening;
mod mounted;
mod shell;

pub(crate) use self::extras::*;
pub(crate) use self::files::*;
#[cfg(feature = "leptos")]
pub use self::handle::FocusHandle;
pub use self::host::{Acceptance, CardEvent, Offers, Options};
pub use self::mounted::MountedCard;
#[cfg(feature = "leptos")]
pub use self::options::CardOptions;

/// How an answer is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubmitMode {
    /// The user picks, then presses Submit. A choice alone sends nothing.
    #[default]
    Explicit,
    /// One activation of an option answers at once. Applies only to an ask of exactly one single-select question without previews; any
    /// other ask is shown as [`Explicit`](Self::Explicit).
    OnPick,
}

/// The layout of several questions. A single one looks the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// One below the other, with the buttons and the progress at the lower edge of the visible part.
    #[default]
    Stacked,
    /// One at a time, below a list of all of them, with Back and Next beside Submit. A pick never turns to the next; Enter on an answered
    /// question does. A question is a step from when it begins to arrive, and a user who is on a step stays there.
    Stepped,
}
