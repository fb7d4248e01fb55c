//! Bytes in any chunks give the same events, warnings, messages and asks, and none of them panics.
#![no_main]

use ag_ui_stream::{Asks, EventReader, Thread};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = read(std::iter::once(bytes));
    assert_eq!(read(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(read(bytes.chunks(7)), whole, "seven at a time");
});

/// All that can be told of a stream, in its order.
fn read<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> String {
    let (mut reader, mut thread, mut asks) = (EventReader::new(), Thread::default(), Asks::new());
    let mut told = String::new();
    let mut drain = |reader: &mut EventReader, thread: &mut Thread, asks: &mut Asks| {
        while let Some(event) = reader.next_event() {
            told += &format!("{event:?}\n");
            if let Ok(event) = event {
                told += &format!("{:?}\n", thread.handle_event(&event));
                told += &format!("{:?}\n", asks.handle_event(0, &event));
            }
        }
    };
    for chunk in chunks {
        reader.feed(chunk);
        drain(&mut reader, &mut thread, &mut asks);
    }
    let end = reader.finish();
    drain(&mut reader, &mut thread, &mut asks);
    let warnings: Vec<_> = std::iter::from_fn(|| reader.next_warning()).collect();
    told += &format!("{end:?} {warnings:?}\n{:?}\n", thread.handle_end(&end));
    told += &format!("{:?}\n{:?} {}", asks.handle_end(0, &end), thread.messages(), thread.state());
    told
}
