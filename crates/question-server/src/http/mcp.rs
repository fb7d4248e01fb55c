//! Questions for clients of MCP: the endpoint `/mcp` and the page of a question, which `question-server mcp` serves as well.
//!
//! A client's ask is a program's ask in a conversation of its own. The conversation's id is the secret in the page's address. The model sees the
//! call's id alone, which does not open the page.
//!
//! An answer is a consent, so it goes to the client that asked and to no other, once. The client gets it by the id of the ask, or by the same
//! question within ten minutes.

use crate::auth::caller::Caller;
use crate::auth::headers::called;
use crate::auth::owner::Owner;
use crate::auth::secret::hide_in_debug;
use crate::browser::open_browser;
use crate::config::Config;
use crate::engine::runtime::{Attempt, Runtime, to_the_end, until_taken};
use crate::engine::session::ActiveSession;
use crate::error::{ApiError, Limit};
use crate::hex::{random_hex, sha256_hex};
use crate::http::body::Bodies;
use crate::http::files::own_file;
use crate::http::page::Page;
use crate::store::{FilePart, Store, StoreError};
use ask_user_question::outcome::{AnsweredBy, Via};
use ask_user_question::validate::{Code, Violation};
use ask_user_question::{AskUserQuestion, Limits, Outcome};
use async_trait::async_trait;
use axum::Router;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use question_agent::ag_ui::{Refused, check_id, check_reply};
use question_agent::event::Response as Answer;
use question_agent::message::Message;
use question_agent::{Event, Timestamp};
use question_mcp::form_page::{self, CARD_SCRIPT, Posted, SCRIPT, STYLE};
use question_mcp::{EndedAsk, HttpBounds, McpServer, OpenedAsk, OwnPage, PageError};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;
use uuid::Uuid;

/// The path of the endpoint.
const PATH: &str = "/mcp";

/// The prefix of the paths of pages and of the files that they load.
const ASKS: &str = "/ask";

/// The time within which a client that repeats an ask, as after a restart, gets the first one again.
const TAKEN_UP_FOR: Duration = Duration::from_secs(10 * 60);

/// The header that names a session.
const SESSION_ID: &str = "mcp-session-id";

/// The longest poll of a page for the end of its question.
const WATCH: Duration = Duration::from_secs(30);

/// The first port of pages, and the number of ports. By default, Linux gives none of them to an outgoing connection.
const FIRST_PORT: u16 = 61_000;
const PORTS: u16 = 4_096;

/// The policy of the pages: only their own style, script and form, without an icon.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'",
);

/// Without a referrer, browsers send a form with `Origin: null`, which the guard refuses. No other origin learns the address, which is a secret.
const REFERRER: HeaderValue = HeaderValue::from_static("same-origin");

/// The policy of the card in its frame: only inline scripts and styles.
const CARD_POLICY: HeaderValue = HeaderValue::from_static(
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'",
);

/// The key that signs the state that clients of MCP carry. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct McpKey(pub [u8; 32]);

hide_in_debug!(McpKey);

impl McpKey {
    /// The key of this store, which all its servers have. The first one makes it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn of_store(store: &dyn Store) -> Result<Self, StoreError> {
        let secret = store.secret("mcp", random_hex().into_bytes()).await?;
        Ok(Self(Sha256::digest(secret).into()))
    }

    /// The port for the pages of a client that starts the server. It depends only on the key.
    #[must_use]
    pub fn port(&self) -> u16 {
        let [first, second, ..]: [u8; 32] = Sha256::digest(self.0).into();
        FIRST_PORT + u16::from_be_bytes([first, second]) % PORTS
    }
}

/// The origin of the pages, as their readers reach it.
#[derive(Clone, Debug)]
pub(crate) enum PageOrigin {
    /// The host that the client called.
    AsCalled,
    /// An address of this machine.
    Here {
        /// Without a path.
        base: String,
        /// True if each question opens a browser.
        opens: bool,
    },
}

