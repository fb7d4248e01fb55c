//! The number of streams that each client has open.

use crate::auth::caller::Caller;
use crate::error::ApiError;
use crate::live::room::Room;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt as _;
use std::sync::Arc;

/// Counts a request for its client until its response has been sent.
pub(crate) async fn count(
    State(streams): State<Arc<Room>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let client = request.extensions().get::<Caller>().map(Caller::client).unwrap_or_default();
    let mut open = streams.enter(client);
    if !open.try_grow(1) {
        return Err(ApiError::TooManyStreams);
    }
    let response = next.run(request).await;
    // A body of known length leaves no stream open.
    if response.body().size_hint().exact().is_some() {
        return Ok(response);
    }
    Ok(response.map(|body| {
        Body::from_stream(body.into_data_stream().inspect(move |_| {
            let _ = &open;
        }))
    }))
}
