//! The protocol over Streamable HTTP, as a service to mount.

use crate::server::{McpServer, ResponseBody};
use crate::stdio::parse;
use async_trait::async_trait;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, SealOptions};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{
    SessionManager as _, SessionState, SessionStore, SessionStoreError,
};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The time after which a session without any message ends. A form may be open for that long.
const SESSION_KEEPS: Duration = Duration::from_secs(24 * 60 * 60);

/// The time after which a session without a request or a stream may be closed for a new one.
const SESSION_RESTS: Duration = Duration::from_secs(10 * 60);

/// The types that the SDK demands in every `Accept`.
const BOTH_TYPES: &str = "application/json, text/event-stream";

/// The header that names a session.
const SESSION_ID: &str = "mcp-session-id";

/// The longest name of a session that carries its state. A longer one is sent without the state, and only one server knows the session.
const MAX_SESSION_ID: usize = 3 << 10;

/// The error code if there are too many sessions. The specification leaves it to servers.
const TOO_MANY_SESSIONS: ErrorCode = ErrorCode(-32000);

type SdkBody = BoxBody<Bytes, Infallible>;

/// The bounds of [`McpServer::into_http`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpBounds {
    /// The longest body, in bytes.
    pub body: usize,
    /// The number of sessions at the same time. For a further one, the longest unused one is closed, if it is unused for 10 minutes; otherwise the
    /// further one is refused with 503. Clients of 2026-07-28 have no sessions.
    pub sessions: usize,
}

tokio::task_local! {
    /// The state of this request's session: what the client has sent, or what a new session is to send it.
    static CARRIED: Mutex<Option<SessionState>>;
}

/// The states of sessions, which clients carry in the sessions' names, sealed by the server's key. Any server with that key can continue the session.
struct CarriedStates;

#[async_trait]
impl SessionStore for CarriedStates {
    async fn load(&self, _: &str) -> Result<Option<SessionState>, SessionStoreError> {
        Ok(CARRIED.with(|state| lock(state).clone()))
    }

    async fn store(&self, _: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        CARRIED.with(|carried| *lock(carried) = Some(state.clone()));
        Ok(())
    }

    async fn delete(&self, _: &str) -> Result<(), SessionStoreError> {
        Ok(())
    }
}

/// A service for an HTTP router, such as axum's `route_service`.
#[derive(Clone)]
pub struct HttpService {
    server: McpServer,
    inner: StreamableHttpService<McpServer, LocalSessionManager>,
    sessions: Arc<SessionTable>,
    /// The longest body, in bytes.
    longest: usize,
}

/// The sessions that count against the bound.
struct SessionTable {
    manager: Arc<LocalSessionManager>,
    most: usize,
    open: Mutex<HashMap<Arc<str>, Arc<OpenSession>>>,
    /// The sessions that were ended last, at most `most`. Without this list, a client could reopen them by their names.
    ended: Mutex<VecDeque<Arc<str>>>,
    /// Ends the sessions when the host drops the service. Each has a task of the SDK's, which would keep the server in memory for a day.
    _dropped: DropGuard,
}

/// The time at which a session was last used. Its requests and streams under way also hold the `Arc`.
type OpenSession = Mutex<Instant>;

/// A request of a session under way. Dropping it sets the time of the session's last use.
struct Use(Arc<OpenSession>);

