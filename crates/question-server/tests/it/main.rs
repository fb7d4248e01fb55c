//! The server as its clients see it.

mod coding;
mod conversations;
mod journey;
mod killed;
mod owners;
mod page;
mod rates;
mod readme;
mod refusals;
mod replies;
mod scripted;
mod socket;
mod sqlite;
mod store;
mod visitor;
