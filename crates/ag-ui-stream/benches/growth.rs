//! The cost of ten times the input, if one message, snapshot or run holds thousands of things.

use ag_ui_stream::conversation::Update;
use ag_ui_stream::{Asks, Conversation};
use nix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// One kind of input that may be long.
pub(crate) struct Growing {
    pub(crate) name: &'static str,
    /// The frames of this many things.
    frames: fn(usize) -> String,
}

pub(crate) const GROWING: [Growing; 5] = [
    Growing { name: "a snapshot of asks and user messages", frames: asks },
    Growing { name: "calls in one message, and their results", frames: calls },
    Growing { name: "subagents that write in chunks", frames: lanes },
    Growing { name: "a snapshot with calls in one message", frames: told_calls },
    Growing { name: "members that patches add to a large object, and remove", frames: patches },
];

impl Growing {
    /// The factor by which ten times the input takes longer; for each the least time of some rounds, taken in turns.
    pub(crate) fn tenfold(&self, rounds: usize) -> f64 {
        let inputs = [(self.frames)(FEW), (self.frames)(10 * FEW)];
        let mut least = [Duration::MAX; 2];
        for _ in 0..rounds {
            for (least, input) in least.iter_mut().zip(&inputs) {
                *least = (*least).min(time(input));
            }
        }
        least[1].as_secs_f64() / least[0].as_secs_f64()
    }
}

const FEW: usize = 500;

const ASK: &str = r#"{"questions":[{"question":"Which service?","options":["Brakes","Oil"]}]}"#;

fn time(frames: &str) -> Duration {
    let mut conversation = Conversation::new(Asks::new(), Vec::new());
    let start = spent();
    conversation.feed(frames.as_bytes());
    while let Some(update) = conversation.next_update(0) {
        assert!(!matches!(update, Update::Refused(_)), "the stream is legal: {update:?}");
    }
    spent() - start
}

/// The processor time of this thread: whatever else the machine does while it waits, does not count.
fn spent() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("the system has this clock").into()
}

fn run(events: impl IntoIterator<Item = Value>) -> String {
    let id = |kind: &str| json!({"type": kind, "threadId": "t", "runId": "r"});
    let events = [id("RUN_STARTED")].into_iter().chain(events).chain([id("RUN_FINISHED")]);
    events.map(|event| format!("data: {event}\n\n")).collect()
}

fn call(n: usize) -> Value {
    json!({"id": format!("c{n}"), "type": "function", "function": {"name": "ask_user_question", "arguments": ASK}})
}

fn asks(count: usize) -> String {
    let messages = (0..count).flat_map(|n| {
        let asked = json!({"role": "assistant", "id": format!("a{n}"), "toolCalls": [call(n)]});
        [asked, json!({"role": "user", "id": format!("u{n}"), "content": "Something else"})]
    });
    run([json!({"type": "MESSAGES_SNAPSHOT", "messages": messages.collect::<Vec<_>>()})])
}

fn told_calls(count: usize) -> String {
    let calls: Vec<Value> = (0..count).map(call).collect();
    let messages = json!([{"role": "assistant", "id": "a", "toolCalls": calls}]);
    run([json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})])
}

fn calls(count: usize) -> String {
    let begun = (0..count).flat_map(|n| {
        let id = format!("c{n}");
        [
            json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "f", "parentMessageId": "a"}),
            json!({"type": "TOOL_CALL_END", "toolCallId": id}),
        ]
    });
    let results = (0..count).map(|n| {
        json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r{n}"), "toolCallId": format!("c{n}"), "content": ""})
    });
    run(begun.chain(results))
}

fn lanes(count: usize) -> String {
    let chunk = |n: usize| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": format!("m{n}"), "delta": "x", "subagentRunId": format!("s{n}")});
    run((0..2 * count).map(|n| chunk(n % count)))
}

fn patches(count: usize) -> String {
    let state: Map<String, Value> = (0..4 * count).map(|n| (format!("m{n}"), json!(n))).collect();
    let adds = (0..2 * count).map(|n| json!({"op": "add", "path": format!("/state/a{n}"), "value": n}));
    let removes = (0..2 * count).map(|n| json!({"op": "remove", "path": format!("/state/m{n}")}));
    let deltas = adds.chain(removes).map(|operation| json!({"type": "STATE_DELTA", "delta": [operation]}));
    run([json!({"type": "STATE_SNAPSHOT", "snapshot": {"state": state}})].into_iter().chain(deltas))
}
