//! `/conversations/{id}/files`: pictures and other files for answers and messages. Their bytes are beside the history, which names them.

use crate::auth::headers::parameter;
use crate::auth::owner::Owner;
use crate::caller::Caller;
use crate::config::limits::{FILES_OF_ALL, FILES_OF_CONVERSATION, FILES_OF_OWNER, ROOM_OF_A_FILE};
use crate::engine::runtime::Runtime;
use crate::error::ApiError;
use crate::hex::sha256_hex;
use crate::http::body::Bodies;
use crate::http::conversations::{ConversationId, path_id};
use crate::http::file_type::{is_raster, judge};
use crate::live::room::Share;
use crate::store::{FileHead, FilePart, FileRoom, NewFile};
use ask_user_question::Outcome;
use ask_user_question::attachment::{Attachment, FileFlaw, FileLimits, clean_name};
use ask_user_question::validate::{Code, Violation};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, OriginalUri, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header, request};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use question_agent::Event;
use question_agent::event::Response as Reply;
use question_agent::message::MessageFile;
use std::sync::Arc;

/// The digest of a file in the path.
#[derive(Debug)]
pub(crate) struct FileHash(String);

impl<S: Send + Sync> FromRequestParts<S> for FileHash {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut request::Parts, state: &S) -> Result<Self, ApiError> {
        path_id(parts, state, "file").await.map(Self).ok_or(ApiError::NotFound)
    }
}

/// Stores a file for a conversation, which may begin later if the caller has an owner.
pub(crate) async fn upload(
    State(runtime): State<Arc<Runtime>>,
    State(bodies): State<Bodies>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    OriginalUri(called): OriginalUri,
    request: Request,
) -> Result<Response, ApiError> {
    let limits = runtime.files().ok_or(ApiError::FilesNotAllowed)?;
    runtime.check_file_access(&caller, &id, caller.owner.is_some()).await?;
    runtime.receive_file((limits, &bodies), (id, caller.owner), called.path(), request).await
}

/// A file, for those who may open its conversation. A browser shows raster pictures alone; it runs nothing in any file.
pub(crate) async fn serve(
    State(runtime): State<Arc<Runtime>>,
    Extension(caller): Extension<Caller>,
    ConversationId(id): ConversationId,
    FileHash(hash): FileHash,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let file = runtime.store.file(&id, &hash, FilePart::Head).await?.ok_or(ApiError::NotFound)?;
    let is_own = file.owner.is_some() && file.owner == caller.owner;
    runtime.check_file_access(&caller, &id, is_own).await?;
    let tag = HeaderValue::try_from(format!("\"{hash}\"")).map_err(|_| ApiError::NotFound)?;
    let head = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'")),
    ];
    if headers.get(header::IF_NONE_MATCH) == Some(&tag) {
        return Ok((StatusCode::NOT_MODIFIED, head).into_response());
    }
    let mut share = runtime.histories.enter(caller.client());
    share.reserve(file.head.size).await.then_some(()).ok_or(ApiError::HistoriesFull)?;
    let whole = runtime.store.file(&id, &hash, FilePart::Whole).await?.ok_or(ApiError::NotFound)?;
    let FileHead { name, media_type, .. } = whole.head;
    let shown = if is_raster(&media_type) { "inline" } else { "attachment" };
    let name = utf8_percent_encode(&name, NON_ALPHANUMERIC);
    let charset = if media_type.starts_with("text/") { "; charset=utf-8" } else { "" };
    let header = |text: String| HeaderValue::try_from(text).map_err(|_| ApiError::Internal);
    let kind = [
        (header::CONTENT_TYPE, header(format!("{media_type}{charset}"))?),
        (header::CONTENT_DISPOSITION, header(format!("{shown}; filename*=UTF-8''{name}"))?),
    ];
    let bytes = Bytes::from_owner(SharedBytes { bytes: whole.bytes, _share: share });
    Ok((head, kind, Body::from(bytes)).into_response())
}

/// Bytes that take their share of the memory for what is sent, until the client has them.
struct SharedBytes {
    bytes: Vec<u8>,
    _share: Share,
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

const NO_SUCH_FILE: &str = "The server has no such file for this conversation; send its bytes to /files first.";

impl Runtime {
    /// Refuses a caller who may not open the conversation. If it does not exist yet, `before` decides.
    async fn check_file_access(&self, caller: &Caller, id: &str, before: bool) -> Result<(), ApiError> {
        let may = match self.store.owner(id).await? {
            Some(owner) => caller.may_open(owner.as_ref()),
            None => before,
        };
        may.then_some(()).ok_or(ApiError::UnknownConversation)
    }

