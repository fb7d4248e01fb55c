//! Graceful shutdown.

use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};
use tokio_util::task::TaskTracker;

/// The shutdown of a server: it reports not ready and starts no more runs, and open runs end or are cut off. Clones belong to the same server.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    closed: CancellationToken,
    cut_off: CancellationToken,
    runs: TaskTracker,
}

impl Drain {
    /// Drains the server. Runs that last longer than `grace` are cut off.
    pub async fn run(&self, grace: Duration) {
        self.closed.cancel();
        self.runs.close();
        let _ = timeout(grace, self.runs.wait()).await;
        // Also for a run that a request is still about to begin: it releases its lease then.
        self.cut_off.cancel();
        // Runs that are cut off have only to send their clients the end.
        self.runs.wait().await;
    }

    /// Resolves once no more runs start.
    pub fn closed(&self) -> WaitForCancellationFuture<'_> {
        self.closed.cancelled()
    }

    /// Cancelled once no more runs start.
    #[cfg(feature = "mcp")]
    pub(crate) fn closing(&self) -> CancellationToken {
        self.closed.child_token()
    }

    /// The number of runs under way.
    pub(crate) fn runs(&self) -> usize {
        self.runs.len()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Resolves once open runs are cut off.
    pub(crate) fn cut_off(&self) -> WaitForCancellationFuture<'_> {
        self.cut_off.cancelled()
    }

    /// Spawns a run, which the shutdown waits for.
    pub(crate) fn start(&self, run: impl Future<Output = ()> + Send + 'static) {
        self.runs.spawn(run);
    }
}
