//! Digests and random names as hexadecimal digits.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use uuid::Uuid;

/// The SHA-256 digest of a text or of bytes: 64 digits.
pub(crate) fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        write!(hex, "{byte:02x}").expect("a string takes everything");
    }
    hex
}

/// An unguessable secret: 64 digits of two random ids.
pub(crate) fn random_hex() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}