impl Drop for Use {
    fn drop(&mut self) {
        *lock(&self.0) = Instant::now();
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is a single assignment, insertion or removal, so a panic leaves the value consistent.
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl McpServer {
    /// Serves both generations of clients over Streamable HTTP. The router around it has to check hosts and origins.
    ///
    /// The host cancels `ended` when it stops. The sessions also end with the last clone of the service.
    #[must_use]
    pub fn into_http(self, bounds: HttpBounds, ended: CancellationToken) -> HttpService {
        let ended = ended.child_token();
        let dropped = ended.clone().drop_guard();
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(SESSION_KEEPS);
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(ended.clone());
        config.session_store = Some(Arc::new(CarriedStates));
        let (manager, server) = (Arc::new(manager), self.session());
        HttpService {
            server,
            inner: StreamableHttpService::new(
                move || Ok(self.session().until(ended.clone())),
                Arc::clone(&manager),
                config,
            ),
            sessions: Arc::new(SessionTable {
                manager,
                most: bounds.sessions,
                open: Mutex::default(),
                ended: Mutex::default(),
                _dropped: dropped,
            }),
            longest: bounds.body,
        }
    }
}

impl HttpService {
    /// Responds to a request.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<SdkBody>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let mut request = match self.received(request).await {
            Ok((head, body)) => Request::from_parts(head, Full::new(body)),
            Err(refused) => return refused,
        };
        let named = session_id(request.headers());
        let (id, state) = named.as_deref().map_or((None, None), |named| self.read_name(named));
        let ends = id.clone().filter(|_| state.is_some() && request.method() == Method::DELETE);
        if takes_streams(request.headers()) {
            request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static(BOTH_TYPES));
        }
        let body = Arc::new(());
        request.extensions_mut().insert(ResponseBody(Arc::downgrade(&body)));
        let mut in_use = None;
        if let Some(id) = &id {
            if lock(&self.sessions.ended).contains(id) {
                return refused(
                    StatusCode::NOT_FOUND,
                    ErrorData::invalid_request("The session has ended.", None),
                    None,
                );
            }
            request.headers_mut().insert(SESSION_ID, HeaderValue::from_str(id).expect("it is a part of a header"));
            in_use = self.sessions.used(id);
            // The session is another server's, or was closed to make room.
            if in_use.is_none() && state.is_some() && request.method() != Method::DELETE {
                in_use = self.sessions.admit(Arc::clone(id)).await;
                if in_use.is_none() {
                    return too_many_sessions();
                }
            }
        }
        let handling = async { (self.inner.handle(request).await, CARRIED.with(|state| lock(state).take())) };
        let (mut response, state) = CARRIED.scope(Mutex::new(state), handling).await;
        if let (None, Some(new)) = (id, session_id(response.headers())) {
            if let Some(name) = state.and_then(|state| self.name_with(&new, &state)) {
                response.headers_mut().insert(SESSION_ID, name);
            }
            in_use = self.sessions.admit(new).await;
            if in_use.is_none() {
                return too_many_sessions();
            }
        }
        if let Some(id) = ends.filter(|_| response.status().is_success()) {
            self.sessions.end(id);
        }
        let response = match response.status().is_client_error() && !is_json(response.headers()) {
            true => in_words_of_the_protocol(response).await,
            false => response,
        };
        let held = (in_use, body);
        response.map(|body| {
            let until_sent = move |frame| {
                let _ = &held;
                frame
            };
            body.map_frame(until_sent).boxed()
        })
    }

    /// Reads a posted message. One that can't be read gets an error of JSON-RPC, for which the SDK has plain text. Other bodies are left to the SDK.
    async fn received<B>(&self, request: Request<B>) -> Result<(Parts, Bytes), Response<SdkBody>>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        if head.method != Method::POST || !is_json(&head.headers) {
            return Ok((head, Bytes::new()));
        }
        let Ok(body) = Limited::new(body, self.longest).collect().await.map(|body| body.to_bytes()) else {
            let why = format!("The body can't be read, or has more than {} bytes.", self.longest);
            return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(why, None), None));
        };
        match parse(&body) {
            // A malformed response is replaced by this error.
            Ok(message @ JsonRpcMessage::Error(_)) => {
                Ok((head, serde_json::to_vec(&message).expect("an error is JSON").into()))
            }
            Ok(_) => Ok((head, body)),
            Err(error) => Err(refused(StatusCode::BAD_REQUEST, error.0, error.1)),
        }
    }

    /// The name of a session with its sealed state, as its client gets it.
    fn name_with(&self, id: &str, state: &SessionState) -> Option<HeaderValue> {
        let options = SealOptions::new().associated_data(id.as_bytes());
        let name = format!("{id}.{}", self.server.codec().seal_json_with(state, &options).ok()?);
        HeaderValue::try_from(name).ok().filter(|name| name.len() <= MAX_SESSION_ID)
    }

    /// The id of the session with this name, and its state if that is sealed by this server's key.
    fn read_name(&self, name: &str) -> (Option<Arc<str>>, Option<SessionState>) {
        let (id, sealed) = name.split_once('.').unwrap_or((name, ""));
        (Some(id.into()), self.server.codec().open_json_with(sealed, id.as_bytes()).ok())
    }
}

