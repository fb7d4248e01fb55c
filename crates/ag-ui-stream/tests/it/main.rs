//! The crate from outside. One suite runs natively and, through `wasm-bindgen-test`, as wasm32.
#![cfg_attr(
    not(feature = "legacy"),
    allow(dead_code, unused_imports, reason = "tests of what that feature reads use them")
)]

mod agents;
#[cfg(not(target_arch = "wasm32"))]
mod allocation;
mod asks;
mod astray;
mod changes;
mod chat;
#[cfg(not(target_arch = "wasm32"))]
mod command_line;
mod fixtures;
mod hostile;
mod interrupts;
mod properties;
mod reading;
mod replies;
mod snapshots;
mod sse;
mod threads;
mod wire;
