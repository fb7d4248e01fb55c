//! The agent's rules, run natively and as wasm32 from this one source.

mod conversations;
mod dice;
mod intercept;
mod properties;
mod registry;
mod samples;
mod snapshot;
mod table;