/// The server for clients of MCP, and the routes of its pages.
pub(crate) fn open(
    runtime: &Arc<Runtime>,
    (config, page): (&Config, Option<&Page>),
    key: McpKey,
    place: PageOrigin,
    bodies: &Bodies,
) -> (McpServer, Router) {
    let mut server = McpServer::builder().limits(config.offering(Limits::RUNTIME)).wait(config.wait).key(key.0);
    let view = page.and_then(Page::view);
    if let Some(html) = view {
        server = server.view(html);
    }
    let (runtime, card, awaited) = (Arc::clone(runtime), view.map(Arc::from), Mutex::default());
    let asks = Arc::new(AskPages { runtime, place, bodies: bodies.clone(), card, secrets: key, awaited });
    let server = server.own_page(Arc::<AskPages>::clone(&asks));
    let file = |kind: &'static str, text: &'static str| get(async move || ([(header::CONTENT_TYPE, kind)], text));
    let pages = Router::new()
        .route(&format!("{ASKS}/style.css"), file("text/css", STYLE))
        .route(&format!("{ASKS}/script.js"), file("text/javascript", SCRIPT))
        .route(&format!("{ASKS}/card.js"), file("text/javascript", CARD_SCRIPT))
        .route(&format!("{ASKS}/card.html"), get(show_card))
        .route(&format!("{ASKS}/{{ask}}"), get(show).post(answer))
        .route(&format!("{ASKS}/{{ask}}/open"), get(watch))
        .route(&format!("{ASKS}/{{ask}}/files"), post(upload))
        .with_state(asks);
    (server.build(), pages)
}

/// The routers of the endpoint and of the pages.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    runtime: &Arc<Runtime>,
    (config, page): (&Config, Option<&Page>),
    key: McpKey,
    bodies: &Bodies,
) -> (Router<S>, Router) {
    let (server, pages) = open(runtime, (config, page), key, PageOrigin::AsCalled, bodies);
    let ended = runtime.drain.closing();
    let bounds = HttpBounds { body: config.bounds.body, sessions: config.bounds.sessions };
    let endpoint = Router::new().route_service(PATH, server.into_http(bounds, ended));
    let endpoint = endpoint.layer(map_response(name_limit)).layer(from_fn_with_state(bodies.clone(), receive));
    (endpoint, pages)
}

/// Receives the body of a request before the endpoint does, which would wait for it for ever.
async fn receive(State(bodies): State<Bodies>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match bodies.receive(&head, body).await {
        Ok(body) => next.run(Request::from_parts(head, body.into())).await,
        Err(error) => in_json_rpc(error),
    }
}

/// An error of the endpoint, in JSON-RPC.
fn in_json_rpc(error: ApiError) -> Response {
    let (_, message) = error.code_and_message();
    let mut response = error.into_response();
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": INVALID_REQUEST, "message": message}});
    *response.body_mut() = error.to_string().into();
    response
}

/// The code of JSON-RPC for an invalid request.
const INVALID_REQUEST: i32 = -32_600;

/// Names the limit by which the endpoint refuses a session, for log and metrics.
async fn name_limit(mut response: Response) -> Response {
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        response.extensions_mut().insert(Limit("max-sessions"));
    }
    response
}

/// The asks of all clients, and their pages.
#[derive(Debug)]
struct AskPages {
    runtime: Arc<Runtime>,
    place: PageOrigin,
    bodies: Bodies,
    /// The card as one HTML text.
    card: Option<Arc<str>>,
    /// The key of the secrets in the addresses of pages.
    secrets: McpKey,
    /// The asks for which a call waits.
    awaited: Mutex<HashSet<String>>,
}

/// An ask in its conversation.
struct FoundAsk {
    session: Arc<ActiveSession>,
    call: String,
    ask: AskUserQuestion,
    /// The content of its result, once it has ended.
    result: Option<String>,
    ended_at: Option<Timestamp>,
}

/// The client of a call, as far as calls can be told apart.
#[derive(Debug)]
struct McpClient {
    /// The suffix of the ids of its asks. It is empty without HTTP, where there is one client, and random for a call without a session.
    mark: String,
    /// True if it may have asked before.
    may_have_asked: bool,
}

