//! The agent's rules, run natively and as wasm32 from this one source.

mod background;
#[cfg(not(target_arch = "wasm32"))]
mod branches;
mod commits;
mod conversations;
mod crashes;
mod dice;
mod inputs;
mod intercept;
mod outputs;
#[cfg(not(target_arch = "wasm32"))]
mod own_loop;
mod properties;
#[cfg(not(target_arch = "wasm32"))]
mod readme;
mod registry;
mod samples;
mod stored;
mod table;
