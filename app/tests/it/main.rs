//! Native tests of the page's pure parts.
#![cfg(not(target_arch = "wasm32"))]

mod fixtures;
mod hostile;
mod properties;
mod settings;
mod tree;
mod words;
