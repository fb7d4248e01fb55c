//! The crate from outside. One suite runs natively and, through `wasm-bindgen-test`, as wasm32: cases of `JSONTestSuite`, and laws for any
//! input with `serde_json` as the oracle.

mod halves;
mod hostile;
mod laws;
mod members;
mod partial;
mod pieces;
mod properties;
