//! `/conversations/{id}/asks`: programs ask the conversation's user and wait for the answer.

use crate::auth::headers::{called, parameter};
use crate::caller::Caller;
use crate::config::limits::MAX_WAIT;
use crate::engine::clock::later;
use crate::engine::runtime::{Attempt, Runtime, to_the_end, until_taken};
use crate::engine::session::ActiveSession;
use crate::engine::waiting_asks::{page_address, urlencoded};
use crate::error::ApiError;
use crate::http::body::JsonBody;
use crate::http::conversations::{ConversationId, path_id};
use crate::live::Tail;
use axum::extract::{FromRequestParts, State};
use axum::http::{HeaderMap, StatusCode, Uri, header, request};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use question_agent::ag_ui::{AskBody, ask_status, check_id};
use question_agent::call::ToolResult;
use question_agent::{Event, Rejected};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// The id of an ask in the path.
#[derive(Debug)]
pub(crate) struct AskId(String);

impl<S: Send + Sync> FromRequestParts<S> for AskId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut request::Parts, state: &S) -> Result<Self, ApiError> {
        path_id(parts, state, "ask").await.map(Self).ok_or(ApiError::UnknownAsk)
    }
}

/// True if the server shows a page, in which a person finds the ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShowsPage(pub(crate) bool);

/// Asks in this conversation, which may be new. A repeated id asks nothing and gets the same response. With other questions it is
/// refused, since their program would take the answer to the first ones for its own.
pub(crate) async fn ask(
    State(runtime): State<Arc<Runtime>>,
    State(ShowsPage(shows_page)): State<ShowsPage>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    headers: HeaderMap,
    JsonBody(body): JsonBody,
) -> Result<Response, ApiError> {
    let body = AskBody::parse(&body)?;
    let call = body.id.clone().unwrap_or_else(|| format!("call_{}", Uuid::new_v4().simple()));
    to_the_end(async move {
        let status = until_taken(|attempt| runtime.try_ask(&caller, &id, &body, &call, attempt)).await?;
        let place = [(header::LOCATION, format!("asks/{}", urlencoded(&call)))];
        let mut asked = ask_status(&call, None);
        if shows_page {
            let origin = runtime.callbacks.public_origin().unwrap_or_else(|| called(&headers));
            asked["url"] = page_address(&origin, &id).into();
        }
        Ok((status, place, Json(asked)).into_response())
    })
    .await
}

impl Runtime {
    async fn try_ask(
        self: &Arc<Self>,
        caller: &Caller,
        id: &str,
        body: &AskBody,
        call: &str,
        attempt: Attempt,
    ) -> Result<StatusCode, ApiError> {
        check_id(call)?;
        let session = self.open_for_program(caller, id).await?;
        attempt.count(&session)?;
        let mut state = self.lock(&session).await?;
        let own = body.expires_after.map(|seconds| Duration::from_secs(seconds.get().into()));
        let expires_at = own.map(|time| later(self.clock.now(), time)).or_else(|| self.deadline());
        let event = body.read(self.asking_tool(&state.context), call, expires_at)?;
        if let Some(known) = state.conversation.call(call) {
            let asked = question_compat::from_arguments(known.arguments());
            let known_callback = state.context.callbacks.iter().find(|callback| callback.tool_call_id == call);
            let is_over = state.conversation.result_of(call).is_some();
            // The callback of an ask that has ended is no longer stored here.
            let has_callback = is_over || known_callback.map(|callback| &callback.url) == body.callback.as_ref();
            return match &event {
                Event::ProgramAsked { questions, .. } if has_callback && asked.as_ref() == Some(questions) => {
                    Ok(StatusCode::OK)
                }
                _ => Err(Rejected::DuplicateToolCall { id: call.to_owned() }.into()),
            };
        }
        let callback = body.callback.as_deref().map(|url| self.callbacks.keep(url, call)).transpose()?;
        let before = state.context.clone();
        state.context.callbacks.extend(callback);
        match self.handle(&session, &mut state, Uuid::new_v4().to_string(), event).await {
            Ok(_) => Ok(StatusCode::CREATED),
            Err(error) => {
                state.context = before;
                Err(error)
            }
        }
    }

    /// The result of an ask, or a reader that waits for it.
    async fn result_of(self: Arc<Self>, caller: Caller, id: String, ask: String) -> Result<Looked, ApiError> {
        let session = self.open(&caller, &id).await?;
        let mut state = self.lock(&session).await?;
        let looked = match state.conversation.end_of(&ask) {
            Some(result) => Looked::Over(result),
            None if state.conversation.call(&ask).is_none() => return Err(ApiError::UnknownAsk),
            None => Looked::Waits(Arc::clone(&session), session.hub.tail_from_now()),
        };
        state.rest();
        drop(state);
        Ok(looked)
    }
}

enum Looked {
    Over(ToolResult),
    /// Holds the conversation, which is notified of its answer only while it is in memory.
    Waits(Arc<ActiveSession>, Tail),
}

/// The status of an ask: at its end, or after the time of `?wait=`.
pub(crate) async fn status(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    AskId(ask): AskId,
    uri: Uri,
) -> Result<Response, ApiError> {
    let until = Instant::now() + wait(&uri)?;
    loop {
        // Looking at it may expire the question.
        let looked = to_the_end(Arc::clone(&runtime).result_of(caller.clone(), id.clone(), ask.clone())).await?;
        let (_session, mut reader) = match looked {
            Looked::Over(result) => return Ok(Json(ask_status(&ask, Some(&result))).into_response()),
            Looked::Waits(session, reader) => (session, reader),
        };
        let has_changed = tokio::select! {
            () = runtime.drain.closed() => false,
            changed = timeout_at(until, reader.next_change()) => changed.is_ok(),
        };
        if !has_changed {
            return Ok((StatusCode::ACCEPTED, Json(ask_status(&ask, None))).into_response());
        }
    }
}

/// The time of `?wait=`, in seconds; zero if it is absent.
fn wait(uri: &Uri) -> Result<Duration, ApiError> {
    let Some(given) = parameter(uri, "wait") else {
        return Ok(Duration::ZERO);
    };
    let seconds = given.parse().map_err(|_| ApiError::BadRequest("`wait` is a number of seconds.".to_owned()))?;
    Ok(Duration::from_secs(seconds).min(MAX_WAIT))
}
