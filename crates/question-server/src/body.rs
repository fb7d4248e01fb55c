//! The body of a request that changes something.

use crate::app::App;
use crate::error::ApiError;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse as _;
use tokio::time::timeout;

/// What a client sent as JSON, as long as it may be and within the time that it has. One that says that it will be too long is refused at once.
///
/// Only JSON: a page of another origin cannot send that without being asked for leave first.
#[derive(Debug)]
pub(crate) struct JsonBody(pub(crate) Bytes);

impl FromRequest<App> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(ApiError::UnsupportedMediaType);
        }
        if declared_length(request.headers()).is_some_and(|length| length > app.max_body) {
            return Err(ApiError::BodyTooLarge);
        }
        let body = timeout(app.patience.body, Bytes::from_request(request, app)).await;
        let body = body.map_err(|_| ApiError::BodyTimeout)?;
        body.map(Self).map_err(|rejection| match rejection.into_response().status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::BodyTooLarge,
            _ => ApiError::BadRequest("The body could not be read.".to_owned()),
        })
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(header::CONTENT_LENGTH)?.to_str().ok()?;
    length.parse().ok()
}