impl McpClient {
    fn of(request: Option<&Parts>, is_shared: bool) -> Self {
        let (mark, may_have_asked) = match request.map(|request| request.headers.get(SESSION_ID)) {
            // The database identifies this client, unless servers of other clients may share it.
            None => (String::new(), !is_shared),
            Some(Some(session)) => (sha256_hex(session)[..MARK_DIGITS].to_owned(), true),
            Some(None) => (random_hex()[..MARK_DIGITS].to_owned(), false),
        };
        Self { mark, may_have_asked }
    }

    /// A new id for an ask: the time, chance, and the mark of its client.
    fn new_id(&self, now: Timestamp) -> String {
        let [_, _, _, _, _, _, chance @ ..] = Uuid::new_v4().into_bytes();
        let id = uuid::Builder::from_unix_timestamp_millis(now.0, &chance).into_uuid();
        format!("{ID}{}{}", id.simple(), self.mark)
    }
}

/// Returns true if the ask with this id was made within [`TAKEN_UP_FOR`].
fn is_recent(id: &str, now: Timestamp) -> bool {
    let asked_at = id.strip_prefix(ID).and_then(|id| u64::from_str_radix(id.get(..TIME_DIGITS)?, 16).ok());
    asked_at.is_some_and(|at| u128::from(now.0.saturating_sub(at)) <= TAKEN_UP_FOR.as_millis())
}

/// The prefix of the ids of asks, the digits of the time behind it, and the digits of the UUID that begins with the time.
const ID: &str = "ask_";
const TIME_DIGITS: usize = 12;
const UUID_DIGITS: usize = 32;

const MARK_DIGITS: usize = 16;

fn mark_of(id: &str) -> Option<&str> {
    id.strip_prefix(ID)?.get(UUID_DIGITS..)
}

/// Marks an ask for which a call waits, until it is dropped.
struct Awaited<'a>(&'a AskPages, String);

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.0.awaited().remove(&self.1);
    }
}

impl AskPages {
    fn awaited(&self) -> MutexGuard<'_, HashSet<String>> {
        // A panic leaves the set consistent.
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The ask of this conversation; `None` if it is no ask of a client of MCP, or was deleted meanwhile.
    async fn look(&self, session: Arc<ActiveSession>) -> Result<Option<FoundAsk>, ApiError> {
        let mut state = match self.runtime.lock(&session).await {
            Err(ApiError::UnknownConversation) => return Ok(None),
            locked => locked?,
        };
        let call = state.conversation.messages().iter().find_map(|message| match message {
            Message::Assistant(message) => message.tool_calls.first(),
            Message::User(_) | Message::Tool(_) => None,
        });
        let found = call.and_then(|call| {
            let ask = question_compat::from_arguments(call.arguments())?;
            let result = state.conversation.result_of(&call.id).map(|result| result.content.clone());
            Some((call.id.clone(), ask, result))
        });
        let ended_at = state.ended_at;
        state.rest();
        drop(state);
        Ok(found.map(|(call, ask, result)| FoundAsk { session, call, ask, result, ended_at }))
    }

