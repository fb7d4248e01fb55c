//! Characters that are cut in halves.

use super::{cut, cuts, law, pieces};
use crate::chat::Chat;
use ag_ui_stream::Message;
use proptest::prelude::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// UTF-16 units, of which many are halves of characters.
fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![Just(0x61), Just(0x20AC), Just(0xD83D), Just(0xDE00), any::<u16>(),];
    prop::collection::vec(unit, 0..12)
}

#[test]
fn halves_of_characters_are_joined_over_any_deltas() {
    let kinds = prop::sample::select(&[
        ("TEXT_MESSAGE_CHUNK", "messageId"),
        ("REASONING_MESSAGE_CHUNK", "messageId"),
        ("TOOL_CALL_CHUNK", "toolCallId"),
    ]);
    law(300, &(units(), cuts(), cuts(), kinds), |(units, cuts, chunks, (kind, id))| {
        let places = cut(units.len(), &cuts);
        let mut stream = r#"data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned();
        for ends in places.windows(2) {
            let delta: String = units[ends[0]..ends[1]].iter().map(|unit| format!("\\u{unit:04x}")).collect();
            stream += &format!(
                "\n\ndata: {{\"type\":\"{kind}\",\"{id}\":\"x\",\"toolCallName\":\"f\",\"delta\":\"{delta}\"}}"
            );
        }
        stream += "\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
        let mut conversation = crate::chat::unread();
        for piece in pieces(stream.as_bytes(), &chunks) {
            conversation.feed(piece);
            conversation.changes();
        }
        let thread = conversation.thread();
        let read = match thread.arguments("x") {
            Some(arguments) => arguments.to_owned(),
            None => thread.messages().iter().map(Message::text).collect(),
        };
        prop_assert_eq!(read, String::from_utf16_lossy(&units));
        Ok(())
    });
}
