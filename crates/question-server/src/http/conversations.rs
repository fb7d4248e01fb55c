//! `/conversations/{id}`: reading and deleting a conversation, and answering without AG-UI.

use crate::caller::Caller;
use crate::engine::runtime::{Attempt, Runtime, to_the_end, until_taken};
use crate::engine::session::{ActiveSession, SessionGuard, SessionState};
use crate::error::ApiError;
use crate::http::body::JsonBody;
use crate::live::Position;
use crate::live::histories::Preamble;
use crate::store::signals::StopCause;
use ask_user_question::AskUserQuestion;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::{HeaderValue, StatusCode, header, request};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use question_agent::ag_ui::{CancelBody, Refused, RespondBody, check_id};
use question_agent::effect::StateChange;
use question_agent::{Event, Rejected, background};
use serde::Serialize;
use std::sync::Arc;
use uuid::Uuid;

/// The id in the path. A malformed id is unknown.
#[derive(Debug)]
pub(crate) struct ConversationId(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for ConversationId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut request::Parts, state: &S) -> Result<Self, ApiError> {
        path_id(parts, state, "id").await.map(Self).ok_or(ApiError::UnknownConversation)
    }
}

/// An id in the path, by its name in the route; `None` if it is malformed.
pub(crate) async fn path_id<S: Send + Sync>(parts: &mut request::Parts, state: &S, parameter: &str) -> Option<String> {
    let all = RawPathParams::from_request_parts(parts, state).await.ok()?;
    // The paths under which the router is nested may have parameters of their own, also of this name.
    let (_, id) = all.iter().filter(|(name, _)| *name == parameter).last()?;
    check_id(id).ok()?;
    Some(id.to_owned())
}

/// The response to `GET /conversations/{id}`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    messages: [(); 0],
    state: StateChange,
    /// The open asks: the one that waits, if one does, then those for whose answers the agent does not wait.
    pending: Vec<PendingAsk>,
    /// The run under way. If it is absent while the state says that the agent works, the agent waits: for the result of a client's tool or, after a
    /// restart, for its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// The position from which `/events` continues.
    last_event_id: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PendingAsk {
    tool_call_id: String,
    #[serde(flatten)]
    questions: AskUserQuestion,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// The response to `/respond` and `/cancel`.
#[derive(Debug, Serialize)]
pub(crate) struct Taken {
    state: StateChange,
}

pub(crate) async fn describe(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
) -> Result<Response, ApiError> {
    // Reading it may expire the question.
    to_the_end(async move {
        let mut room = runtime.histories.enter(caller.client());
        let session = runtime.open(&caller, &id).await?;
        let mut state = runtime.lock_with_room(&session, &mut room).await?;
        let description = description(&runtime, &state, session.settled(&state));
        let text = Preamble::default().text_with(&description, session.history(&state, room));
        state.rest();
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (header::CONTENT_LENGTH, HeaderValue::from(text.len())),
        ];
        Ok((headers, Body::from_stream(text.into_stream())).into_response())
    })
    .await
}

/// A description whose messages are still to be filled in.
fn description(runtime: &Runtime, state: &SessionState, settled: Position) -> String {
    let conversation = &state.conversation;
    let pending = conversation.waiting().map(|waiting| PendingAsk {
        tool_call_id: waiting.tool_use_id.clone(),
        questions: waiting.questions.clone(),
        expires_at: waiting.expires_at.map(|time| time.to_string()),
    });
    let open = background::open(conversation.messages()).into_iter();
    let open = open.map(|(call, questions)| PendingAsk { tool_call_id: call.to_owned(), questions, expires_at: None });
    let description = Description {
        messages: [],
        state: StateChange::from(conversation.state()),
        pending: pending.into_iter().chain(open).collect(),
        run_id: state.run.as_ref().map(|run| run.id.clone()).or_else(|| runtime.run_elsewhere(state)),
        last_event_id: settled.messages_id(),
    };
    serde_json::to_string(&description).expect("a description has only strings for keys")
}

/// The ids of the caller's conversations.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    conversations: Vec<String>,
}

