//! Error responses: JSON with `code`, `message` and, for some errors, further members.

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

/// The errors of requests: those with data, and a row with status, code and message for each of the others.
macro_rules! errors {
    ({ $($with_data:tt)* } $($(#[$doc:meta])* $name:ident $status:literal $code:literal $message:literal)*) => {
        /// The errors of requests.
        #[derive(Debug)]
        pub(crate) enum ApiError {
            $($with_data)*
            $($(#[$doc])* $name,)*
        }

        impl ApiError {
            /// The status, the code and the message for a person.
            fn row(&self) -> (StatusCode, &'static str, Cow<'_, str>) {
                let (status, code, message) = match self {
                    $(Self::$name => ($status, $code, $message.into()),)*
                    Self::BadRequest(why) | Self::MessageTooLong(why) | Self::ToolResultTooLong(why) => {
                        (400, "bad_request", why.into())
                    }
                    Self::BadFile(why) => (400, "bad_file", why.into()),
                    Self::InvalidReply(_) => (400, "invalid_reply", "The answer does not fit the question.".into()),
                    Self::InvalidAsk(_) => (400, "invalid_ask", "The questions cannot be asked.".into()),
                    Self::Rejected(rejected) => (409, rejected.code(), rejected.to_string().into()),
                    Self::ConversationFull(_) => {
                        (409, "conversation_full", "The conversation is too long to go on; start a new one.".into())
                    }
                    Self::TooManyConversations(_) => {
                        (503, "too_many_conversations", "The server is full; try again later.".into())
                    }
                    Self::TooManyRequests { .. } => {
                        (429, "too_many_requests", "Too many requests; wait a little.".into())
                    }
                    Self::AgentRefused(status) => {
                        let why = format!("The agent answered {status}. The server's log says how the answer begins.");
                        (status.as_u16(), "agent_refused", why.into())
                    }
                    Self::Store(_) => (503, "store_failed", "The conversation could not be stored; try again.".into()),
                };
                (StatusCode::from_u16(status).expect("it is one"), code, message)
            }
        }
    };
}

errors! {
    {
        /// The body is malformed.
        BadRequest(String),
        /// A text is over [`Bounds::message`](crate::config::limits::Bounds::message), in words for its writer.
        MessageTooLong(String),
        /// The result of a client's tool is over [`Bounds::tool_result`](crate::config::limits::Bounds::tool_result).
        ToolResultTooLong(String),
        /// The file is not what it says, or over the limits, in words for its sender.
        BadFile(String),
        /// The reply does not fit the ask; `violations` has the places.
        InvalidReply(Vec<Violation>),
        /// A program's ask breaks the rules; `violations` has the places.
        InvalidAsk(Vec<Violation>),
        /// The conversation's state does not allow this. For an ask that has ended, `outcome` and `winner` have its result.
        Rejected(Rejected),
        /// The option of the limit that the conversation has reached.
        ConversationFull(&'static str),
        /// The option of the limit that the server has reached.
        TooManyConversations(&'static str),
        /// The rate limit of this option is exceeded.
        TooManyRequests { limit: &'static str, wait: Duration },
        /// The agent of `--agent` refused with a body that is not JSON. The body may be a stack trace, so only the log has it.
        AgentRefused(StatusCode),
        /// The change may or may not be stored. A client may send the same request again.
        Store(StoreError),
    }
    UnsupportedMediaType 415 "unsupported_media_type" "The body must be JSON, with Content-Type: application/json."
    NotBytes 415 "unsupported_media_type" "The body must be the bytes of the file, with Content-Type: application/octet-stream."
    BodyTooLarge 413 "too_large" "The body is too large."
    BodyTimeout 408 "body_timeout" "The body took too long to arrive."
    Unauthorized 401 "unauthorized" "This server needs a token: open /?token=TOKEN once, or send Authorization: Bearer TOKEN."
    ForbiddenHost 403 "forbidden_host" "Host not allowed; add it with --public-origin."
    ForbiddenOrigin 403 "forbidden_origin" "Origin not allowed; add it with --allow-origin."
    BypassNotAllowed 403 "bypass_not_allowed" "Bypassing permissions is not allowed; the program that embeds the server allows it by `Config::allow_bypass`."
    CallbackNotAllowed 403 "callback_not_allowed" "Callback origin not allowed; add it with --allow-callback."
    FilesNotAllowed 403 "files_not_allowed" "No files are taken here; start the server with --attachments pictures."
    WebPushOff 403 "web_push_off" "Web push is off; start the server with --web-push mailto:admin@example.com."
    PushServiceNotAllowed 403 "push_service_not_allowed" "The endpoint is not that of a known push service."
    NoOwner 403 "no_owner" "Send the cookie of a page, or Authorization: Bearer TOKEN."
    UnknownConversation 404 "not_found" "There is no such conversation."
    UnknownAsk 404 "not_found" "There is no such question."
    /// No route has this path.
    NotFound 404 "not_found" "There is nothing here."
    MethodNotAllowed 405 "method_not_allowed" "Method not allowed."
    /// The owner has [`Bounds::owned`](crate::config::limits::Bounds::owned) conversations.
    TooManyOwned 409 "too_many_owned" "You have too many conversations; delete one first."
    FilesFull 409 "files_full" "There is no room for more files; delete a conversation first."
    /// Other requests changed the conversation before each of the server's attempts.
    Overtaken 409 "overtaken" "Another request changed the conversation at the same moment; try again."
    TooManyStreams 429 "too_many_streams" "Too many streams are open; close one first."
    BodiesFull 503 "bodies_full" "The server is busy with other requests; send it again."
    HistoriesFull 503 "histories_full" "The server is busy with other histories; try again."
    SubscriptionsFull 503 "subscriptions_full" "The server is full; try again later."
    /// The server starts no more runs.
    Stopping 503 "server_stopping" "The server is stopping; try again in a moment."
    AgentBusy 503 "agent_busy" "The agent is busy; try again later."
    /// The agent of `--agent` does not answer, or not in AG-UI.
    AgentUnreachable 502 "agent_unreachable" "The agent can't be reached. Is it running?"
    /// A bug.
    Internal 500 "internal_error" "Internal error."
}

impl ApiError {
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

/// For the log: a failure of the store with its causes, or the code. `Debug` would show what a database says of its rows.
impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => WithCauses(error).fmt(f),
            refused => f.write_str(refused.row().1),
        }
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
        if let Self::Store(_) = &self {
            tracing::error!(error = %self, "store failed");
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
