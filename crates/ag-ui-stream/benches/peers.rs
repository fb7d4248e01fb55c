//! Other readers of the same bytes.

use ag_ui::client::Verifier;
use ag_ui::client::transport::decode_events;
use ag_ui_stream::sse::Decoder;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use serde::Deserialize;
use sse_stream::SseByteStream;
use std::convert::Infallible;
use std::hint::black_box;

use crate::input::CHUNK;

/// The bytes of all data that `sse-stream` finds.
pub(crate) fn sse_stream(bytes: &[u8]) -> usize {
    let lengths = SseByteStream::new(chunks(bytes)).map(|frame| {
        let frame = black_box(frame).ok();
        frame.and_then(|it| it.data).map_or(0, |data| data.len())
    });
    now(lengths.fold(0, async |sum, length| sum + length))
}

/// The number of events that the crate `ag-ui` decodes and verifies.
pub(crate) fn ag_ui(bytes: &[u8]) -> usize {
    let mut verifier = Verifier::new();
    let verified = decode_events(chunks(bytes)).map(|event| {
        let event = black_box(event).ok();
        usize::from(event.is_some_and(|event| verifier.verify(&event).is_ok()))
    });
    now(verified.fold(0, async |sum, one| sum + one))
}

/// The least that typed events cost with what serde derives: the data of each frame, without finding the frames.
pub(crate) struct TaggedEnum {
    data: Vec<String>,
}

impl TaggedEnum {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut decoder = Decoder::new();
        decoder.feed(bytes);
        let frames = std::iter::from_fn(|| decoder.next_frame());
        let data = frames.map(|frame| frame.expect("frames are short").data);
        Self { data: data.collect() }
    }

    /// The number of events that serde decodes.
    pub(crate) fn decode(&self) -> usize {
        let events = self.data.iter().map(|it| serde_json::from_str::<Event>(it));
        events.filter(|event| black_box(event).is_ok()).count()
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
#[allow(dead_code, reason = "only decoding is measured")]
enum Event {
    RunStarted { thread_id: String, run_id: String },
    ToolCallStart { tool_call_id: String, tool_call_name: String },
    ToolCallArgs { tool_call_id: String, delta: String },
    ToolCallEnd { tool_call_id: String },
    RunFinished { thread_id: String, run_id: String },
}

fn chunks(bytes: &[u8]) -> impl Stream<Item = Result<&[u8], Infallible>> {
    stream::iter(bytes.chunks(CHUNK).map(Ok))
}

fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("all chunks are there")
}
