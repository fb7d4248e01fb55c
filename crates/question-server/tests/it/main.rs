//! The server as its clients see it.

mod access;
mod bounds;
mod clock;
mod coding;
mod conversations;
mod expiry;
mod folder;
mod house;
mod http;
mod journey;
mod killed;
mod openai;
mod owners;
mod page;
mod provider;
mod readme;
mod refusals;
mod reload;
mod replies;
mod script;
mod scripted;
mod socket;
mod sqlite;
mod store;
mod visitor;
mod watcher;
