//! Error responses: JSON `{code, message}`, and more if it helps.

use crate::store::error::{CommitError, StoreError};
use ask_user_question::validate::Violation;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use question_agent::Rejected;
use question_agent::ag_ui::{Full, Refused, wire};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;
use std::{fmt, iter};

/// The errors of requests.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// 400 `bad_request`: the body is malformed.
    BadRequest(String),
    /// 415 `unsupported_media_type`: the body is not declared as JSON.
    UnsupportedMediaType,
    /// 413 `too_large`: the body is over [`Bounds::body`](crate::config::limits::Bounds::body).
    BodyTooLarge,
    /// 408 `body_timeout`: the body did not come within [`Timeouts::body`](crate::config::limits::Timeouts::body).
    BodyTimeout,
    /// 401 `unauthorized`, with `WWW-Authenticate`: see [`access`](crate::auth::access).
    Unauthorized,
    /// 403 `forbidden_host`: see [`guard`](crate::auth::guard).
    ForbiddenHost,
    /// 403 `forbidden_origin`: see [`guard`](crate::auth::guard).
    ForbiddenOrigin,
    /// 403 `bypass_not_allowed`: a client asks for `bypassPermissions`, which the operator has not allowed.
    BypassNotAllowed,
    /// 403 `callback_not_allowed`: a program names a URL that the operator has not allowed.
    CallbackNotAllowed,
    /// 403 `web_push_off`: the operator has not turned it on.
    WebPushOff,
    /// 403 `push_service_not_allowed`: the endpoint is none of a push service that the operator allows.
    PushServiceNotAllowed,
    /// 403 `no_owner`: the caller has no owner, so there are no questions to tell of.
    NoOwner,
    /// 503 `subscriptions_full`, with `Retry-After`: the server has [`PUSH_SUBSCRIPTIONS`](crate::config::limits::PUSH_SUBSCRIPTIONS).
    SubscriptionsFull,
    /// 404 `not_found`: there is no such conversation.
    UnknownConversation,
    /// 404 `not_found`: the conversation has no such ask.
    UnknownAsk,
    /// 404 `not_found`: no route has this path.
    NotFound,
    /// 405 `method_not_allowed`: the route has no such method.
    MethodNotAllowed,
    /// 400 `invalid_reply`: the reply does not fit the ask; `violations` has the places.
    InvalidReply(Vec<Violation>),
    /// 400 `invalid_ask`: a program's ask breaks the rules; `violations` has the places.
    InvalidAsk(Vec<Violation>),
    /// 409 with the rejection's code: the conversation's state does not allow this. For an ask that has ended, `outcome` and `winner` have its result.
    Rejected(Rejected),
    /// 409 `conversation_full`: it has [`Bounds::messages`](crate::config::limits::Bounds::messages), or [`Bounds::history`](crate::config::limits::Bounds::history)
    /// bytes of them; the option of that limit.
    ConversationFull(&'static str),
    /// 400 `bad_request`: the result of a client's tool is over [`Bounds::tool_result`](crate::config::limits::Bounds::tool_result).
    ToolResultTooLong(String),
    /// 400 `bad_request`: a text is over [`Bounds::message`](crate::config::limits::Bounds::message), in words for its writer.
    MessageTooLong(String),
    /// 503 `too_many_conversations`, with `Retry-After`: the server has [`Bounds::conversations`](crate::config::limits::Bounds::conversations), or
    /// [`Bounds::memory`](crate::config::limits::Bounds::memory) bytes of them; the option of that limit.
    TooManyConversations(&'static str),
    /// 409 `too_many_owned`: the owner has [`Bounds::owned`](crate::config::limits::Bounds::owned) conversations.
    TooManyOwned,
    /// 429 `too_many_requests`, with `Retry-After`: over the rate of this option.
    TooManyRequests { limit: &'static str, wait: Duration },
    /// 429 `too_many_streams`: the client has [`Bounds::streams`](crate::config::limits::Bounds::streams) open.
    TooManyStreams,
    /// 503 `bodies_full`, with `Retry-After`: the memory for bodies, [`Bounds::bodies`](crate::config::limits::Bounds::bodies), is used up.
    BodiesFull,
    /// 503 `histories_full`, with `Retry-After`: the memory for histories, [`Bounds::histories`](crate::config::limits::Bounds::histories), is used up.
    HistoriesFull,
    /// 403 `files_not_allowed`: the operator takes no files.
    FilesNotAllowed,
    /// 415 `unsupported_media_type`: the body is not declared as bytes.
    NotBytes,
    /// 400 `bad_file`: the file is not what it says, or over the limits, in words for its sender.
    BadFile(String),
    /// 409 `files_full`: there is no room for the file.
    FilesFull,
    /// 409 `overtaken`: another request changed the conversation at the same moment, repeatedly.
    Overtaken,
    /// 503 `server_stopping`, with `Retry-After`: the server starts no more runs.
    Stopping,
    /// 503 `agent_busy`, with `Retry-After`: the agent of `--agent` has the most runs allowed.
    AgentBusy,
    /// The agent's status, `agent_refused`: the agent of `--agent` refuses without JSON. Its words may be a stack, so the log alone has
    /// that.
    AgentRefused(StatusCode),
    /// 502 `agent_unreachable`: the agent of `--agent` does not answer, or not in AG-UI.
    AgentUnreachable,
    /// 503 `store_failed`, with `Retry-After`: the change may or may not be stored. A client may send the same request again.
    Store(StoreError),
    /// 500 `internal_error`: a bug.
    Internal,
}

impl ApiError {
    /// The status, the code and the message for a person.
    fn row(&self) -> (StatusCode, &'static str, Cow<'_, str>) {
        let (status, code, message) = match self {
            Self::BadRequest(why) | Self::MessageTooLong(why) | Self::ToolResultTooLong(why) => {
                return (StatusCode::BAD_REQUEST, "bad_request", why.into());
            }
            Self::BadFile(why) => return (StatusCode::BAD_REQUEST, "bad_file", why.into()),
            Self::AgentRefused(status) => {
                let why = format!("The agent answered {status}. The server's log says how the answer begins.");
                return (*status, "agent_refused", why.into());
            }
            Self::Rejected(rejected) => return (StatusCode::CONFLICT, rejected.code(), rejected.to_string().into()),
            Self::UnsupportedMediaType => {
                let why = "The body must be JSON, with Content-Type: application/json.";
                (415, "unsupported_media_type", why)
            }
            Self::BodyTooLarge => (413, "too_large", "The body is too large."),
            Self::BodyTimeout => (408, "body_timeout", "The body took too long to arrive."),
            Self::Unauthorized => {
                let why = "This server needs a token: open /?token=TOKEN once, or send Authorization: Bearer TOKEN.";
                (401, "unauthorized", why)
            }
            Self::ForbiddenHost => (403, "forbidden_host", "Host not allowed; add it with --public-origin."),
            Self::ForbiddenOrigin => (403, "forbidden_origin", "Origin not allowed; add it with --allow-origin."),
            Self::BypassNotAllowed => {
                let why = "Bypassing permissions is not allowed; the program that embeds the server allows it by `Config::allow_bypass`.";
                (403, "bypass_not_allowed", why)
            }
            Self::CallbackNotAllowed => {
                let why = "Callback origin not allowed; add it with --allow-callback.";
                (403, "callback_not_allowed", why)
            }
            Self::WebPushOff => {
                let why = "Web push is off; start the server with --web-push mailto:admin@example.com.";
                (403, "web_push_off", why)
            }
            Self::PushServiceNotAllowed => {
                let why = "The endpoint is not that of a known push service.";
                (403, "push_service_not_allowed", why)
            }
            Self::NoOwner => (403, "no_owner", "Send the cookie of a page, or Authorization: Bearer TOKEN."),
            Self::SubscriptionsFull => (503, "subscriptions_full", "The server is full; try again later."),
            Self::UnknownConversation => (404, "not_found", "There is no such conversation."),
            Self::UnknownAsk => (404, "not_found", "There is no such question."),
            Self::NotFound => (404, "not_found", "There is nothing here."),
            Self::MethodNotAllowed => (405, "method_not_allowed", "Method not allowed."),
            Self::InvalidReply(_) => (400, "invalid_reply", "The answer does not fit the question."),
            Self::InvalidAsk(_) => (400, "invalid_ask", "The questions cannot be asked."),
            Self::ConversationFull(_) => {
                let why = "The conversation is too long to go on; start a new one.";
                (409, "conversation_full", why)
            }
            Self::TooManyConversations(_) => {
                let why = "The server is full; try again later.";
                (503, "too_many_conversations", why)
            }
            Self::TooManyOwned => {
                let why = "You have too many conversations; delete one first.";
                (409, "too_many_owned", why)
            }
            Self::TooManyRequests { .. } => (429, "too_many_requests", "Too many requests; wait a little."),
            Self::TooManyStreams => (429, "too_many_streams", "Too many streams are open; close one first."),
            Self::BodiesFull => {
                let why = "The server is busy with other requests; send it again.";
                (503, "bodies_full", why)
            }
            Self::HistoriesFull => {
                let why = "The server is busy with other histories; try again.";
                (503, "histories_full", why)
            }
            Self::FilesNotAllowed => {
                let why = "No files are taken here; start the server with --attachments pictures.";
                (403, "files_not_allowed", why)
            }
            Self::NotBytes => {
                let why = "The body must be the bytes of the file, with Content-Type: application/octet-stream.";
                (415, "unsupported_media_type", why)
            }
            Self::FilesFull => {
                let why = "There is no room for more files; delete a conversation first.";
                (409, "files_full", why)
            }
            Self::Overtaken => {
                let why = "Another request changed the conversation at the same moment; try again.";
                (409, "overtaken", why)
            }
            Self::Stopping => (503, "server_stopping", "The server is stopping; try again in a moment."),
            Self::AgentBusy => (503, "agent_busy", "The agent is busy; try again later."),
            Self::AgentUnreachable => (502, "agent_unreachable", "The agent can't be reached. Is it running?"),
            Self::Store(_) => (503, "store_failed", "The conversation could not be stored; try again."),
            Self::Internal => (500, "internal_error", "Internal error."),
        };
        (StatusCode::from_u16(status).expect("it is one"), code, message.into())
    }

    /// The code and the message for a person.
    #[cfg(feature = "mcp")]
    pub(crate) fn code_and_message(&self) -> (&'static str, String) {
        let (_, code, message) = self.row();
        (code, message.into_owned())
    }

    /// The option of the limit that was reached.
    fn limit(&self) -> Option<&'static str> {
        Some(match self {
            Self::BodyTooLarge => "max-body",
            Self::BodiesFull => "max-bodies",
            Self::HistoriesFull => "max-histories",
            Self::TooManyRequests { limit, .. } => limit,
            Self::TooManyStreams => "max-streams",
            Self::TooManyOwned => "max-owned",
            Self::FilesFull => "max-files",
            Self::SubscriptionsFull => "max-subscriptions",
            Self::TooManyConversations(limit) | Self::ConversationFull(limit) => limit,
            Self::MessageTooLong(_) => "max-message",
            Self::ToolResultTooLong(_) => "max-tool-result",
            Self::AgentBusy => "max-model-calls",
            _ => return None,
        })
    }

    fn body(&self, code: &str, message: &str) -> Value {
        let mut body = json!({"code": code, "message": message});
        if let Some(limit) = self.limit() {
            body["limit"] = limit.into();
        }
        match self {
            Self::InvalidReply(violations)
            | Self::InvalidAsk(violations)
            | Self::Rejected(Rejected::InvalidReply(violations)) => {
                body["violations"] = json!(violations);
            }
            Self::Rejected(Rejected::AlreadyAnswered { winner, .. }) => {
                body["winner"] = json!(wire::result_message(winner));
                if let Some(outcome) = wire::outcome_of(winner) {
                    body["outcome"] = json!(outcome);
                }
            }
            _ => {}
        }
        body
    }
}

/// An error with its causes in one line, for the log and for whoever starts the program.
pub(crate) struct WithCauses<'a>(pub(crate) &'a (dyn Error + 'static));

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.0.to_string();
        f.write_str(&text)?;
        for cause in iter::successors(self.0.source(), |&cause| cause.source()) {
            let cause = cause.to_string();
            // Some errors, such as those of sqlx, tell their cause as well.
            if !text.ends_with(&cause) {
                write!(f, ": {cause}")?;
            }
            text = cause;
        }
        Ok(())
    }
}

