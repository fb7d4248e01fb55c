//! `/conversations/{id}`: what a conversation is, and answering without AG-UI.

use crate::app::App;
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::histories::Parts;
use crate::input::check_id;
use crate::intake;
use crate::limits::Bounds;
use crate::live::{Live, Place, Talk, TalkGuard, TextFor};
use crate::owner::Caller;
use crate::runtime::{stop, to_the_end};
use crate::store::feed::Wish;
use crate::wire;
use ask_user_question::outcome::{AnsweredBy, OutcomeKind};
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use axum::body::Body;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::{HeaderValue, StatusCode, header, request};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use json_tree::{Plain, plain};
use question_agent::call::ToolResult;
use question_agent::effect::StateChange;
use question_agent::event;
use question_agent::message::Message;
use question_agent::{Conversation, Event, Rejected};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

/// The id in the path. No conversation has one that cannot be read.
#[derive(Debug)]
pub(crate) struct ConversationId(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for ConversationId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut request::Parts, state: &S) -> Result<Self, ApiError> {
        let id = Path::from_request_parts(parts, state).await;
        let Path(id): Path<String> = id.map_err(|_| ApiError::UnknownConversation)?;
        check_id(&id).map_err(|_| ApiError::UnknownConversation)?;
        Ok(Self(id))
    }
}

/// What `GET /conversations/{id}` gives.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    messages: Vec<ag_ui_stream::Message>,
    state: StateChange,
    /// The asks that wait; at most one.
    pending: Vec<Pending>,
    /// The run under way. If it is absent while the state says that the agent works, the agent waits: for the result of a client's tool or, after a
    /// restart, for its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    /// From where `/events` goes on.
    last_event_id: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Pending {
    tool_call_id: String,
    #[serde(flatten)]
    questions: AskUserQuestion,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// What `POST /conversations/{id}/respond` takes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RespondBody {
    #[serde(deserialize_with = "plain")]
    answers: Value,
    details: Option<Plain>,
    tool_call_id: Option<String>,
    reply_id: Option<String>,
}

/// What `POST /conversations/{id}/cancel` takes.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelBody {
    #[serde(default)]
    proceed: bool,
    /// Stops this run and nothing else: where it is over, a question that waits is left alone.
    run_id: Option<String>,
    /// Cancels this question and nothing else: neither another that has come since nor a run.
    tool_call_id: Option<String>,
}

/// What `/respond` and `/cancel` give.
#[derive(Debug, Serialize)]
pub(crate) struct Taken {
    state: StateChange,
}

pub(crate) async fn describe(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
) -> Result<Response, ApiError> {
    // A question may expire on the way.
    to_the_end(async move {
        let histories = app.runtime.histories();
        let room = histories.room(caller.client()).await;
        let live = app.runtime.open(&caller, &id).await?;
        let mut talk = app.runtime.talk(&live).await?;
        let place = live.settled(&talk);
        let make = || histories.keep(description(&talk, place), room, &live);
        let text = live.text(TextFor::Description, &talk, place.told, make);
        talk.rest();
        let length = text.len().unwrap_or_default();
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (header::CONTENT_LENGTH, HeaderValue::from(length)),
        ];
        Ok((headers, Body::from_stream(Parts::default().history(text).into_stream())).into_response())
    })
    .await
}

fn description(talk: &Talk, place: Place) -> String {
    let conversation = &talk.conversation;
    let pending = conversation.waiting().map(|waiting| Pending {
        tool_call_id: waiting.tool_use_id.clone(),
        questions: waiting.questions.clone(),
        expires_at: waiting.expires_at.map(|time| time.to_string()),
    });
    let description = Description {
        messages: wire::messages(talk),
        state: StateChange::from(conversation.state()),
        pending: pending.into_iter().collect(),
        run_id: talk.run.as_ref().map(|run| run.id.clone()).or_else(|| talk.run_elsewhere.clone()),
        last_event_id: place.event_id(),
    };
    serde_json::to_string(&description).expect("a description has only strings for keys")
}

