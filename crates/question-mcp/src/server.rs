//! The server: it chooses how to reach the user, by a form, in an app or on a page, and asks.

use crate::elicitation;
use crate::own_page::{OpenedAsk, OwnPage, PageError};
use crate::tools::{self, VIEW_TYPE, VIEW_URI};
use ask_user_question::guidance::{self, Mode};
use ask_user_question::limits::ExtraMember;
use ask_user_question::tool::NAMES;
use ask_user_question::validate::describe;
use ask_user_question::{AskUserQuestion, Limits};
use http::request::Parts;
use json_tree::Json;
use question_compat::check;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam, ClientCapabilities,
    ClientResult, CustomNotification, CustomRequest, CustomResult, ElicitRequest, ElicitResult, ErrorCode, ErrorData,
    Implementation, InputRequest, InputRequiredResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    RequestId, RequestStateCodec, RequestStateError, Resource, ResourceContents, SealOptions, ServerCapabilities,
    ServerConfig, ServerNotification, ServerRequest,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext};
use rmcp::{RoleServer, ServerHandler, ServiceError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::{Instant, interval_at, sleep_until};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The name of the extension by which clients show apps.
const UI: &str = "io.modelcontextprotocol/ui";

/// The key of the form in a result that asks for input.
const QUESTION: &str = "question";

/// The time for which the state of a question that the client carries is valid.
const STATE_KEEPS: Duration = Duration::from_secs(24 * 60 * 60);

/// The time between two notifications of progress.
const PROGRESS: Duration = Duration::from_secs(10);

/// The time that a call waits whose client takes no notifications of progress, unless [`McpBuilder::wait`] sets another: less than the minute after
/// which most clients give up.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(45);

/// The server of one client, or of one HTTP session. [`session`](Self::session) makes one for the next client.
#[derive(Clone, Debug)]
pub struct McpServer {
    shared: Arc<Shared>,
    /// The calls under way, each with the id of its ask once that is on its page.
    calls: Arc<Mutex<HashMap<RequestId, Option<String>>>>,
    /// Cancelled when the client has gone.
    gone: CancellationToken,
    /// Cancelled when the host stops.
    ended: CancellationToken,
    forms: Arc<Mutex<FormSupport>>,
}

/// Whether the client shows the forms that it declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FormSupport {
    #[default]
    Declared,
    /// It has answered a form.
    Shown,
    /// It does not know the request, or its first form got no answer before the call timed out.
    Missing,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    view: Option<String>,
    own_page: Option<Arc<dyn OwnPage>>,
    wait: Duration,
    codec: RequestStateCodec,
}

/// Collects the settings of a server.
#[derive(Debug)]
pub struct McpBuilder(Shared);

impl McpBuilder {
    /// The limits of a question, such as [`Limits::CODING`]; by default [`Limits::RUNTIME`]. The tool's name is always `ask_user_question`.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.0.limits = limits;
        self
    }

    /// The card as one HTML text, for clients that show apps.
    #[must_use]
    pub fn view(mut self, html: impl Into<String>) -> Self {
        self.0.view = Some(html.into());
        self
    }

    /// The page for clients that show neither forms nor apps.
    #[must_use]
    pub fn own_page(mut self, page: Arc<dyn OwnPage>) -> Self {
        self.0.own_page = Some(page);
        self
    }

    /// The time that a call waits for its page if its client takes no notifications of progress; by default [`DEFAULT_WAIT`].
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.0.wait = wait;
        self
    }

    /// The key that seals what clients carry. By default it is random, so that no other server can read it.
    #[must_use]
    pub fn key(mut self, key: [u8; 32]) -> Self {
        self.0.codec = codec(key);
        self
    }

    /// Makes the server.
    #[must_use]
    pub fn build(self) -> McpServer {
        let limits = self.0.limits.with_tool_name(tools::ASK);
        McpServer::of(Arc::new(Shared { limits, ..self.0 }))
    }
}

fn codec(key: impl Into<Vec<u8>>) -> RequestStateCodec {
    RequestStateCodec::try_new(key).expect("a key has 32 bytes or more")
}

/// The state of a question that the client carries.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// True if the user sent the form without any answer before.
    again: bool,
}

/// The names of clients whose forms are not used if there is a page. Codex 0.169 sends no form whose last field is empty, and shows an approval in
/// place of a form with a field of several choices.
const WITHOUT_FORM: [&str; 1] = ["codex-mcp-client"];