/// The option of the limit that refused a request, among the response's extensions, for log and metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit(pub(crate) &'static str);

impl From<Rejected> for ApiError {
    fn from(rejected: Rejected) -> Self {
        Refused::from(rejected).into()
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        let words = refused.to_string();
        match refused {
            Refused::BadRequest(why) => Self::BadRequest(why),
            Refused::BypassNotAllowed => Self::BypassNotAllowed,
            Refused::InvalidReply(violations) => Self::InvalidReply(violations),
            Refused::InvalidAsk(violations) => Self::InvalidAsk(violations),
            Refused::Rejected(rejected) => Self::Rejected(rejected),
            Refused::Full(Full::Messages) => Self::ConversationFull("max-messages"),
            Refused::Full(Full::History) => Self::ConversationFull("max-history"),
            Refused::ToolResultTooLong(_) => Self::ToolResultTooLong(words),
            Refused::MessageTooLong(_) => Self::MessageTooLong(words),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<CommitError> for ApiError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict => Self::Overtaken,
            CommitError::Failed(error) => Self::Store(error),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code, message) = self.row();
        if let Self::Store(error) = &self {
            tracing::error!(error = %WithCauses(error), "store failed");
        } else {
            tracing::debug!(code, status = status.as_u16(), "request refused");
        }
        let mut response = (status, Json(self.body(code, &message))).into_response();
        if let Some(limit) = self.limit() {
            response.extensions_mut().insert(Limit(limit));
        }
        let headers = response.headers_mut();
        match self {
            Self::TooManyRequests { wait, .. } => {
                let seconds = HeaderValue::from(wait.as_secs() + 1);
                headers.insert(header::RETRY_AFTER, seconds);
            }
            Self::Stopping | Self::Store(_) | Self::BodiesFull | Self::HistoriesFull | Self::AgentBusy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(1));
            }
            Self::TooManyConversations(_) | Self::SubscriptionsFull => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(60));
            }
            Self::Unauthorized => {
                let bearer = HeaderValue::from_static("Bearer");
                headers.insert(header::WWW_AUTHENTICATE, bearer);
            }
            _ => {}
        }
        response
    }
}
