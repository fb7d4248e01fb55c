//! The card in a browser, used as a user does. Run with `cargo test -p question-card --target wasm32-unknown-unknown --test web`.
#![cfg(target_arch = "wasm32")]
#![allow(unreachable_pub, reason = "a test binary has no outside, and `pub(crate)` everywhere says nothing")]

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

mod announcing;
mod asks;
mod browsers;
mod card_page;
mod changing;
mod choosing;
mod copying;
mod deadline;
mod drafts;
mod extras;
mod faces;
mod files;
mod focus;
mod giving;
mod heights;
#[cfg(feature = "hydrate")]
mod hydrating;
mod keys;
mod layout;
mod long_lists;
mod looks;
mod malformed;
mod own_page;
mod page;
mod picking;
mod plain_view;
mod receipts;
mod sending;
mod steps;
mod streaming;
mod styling;
mod typing;
mod wait;
mod wire;
mod words;
