//! The server as its clients see it.

mod conversations;
mod journey;
mod page;
mod readme;
mod refusals;
mod replies;
mod scripted;
mod socket;
mod store;
mod visitor;
