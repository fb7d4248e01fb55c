//! The server as its clients see it.

mod coding;
mod conversations;
mod folder;
mod house;
mod http;
mod journey;
mod killed;
mod openai;
mod owners;
mod page;
mod provider;
mod rates;
mod readme;
mod refusals;
mod replies;
mod scripted;
mod socket;
mod sqlite;
mod store;
mod visitor;