impl<B> tower_service::Service<Request<B>> for HttpService
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<SdkBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.handle(request).await) })
    }
}

impl SessionTable {
    /// Marks a session as used; `None` if there is no such session.
    fn used(&self, id: &str) -> Option<Use> {
        lock(&self.open).get(id).map(|session| Use(Arc::clone(session)))
    }

    /// Remembers a session that its client has ended.
    fn end(&self, id: Arc<str>) {
        let mut ended = lock(&self.ended);
        ended.push_back(id);
        if ended.len() > self.most {
            ended.pop_front();
        }
    }

    /// Counts this session, and those that are not counted yet, since a client may go away once its session is made. Above the bound, the session
    /// that has been unused for longest is closed, or else this one.
    async fn admit(&self, id: Arc<str>) -> Option<Use> {
        let (admitted, closed) = {
            let alive = self.manager.sessions.read().await;
            let mut open = lock(&self.open);
            // A session in use may be about to be restored, so it is kept.
            open.retain(|id, session| alive.contains_key(id) || Arc::strong_count(session) > 1);
            for id in alive.keys().chain([&id]) {
                open.entry(Arc::clone(id)).or_insert_with(|| Arc::new(Mutex::new(Instant::now())));
            }
            let (mut admitted, mut closed) = (Some(Use(Arc::clone(&open[&id]))), Vec::new());
            while open.len() > self.most && admitted.is_some() {
                let resting = open.iter().filter(|(_, session)| Arc::strong_count(session) == 1);
                let since = resting.map(|(id, session)| (*lock(session), Arc::clone(id)));
                let rested = since.filter(|(since, _)| since.elapsed() >= SESSION_RESTS).min();
                let one = rested.map_or_else(|| Arc::clone(&id), |(_, rested)| rested);
                open.remove(&one);
                admitted.take_if(|_| one == id);
                closed.push(one);
            }
            (admitted, closed)
        };
        for id in closed {
            // Fails only if the session ends at the same moment.
            let _ = self.manager.close_session(&id).await;
        }
        admitted
    }
}

/// Returns true if the client accepts event streams, which the responses are. The SDK demands both types by name, but Claude's proxy names only this
/// one (modelcontextprotocol/python-sdk, issue 2349), and others name none.
fn takes_streams(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(header::ACCEPT).iter().filter_map(|types| types.to_str().ok()).peekable();
    accepted.peek().is_none() || accepted.any(|types| types.contains("text/event-stream") || types.contains("*/*"))
}

fn session_id(headers: &HeaderMap) -> Option<Arc<str>> {
    headers.get(SESSION_ID)?.to_str().ok().map(Arc::from)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// Turns a refusal of the SDK, which is plain text, into an error of JSON-RPC.
async fn in_words_of_the_protocol(response: Response<SdkBody>) -> Response<SdkBody> {
    let (head, body) = response.into_parts();
    let Ok(text) = body.collect().await.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned());
    let (parts, body) = refused(head.status, ErrorData::invalid_request(text, None), None).into_parts();
    let mut response = Response::from_parts(head, body);
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response.headers_mut().extend(parts.headers);
    response
}

/// The refusal of a session above the bound: 503, with an error of JSON-RPC.
fn too_many_sessions() -> Response<SdkBody> {
    let message = "The server has as many sessions as it may. Try again later, or end a session by DELETE.";
    let error = ErrorData::new(TOO_MANY_SESSIONS, message, None);
    let mut response = refused(StatusCode::SERVICE_UNAVAILABLE, error, None);
    response.headers_mut().insert(header::RETRY_AFTER, SESSION_RESTS.as_secs().into());
    response
}

/// A refusal as an error of JSON-RPC, with the id of its request if that is known.
fn refused(status: StatusCode, error: ErrorData, id: Option<RequestId>) -> Response<SdkBody> {
    let error = TxJsonRpcMessage::<RoleServer>::error(error, id);
    let body = Full::new(Bytes::from(serde_json::to_vec(&error).expect("an error is JSON"))).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
