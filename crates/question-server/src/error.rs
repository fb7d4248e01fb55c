//! What clients are told when something goes wrong: JSON `{code, message}`, with more where it helps.

use crate::store::{CommitError, StoreError};
use crate::wire;
use ask_user_question::validate::Violation;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use question_agent::Rejected;
use serde_json::{Value, json};
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
    /// 404 `not_found`: there is no such conversation.
    UnknownConversation,
    /// 404 `not_found`: there is nothing at this path.
    NotFound,
    /// 405 `method_not_allowed`: there is something at this path, but not for this method.
    MethodNotAllowed,
    /// 400 `invalid_reply`: the reply does not fit the ask; `violations` says where.
    InvalidReply(Vec<Violation>),
    /// 409 with the rejection's code: the conversation cannot take this now. Where the ask has ended, `outcome` says how, and `winner` is its result.
    Rejected(Rejected),
    /// 409 `conversation_full`: it has [`Bounds::messages`](crate::limits::Bounds::messages), or [`Bounds::history`](crate::limits::Bounds::history)
    /// bytes of them.
    ConversationFull,
    /// 503 `too_many_conversations`: the server has [`Bounds::conversations`](crate::limits::Bounds::conversations).
    TooManyConversations,
    /// 409 `too_many_owned`: the owner has [`Bounds::owned`](crate::limits::Bounds::owned) conversations.
    TooManyOwned,
    /// 429 `too_many_requests`, with `Retry-After`: more often than [`limits`](crate::limits) let it.
    TooManyRequests(Duration),
    /// 409 `overtaken`: somebody else changed the conversation at the same moment, again and again.
    Overtaken,
    /// 503 `server_stopping`, with `Retry-After`: the server begins nothing more; the next one will.
    Stopping,
    /// 503 `agent_busy`: the agent of `--agent` has as many runs as it may.
    AgentBusy,
    /// 502 `agent_unreachable`: the agent of `--agent` does not answer.
    AgentUnreachable,
    /// 500 `store_failed`: it is not known to be stored; the same request again finds out.
    Store(StoreError),
    /// 500 `internal_error`: a bug.
    Internal,
}

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) | Self::InvalidReply(_) => StatusCode::BAD_REQUEST,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::ForbiddenHost | Self::ForbiddenOrigin | Self::BypassNotAllowed => StatusCode::FORBIDDEN,
            Self::UnknownConversation | Self::NotFound => StatusCode::NOT_FOUND,
            Self::Rejected(_) | Self::ConversationFull | Self::Overtaken | Self::TooManyOwned => StatusCode::CONFLICT,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooManyConversations | Self::Stopping | Self::AgentBusy => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::AgentUnreachable => StatusCode::BAD_GATEWAY,
            Self::Store(_) | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::BadRequest(_) => "bad_request",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::BodyTooLarge => "too_large",
            Self::BodyTimeout => "body_timeout",
            Self::Unauthorized => "unauthorized",
            Self::ForbiddenHost => "forbidden_host",
            Self::ForbiddenOrigin => "forbidden_origin",
            Self::BypassNotAllowed => "bypass_not_allowed",
            Self::UnknownConversation | Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::InvalidReply(_) => "invalid_reply",
            Self::Rejected(rejected) => rejected.code(),
            Self::ConversationFull => "conversation_full",
            Self::TooManyConversations => "too_many_conversations",
            Self::TooManyOwned => "too_many_owned",
            Self::TooManyRequests(_) => "too_many_requests",
            Self::Overtaken => "overtaken",
            Self::Stopping => "server_stopping",
            Self::AgentBusy => "agent_busy",
            Self::AgentUnreachable => "agent_unreachable",
            Self::Store(_) => "store_failed",
            Self::Internal => "internal_error",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::BadRequest(why) => why.clone(),
            Self::UnsupportedMediaType => "The body must be JSON, with Content-Type: application/json.".to_owned(),
            Self::BodyTooLarge => "The body is too large.".to_owned(),
            Self::BodyTimeout => "The body took too long to come.".to_owned(),
            Self::Unauthorized => {
                "This server wants its token: open /?token=TOKEN once, or send Authorization: Bearer TOKEN.".to_owned()
            }
            Self::ForbiddenHost => {
                "This server does not answer under that name; --allow-host would make it.".to_owned()
            }
            Self::ForbiddenOrigin => "Pages of this origin are not let in; --allow-origin would.".to_owned(),
            Self::BypassNotAllowed => {
                "Clients may not bypass permissions here; --allow-bypass would let them.".to_owned()
            }
            Self::UnknownConversation => "There is no such conversation.".to_owned(),
            Self::NotFound => "There is nothing here.".to_owned(),
            Self::MethodNotAllowed => "That method does nothing here.".to_owned(),
            Self::InvalidReply(_) => "The answer does not fit the question.".to_owned(),
            Self::Rejected(rejected) => rejected.to_string(),
            Self::ConversationFull => "The conversation is too long to go on; start a new one.".to_owned(),
            Self::TooManyConversations => "The server holds as many conversations as it may.".to_owned(),
            Self::TooManyOwned => "You have as many conversations as you may; delete one first.".to_owned(),
            Self::TooManyRequests(_) => "That is too often; wait a little.".to_owned(),
            Self::Overtaken => "Somebody else changed the conversation at the same moment; try again.".to_owned(),
            Self::Stopping => "The server is stopping; try again in a moment.".to_owned(),
            Self::AgentBusy => "The agent has too much to do; try again later.".to_owned(),
            Self::AgentUnreachable => "The agent can't be reached. Is it running?".to_owned(),
            Self::Store(_) => "The conversation could not be stored; try again.".to_owned(),
            Self::Internal => "The server broke off.".to_owned(),
        }
    }

    fn body(&self) -> Value {
        let mut body = json!({"code": self.code(), "message": self.message()});
        match self {
            Self::InvalidReply(violations) | Self::Rejected(Rejected::InvalidReply(violations)) => {
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

impl From<Rejected> for ApiError {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::InvalidReply(violations) => Self::InvalidReply(violations),
            other => Self::Rejected(other),
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
        let status = self.status();
        if let Self::Store(error) = &self {
            tracing::error!(%error, "the store failed");
        } else {
            tracing::debug!(code = self.code(), status = status.as_u16(), "refused");
        }
        let mut response = (status, Json(self.body())).into_response();
        let headers = response.headers_mut();
        match self {
            Self::TooManyRequests(wait) => {
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
