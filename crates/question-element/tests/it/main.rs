//! The program's two sides without a page: the call that a card shows, and the agent's functions.

mod agent;
mod call;
