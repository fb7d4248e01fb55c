//! The page in a browser. Run with `cargo test -p app --target wasm32-unknown-unknown --test web`.
#![cfg(target_arch = "wasm32")]

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

mod agent;
mod attention;
mod browser;
mod chat;
mod files;
#[path = "../../../crates/question-card/tests/web/giving.rs"]
mod giving;
mod markdown;
mod page;
mod settings;
