//! The pictures that a model sees: those of answers and messages, as many of the newest as a request has room for.

use super::Runtime;
use super::agent::ActiveAgent;
use crate::config::limits::{PICTURE_BYTES_OF_REQUEST, PICTURES_OF_REQUEST};
use crate::engine::models::{Delta, ModelError, ModelRequest, Picture, is_visible};
use crate::error::WithCauses;
use crate::http::files::own_file;
use crate::store::{FilePart, StoreError};
use ask_user_question::attachment::Attachment;
use futures_util::stream::{BoxStream, Stream};
use futures_util::{StreamExt as _, TryFutureExt as _};
use question_agent::message::Message;
use std::sync::Arc;
use std::time::Duration;

/// The pause before the next attempt, if the store fails.
const STORE_PAUSE: Duration = Duration::from_millis(500);

impl Runtime {
    /// The model's answer to a request, with the pictures of its messages if the model sees them.
    pub(super) fn model_answer(
        &self,
        agent: &ActiveAgent,
        request: ModelRequest,
    ) -> impl Stream<Item = Result<Delta, ModelError>> {
        let conversation = match agent {
            ActiveAgent::Parent { session, .. } if self.model.sees() => Some(session.id.as_str()),
            ActiveAgent::Parent { .. } | ActiveAgent::Sub(_) => None,
        };
        self.with_pictures(conversation, request).try_flatten_stream()
    }

    async fn with_pictures(
        &self,
        conversation: Option<&str>,
        mut request: ModelRequest,
    ) -> Result<BoxStream<'static, Result<Delta, ModelError>>, ModelError> {
        let files = if conversation.is_some() { newest(&request.messages) } else { Vec::new() };
        let kib = files.iter().map(|file| file.size.div_ceil(1 << 10)).sum::<usize>();
        let kib = u32::try_from(kib).expect("a request has a bounded number of bytes");
        let mut room = Arc::clone(&self.picture_room).acquire_many_owned(kib).await.ok();
        for file in files {
            let picture = self.picture(conversation.unwrap_or_default(), &file.url).await.map_err(|error| {
                tracing::error!(error = %WithCauses(&error), "reading a picture for the model failed");
                let reason = "The pictures of the conversation could not be read.".to_owned();
                ModelError { reason, retry_after: Some(STORE_PAUSE) }
            })?;
            request.pictures.insert(file.url, picture);
        }
        // The first delta of the answer shows that the request has been sent, so its memory is free again.
        Ok(self.model.respond(request).inspect(move |_| drop(room.take())).boxed())
    }

    async fn picture(&self, conversation: &str, url: &str) -> Result<Picture, StoreError> {
        let Some(hash) = own_file(conversation, url) else {
            return Ok(Picture::Gone);
        };
        let file = self.store.file(conversation, hash, FilePart::Whole).await?;
        Ok(file.map_or(Picture::Gone, |file| Picture::Bytes(file.bytes.into())))
    }
}

/// The newest pictures of a history that have room in a request, each once.
fn newest(messages: &[Message]) -> Vec<Attachment> {
    let mut newest: Vec<Attachment> = Vec::new();
    let mut room = PICTURE_BYTES_OF_REQUEST;
    let named = messages.iter().rev().flat_map(Message::attachments).filter(is_visible);
    for file in named {
        if newest.iter().any(|known| known.url == file.url) {
            continue;
        }
        match room.checked_sub(file.size) {
            Some(left) if newest.len() < PICTURES_OF_REQUEST => room = left,
            _ => break,
        }
        newest.push(file);
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::newest;
    use crate::config::limits::{PICTURE_BYTES_OF_REQUEST, PICTURES_OF_REQUEST};
    use ask_user_question::outcome::{AnsweredBy, AskMetadata, OutcomeKind};
    use question_agent::call::ToolResult;
    use question_agent::message::Message;
    use serde_json::json;

    /// An answer with a picture.
    fn answer(name: &str, media_type: &str, size: usize) -> Message {
        let file = json!({"url": format!("/files/{name}"), "name": name, "type": media_type, "size": size});
        let content = json!({"answers": {}, "details": [{"index": 0, "attachments": [file]}]}).to_string();
        let ask = AskMetadata {
            tool_call_id: "c".to_owned(),
            reply_id: "r".to_owned(),
            outcome: OutcomeKind::Answered,
            by: AnsweredBy::Card,
            replaces: None,
            via: None,
        };
        Message::Tool(ToolResult { ask: Some(ask), ..ToolResult::success("c", content) })
    }

    fn names(messages: &[Message]) -> Vec<String> {
        newest(messages).into_iter().map(|file| file.name).collect()
    }

    #[test]
    fn a_request_has_the_newest_pictures_each_once_within_its_bounds() {
        let many: Vec<Message> = (0..20).map(|number| answer(&number.to_string(), "image/png", 9)).collect();
        let expected: Vec<String> = (0..20).rev().take(PICTURES_OF_REQUEST).map(|number| number.to_string()).collect();
        assert_eq!(names(&many), expected);
        let twice = [answer("a", "image/png", 9), answer("b.pdf", "application/pdf", 9), answer("a", "image/png", 9)];
        assert_eq!(names(&twice), ["a"]);
        let half = PICTURE_BYTES_OF_REQUEST / 2;
        let large = [("a", 1), ("b", half), ("c", half)].map(|(name, size)| answer(name, "image/webp", size));
        assert_eq!(names(&large), ["c", "b"]);
        let tools = ToolResult {
            ask: None,
            ..match answer("a", "image/png", 9) {
                Message::Tool(result) => result,
                other => panic!("{other:?}"),
            }
        };
        assert!(names(&[Message::Tool(tools)]).is_empty(), "a tool names no files of the user");
    }
}
