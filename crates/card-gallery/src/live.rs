//! An example that arrives while the page is open.

use crate::stream::ExampleStream;
use ask_user_question::AskSnapshot;
use leptos::prelude::*;
use std::time::Duration;

/// The characters of a piece, and the time between pieces: about as fast as a model writes.
const PIECE: usize = 8;
const PACE: Duration = Duration::from_millis(30);

/// Streams the arguments into the snapshot until they are all there and the run is over, or the current owner is cleaned up.
pub(crate) fn play(ask: RwSignal<AskSnapshot>, id: &str, arguments: &'static str) {
    let playing = StoredValue::new((ExampleStream::open(id), arguments.chars()));
    let handle = StoredValue::new(None::<IntervalHandle>);
    let stop = move || {
        if let Some(handle) = handle.try_get_value().flatten() {
            handle.clear();
        }
    };
    let step = move || {
        playing.try_update_value(|(stream, rest)| {
            let piece: String = rest.by_ref().take(PIECE).collect();
            match piece.as_str() {
                "" => {
                    stop();
                    stream.end_call();
                    stream.end_run();
                }
                piece => stream.feed(piece),
            }
            ask.update(|ask| ask.follow(stream.snapshot()));
        });
    };
    handle.set_value(set_interval_with_handle(step, PACE).ok());
    on_cleanup(stop);
}