    /// The newest of the caller's recent asks that matches.
    async fn find(
        &self,
        caller: &Caller,
        now: Timestamp,
        is_it: impl Fn(&FoundAsk) -> bool,
    ) -> Result<Option<FoundAsk>, ApiError> {
        for id in self.runtime.list(caller).await? {
            let session = match self.runtime.open(caller, &id).await {
                Err(ApiError::UnknownConversation) => continue,
                opened => opened?,
            };
            let Some(found) = self.look(session).await? else { continue };
            // The newest are first, so the rest need not be loaded.
            if !is_recent(&found.call, now) {
                break;
            }
            if is_it(&found) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The ask with this id, if it is this caller's.
    async fn find_by_id(&self, request: Option<&Parts>, id: &str) -> Result<Option<FoundAsk>, ApiError> {
        let caller = caller(request).for_mcp(mark_of(id).unwrap_or_default());
        let found = self.page(&self.secret_of(id)).await?;
        Ok(found.filter(|found| found.call == id && caller.may_open(found.session.owner())))
    }

    /// The secret in the address of this ask's page, which also names its conversation. With the key, it is found without a search.
    fn secret_of(&self, id: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secrets.0).expect("a key may have any length");
        mac.update(format!("page of {id}").as_bytes());
        let secret: [u8; 32] = mac.finalize().into_bytes().into();
        uuid::Builder::from_slice(&secret[..16]).expect("a UUID has 16 bytes").into_uuid().simple().to_string()
    }

    /// Asks in a conversation of its own, or takes up what this client has just asked. Returns the secret and the call's id.
    async fn open_ask(&self, request: Option<&Parts>, ask: &AskUserQuestion) -> Result<(String, String), ApiError> {
        let (client, now) = (McpClient::of(request, self.runtime.is_shared()), self.runtime.clock.now());
        let caller = &caller(request).for_mcp(&client.mark);
        // An ask that does not block is free while no call waits for it; one that blocks is now awaited by this call.
        let is_free = |call: &str| match ask.is_background() {
            true => !self.awaited().contains(call),
            false => self.awaited().insert(call.to_owned()),
        };
        let is_left =
            |found: &FoundAsk| found.ask == *ask && mark_of(&found.call) == Some(&*client.mark) && is_free(&found.call);
        if client.may_have_asked
            && let Some(found) = self.find(caller, now, is_left).await?
        {
            return Ok((found.session.id.clone(), found.call));
        }
        let call = client.new_id(now);
        let secret = self.secret_of(&call);
        let session = self.runtime.open_for_program(caller, &secret).await?;
        session.allow_change()?;
        let mut state = self.runtime.lock(&session).await?;
        let tool = ask_user_question::tool::NAMES[0];
        let event = Event::program_asked(tool, &call, ask.clone(), self.runtime.deadline());
        self.runtime.handle(&session, &mut state, Uuid::new_v4().to_string(), event).await?;
        drop(state);
        is_free(&call);
        Ok((secret, call))
    }

    /// The ask with this secret.
    async fn page(&self, secret: &str) -> Result<Option<FoundAsk>, ApiError> {
        if check_id(secret).is_err() {
            return Ok(None);
        }
        match self.runtime.find(secret).await? {
            Some(session) if session.owner().is_some_and(Owner::is_of_mcp) => self.look(session).await,
            _ => Ok(None),
        }
    }
}

/// The sender of this request.
fn caller(request: Option<&Parts>) -> Caller {
    request.and_then(|parts| parts.extensions.get::<Caller>()).cloned().unwrap_or_default()
}

#[async_trait]
impl OwnPage for AskPages {
    async fn ask(&self, request: Option<&Parts>, ask: &AskUserQuestion) -> Result<OpenedAsk, PageError> {
        let (secret, id) = self.open_ask(request, ask).await?;
        let base = match &self.place {
            PageOrigin::Here { base, .. } => base.clone(),
            PageOrigin::AsCalled => {
                request.map_or_else(|| "http://127.0.0.1".to_owned(), |parts| called(&parts.headers))
            }
        };
        let address = format!("{base}{ASKS}/{secret}");
        let is_shown = match self.place {
            PageOrigin::Here { opens: true, .. } => open_browser(address.clone()).await,
            PageOrigin::Here { .. } | PageOrigin::AsCalled => false,
        };
        Ok(OpenedAsk { id, address: (!is_shown).then_some(address) })
    }

    async fn outcome(&self, request: Option<&Parts>, id: &str) -> Result<EndedAsk, PageError> {
        let _awaited = Awaited(self, id.to_owned());
        self.awaited().insert(id.to_owned());
        let mut found = self.find_by_id(request, id).await?.ok_or_else(PageError::unknown_ask)?;
        loop {
            let mut reader = found.session.hub.tail_from_now();
            let session = Arc::clone(&found.session);
            found = self.look(session).await?.ok_or_else(PageError::unknown_ask)?;
            if let Some(content) = found.result {
                let content = self.with_bytes(&found.session.id, content).await?;
                let ended_at = found.ended_at.map(|time| time.to_string());
                return Ok(EndedAsk { ask: found.ask, content, ended_at });
            }
            tokio::select! {
                () = self.runtime.drain.closed() => return Err(ApiError::Stopping.into()),
                () = reader.next_change() => {}
            }
        }
    }

