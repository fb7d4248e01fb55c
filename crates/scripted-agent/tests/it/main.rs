//! Scripts, read and followed without a server.

mod desk;
mod scripts;