/// The ways to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Form,
    App,
    Page,
}

impl McpServer {
    /// A server that reaches users by elicitation alone, with questions of the profile [`Limits::RUNTIME`].
    #[must_use]
    pub fn builder() -> McpBuilder {
        let key = [Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes).concat();
        let (limits, codec) = (Limits::RUNTIME, codec(key));
        McpBuilder(Shared { limits, view: None, own_page: None, wait: DEFAULT_WAIT, codec })
    }

    /// The server for a further client, with the same settings.
    #[must_use]
    pub fn session(&self) -> Self {
        Self::of(Arc::clone(&self.shared))
    }

    fn of(shared: Arc<Shared>) -> Self {
        let (gone, ended) = (CancellationToken::new(), CancellationToken::new());
        Self { shared, calls: Arc::default(), gone, ended, forms: Arc::default() }
    }

    /// The codec that seals what clients carry.
    pub(crate) fn codec(&self) -> &RequestStateCodec {
        &self.shared.codec
    }

    /// The same server with the token that its host cancels when it stops.
    pub(crate) fn until(self, ended: CancellationToken) -> Self {
        Self { ended, ..self }
    }

    /// Cancelled by the transport when the client has gone.
    pub(crate) fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    /// Waits until a message is sent; `None` if the client has gone, since it would never be sent.
    async fn while_there<T>(&self, sent: impl Future<Output = T>) -> Option<T> {
        self.gone.run_until_cancelled(sent).await
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<RequestId, Option<String>>> {
        // Ids are only inserted and removed, so a panic leaves the map consistent.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forms(&self) -> MutexGuard<'_, FormSupport> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The routes that the client supports, the best first. The second is tried if the client refuses the first.
    fn routes(&self, context: &RequestContext<RoleServer>) -> Vec<Route> {
        let page = self.shared.own_page.as_ref().map(|_| Route::Page);
        let elicits = |client: &ClientCapabilities| {
            // Clients from before modes existed declare none.
            client.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
                && *self.forms() != FormSupport::Missing
                && (page.is_none() || context.client_info().is_none_or(|it| !WITHOUT_FORM.contains(&&*it.name)))
        };
        let shows = |client: &ClientCapabilities| {
            let types = ui(client).and_then(|ui| ui.get("mimeTypes")).and_then(Value::as_array);
            types.is_some_and(|types| types.iter().any(|kind| kind == VIEW_TYPE))
        };
        let client = context.client_capabilities();
        match client.as_ref() {
            Some(client) if elicits(client) => [Route::Form].into_iter().chain(page).collect(),
            Some(client) if self.shared.view.is_some() && shows(client) => vec![Route::App],
            _ => page.into_iter().collect(),
        }
    }

    async fn ask(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Json::from(params.arguments.unwrap_or_default());
        let ask = match check(&self.shared.limits, arguments).into_valid() {
            Ok(mut ask) => {
                // Without this offer, the model does not know that the call would return without the answer.
                ask.blocking.take_if(|_| !self.shared.limits.offers(ExtraMember::Blocking));
                ask
            }
            Err(violations) => return Ok(tools::error("invalid_ask", &describe(&violations)).into()),
        };
        let client = context.client_capabilities();
        let in_card = self.shared.view.is_some()
            && client.as_ref().and_then(ui).is_some_and(|ui| ui.get("elicitation").is_some_and(Value::is_object));
        let mut routes = self.routes(context);
        // A form would keep the call open.
        if ask.is_background() && routes.contains(&Route::Page) {
            routes = vec![Route::Page];
        }
        for route in routes {
            let response = match route {
                Route::Form if is_stateless(context) => {
                    let returned = (params.request_state.as_deref(), params.input_responses.as_ref());
                    self.form_in_result(&ask, returned, in_card)?
                }
                Route::Form => {
                    self.calls().insert(context.id.clone(), None);
                    let result = self.form_by_request(&ask, in_card, context).await;
                    // The notification that cancels a call removes it.
                    if !context.ct.is_cancelled() {
                        self.calls().remove(&context.id);
                    }
                    result.map(Into::into)
                }
                Route::App => Some(tools::shown(&ask).into()),
                Route::Page => Some(self.ask_on_page(&ask, context).await.into()),
            };
            if let Some(response) = response {
                return Ok(response);
            }
        }
        let text = "This client can't show the question. It needs elicitation, MCP Apps, or a server with a page of its own. Ask the user in plain \
                    text.";
        Ok(tools::error("no_way_to_ask", text).into())
    }

    /// Asks by a result that requests input, with which the client calls again. Returns `None` if there is no form for the question.
    fn form_in_result(
        &self,
        ask: &AskUserQuestion,
        returned: (Option<&str>, Option<&BTreeMap<String, Value>>),
        in_card: bool,
    ) -> Result<Option<CallToolResponse>, ErrorData> {
        let over = |result: CallToolResult| Ok(Some(result.into()));
        let codec = &self.shared.codec;
        // The state is bound to this question.
        let bound = serde_json::to_vec(ask).map_err(internal)?;
        let (mut state, answer) = match returned {
            (None, None) => (State { again: false }, None),
            (None, Some(_)) => return over(refused(&RequestStateError::MalformedFormat)),
            (Some(sealed), answers) => match codec.open_json_with::<State>(sealed, &bound) {
                Ok(state) => (state, answers.and_then(|answers| answers.get(QUESTION))),
                Err(error) => return over(refused(&error)),
            },
        };
        if let Some(answer) = answer {
            let result = match ElicitResult::deserialize(answer) {
                Ok(answer) => elicitation::result(ask, &answer, state.again),
                Err(_) => Some(elicitation::unreadable()),
            };
            match result {
                Some(result) => return over(result),
                None => state.again = true,
            }
        }
        let Some(form) = elicitation::form(ask, state.again, in_card) else {
            return Ok(None);
        };
        let options = SealOptions::new().associated_data(&bound).ttl(STATE_KEEPS);
        let sealed = codec.seal_json_with(&state, &options).map_err(internal)?;
        let form = InputRequest::Elicitation(ElicitRequest::new(form));
        Ok(Some(InputRequiredResult::new(Some([(QUESTION.to_owned(), form)].into()), Some(sealed)).into()))
    }

    /// Asks by a request to the client. Returns `None` if the client refuses the request although it declares forms, or if there is no form for the
    /// question.
    async fn form_by_request(
        &self,
        ask: &AskUserQuestion,
        in_card: bool,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResult> {
        let mut again = false;
        loop {
            let form = ElicitRequest::new(elicitation::form(ask, again, in_card)?);
            let options = PeerRequestOptions::no_options();
            let sent = context.peer.send_cancellable_request(ServerRequest::ElicitRequest(form), options);
            let Some(sent) = self.while_there(sent).await else {
                return Some(cancelled());
            };
            let mut sent = sent.ok()?;
            let answer = tokio::select! {
                answer = &mut sent.rx => match answer.ok()? {
                    Ok(answer) => answer,
                    Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                        *self.forms() = FormSupport::Missing;
                        return None;
                    }
                    Err(_) => return None,
                },
                () = context.ct.cancelled() => {
                    // The form closes with its call.
                    let _ = sent.cancel(Some("The call was cancelled.".to_owned())).await;
                    return Some(cancelled());
                }
                () = self.gone.cancelled() => return Some(cancelled()),
            };
            let ClientResult::ElicitResult(answer) = answer else {
                return Some(elicitation::unreadable());
            };
            *self.forms() = FormSupport::Shown;
            if let Some(result) = elicitation::result(ask, &answer, again) {
                return Some(result);
            }
            again = true;
        }
    }

    /// Asks on the host's page.
    async fn ask_on_page(&self, ask: &AskUserQuestion, context: &RequestContext<RoleServer>) -> CallToolResult {
        let Some(page) = &self.shared.own_page else {
            return failed(&PageError::unknown_ask());
        };
        self.calls().insert(context.id.clone(), None);
        let opened = match page.ask(request(context), ask).await {
            Ok(opened) => opened,
            Err(error) => {
                self.calls().remove(&context.id);
                return failed(&error);
            }
        };
        // The client may have cancelled it meanwhile.
        let is_wanted = self.calls().get_mut(&context.id).map(|call| *call = Some(opened.id.clone())).is_some();
        if !is_wanted {
            // The host logs a failure to close it.
            let _ = page.close(request(context), &opened.id).await;
            return cancelled();
        }
        if let Some(address) = &opened.address {
            self.tell_address(address, context).await;
        }
        if ask.is_background() {
            self.calls().remove(&context.id);
            return tools::asked(&opened.id, opened.address.as_deref());
        }
        self.wait_on_page(&**page, &opened, context).await
    }

    /// Waits until the question on its page has ended, or for as long as this client lets a call wait.
    async fn wait_on_page(
        &self,
        page: &dyn OwnPage,
        opened: &OpenedAsk,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let now = Instant::now();
        let token = context.meta.get_progress_token();
        // The first notification has the address, so it is sent at once.
        let first = if opened.address.is_some() { now } else { now + PROGRESS };
        let (until, mut ticks) = (sleep_until(now + self.shared.wait), interval_at(first, PROGRESS));
        let mut outcome = page.outcome(request(context), &opened.id);
        tokio::pin!(until);
        let mut told = 0_u32;
        let over = loop {
            tokio::select! {
                biased;
                over = &mut outcome => break Some(over),
                () = self.gone.cancelled() => break None,
                () = context.ct.cancelled() => {
                    // Dropped first, since it may hold the lock that closing needs.
                    drop(outcome);
                    if self.is_cancelled_by_hanging_up(context) {
                        let _ = page.close(request(context), &opened.id).await;
                    }
                    return cancelled();
                }
                () = &mut until, if token.is_none() => break None,
                _ = ticks.tick(), if token.is_some() => {
                    told += 1;
                    let Some(token) = token.clone() else { continue };
                    let mut progress = ProgressNotificationParam::new(token, told.into());
                    // The address is all of the message: terminals cut long lines, and a part of an address is of no use.
                    progress.message = Some(match &opened.address {
                        Some(address) => format!("Answer at {address}"),
                        None => "Waiting for the user's answer".to_owned(),
                    });
                    let _ = self.while_there(context.peer.notify_progress(progress)).await;
                }
            }
        };
        drop(outcome);
        self.calls().remove(&context.id);
        // If the client's connection broke, it gets the answer when it asks again.
        match over.filter(|_| !is_unread(context)) {
            Some(Ok(ended)) => match page.close(request(context), &opened.id).await {
                Ok(true) => tools::stored(&ended),
                Ok(false) => failed(&PageError::unknown_ask()),
                Err(error) => failed(&error),
            },
            Some(Err(error)) => failed(&error),
            None => tools::open(&opened.id, opened.address.as_deref()),
        }
    }

    /// Returns true if the client has cancelled the call by closing the stream of its response, as clients without sessions do over HTTP. Other
    /// clients send a notification, which closes the ask.
    fn is_cancelled_by_hanging_up(&self, context: &RequestContext<RoleServer>) -> bool {
        request(context).is_some() && is_stateless(context) && !self.ended.is_cancelled()
    }

    /// Sends the address of the page as a log message, if the client shows those.
    async fn tell_address(&self, address: &str, context: &RequestContext<RoleServer>) {
        if is_stateless(context) && context.meta.log_level().is_none() {
            return;
        }
        let message =
            json!({"level": "notice", "logger": tools::ASK, "data": format!("Answer the question at {address}")});
        let message = CustomNotification::new("notifications/message", Some(message));
        let message = ServerNotification::CustomNotification(message);
        let _ = self.while_there(context.peer.send_notification(message)).await;
    }

    /// Goes on waiting for an ask that is open.
    async fn go_on_waiting(
        &self,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let id = params.arguments.as_ref().and_then(|arguments| arguments.get("ask_id")?.as_str());
        match (&self.shared.own_page, id) {
            (Some(page), Some(id)) => {
                self.calls().insert(context.id.clone(), Some(id.to_owned()));
                self.wait_on_page(&**page, &OpenedAsk { id: id.to_owned(), address: None }, context).await
            }
            (Some(_), None) => tools::error(
                "invalid_input",
                "Invalid input: ask_id: Must be the text that ask_user_question returned.",
            ),
            (None, _) => failed(&PageError::unknown_ask()),
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = json!({"tools": {}, "logging": {}});
        if self.shared.view.is_some() {
            capabilities["resources"] = json!({});
            capabilities["extensions"] = json!({UI: {"mimeTypes": [VIEW_TYPE], "elicitation": {}}});
        }
        let capabilities: ServerCapabilities = serde_json::from_value(capabilities).expect("these are capabilities");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("question-server", env!("CARGO_PKG_VERSION")))
            .with_instructions(guidance::text(&self.shared.limits, Mode::Any))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let routes = self.routes(&context);
        // The tool names the card only for clients without forms: others would show it in addition to the form.
        let mut listed = vec![tools::asking(&self.shared.limits, routes.contains(&Route::App))];
        if routes.contains(&Route::Page) {
            listed.push(tools::waiting());
        }
        Ok(ListToolsResult::with_all_items(listed))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*params.name {
            name if NAMES.contains(&name) => self.ask(params, &context).await,
            tools::WAIT => Ok(self.go_on_waiting(&params, &context).await.into()),
            name => Err(ErrorData::invalid_params(format!("There is no tool {name}."), None)),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let card = Resource::new(VIEW_URI, "question-card").with_mime_type(VIEW_TYPE);
        Ok(ListResourcesResult::with_all_items(self.shared.view.iter().map(|_| card.clone()).collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match &self.shared.view {
            Some(html) if request.uri == VIEW_URI => {
                let card = ResourceContents::text(html, VIEW_URI).with_mime_type(VIEW_TYPE);
                Ok(ReadResourceResult::new(vec![card]).into())
            }
            _ => Err(ErrorData::resource_not_found(format!("There is no resource {}.", request.uri), None)),
        }
    }

    #[allow(deprecated, reason = "clients of the sessions' generation still send it")]
    async fn set_level(
        &self,
        _request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // There is only one kind of message, which is sent at every level.
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let known = ["initialize", "tools/call", "tools/list", "resources/list", "resources/read", "logging/setLevel"];
        Err(match known.contains(&request.method.as_str()) {
            // A known method comes here if its parameters can't be read.
            true => ErrorData::invalid_params(format!("The parameters of {} can't be read.", request.method), None),
            false => {
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {}.", request.method), None)
            }
        })
    }

    async fn on_cancelled(&self, cancelled: CancelledNotificationParam, context: NotificationContext<RoleServer>) {
        let call = cancelled.request_id.and_then(|id| self.calls().remove(&id));
        let is_timeout = cancelled.reason.is_some_and(|reason| is_timeout(&reason));
        match (call, &self.shared.own_page) {
            // After a timeout the ask stays open: the user may be about to answer.
            (Some(Some(ask)), Some(page)) if !is_timeout => {
                let _ = page.close(context.extensions.get::<Parts>(), &ask).await;
            }
            (Some(None), _) if is_timeout => {
                let mut forms = self.forms();
                if *forms == FormSupport::Declared {
                    *forms = FormSupport::Missing;
                }
            }
            _ => {}
        }
    }
}

/// Returns true if a call was cancelled because it timed out, in the words of the SDKs, and not by the user.
fn is_timeout(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    ["timed out", "timeout", "deadline exceeded"].iter().any(|words| reason.contains(words))
}

/// The settings of the extension for apps; `None` if the client does not declare it.
fn ui(client: &ClientCapabilities) -> Option<&serde_json::Map<String, Value>> {
    client.extensions.as_ref()?.get(UI)
}

/// The HTTP request that brought the call, if one did.
fn request(context: &RequestContext<RoleServer>) -> Option<&Parts> {
    context.extensions.get::<Parts>()
}

/// Returns true for a client of the generation without sessions.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// An extension of an HTTP request. Its `Arc` is dropped with the body of the response.
#[derive(Clone, Debug)]
pub(crate) struct ResponseBody(pub(crate) Weak<()>);

/// Returns true for a call in a session whose response nobody reads any more.
fn is_unread(context: &RequestContext<RoleServer>) -> bool {
    let body = request(context).and_then(|parts| parts.extensions.get::<ResponseBody>());
    !is_stateless(context) && body.is_some_and(|body| body.0.strong_count() == 0)
}

fn refused(error: &RequestStateError) -> CallToolResult {
    match error {
        RequestStateError::Expired => {
            tools::error("request_state_expired", "The question is more than a day old. Ask it again.")
        }
        _ => tools::error("request_state_invalid", "The requestState does not belong to this question. Ask it again."),
    }
}

fn cancelled() -> CallToolResult {
    tools::error("cancelled", "The call was cancelled before the user answered.")
}

fn failed(error: &PageError) -> CallToolResult {
    tools::error(error.code, &error.message)
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
