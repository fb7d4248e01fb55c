//! What clients are told when something goes wrong: JSON `{code, message}`, with more where it helps.

use crate::store::error::{CommitError, StoreError};
use ask_user_question::validate::Violation;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use question_agent::Rejected;
use question_agent::ag_ui::{Full, Refused, wire};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::time::Duration;

/// Everything that can go wrong with a request.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// 400 `bad_request`: the body is not what the endpoint takes.
    BadRequest(String),
    /// 415 `unsupported_media_type`: the body is not declared as JSON.
    UnsupportedMediaType,
    /// 413 `too_large`: the body is over [`Bounds::body`](crate::limits::Bounds::body).
    BodyTooLarge,
    /// 408 `body_timeout`: the body did not come within [`Patience::body`](crate::limits::Patience::body).
    BodyTimeout,
    /// 401 `unauthorized`, with `WWW-Authenticate`: see [`access`](crate::access).
    Unauthorized,
    /// 403 `forbidden_host`: see [`guard`](crate::guard).
    ForbiddenHost,
    /// 403 `forbidden_origin`: see [`guard`](crate::guard).
    ForbiddenOrigin,
    /// 403 `bypass_not_allowed`: a client asks for `bypassPermissions`, which the operator has not allowed.
    BypassNotAllowed,
    /// 403 `callback_not_allowed`: a program names a URL that the operator has not allowed.
    CallbackNotAllowed,
    /// 404 `not_found`: there is no such conversation.
    UnknownConversation,
    /// 404 `not_found`: the conversation has no such ask.
    UnknownAsk,
    /// 404 `not_found`: there is nothing at this path.
    NotFound,
    /// 405 `method_not_allowed`: there is something at this path, but not for this method.
    MethodNotAllowed,
    /// 400 `invalid_reply`: the reply does not fit the ask; `violations` says where.
    InvalidReply(Vec<Violation>),
    /// 400 `invalid_ask`: what a program asks is no legal ask; `violations` says where.
    InvalidAsk(Vec<Violation>),
    /// 409 with the rejection's code: the conversation cannot take this now. Where the ask has ended, `outcome` says how, and `winner` is its result.
    Rejected(Rejected),
    /// 409 `conversation_full`: it has [`Bounds::messages`](crate::limits::Bounds::messages), or [`Bounds::history`](crate::limits::Bounds::history)
    /// bytes of them, as this option says.
    ConversationFull(&'static str),
    /// 400 `bad_request`: what a client's tool brought is over [`Bounds::tool_result`](crate::limits::Bounds::tool_result).
    ToolResultTooLong(String),
    /// 400 `bad_request`: a text is over [`Bounds::message`](crate::limits::Bounds::message), in words for its writer.
    MessageTooLong(String),
    /// 503 `too_many_conversations`: the server has [`Bounds::conversations`](crate::limits::Bounds::conversations), or
    /// [`Bounds::memory`](crate::limits::Bounds::memory) bytes of them, as this option says.
    TooManyConversations(&'static str),
    /// 409 `too_many_owned`: the owner has [`Bounds::owned`](crate::limits::Bounds::owned) conversations.
    TooManyOwned,
    /// 429 `too_many_requests`, with `Retry-After`: more often than this limit lets it.
    TooManyRequests { limit: &'static str, wait: Duration },
    /// 429 `too_many_streams`: the client has [`Bounds::streams`](crate::limits::Bounds::streams) open.
    TooManyStreams,
    /// 408 `body_timeout`: the body was given up for others, since [`Bounds::bodies`](crate::limits::Bounds::bodies) was reached.
    BodyGivenUp,
    /// 409 `overtaken`: somebody else changed the conversation at the same moment, again and again.
    Overtaken,
    /// 503 `server_stopping`, with `Retry-After`: the server begins nothing more; the next one will.
    Stopping,
    /// 503 `agent_busy`: the agent of `--agent` has as many runs as it may.
    AgentBusy,
    /// Its own status, `agent_refused`: the agent of `--agent` refuses, in words that are not passed on.
    AgentRefused(StatusCode),
    /// 502 `agent_unreachable`: the agent of `--agent` does not answer as an agent does.
    AgentUnreachable,
    /// 500 `store_failed`: it is not known to be stored; the same request again finds out.
    Store(StoreError),
    /// 500 `internal_error`: a bug.
    Internal,
}

impl ApiError {
    /// Its status, its code and what a person reads.
    fn row(&self) -> (StatusCode, &'static str, Cow<'_, str>) {
        let (status, code, message) = match self {
            Self::BadRequest(why) | Self::MessageTooLong(why) | Self::ToolResultTooLong(why) => {
                return (StatusCode::BAD_REQUEST, "bad_request", why.into());
            }
            Self::AgentRefused(status) => return (*status, "agent_refused", "The agent refuses.".into()),
            Self::Rejected(rejected) => return (StatusCode::CONFLICT, rejected.code(), rejected.to_string().into()),
            Self::UnsupportedMediaType => {
                let why = "The body must be JSON, with Content-Type: application/json.";
                (415, "unsupported_media_type", why)
            }
            Self::BodyTooLarge => (413, "too_large", "The body is too large."),
            Self::BodyTimeout => (408, "body_timeout", "The body took too long to come."),
            Self::Unauthorized => {
                let why = "This server wants its token: open /?token=TOKEN once, or send Authorization: Bearer TOKEN.";
                (401, "unauthorized", why)
            }
            Self::ForbiddenHost => (403, "forbidden_host", "Host not allowed; add it with --allow-host."),
            Self::ForbiddenOrigin => (403, "forbidden_origin", "Origin not allowed; add it with --allow-origin."),
            Self::BypassNotAllowed => {
                let why = "Clients may not bypass permissions here; --allow-bypass would let them.";
                (403, "bypass_not_allowed", why)
            }
            Self::CallbackNotAllowed => {
                let why = "No callbacks to this origin; --allow-callback would let them.";
                (403, "callback_not_allowed", why)
            }
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
                let why = "The server holds as many conversations as it may.";
                (503, "too_many_conversations", why)
            }
            Self::TooManyOwned => {
                let why = "You have as many conversations as you may; delete one first.";
                (409, "too_many_owned", why)
            }
            Self::TooManyRequests { .. } => (429, "too_many_requests", "That is too often; wait a little."),
            Self::TooManyStreams => (429, "too_many_streams", "Too many streams are open; close one first."),
            Self::BodyGivenUp => {
                let why = "The server has no room for a body that comes so slowly; send it again.";
                (408, "body_timeout", why)
            }
            Self::Overtaken => {
                let why = "Somebody else changed the conversation at the same moment; try again.";
                (409, "overtaken", why)
            }
            Self::Stopping => (503, "server_stopping", "The server is stopping; try again in a moment."),
            Self::AgentBusy => (503, "agent_busy", "The agent has too much to do; try again later."),
            Self::AgentUnreachable => (502, "agent_unreachable", "The agent can't be reached. Is it running?"),
            Self::Store(_) => (500, "store_failed", "The conversation could not be stored; try again."),
            Self::Internal => (500, "internal_error", "Internal error."),
        };
        (StatusCode::from_u16(status).expect("it is one"), code, message.into())
    }

    /// Its code and what a person reads.
    #[cfg(feature = "mcp")]
    pub(crate) fn code_and_message(&self) -> (&'static str, String) {
        let (_, code, message) = self.row();
        (code, message.into_owned())
    }

    /// The option whose limit was reached.
    fn limit(&self) -> Option<&'static str> {
        Some(match self {
            Self::BodyTooLarge => "--max-body",
            Self::BodyGivenUp => "--max-bodies",
            Self::TooManyRequests { limit, .. } => limit,
            Self::TooManyStreams => "--max-streams",
            Self::TooManyOwned => "--max-owned",
            Self::TooManyConversations(limit) | Self::ConversationFull(limit) => limit,
            Self::MessageTooLong(_) => "--max-message",
            Self::ToolResultTooLong(_) => "--max-tool-result",
            Self::AgentBusy => "--max-model-calls",
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

/// The option whose limit refused a request, beside its response: for log and metrics.
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
            Refused::Full(Full::Messages) => Self::ConversationFull("--max-messages"),
            Refused::Full(Full::History) => Self::ConversationFull("--max-history"),
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
            tracing::error!(%error, "the store failed");
        } else {
            tracing::debug!(code, status = status.as_u16(), "refused");
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
            Self::Stopping => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(1));
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
