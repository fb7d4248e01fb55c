//! The protocol over Streamable HTTP, as a service to mount.

use crate::server::McpServer;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A service for an HTTP router, such as axum's `route_service`.
pub type HttpService = StreamableHttpService<McpServer, LocalSessionManager>;

/// The time after which a session is forgotten in which nothing happens. A form may be open for as long.
const SESSION_KEEPS: Duration = Duration::from_secs(24 * 60 * 60);

impl McpServer {
    /// This server over Streamable HTTP, for both generations of clients. Hosts and origins are for the router around it to check.
    ///
    /// `max_body` is the longest body, in bytes; `ended` is cancelled when the host stops.
    #[must_use]
    pub fn into_http(self, max_body: usize, ended: CancellationToken) -> HttpService {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_KEEPS);
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(max_body)
            .with_cancellation_token(ended);
        StreamableHttpService::new(move || Ok(self.session()), Arc::new(sessions), config)
    }
}
