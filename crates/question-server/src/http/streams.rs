//! The number of streams that each client has open.

use crate::caller::{Caller, Client};
use crate::error::ApiError;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts open streams. Clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    most: usize,
    open: Arc<Mutex<HashMap<Client, usize>>>,
}

/// An open stream; dropping it ends the count.
#[derive(Debug)]
struct OpenStream {
    streams: Streams,
    client: Client,
}

impl Streams {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: Arc::default() }
    }

    /// Counts one more stream. Does not count clients on this machine without a name: they may be several.
    fn open(&self, client: Client) -> Result<Option<OpenStream>, ApiError> {
        if client == Client::Unknown {
            return Ok(None);
        }
        let mut open = self.lock();
        let count = open.entry(client.clone()).or_default();
        if *count >= self.most {
            return Err(ApiError::TooManyStreams);
        }
        *count += 1;
        Ok(Some(OpenStream { streams: self.clone(), client }))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Client, usize>> {
        // Plain numbers, which no panic leaves half-written.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.streams.lock();
        let left = open.get_mut(&self.client).map(|count| {
            *count -= 1;
            *count
        });
        if left == Some(0) {
            open.remove(&self.client);
        }
    }
}

/// Counts a request for its client until its response has been sent.
pub(crate) async fn count(State(streams): State<Streams>, request: Request, next: Next) -> Result<Response, ApiError> {
    let client = request.extensions().get::<Caller>().map(Caller::client).unwrap_or_default();
    let open = streams.open(client)?;
    let response = next.run(request).await;
    // A whole body leaves no stream open.
    if open.is_none() || response.body().size_hint().exact().is_some() {
        return Ok(response);
    }
    Ok(response.map(|body| {
        Body::from_stream(body.into_data_stream().inspect(move |_| {
            let _ = &open;
        }))
    }))
}
