//! Forms with files, as browsers post them without a script.

use crate::auth::caller::Caller;
use crate::config::limits::FREE_OF_A_BODY;
use crate::error::ApiError;
use crate::http::body::Bodies;
use crate::http::file_type::judge;
use crate::http::files::SentFile;
use crate::live::room::Share;
use ask_user_question::attachment::{FileFlaw, FileLimits, clean_name};
use axum::body::{Body, Bytes};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request};
use axum::http::header;
use axum::http::request::Parts;
use futures_util::{StreamExt as _, stream};
use headers::{ContentLength, HeaderMapExt as _};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, ready};
use tokio::time::timeout;

/// The most parts of a form: those of the questions are far fewer.
const MAX_PARTS: usize = 1_000;

/// The most bytes of a part's head.
const MAX_HEAD: usize = 64 << 10;

/// A form that has come.
#[derive(Debug)]
pub(crate) struct PostedForm {
    /// The names and values of its texts.
    pub(crate) texts: Vec<(String, String)>,
    pub(crate) files: Vec<PostedFile>,
    /// The memory that they take.
    _share: Share,
}

/// A file in a form.
#[derive(Debug)]
pub(crate) struct PostedFile {
    /// The name of its field.
    pub(crate) field: String,
    pub(crate) name: String,
    /// The file, unless it has more bytes than may be kept.
    pub(crate) file: Result<SentFile, FileFlaw>,
}

/// Returns true if the body has parts.
pub(crate) fn is_multipart(head: &Parts) -> bool {
    let kind = head.headers.get(header::CONTENT_TYPE).map_or(b"".as_slice(), |kind| kind.as_bytes());
    kind.get(..FORM.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(FORM))
}

const FORM: &[u8] = b"multipart/form-data";

impl Bodies {
    /// Receives a form. The bytes of files beyond the limits are read and dropped: what was typed beside them is to be shown again.
    pub(crate) async fn receive_form(
        &self,
        head: Parts,
        body: Body,
        limits: &FileLimits,
    ) -> Result<PostedForm, ApiError> {
        if head.headers.typed_get::<ContentLength>().is_some_and(|length| length.0 > self.drained() as u64) {
            return Err(ApiError::BodyTooLarge);
        }
        let client = head.extensions.get::<Caller>().map(Caller::client).unwrap_or_default();
        let share = self.room.enter(client);
        let used = Arc::new(AtomicUsize::new(0));
        let mut request = Request::from_parts(head, one_by_one(body, Arc::clone(&used)));
        // There are limits of its own.
        DefaultBodyLimit::disable().apply(&mut request);
        let parts = Multipart::from_request(request, &()).await.map_err(|_| unreadable())?;
        let files = limits.count.saturating_mul(limits.bytes);
        let reading = Reading { bodies: self, texts: self.max.saturating_sub(files), read: 0, held: 0, share, used };
        timeout(self.timeout, reading.read(parts, limits)).await.map_err(|_| ApiError::BodyTimeout)?
    }
}

/// A form that is being read.
struct Reading<'a> {
    bodies: &'a Bodies,
    /// The bytes of texts that are still taken.
    texts: usize,
    /// The bytes that have been read.
    read: usize,
    /// Those of them that are held, for which there is the share.
    held: usize,
    share: Share,
    /// The same as `read`, and one for each step.
    used: Arc<AtomicUsize>,
}

impl Reading<'_> {
    async fn read(mut self, mut parts: Multipart, limits: &FileLimits) -> Result<PostedForm, ApiError> {
        let (mut texts, mut files, mut count) = (Vec::new(), Vec::new(), 0);
        while let Some(part) = parts.next_field().await.map_err(|error| broken(&error))? {
            count += 1;
            if count > MAX_PARTS {
                return Err(unreadable());
            }
            let field = part.name().unwrap_or_default().to_owned();
            let Some(name) = part.file_name().map(str::to_owned) else {
                let bytes = self.receive(part, self.texts).await?.ok_or(ApiError::BodyTooLarge)?;
                self.texts -= bytes.len();
                texts.push((field, String::from_utf8_lossy(&bytes).into_owned()));
                continue;
            };
            let declared = part.content_type().and_then(|kind| kind.split(';').next()).map(str::to_ascii_lowercase);
            let is_one_too_many = files.len() >= limits.count;
            let bytes = self.receive(part, if is_one_too_many { 0 } else { limits.bytes }).await?;
            // A field in which no file was chosen sends this.
            if name.is_empty() && bytes.as_ref().is_some_and(Bytes::is_empty) {
                continue;
            }
            let name = clean_name(&name);
            let file = bytes.map(|bytes| {
                // A browser says this of what it does not know, and the bytes may tell more.
                let is_unknown = |kind: &String| kind == "application/octet-stream" && judge(None, &bytes).is_ok();
                SentFile { name: name.clone(), declared: declared.filter(|kind| !is_unknown(kind)), bytes }
            });
            let flaw = if is_one_too_many { FileFlaw::TooMany } else { FileFlaw::TooLarge };
            files.push(PostedFile { field, name, file: file.ok_or(flaw) });
        }
        Ok(PostedForm { texts, files, _share: self.share })
    }

    /// Reads a part, and keeps it if it has no more bytes than this.
    async fn receive(&mut self, mut part: Field<'_>, most: usize) -> Result<Option<Bytes>, ApiError> {
        let (mut bytes, mut size) = (Vec::new(), 0);
        loop {
            self.used.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = part.chunk().await.map_err(|error| broken(&error))? else {
                return Ok((size <= most).then(|| bytes.into()));
            };
            size += piece.len();
            self.read += piece.len();
            self.used.fetch_add(piece.len(), Ordering::Relaxed);
            if self.read > self.bodies.drained() {
                return Err(ApiError::BodyTooLarge);
            }
            if size > most {
                self.held -= mem::take(&mut bytes).len();
                self.share.set(self.held.saturating_sub(FREE_OF_A_BODY));
                continue;
            }
            let before = self.held.max(FREE_OF_A_BODY);
            self.held += piece.len();
            if self.held > before && !self.share.grow(self.held - before).await {
                return Err(ApiError::BodiesFull);
            }
            bytes.extend_from_slice(&piece);
        }
    }
}

/// The pieces of a body, for a reader of parts that would take all that is ready, however much that is. It gets one at each poll, and none while it
/// goes on with those that it has. If it does not go on, it looks for the end of a head.
fn one_by_one(body: Body, used: Arc<AtomicUsize>) -> Body {
    let (mut pieces, mut has_one) = (body.into_data_stream(), false);
    let (mut given, mut since, mut before) = (0_usize, 0, 0);
    Body::from_stream(stream::poll_fn(move |context| {
        let now = used.load(Ordering::Relaxed);
        let goes_on = now != before;
        if goes_on {
            (before, since) = (now, 0);
        }
        if mem::take(&mut has_one) || goes_on && given.saturating_sub(now) > MAX_HEAD {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if since > MAX_HEAD {
            return Poll::Ready(Some(Err(axum::Error::new("the head of a part does not end"))));
        }
        let piece = ready!(pieces.poll_next_unpin(context));
        let length = piece.as_ref().and_then(|piece| piece.as_ref().ok()).map_or(0, Bytes::len);
        has_one = true;
        given += length;
        since += length;
        Poll::Ready(piece)
    }))
}

fn broken(error: &MultipartError) -> ApiError {
    tracing::debug!(%error, "could not read a form");
    unreadable()
}

fn unreadable() -> ApiError {
    ApiError::BadRequest("The form can't be read.".to_owned())
}
