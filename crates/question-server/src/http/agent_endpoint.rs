//! `POST /agent`: a `RunAgentInput` in, the events of one run out. `POST /conversations/{id}/agent` has the conversation in its path, for load
//! balancers.

use crate::auth::caller::Caller;
use crate::engine::runtime::{Runtime, to_the_end};
use crate::error::ApiError;
use crate::http::body::JsonBody;
use crate::http::conversations::ConversationId;
use crate::http::sse::EventStream;
use axum::Extension;
use axum::extract::State;
use question_agent::ag_ui::RunInput;
use std::sync::Arc;

pub(crate) async fn run(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    JsonBody(body): JsonBody,
) -> Result<EventStream, ApiError> {
    to_the_end(runtime.run(caller, RunInput::parse(&body)?)).await
}

pub(crate) async fn run_in(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    JsonBody(body): JsonBody,
) -> Result<EventStream, ApiError> {
    let input = RunInput::parse(&body)?;
    if input.thread_id != id {
        return Err(ApiError::BadRequest("The threadId is not the one in the path.".to_owned()));
    }
    to_the_end(runtime.run(caller, input)).await
}
