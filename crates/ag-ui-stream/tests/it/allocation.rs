//! The cost of a delta in memory.

use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::EventType;
use ag_ui_stream::sse::Decoder;
use ag_ui_stream::{Conversation, Event, Thread};
use allocation_counter::AllocationInfo;
use json_tree::Json;
use serde_json::{Value, json};

/// The allocations of a stream with this number of deltas of ten bytes to one text.
fn allocated(deltas: u32) -> AllocationInfo {
    let mut conversation = Conversation::default();
    let mut feed = |frame: &str| {
        conversation.feed(frame.as_bytes());
        while let Some(update) = conversation.next_update(0) {
            assert!(!matches!(update, Update::Refused(_)), "the stream is legal");
        }
    };
    let args = |delta: &str| {
        let event = json!({"type": "TOOL_CALL_ARGS", "toolCallId": "call-1", "delta": delta});
        format!("data: {event}\n\n")
    };
    feed("data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n");
    feed("data: {\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"call-1\",\"toolCallName\":\"ask_user_question\"}\n\n");
    feed(&args("{\"questions\":[{\"question\":\""));
    let delta = args("ten bytes ");
    allocation_counter::measure(|| (0..deltas).for_each(|_| feed(&delta)))
}

#[test]
fn what_a_delta_allocates_is_bounded_whatever_came_before() {
    let (few, many) = (allocated(1_000), allocated(50_000));
    // The texts that grow do so ever more rarely, and by no more than they hold.
    assert!(many.count_total <= 50 * few.count_total, "{few:?} {many:?}");
    assert!(many.bytes_total <= 55 * few.bytes_total, "{few:?} {many:?}");
    assert!(many.count_total <= 50_000 * 7, "{many:?}");
    assert!(many.bytes_total <= 50_000 * 700, "{many:?}");
}

/// The allocations of a patch of a thousand such operations, over a state of this many numbers.
fn patched(numbers: u32, operation: impl Fn(u32) -> Value) -> AllocationInfo {
    let mut thread = Thread::default();
    let numbers: Vec<u32> = (0..numbers).collect();
    let state = json!({"numbers": numbers, "one": 1, "kept": {}});
    thread.handle_event(&Event::new(EventType::StateSnapshot, [("snapshot", state.into())]));
    let patch: Vec<Value> = (0..1_000).map(operation).collect();
    let delta = Event::new(EventType::StateDelta, [("delta", patch.into())]);
    let info = allocation_counter::measure(|| {
        thread.handle_event(&delta);
    });
    assert_eq!(thread.next_warning(), None);
    info
}

#[test]
fn copies_and_moves_cost_what_adds_cost_whatever_the_state() {
    let adds = patched(100_000, |n| json!({"op": "add", "path": format!("/kept/{n}"), "value": 1}));
    let copy = |n| json!({"op": "copy", "from": "/one", "path": format!("/kept/{n}")});
    let moves = |n| {
        let (from, path) = if n % 2 == 0 { ("/one", "/kept/one") } else { ("/kept/one", "/one") };
        json!({"op": "move", "from": from, "path": path})
    };
    for (few, many) in [(patched(10, copy), patched(100_000, copy)), (patched(10, moves), patched(100_000, moves))] {
        assert_eq!(few.bytes_total, many.bytes_total);
        assert!(many.count_total <= 2 * adds.count_total, "{many:?} {adds:?}");
        assert!(many.bytes_total <= 2 * adds.bytes_total, "{many:?} {adds:?}");
    }
}

#[test]
fn lines_without_data_do_not_fill_the_buffer() {
    let mut decoder = Decoder::new();
    decoder.feed(b"data: {\n");
    let comments = ": x\nother: y\n".repeat(1_000);
    let info = allocation_counter::measure(|| {
        for _ in 0..1_000 {
            decoder.feed(comments.as_bytes());
            assert_eq!(decoder.next_frame(), None);
        }
    });
    assert!(info.bytes_max < 16 * comments.len() as u64, "{info:?}");
    decoder.feed(b"data: }\n\n");
    assert_eq!(decoder.next_frame().unwrap().unwrap().data, "{\n}");
}

#[test]
fn small_values_cost_a_bounded_multiple_of_their_text() {
    // Natively a value takes 32 bytes and a member 56, in WebAssembly half of that.
    for (item, most) in [(r#"{"":0},"#, 13), (r#"{"a":1},"#, 12), (r#"{"id":"abc","n":12},"#, 8), ("[0],", 17)] {
        let text = format!("[{}0]", item.repeat(10_000));
        let info = allocation_counter::measure(|| drop(Json::parse(&text).unwrap()));
        assert!(info.bytes_max < most * text.len() as u64, "{item}: {} for {}", info.bytes_max, text.len());
    }
}
