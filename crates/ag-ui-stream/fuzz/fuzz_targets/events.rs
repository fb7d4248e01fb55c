//! Bytes in any chunks give the same events, warnings, messages and asks, and none of them panics.
#![no_main]

use ag_ui_stream::Conversation;
use ag_ui_stream::conversation::Update;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = read(std::iter::once(bytes));
    assert_eq!(read(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(read(bytes.chunks(7)), whole, "seven at a time");
});

/// All that can be told of a stream, in its order.
fn read<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> String {
    let mut conversation = Conversation::default();
    let (mut told, mut warnings) = (String::new(), String::new());
    let mut drain = |conversation: &mut Conversation| {
        while let Some(update) = conversation.next_update(0) {
            // The part of a frame that was there when a warning came is not known.
            let of = if let Update::Warning(_) = update { &mut warnings } else { &mut told };
            *of += &format!("{update:?}\n");
        }
    };
    for chunk in chunks {
        conversation.feed(chunk);
        drain(&mut conversation);
    }
    conversation.finish();
    drain(&mut conversation);
    let thread = conversation.thread();
    format!("{told}{warnings}{:?}\n{}", thread.messages(), thread.state())
}
