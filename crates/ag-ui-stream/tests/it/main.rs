//! The crate from outside. One suite runs natively and, through `wasm-bindgen-test`, as wasm32.

mod args;
mod asks;
mod fixtures;
mod hostile;
mod properties;
mod reading;
mod replies;
mod sse;
mod threads;
mod wire;
