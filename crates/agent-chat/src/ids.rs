//! Ids and the clock: the only source of both, so that all other code stays deterministic.

use std::fmt::Write;

/// A random id (UUID version 4) from `getRandomValues`, since `randomUUID` is missing outside of secure contexts. On a server it is empty.
pub(crate) fn new_id() -> String {
    if cfg!(not(target_arch = "wasm32")) {
        return String::new();
    }
    let mut bytes = [0_u8; 16];
    if let Some(crypto) = web_sys::window().and_then(|window| window.crypto().ok()) {
        // It fails only for buffers over 64 KiB.
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut id = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            id.push('-');
        }
        write!(id, "{byte:02x}").expect("writing to a String cannot fail");
    }
    id
}

/// The time in milliseconds since the Unix epoch.
pub(crate) fn now() -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the clock is a positive whole number of milliseconds"
    )]
    let now = js_sys::Date::now() as u64;
    now
}