    async fn close(&self, request: Option<&Parts>, id: &str) -> Result<bool, PageError> {
        self.awaited().remove(id);
        let closed = match self.find_by_id(request, id).await {
            Ok(Some(found)) => self.runtime.delete(&found.session).await.map(|()| true),
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        match closed {
            // Another call has deleted it.
            Err(ApiError::UnknownConversation) => Ok(false),
            Err(error) => {
                tracing::warn!(%error, "could not delete an ask that has ended");
                Err(error.into())
            }
            closed => Ok(closed?),
        }
    }
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        let (code, message) = error.code_and_message();
        Self { code, message }
    }
}

/// The card for the frame of a page.
async fn show_card(State(pages): State<Arc<AskPages>>) -> Result<Response, ApiError> {
    let html = pages.card.as_ref().ok_or(ApiError::NotFound)?.to_string();
    Ok(([(header::CONTENT_SECURITY_POLICY, CARD_POLICY)], Html(html)).into_response())
}

/// The page of a question, or of one that has ended. The card in its frame takes no files, so that `?form` has the form in its place.
async fn show(
    State(pages): State<Arc<AskPages>>,
    Path(secret): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let files = pages.runtime.files();
    Ok(match pages.page(&secret).await? {
        Some(FoundAsk { result: None, ask, .. }) if pages.card.is_some() && query.as_deref() != Some("form") => {
            document(StatusCode::OK, form_page::card_page(&ask, ASKS, files))
        }
        Some(FoundAsk { result: None, ask, .. }) => document(StatusCode::OK, form_page::page(&ask, ASKS, files, None)),
        Some(_) => document(StatusCode::OK, form_page::closed(ASKS, SENT)),
        None => document(StatusCode::NOT_FOUND, form_page::closed(ASKS, CLOSED)),
    })
}

const SENT: &str = "The agent has your answer. You can close this page.";
const CLOSED: &str = "This question is closed. You can close this page.";

/// Takes the answer of a page.
async fn answer(
    State(pages): State<Arc<AskPages>>,
    Path(secret): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let (head, body) = request.into_parts();
    let body = pages.bodies.receive(&head, body).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    to_the_end(async move { until_taken(|attempt| pages.take(&secret, &body, attempt)).await }).await
}

/// Keeps a file, which the answer of the page then names.
async fn upload(
    State(pages): State<Arc<AskPages>>,
    Path(secret): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let limits = pages.runtime.files().ok_or(ApiError::FilesNotAllowed)?;
    let Some(FoundAsk { session, result: None, .. }) = pages.page(&secret).await? else {
        return Err(ApiError::UnknownAsk);
    };
    let place = format!("/conversations/{secret}/files");
    pages.runtime.receive_file((limits, &pages.bodies), (secret, session.owner().cloned()), &place, request).await
}

impl AskPages {
    /// What was posted, with the files that it names.
    async fn with_files(&self, secret: &str, ask: &AskUserQuestion, body: &str) -> Result<Posted, ApiError> {
        let mut posted = Posted::from(body);
        for (at, url) in form_page::kept(ask, body) {
            match self.runtime.known_file(secret, posted.files.len(), url).await {
                Ok(file) => posted.files.push((at, file)),
                Err(error @ (ApiError::BadFile(_) | ApiError::FilesNotAllowed)) => {
                    let (path, why) = (format!("selections[{at}].attachments"), error.code_and_message().1);
                    posted.refused.push(Violation::new(path, Code::BadAttachment, why));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(posted)
    }

    /// The content of a result with the bytes of its files: its conversation, whose id is a secret, is deleted once the client has it.
    async fn with_bytes(&self, conversation: &str, content: String) -> Result<String, ApiError> {
        let Some(mut reply) = serde_json::from_str::<Value>(&content).ok().filter(|_| content.contains("/files/"))
        else {
            return Ok(content);
        };
        for detail in reply.get_mut("details").and_then(Value::as_array_mut).into_iter().flatten() {
            for file in detail.get_mut("attachments").and_then(Value::as_array_mut).into_iter().flatten() {
                let Some(hash) = file["url"].as_str().and_then(|url| own_file(conversation, url)) else { continue };
                if let Some(whole) = self.runtime.store.file(conversation, hash, FilePart::Whole).await? {
                    let bytes = BASE64.encode(&whole.bytes);
                    file["url"] = format!("data:{};base64,{bytes}", whole.head.media_type).into();
                }
            }
        }
        Ok(reply.to_string())
    }

    async fn take(&self, secret: &str, body: &str, attempt: Attempt) -> Result<Response, ApiError> {
        let Some(FoundAsk { session, ask, call, result, .. }) = self.page(secret).await? else {
            return Ok(document(StatusCode::NOT_FOUND, form_page::closed(ASKS, CLOSED)));
        };
        if result.is_some() {
            return Ok(document(StatusCode::CONFLICT, form_page::closed(ASKS, CLOSED)));
        }
        attempt.count(&session)?;
        let posted = self.with_files(secret, &ask, body).await?;
        let mut state = self.runtime.lock(&session).await?;
        let again = |refused| {
            document(StatusCode::BAD_REQUEST, form_page::page(&ask, ASKS, self.runtime.files(), Some(&refused)))
        };
        let event = match form_page::read(&ask, &posted) {
            Err(refused) => return Ok(again(refused)),
            Ok(Outcome::Declined) => Event::UserCancel { proceed: false },
            Ok(outcome) => {
                let bounds = self.runtime.config.bounds.of_input();
                match check_reply(&bounds, &state.conversation, &outcome) {
                    Err(too_long @ Refused::MessageTooLong(_)) => {
                        return Ok(again(form_page::Refused::new(&ask, &posted, too_long.to_string())));
                    }
                    checked => checked?,
                }
                let answer = Answer::new(call, Uuid::new_v4().to_string(), AnsweredBy::Card, outcome);
                Event::UserQuestionResponse(Answer { via: Some(Via::named(Via::MCP)), ..answer })
            }
        };
        match self.runtime.handle(&session, &mut state, Uuid::new_v4().to_string(), event).await {
            // Another answer came first.
            Err(ApiError::Rejected(_)) => Ok(document(StatusCode::CONFLICT, form_page::closed(ASKS, CLOSED))),
            Err(error) => Err(error),
            Ok(_) => Ok(document(StatusCode::OK, form_page::closed(ASKS, SENT))),
        }
    }
}

/// Responds once the question has ended, or that it is open: after [`WATCH`], or when the server stops.
async fn watch(State(pages): State<Arc<AskPages>>, Path(secret): Path<String>) -> Result<StatusCode, ApiError> {
    let Some(FoundAsk { session, result: None, .. }) = pages.page(&secret).await? else {
        return Ok(StatusCode::GONE);
    };
    let mut reader = session.hub.tail_from_now();
    // The question may have ended before this reader joined the log, whose entries will not say so. The session is held, since a later session of the
    // same conversation has another log.
    let Some(FoundAsk { session: _held, result: None, .. }) = pages.look(session).await? else {
        return Ok(StatusCode::GONE);
    };
    tokio::select! {
        () = pages.runtime.drain.closed() => Ok(StatusCode::NO_CONTENT),
        changed = timeout(WATCH, reader.next_change()) => {
            Ok(if changed.is_ok() { StatusCode::GONE } else { StatusCode::NO_CONTENT })
        }
    }
}

fn document(status: StatusCode, html: String) -> Response {
    let headers = [(header::CONTENT_SECURITY_POLICY, POLICY), (header::REFERRER_POLICY, REFERRER)];
    (status, headers, Html(html)).into_response()
}
