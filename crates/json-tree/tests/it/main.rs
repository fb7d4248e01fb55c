//! The crate from outside. One suite runs natively and, through `wasm-bindgen-test`, as wasm32.

mod halves;
mod hostile;
mod partial;
mod pieces;
mod properties;
mod suite;
