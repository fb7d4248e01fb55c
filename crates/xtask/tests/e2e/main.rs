//! Journeys through the built page against the real server, in a real browser, as a person would take them.
//!
//! `cargo xtask test journeys` builds the page and the server, finds the browser and says where all of them are.

mod attached;
mod barriers;
mod browser;
mod card;
mod chat_page;
mod coming_back;
mod demo;
mod early;
mod element;
mod everyday;
mod gallery;
mod gallery_page;
mod journeys;
mod model;
mod own_loop;
mod packages;
mod pages;
mod plain_endpoint;
mod processes;
mod readme;
mod recipes;
mod recorder;
mod serve;
mod server;
mod ssr_chat;
mod stranger;
mod strangers;
mod web_push;
mod writing;

/// A path that `cargo xtask` has found or built.
fn given(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set: run `cargo xtask test journeys`"))
}

/// The root of the workspace.
fn workspace() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
