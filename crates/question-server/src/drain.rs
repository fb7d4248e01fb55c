//! The end of a server, in its order.

use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};
use tokio_util::task::TaskTracker;

/// The end of a server, in three steps. It says that it is not ready, so balancers send nobody. It begins no more runs. Open runs end or
/// are cut off. Clones are of the same server.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    begun: CancellationToken,
    closed: CancellationToken,
    cut_off: CancellationToken,
    runs: TaskTracker,
}

impl Drain {
    /// Drains the server: `notice` is how long it still takes everything, `grace` how long runs may go on then. What ends sooner ends the wait.
    pub async fn run(&self, notice: Duration, grace: Duration) {
        self.begun.cancel();
        // Balancers need this time to see that the server is not ready.
        sleep(notice).await;
        self.closed.cancel();
        self.runs.close();
        if timeout(grace, self.runs.wait()).await.is_err() {
            self.cut_off.cancel();
            // They tell their clients, and nothing else.
            self.runs.wait().await;
        }
    }

    /// When it begins no more runs.
    pub fn closed(&self) -> WaitForCancellationFuture<'_> {
        self.closed.cancelled()
    }

    /// The number of runs under way.
    pub(crate) fn runs(&self) -> usize {
        self.runs.len()
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// When runs that still go on are cut off.
    pub(crate) fn cut_off(&self) -> WaitForCancellationFuture<'_> {
        self.cut_off.cancelled()
    }

    /// Starts a run, which is waited for.
    pub(crate) fn start(&self, run: impl Future<Output = ()> + Send + 'static) {
        self.runs.spawn(run);
    }
}
