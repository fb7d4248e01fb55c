//! The crate from outside. One suite runs natively and, through `wasm-bindgen-test`, as wasm32. Natively, a JSON Schema validator and the
//! crate's rules must agree about generated asks.

mod arriving;
mod asks;
mod attachments;
mod command_line;
mod conditions;
mod examples;
mod feeding;
#[cfg(not(target_arch = "wasm32"))]
mod files;
mod generate;
mod inputs;
mod outcomes;
mod pictures;
mod properties;
mod replies;
#[cfg(not(target_arch = "wasm32"))]
mod schema;
mod snapshots;
mod tool;
