//! The user's browser.

use std::time::Duration;
use tokio::task::spawn_blocking;

/// The time in which the system's launcher reports a failure. A launcher that runs longer is the browser itself.
const LAUNCH_TIMEOUT: Duration = Duration::from_secs(3);

/// Opens an address in the user's browser. Returns false if none could be started.
pub(crate) async fn open_browser(address: String) -> bool {
    let opened = spawn_blocking(move || open::that_detached_with_timeout(address, LAUNCH_TIMEOUT));
    opened.await.is_ok_and(|opened| opened.is_ok())
}