/// Deletes the conversation with all that was said in it.
pub(crate) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
) -> Result<StatusCode, ApiError> {
    to_the_end(async move {
        let live = app.runtime.open(&caller, &id).await?;
        live.allow_change()?;
        app.runtime.delete(&live).await?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

pub(crate) async fn respond(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    JsonBody(body): JsonBody,
) -> Result<Json<Taken>, ApiError> {
    let body: RespondBody = parse(&body)?;
    check_ids([&body.tool_call_id, &body.reply_id])?;
    to_the_end(async move {
        loop {
            match try_respond(&app, &caller, &id, &body).await {
                Err(ApiError::Overtaken) => {}
                responded => return responded,
            }
        }
    })
    .await
}

async fn try_respond(app: &App, caller: &Caller, id: &str, body: &RespondBody) -> Result<Json<Taken>, ApiError> {
    let live = app.runtime.open(caller, id).await?;
    live.allow_change()?;
    let mut talk = app.runtime.talk(&live).await?;
    match read_response(app.runtime.bounds(), &talk, body) {
        Ok(event) => hand_over(app, &live, talk, event).await,
        Err(ApiError::Rejected(Rejected::AlreadyAnswered { same_reply: true, .. })) => {
            app.runtime.revive(&live, &mut talk).await?;
            Ok(taken(&talk))
        }
        Err(error) => Err(error),
    }
}

/// An absent `toolCallId` means the ask that waits, unless the reply has been taken already: then it comes once more.
fn read_response(bounds: &Bounds, talk: &Talk, body: &RespondBody) -> Result<Event, ApiError> {
    let conversation = &talk.conversation;
    let winner = match (&body.tool_call_id, &body.reply_id) {
        (Some(id), _) => conversation.result_of(id),
        (None, Some(reply_id)) => conversation.result_by(reply_id),
        (None, None) => None,
    };
    let winner = winner.or_else(|| expired(conversation).filter(|_| body.tool_call_id.is_none()));
    if let Some(winner) = winner {
        let same_reply =
            winner.ask.as_ref().map(|ask| &ask.reply_id) == body.reply_id.as_ref() && body.reply_id.is_some();
        let winner = Box::new(winner.clone());
        return Err(ApiError::Rejected(Rejected::AlreadyAnswered { same_reply, winner }));
    }
    let waiting = conversation.waiting().ok_or(ApiError::Rejected(Rejected::NotWaiting))?;
    // Judged against another question than its own it would be wrong in ways that its user cannot understand.
    let is_foreign = |id: &String| *id != waiting.tool_use_id;
    if body.tool_call_id.as_ref().is_some_and(is_foreign) {
        return Err(ApiError::Rejected(Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() }));
    }
    let mut reply = json!({"answers": body.answers});
    if let Some(Plain(details)) = &body.details {
        reply["details"] = details.clone();
    }
    let reply = Reply::parse(&waiting.questions, &reply).map_err(ApiError::InvalidReply)?;
    let outcome = Outcome::Answered(reply);
    intake::check_reply(bounds, conversation, &outcome)?;
    Ok(Event::UserQuestionResponse(event::Response {
        tool_use_id: waiting.tool_use_id.clone(),
        reply_id: body.reply_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string()),
        by: AnsweredBy::Card,
        outcome,
        tool_message_id: None,
        messages: Vec::new(),
    }))
}

/// The result of the question that waited last, where nobody answered it in time and none has waited since.
fn expired(conversation: &Conversation) -> Option<&ToolResult> {
    if conversation.waiting().is_some() {
        return None;
    }
    let results = conversation.messages().iter().rev();
    let ended = results.filter_map(|message| match message {
        Message::Tool(result) => Some((result, wire::outcome_of(result)?)),
        Message::User(_) | Message::Assistant(_) => None,
    });
    let (last, outcome) = { ended }.next()?;
    (outcome == OutcomeKind::Expired).then_some(last)
}

/// Cancels the question that waits, or stops the run that is under way.
pub(crate) async fn cancel(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    JsonBody(body): JsonBody,
) -> Result<Json<Taken>, ApiError> {
    let body: CancelBody = if body.is_empty() { CancelBody::default() } else { parse(&body)? };
    check_ids([&body.run_id, &body.tool_call_id])?;
    if body.run_id.is_some() && body.tool_call_id.is_some() {
        let both = "Either runId or toolCallId says what is to end.";
        return Err(ApiError::BadRequest(both.to_owned()));
    }
    to_the_end(async move {
        loop {
            match try_cancel(&app, &caller, &id, &body).await {
                Err(ApiError::Overtaken) => {}
                cancelled => return cancelled,
            }
        }
    })
    .await
}

async fn try_cancel(app: &App, caller: &Caller, id: &str, body: &CancelBody) -> Result<Json<Taken>, ApiError> {
    let CancelBody { proceed, run_id, tool_call_id } = body;
    let live = app.runtime.open(caller, id).await?;
    live.allow_change()?;
    let cancel = Event::UserCancel { proceed: *proceed };
    // One look decides: what begins behind it is not what was to end.
    let mut talk = app.runtime.talk(&live).await?;
    if let Some(tool_call_id) = tool_call_id {
        if is_cancelled(&talk, tool_call_id)? {
            return Ok(taken(&talk));
        }
        return hand_over(app, &live, talk, cancel).await;
    }
    let is_meant = |run: &String| run_id.as_ref().is_none_or(|id| id == run);
    if let Some(run) = talk.run_elsewhere.clone().filter(is_meant) {
        drop(talk);
        app.runtime.stop_elsewhere(&live, run.clone(), Wish::Said).await;
        talk = app.runtime.talk(&live).await?;
        if talk.run_elsewhere.as_ref() != Some(&run) {
            return Ok(taken(&talk));
        }
        // It does not answer: its lease does not help it.
        return hand_over(app, &live, talk, cancel).await;
    }
    let run = talk.run.clone();
    match run.filter(|run| run_id.as_ref().is_none_or(|id| *id == run.id)) {
        Some(run) => {
            drop(talk);
            stop(&run).await;
            Ok(taken(&*app.runtime.talk(&live).await?))
        }
        None if run_id.is_some() => Ok(taken(&talk)),
        None => hand_over(app, &live, talk, cancel).await,
    }
}

/// Returns true if a question was cancelled before, which is then done; refuses where it ended otherwise or does not wait.
fn is_cancelled(talk: &Talk, tool_call_id: &str) -> Result<bool, ApiError> {
    let conversation = &talk.conversation;
    if let Some(result) = conversation.result_of(tool_call_id) {
        if wire::outcome_of(result) == Some(OutcomeKind::Declined) {
            return Ok(true);
        }
        return Err(ApiError::Rejected(Rejected::AlreadyAnswered {
            same_reply: false,
            winner: Box::new(result.clone()),
        }));
    }
    match conversation.waiting() {
        Some(waiting) if waiting.tool_use_id == tool_call_id => Ok(false),
        Some(waiting) => Err(ApiError::Rejected(Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() })),
        None => Err(ApiError::Rejected(Rejected::NotWaiting)),
    }
}

async fn hand_over(app: &App, live: &Arc<Live>, talk: TalkGuard<'_>, event: Event) -> Result<Json<Taken>, ApiError> {
    let run_id = Uuid::new_v4().to_string();
    let state = app.runtime.handle(live, talk, run_id, event).await?;
    Ok(Json(Taken { state }))
}

fn taken(talk: &Talk) -> Json<Taken> {
    Json(Taken { state: StateChange::from(talk.conversation.state()) })
}

fn check_ids(given: [&Option<String>; 2]) -> Result<(), ApiError> {
    given.into_iter().flatten().try_for_each(|id| check_id(id))
}

fn parse<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| ApiError::BadRequest(format!("The body cannot be read: {error}.")))
}
