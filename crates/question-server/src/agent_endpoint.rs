//! `POST /agent`: a `RunAgentInput` in, the events of one run out.

use crate::app::App;
use crate::error::ApiError;
use crate::input::RunInput;
use crate::owner::Caller;
use crate::runtime::to_the_end;
use crate::sse::RunStream;
use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse as _;

pub(crate) async fn run(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<RunStream, ApiError> {
    let body = json_body(&headers, body)?;
    to_the_end(app.runtime.run(caller, RunInput::parse(&body)?)).await
}

/// The body of a request that changes something. Only JSON: a page of another origin cannot send that without being asked for leave first.
pub(crate) fn json_body(
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Bytes, ApiError> {
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(ApiError::UnsupportedMediaType);
    }
    body.map_err(|rejection| match rejection.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::BodyTooLarge,
        _ => ApiError::BadRequest("The body could not be read.".to_owned()),
    })
}
