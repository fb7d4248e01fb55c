//! `POST /agent`: a `RunAgentInput` in, the events of one run out. `POST /conversations/{id}/agent` is the same with the conversation in the path, where
//! a balancer can see it.

use crate::app::App;
use crate::body::JsonBody;
use crate::conversations::ConversationId;
use crate::error::ApiError;
use crate::owner::Caller;
use crate::runtime::to_the_end;
use crate::sse::RunStream;
use axum::Extension;
use axum::extract::State;
use question_agent::ag_ui::RunInput;

pub(crate) async fn run(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    JsonBody(body): JsonBody,
) -> Result<RunStream, ApiError> {
    to_the_end(app.runtime.run(caller, RunInput::parse(&body)?)).await
}

pub(crate) async fn run_in(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    JsonBody(body): JsonBody,
) -> Result<RunStream, ApiError> {
    let input = RunInput::parse(&body)?;
    if input.thread_id != id {
        return Err(ApiError::BadRequest("The threadId is not the one in the path.".to_owned()));
    }
    to_the_end(app.runtime.run(caller, input)).await
}