    /// Receives a file of a conversation. Its URL is `place` and the digest. The media type of the request is none that a form can send, so a page of
    /// another origin needs a preflight request.
    pub(crate) async fn receive_file(
        &self,
        (limits, bodies): (&FileLimits, &Bodies),
        (conversation, owner): (String, Option<Owner>),
        place: &str,
        request: Request,
    ) -> Result<Response, ApiError> {
        let refused = |flaw| ApiError::BadFile(limits.explain(flaw));
        let (head, body) = request.into_parts();
        if head.headers.get(header::CONTENT_TYPE).is_none_or(|kind| kind != "application/octet-stream") {
            return Err(ApiError::NotBytes);
        }
        let named = |name| parameter(&head.uri, name).map(|value| percent_decode_str(value).decode_utf8_lossy());
        let name = clean_name(&named("name").unwrap_or_default());
        let bytes = bodies.up_to(limits.bytes).receive(&head, body).await.map_err(|error| match error {
            ApiError::BodyTooLarge => refused(FileFlaw::TooLarge),
            error => error,
        })?;
        let media_type = judge(named("type").as_deref(), &bytes).map_err(ApiError::BadFile)?;
        limits.check(0, &media_type, bytes.len()).map_err(refused)?;
        let (hash, size) = (sha256_hex(&bytes), bytes.len());
        let attachment =
            Attachment { url: format!("{place}/{hash}"), name: name.clone(), media_type: media_type.clone(), size };
        let head = FileHead { name, media_type, size };
        let file = NewFile { conversation, hash, owner, head, bytes: bytes.into(), at: self.clock.now() };
        self.check_memory()?;
        let (of_conversation, of_owner, of_all) = (FILES_OF_CONVERSATION, FILES_OF_OWNER, FILES_OF_ALL);
        let room = FileRoom { of_each: ROOM_OF_A_FILE, of_conversation, of_owner, of_all };
        let is_kept = self.store.put_file(file, room).await?;
        is_kept.then(|| (StatusCode::CREATED, Json(attachment)).into_response()).ok_or(ApiError::FilesFull)
    }

    /// The file of a conversation with this URL, within the limits of an answer that has this many other files.
    #[cfg(feature = "mcp")]
    pub(crate) async fn known_file(&self, of: &str, others: usize, url: String) -> Result<Attachment, ApiError> {
        let limits = self.files().ok_or(ApiError::FilesNotAllowed)?;
        let missing = || ApiError::BadFile(NO_SUCH_FILE.to_owned());
        let hash = own_file(of, &url).ok_or_else(missing)?;
        let FileHead { name, media_type, size } =
            self.store.file(of, hash, FilePart::Head).await?.ok_or_else(missing)?.head;
        limits.check(others, &media_type, size).map_err(|flaw| ApiError::BadFile(limits.explain(flaw)))?;
        Ok(Attachment { url, name, media_type, size })
    }

    /// Refuses an answer or a message with files that are not taken, or that this server does not have for the conversation: the history keeps
    /// references to its own files alone.
    pub(crate) async fn check_files(&self, conversation: &str, event: Option<&Event>) -> Result<(), ApiError> {
        let (outcome, messages) = match event {
            Some(Event::UserQuestionResponse(Reply { outcome, messages, .. })) => (Some(outcome), messages),
            Some(Event::UserMessage { messages }) => (None, messages),
            _ => return Ok(()),
        };
        let mut answers = outcome.map(Outcome::attachments).unwrap_or_default();
        for message in messages {
            for MessageFile { file, question } in &message.files {
                match question {
                    // The answer to a question for which the agent does not wait.
                    Some(question) if outcome.is_none() && message.ask.is_some() => answers.push((*question, file)),
                    _ if !self.has_file(conversation, file).await? => {
                        return Err(ApiError::BadFile(NO_SUCH_FILE.to_owned()));
                    }
                    _ => {}
                }
            }
        }
        if let Some(Outcome::Answered(reply)) = outcome {
            reply.check_attachments(self.files()).map_err(ApiError::InvalidReply)?;
        }
        let (mut violations, mut last) = (Vec::new(), (usize::MAX, 0));
        for (question, attachment) in answers {
            let index = if last.0 == question { last.1 + 1 } else { 0 };
            last = (question, index);
            if self.files().is_none() || !self.has_file(conversation, attachment).await? {
                let path = format!("details[{question}].attachments[{index}]");
                violations.push(Violation::new(path, Code::BadAttachment, NO_SUCH_FILE));
            }
        }
        if violations.is_empty() { Ok(()) } else { Err(ApiError::InvalidReply(violations)) }
    }

    async fn has_file(&self, conversation: &str, attachment: &Attachment) -> Result<bool, ApiError> {
        let Some(hash) = own_file(conversation, &attachment.url) else {
            return Ok(false);
        };
        let file = self.store.file(conversation, hash, FilePart::Head).await?;
        Ok(file.is_some_and(|it| it.head.media_type == attachment.media_type && it.head.size == attachment.size))
    }
}

/// The digest in the path of a file of this conversation; `None` for any other address.
pub(crate) fn own_file<'u>(conversation: &str, url: &'u str) -> Option<&'u str> {
    let (place, hash) = url.rsplit_once('/')?;
    let segments = place.strip_suffix("/files")?;
    let (before, id) = segments.rsplit_once('/')?;
    let is_of_this = percent_decode_str(id).decode_utf8().is_ok_and(|id| id == conversation);
    let is_here = before.ends_with("/conversations") && before.starts_with('/') && !before.starts_with("//");
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (is_of_this && is_here && is_hash && !before.contains(['?', '#', '\\'])).then_some(hash)
}
