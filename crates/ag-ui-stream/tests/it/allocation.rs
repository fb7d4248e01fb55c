//! What a delta costs in memory.

use ag_ui_stream::{Asks, EventReader, Thread};
use allocation_counter::AllocationInfo;
use serde_json::json;

/// What a stream makes of so many deltas of ten bytes to one text.
fn allocated(deltas: u32) -> AllocationInfo {
    let (mut reader, mut thread, mut asks) = (EventReader::new(), Thread::default(), Asks::new());
    let mut feed = |frame: &str| {
        reader.feed(frame.as_bytes());
        while let Some(event) = reader.next_event() {
            let event = event.expect("the stream is legal");
            thread.handle_event(&event);
            asks.handle_event(0, &event);
        }
    };
    let args = |delta: &str| {
        let event = json!({"type": "TOOL_CALL_ARGS", "toolCallId": "call-1", "delta": delta});
        format!("data: {event}\n\n")
    };
    feed("data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n");
    feed(
        "data: {\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"call-1\",\"toolCallName\":\"ask_user_question\"}\n\n",
    );
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
