//! The cost of patches of a large state.

use ag_ui_stream::event::EventType;
use ag_ui_stream::{Event, Thread};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The factor by which a thousand copies take longer than a thousand adds; for each the least time of some rounds, taken in turns.
pub(crate) fn copies_over_adds(rounds: usize) -> f64 {
    let adds = patch(|n| json!({"op": "add", "path": format!("/kept/{n}"), "value": 1}));
    let copies = patch(|n| json!({"op": "copy", "from": "/one", "path": format!("/kept/{n}")}));
    let least = (0..rounds).fold([Duration::MAX; 2], |[add, copy], _| [add.min(time(&adds)), copy.min(time(&copies))]);
    least[1].as_secs_f64() / least[0].as_secs_f64()
}

fn patch(operation: impl Fn(u32) -> Value) -> Event {
    let operations: Vec<Value> = (0..1_000).map(operation).collect();
    Event::new(EventType::StateDelta, [("delta", operations.into())])
}

fn time(delta: &Event) -> Duration {
    let mut thread = Thread::default();
    let numbers: Vec<u32> = (0..100_000).collect();
    let state = json!({"numbers": numbers, "one": 1, "kept": {}});
    thread.handle_event(&Event::new(EventType::StateSnapshot, [("snapshot", state.into())]));
    let start = Instant::now();
    thread.handle_event(delta);
    let time = start.elapsed();
    assert_eq!(thread.next_warning(), None);
    time
}