pub(crate) async fn list(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<Listed>, ApiError> {
    check_owner(&caller)?;
    Ok(Json(Listed { conversations: runtime.list(&caller).await? }))
}

/// Deletes all of the caller's conversations.
pub(crate) async fn delete_all(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
) -> Result<StatusCode, ApiError> {
    check_owner(&caller)?;
    to_the_end(async move {
        let mut may_be_more = true;
        // An owner may have more conversations than one list holds, if more were allowed once.
        while std::mem::take(&mut may_be_more) {
            for id in runtime.list(&caller).await? {
                let deleted = async { runtime.delete(&runtime.open(&caller, &id).await?).await };
                match deleted.await {
                    Ok(()) => may_be_more = true,
                    // Another request has deleted it.
                    Err(ApiError::UnknownConversation) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

fn check_owner(caller: &Caller) -> Result<(), ApiError> {
    match caller.owner {
        Some(_) => Ok(()),
        None => {
            Err(ApiError::BadRequest("Send a cookie or a token; without one you have no conversations.".to_owned()))
        }
    }
}

/// Deletes the conversation with its messages.
pub(crate) async fn delete(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
) -> Result<StatusCode, ApiError> {
    to_the_end(async move {
        let session = runtime.open(&caller, &id).await?;
        session.allow_change()?;
        runtime.delete(&session).await?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

pub(crate) async fn respond(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    JsonBody(body): JsonBody,
) -> Result<Json<Taken>, ApiError> {
    let body = RespondBody::parse(&body)?;
    to_the_end(async move { until_taken(|attempt| try_respond(&runtime, &caller, &id, &body, attempt)).await }).await
}

async fn try_respond(
    runtime: &Arc<Runtime>,
    caller: &Caller,
    id: &str,
    body: &RespondBody,
    attempt: Attempt,
) -> Result<Json<Taken>, ApiError> {
    let session = runtime.open(caller, id).await?;
    attempt.count(&session)?;
    let mut state = runtime.lock(&session).await?;
    match body.read(&runtime.bounds_of_input(), &state.conversation, || Uuid::new_v4().to_string()) {
        Ok(event) => hand_over(runtime, &session, state, event).await,
        Err(Refused::Rejected(Rejected::AlreadyAnswered { same_reply: true, .. })) => {
            runtime.revive(&session, &mut state).await?;
            Ok(taken(&state))
        }
        Err(refused) => Err(refused.into()),
    }
}

/// Cancels the waiting question, or stops the run under way.
pub(crate) async fn cancel(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    JsonBody(body): JsonBody,
) -> Result<Json<Taken>, ApiError> {
    let body = CancelBody::parse(&body)?;
    to_the_end(async move { until_taken(|attempt| try_cancel(&runtime, &caller, &id, &body, attempt)).await }).await
}

async fn try_cancel(
    runtime: &Arc<Runtime>,
    caller: &Caller,
    id: &str,
    body: &CancelBody,
    attempt: Attempt,
) -> Result<Json<Taken>, ApiError> {
    let CancelBody { proceed, run_id, tool_call_id } = body;
    let session = runtime.open(caller, id).await?;
    attempt.count(&session)?;
    let cancel = Event::UserCancel { proceed: *proceed };
    // Whatever starts after this read is not to be cancelled.
    let mut state = runtime.lock(&session).await?;
    if tool_call_id.is_some() {
        if body.is_done(&state.conversation)? {
            return Ok(taken(&state));
        }
        let cancel = body.event(&state.conversation, || Uuid::new_v4().to_string());
        return hand_over(runtime, &session, state, cancel).await;
    }
    let is_meant = |run: &String| run_id.as_ref().is_none_or(|id| id == run);
    if let Some(run) = runtime.run_elsewhere(&state).filter(is_meant) {
        drop(state);
        runtime.stop_elsewhere(&session, run.clone(), StopCause::Requested).await;
        state = runtime.lock(&session).await?;
        if runtime.run_elsewhere(&state).as_ref() != Some(&run) {
            return Ok(taken(&state));
        }
        // The other server does not respond, so its lease is ignored.
        return hand_over(runtime, &session, state, cancel).await;
    }
    let run = state.run.clone();
    match run.filter(|run| run_id.as_ref().is_none_or(|id| *id == run.id)) {
        Some(run) => {
            drop(state);
            run.stop_and_wait().await;
            Ok(taken(&*runtime.lock(&session).await?))
        }
        None if run_id.is_some() => Ok(taken(&state)),
        None => hand_over(runtime, &session, state, cancel).await,
    }
}

async fn hand_over(
    runtime: &Arc<Runtime>,
    session: &Arc<ActiveSession>,
    mut state: SessionGuard<'_>,
    event: Event,
) -> Result<Json<Taken>, ApiError> {
    let run_id = Uuid::new_v4().to_string();
    let change = runtime.handle(session, &mut state, run_id, event).await?;
    Ok(Json(Taken { state: change }))
}

fn taken(state: &SessionState) -> Json<Taken> {
    Json(Taken { state: StateChange::from(state.conversation.state()) })
}
