//! The body of a request that changes something.

use crate::app::App;
use crate::config::Config;
use crate::error::ApiError;
use crate::limits::FREE_OF_A_BODY;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use futures_util::StreamExt as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// What bodies may cost while they arrive.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    /// The length of one, in bytes.
    max: usize,
    patience: Duration,
    /// A permit for each byte that all of them may have together.
    room: Arc<Semaphore>,
}

impl Bodies {
    pub(crate) fn new(config: &Config) -> Self {
        let max = config.bounds.body;
        let room = config.bounds.bodies.clamp(max, Semaphore::MAX_PERMITS);
        Self { max, patience: config.patience.body, room: Arc::new(Semaphore::new(room)) }
    }

    /// Reads a body as far as there is room for it, and waits for more room where there is none.
    async fn read(&self, body: Body) -> Result<Bytes, ApiError> {
        let mut pieces = body.into_data_stream();
        let mut bytes = Vec::new();
        let mut taken = None;
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| ApiError::BadRequest("The body could not be read.".to_owned()))?;
            let before = bytes.len().max(FREE_OF_A_BODY);
            let after = bytes.len() + piece.len();
            if after > self.max {
                return Err(ApiError::BodyTooLarge);
            }
            let owed = u32::try_from(after.saturating_sub(before)).map_err(|_| ApiError::BodyTooLarge)?;
            let more = self.room.acquire_many(owed).await.map_err(|_| ApiError::Internal)?;
            match &mut taken {
                Some(taken) => SemaphorePermit::merge(taken, more),
                None => taken = Some(more),
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes.into())
    }
}

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
        let bodies = &app.bodies;
        if declared_length(request.headers()).is_some_and(|length| length > bodies.max as u64) {
            return Err(ApiError::BodyTooLarge);
        }
        let read = timeout(bodies.patience, bodies.read(request.into_body())).await;
        read.map_err(|_| ApiError::BodyTimeout)?.map(Self)
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
