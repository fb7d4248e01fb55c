//! The crate from outside. One suite runs natively and, through `wasm-bindgen-test`, as wasm32: laws for any input with `serde_json` as the
//! oracle, and cases that they hardly reach.

mod halves;
mod hostile;
mod laws;
mod members;
mod partial;
mod pieces;
mod properties;
#[path = "../../../ag-ui-stream/examples/replay/so_far.rs"]
mod so_far;
