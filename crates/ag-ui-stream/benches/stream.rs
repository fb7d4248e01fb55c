//! What an event costs, by what happens to it, by the size of the arguments and by the length of the history. Times are for a whole
//! stream; criterion's throughput is events per second.

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use ag_ui_stream::message::Message;
    use ag_ui_stream::sse::{Decoder, write_event};
    use ag_ui_stream::{Asks, Event, EventReader, Thread};
    use criterion::{BenchmarkId, Criterion, Throughput};
    use futures_util::{FutureExt, StreamExt, stream as chunks};
    use serde::Deserialize;
    use serde_json::json;
    use sse_stream::SseByteStream;
    use std::convert::Infallible;
    use std::hint::black_box;

    const SIZES: [(&str, usize); 4] = [
        ("1 KB", 1_000),
        ("10 KB", 10_000),
        ("100 KB", 100_000),
        ("1 MB", 1_000_000),
    ];
    /// As a network gives them.
    const CHUNK: usize = 4096;

    pub(crate) fn run() {
        let mut criterion = Criterion::default().configure_from_args().sample_size(10);
        for (name, size) in SIZES {
            measure(&mut criterion, name, &Stream::of(size));
        }
        criterion.final_summary();
    }

    /// A run that asks one question, its arguments in deltas of 1 to 20 bytes.
    struct Stream {
        bytes: Vec<u8>,
        events: u64,
    }

    impl Stream {
        fn of(size: usize) -> Self {
            let text = "Which of these would you rather have, and why? Größe egal. ";
            let options: Vec<_> = (1..=4).map(|index| json!({"label": format!("Option {index}"), "description": text.repeat(size / 5 / text.len())})).collect();
            let ask = json!({"questions": [{"question": text.repeat((size / 5 / text.len()).max(1)), "header": "Choice", "options": options}]}).to_string();
            let mut events: Vec<Event> = vec![event(
                json!({"type": "RUN_STARTED", "threadId": "thread-1", "runId": "run-1"}),
            )];
            events.push(event(json!({"type": "TOOL_CALL_START", "toolCallId": "call_0123456789", "toolCallName": "ask_user_question"})));
            let (mut rest, mut length) = (ask.as_str(), 7);
            while !rest.is_empty() {
                length = length * 13 % 20 + 1;
                let (delta, after) = rest.split_at(rest.ceil_char_boundary(length.min(rest.len())));
                events.push(event(json!({"type": "TOOL_CALL_ARGS", "toolCallId": "call_0123456789", "delta": delta})));
                rest = after;
            }
            events.push(event(
                json!({"type": "TOOL_CALL_END", "toolCallId": "call_0123456789"}),
            ));
            events.push(event(
                json!({"type": "RUN_FINISHED", "threadId": "thread-1", "runId": "run-1"}),
            ));
            let mut text = String::new();
            for event in &events {
                write_event(&mut text, event, None).expect("there is no id");
            }
            Self {
                bytes: text.into_bytes(),
                events: events.len() as u64,
            }
        }
    }

    fn event(json: serde_json::Value) -> Event {
        serde_json::from_value(json).expect("a legal event")
    }

    fn measure(criterion: &mut Criterion, name: &str, stream: &Stream) {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(stream.events));
        group.bench_function("sse: ours", |bencher| {
            bencher.iter(|| frames(&stream.bytes));
        });
        group.bench_function("sse: sse-stream", |bencher| {
            bencher.iter(|| frames_of_sse_stream(&stream.bytes));
        });
        let data = data(&stream.bytes);
        group.bench_function("json: serde_json's tagged enum", |bencher| {
            bencher.iter(|| floor(&data));
        });
        group.bench_function("events: decoded and verified", |bencher| {
            bencher.iter(|| events(&stream.bytes));
        });
        for earlier in [0, 400] {
            let history = history(earlier);
            let id = BenchmarkId::new("whole, with thread and asks, earlier messages", earlier);
            group.bench_with_input(id, &history, |bencher, history| {
                bencher.iter_batched(
                    || Thread::new(history.clone()),
                    |thread| whole(&stream.bytes, thread),
                    criterion::BatchSize::LargeInput,
                );
            });
        }
        group.finish();
    }

    fn frames(bytes: &[u8]) -> usize {
        let mut decoder = Decoder::new();
        let mut length = 0;
        for chunk in bytes.chunks(CHUNK) {
            decoder.feed(chunk);
            while let Some(Ok(frame)) = decoder.next_ref() {
                length += frame.data.len();
            }
        }
        length
    }

    fn frames_of_sse_stream(bytes: &[u8]) -> usize {
        let pieces = chunks::iter(bytes.chunks(CHUNK).map(Ok::<_, Infallible>));
        let lengths = SseByteStream::new(pieces).map(|frame| {
            frame
                .ok()
                .and_then(|frame| frame.data)
                .map_or(0, |data| data.len())
        });
        lengths
            .fold(0, async |sum, length| sum + length)
            .now_or_never()
            .unwrap_or_default()
    }

    fn data(bytes: &[u8]) -> Vec<String> {
        let mut decoder = Decoder::new();
        decoder.feed(bytes);
        std::iter::from_fn(|| decoder.next_frame())
            .filter_map(|frame| Some(frame.ok()?.data))
            .collect()
    }

    /// The least that typed events cost with what serde derives.
    #[derive(Deserialize)]
    #[serde(
        tag = "type",
        rename_all = "SCREAMING_SNAKE_CASE",
        rename_all_fields = "camelCase"
    )]
    #[allow(dead_code, reason = "only decoding is measured")]
    enum Floor {
        RunStarted {
            thread_id: String,
            run_id: String,
        },
        ToolCallStart {
            tool_call_id: String,
            tool_call_name: String,
        },
        ToolCallArgs {
            tool_call_id: String,
            delta: String,
        },
        ToolCallEnd {
            tool_call_id: String,
        },
        RunFinished {
            thread_id: String,
            run_id: String,
        },
    }

    fn floor(data: &[String]) -> usize {
        data.iter()
            .filter(|data| black_box(serde_json::from_str::<Floor>(data)).is_ok())
            .count()
    }

    fn events(bytes: &[u8]) -> usize {
        let mut reader = EventReader::new();
        let mut count = 0;
        for chunk in bytes.chunks(CHUNK) {
            reader.feed(chunk);
            while let Some(event) = reader.next_event() {
                count += usize::from(black_box(event).is_ok());
            }
        }
        count
    }

    fn whole(bytes: &[u8], mut thread: Thread) -> (Thread, Asks) {
        let mut reader = EventReader::new();
        let mut asks = Asks::new();
        for chunk in bytes.chunks(CHUNK) {
            reader.feed(chunk);
            while let Some(Ok(event)) = reader.next_event() {
                black_box(thread.handle_event(&event));
                black_box(asks.handle_event(0, &event));
            }
        }
        (thread, asks)
    }

    fn history(length: usize) -> Vec<Message> {
        (0..length)
            .map(|index| {
                Message::user(
                    format!("message-{index}"),
                    "Something that was said before.",
                )
            })
            .collect()
    }
}

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    native::run();
}
