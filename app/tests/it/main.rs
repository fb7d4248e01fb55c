//! Native tests of the page's pure parts.
#![cfg(not(target_arch = "wasm32"))]

mod settings;
mod words;
