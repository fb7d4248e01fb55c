//! Scripts, read and followed without a server.

mod desk;
#[cfg(not(target_arch = "wasm32"))]
mod scripts;
