//! The custom element `<question-card>`, for pages without Leptos, and the agent's side of the tool for JavaScript.
//!
//! The JavaScript side is hand-written (`js`): the class of the element, and functions over JSON, which call this crate. It is built three times
//! for the npm package: for the card, for the repair of arguments that are not in the tool's own form, and for [`agent`]; `cargo xtask pack`
//! does that.
//!
//! There is a card on wasm32 only. A function that returns an error throws in JavaScript.

/// A card's data is small and short-lived; the standard allocator's code is a tenth of the program's.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[cfg(feature = "agent")]
pub mod agent;
pub mod call;
#[cfg(all(target_arch = "wasm32", feature = "card"))]
pub mod card;
#[cfg(all(target_arch = "wasm32", feature = "repair"))]
pub mod repair;
