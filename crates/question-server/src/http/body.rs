//! The JSON bodies of requests, within their limits.

use crate::auth::caller::Caller;
use crate::config::Config;
use crate::config::limits::FREE_OF_A_BODY;
use crate::error::ApiError;
use crate::live::room::{Room, Share};
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use futures_util::StreamExt as _;
use headers::{ContentLength, HeaderMapExt as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The limits of bodies, and the memory that they share while they arrive.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    /// The most bytes of one body.
    max: usize,
    timeout: Duration,
    room: Arc<Room>,
}

impl Bodies {
    pub(crate) fn new(config: &Config) -> Self {
        let max = config.bounds.body;
        let room = Room::new(config.bounds.bodies, config.attachments.map_or(max, |files| max.max(files.bytes)));
        Self { max, timeout: config.timeouts.body, room: Arc::new(room) }
    }

    /// The same limits, but for bodies of at most this number of bytes, which share the same memory.
    pub(crate) fn up_to(&self, max: usize) -> Self {
        Self { max, ..self.clone() }
    }

    /// The body of a request, within the limits of length and time. A declared length over the limit is refused at once.
    pub(crate) async fn receive(&self, head: &Parts, body: Body) -> Result<Bytes, ApiError> {
        let length = head.headers.typed_get::<ContentLength>().map_or(0, |length| length.0);
        if length > self.max as u64 {
            if length <= self.drained() as u64 && !head.headers.contains_key(header::EXPECT) {
                // The response is the same if the rest does not arrive in time.
                let _ = timeout(self.timeout, self.drain(body.into_data_stream())).await;
            }
            return Err(ApiError::BodyTooLarge);
        }
        let client = head.extensions.get::<Caller>().map(Caller::client).unwrap_or_default();
        let share = self.room.enter(client);
        timeout(self.timeout, self.read(body, share)).await.map_err(|_| ApiError::BodyTimeout)?
    }

    /// Reads a body, and waits whenever the shared memory is full.
    async fn read(&self, body: Body, mut share: Share) -> Result<Bytes, ApiError> {
        let mut pieces = body.into_data_stream();
        let mut bytes = Vec::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| ApiError::BadRequest("The body could not be read.".to_owned()))?;
            let before = bytes.len().max(FREE_OF_A_BODY);
            let after = bytes.len() + piece.len();
            if after > self.max {
                drop((bytes, share));
                self.drain(pieces).await;
                return Err(ApiError::BodyTooLarge);
            }
            if after > before && !share.grow(after - before).await {
                return Err(ApiError::BodiesFull);
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes.into())
    }

    /// Reads the rest of a refused body, if it is short: a client whose connection closes while it sends does not see the response.
    async fn drain(&self, mut pieces: BodyDataStream) {
        let mut drained = 0;
        while drained < self.drained()
            && let Some(Ok(piece)) = pieces.next().await
        {
            drained += piece.len();
        }
    }

    fn drained(&self) -> usize {
        self.max.saturating_mul(4)
    }
}

/// The body of a request as bytes of JSON, within the limits.
///
/// Other media types are refused: a page of another origin cannot send JSON without a preflight request.
#[derive(Debug)]
pub(crate) struct JsonBody(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for JsonBody
where
    Bodies: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(ApiError::UnsupportedMediaType);
        }
        let (head, body) = request.into_parts();
        Bodies::from_ref(state).receive(&head, body).await.map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}
