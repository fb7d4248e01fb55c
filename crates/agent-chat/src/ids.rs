//! Ids and the clocks: the only source of both, so that all other code stays deterministic.

use std::cell::Cell;
use uuid::Builder;

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
    Builder::from_random_bytes(bytes).into_uuid().to_string()
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

/// Converts a time of this device to the server's, both in milliseconds since the Unix epoch. Deadlines are in the server's time.
pub(crate) fn by_server(time: u64) -> u64 {
    time.saturating_add_signed(-DRIFT.get())
}

/// Converts a time of the server to this device's.
pub(crate) fn by_device(time: u64) -> u64 {
    time.saturating_add_signed(DRIFT.get())
}

/// Updates the drift from the `Date` header of a response.
pub(crate) fn note_server_time(date: &str) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a date is a whole number of milliseconds, or none, which becomes 0"
    )]
    let server = js_sys::Date::parse(date) as i64;
    if server > 0 {
        DRIFT.set(drift(now(), server));
    }
}

/// The smallest drift that counts, in milliseconds: a `Date` has whole seconds, and its response took time to arrive.
const MIN_DRIFT: u64 = 5_000;

thread_local! {
    /// The time by which this device's clock is ahead of the server's, in milliseconds.
    static DRIFT: Cell<i64> = const { Cell::new(0) };
}

fn drift(device: u64, server: i64) -> i64 {
    let drift = device.cast_signed() - server;
    if drift.unsigned_abs() < MIN_DRIFT { 0 } else { drift }
}

#[cfg(test)]
mod tests {
    use super::drift;

    #[test]
    fn a_clock_counts_as_wrong_from_five_seconds_on() {
        for (device, expected) in [(1_004_999, 0), (995_001, 0), (1_600_000, 600_000), (400_000, -600_000)] {
            assert_eq!(drift(device, 1_000_000), expected);
        }
    }
}
