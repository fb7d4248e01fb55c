//! The server as a client sees it: lines of JSON-RPC in, lines out.

mod bad_input;
mod client;
mod desk;
mod form_pages;
mod forms;
mod own_pages;
mod tools;
