//! `POST /agent`: a `RunAgentInput` in, the events of one run out.

use crate::app::App;
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::input::RunInput;
use crate::owner::Caller;
use crate::runtime::to_the_end;
use crate::sse::RunStream;
use axum::Extension;
use axum::extract::State;

pub(crate) async fn run(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    JsonBody(body): JsonBody,
) -> Result<RunStream, ApiError> {
    to_the_end(app.runtime.run(caller, RunInput::parse(&body)?)).await
}
