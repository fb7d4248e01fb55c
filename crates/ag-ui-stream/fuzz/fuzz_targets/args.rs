//! Arguments in any pieces are what `serde_json` makes of the whole, and an ask made of them takes nothing back that it showed.
#![no_main]

#[path = "../../../ask-user-question/tests/it/kept.rs"]
mod kept;
#[path = "../../examples/replay/so_far.rs"]
#[allow(dead_code, reason = "the example asks whether the text is complete")]
mod so_far;

use ag_ui_stream::event::EventType;
use ag_ui_stream::{Asks, Conversation, Event};
use ask_user_question::tool::NAMES;
use json_tree::{Json, PartialParser};
use libfuzzer_sys::fuzz_target;
use question_compat::READERS;
use serde_json::Value;
use so_far::SoFar;

fuzz_target!(|text: &str| {
    let expected = json_tree::parse(text).ok();
    let characters: Vec<String> = text.chars().map(String::from).collect();
    let whole = read([text]);
    assert_eq!(whole.0, expected, "{:?}", whole.1);
    assert_eq!(read(characters.iter().map(String::as_str)), whole);
    show(&characters);
});

fn show(pieces: &[String]) {
    let mut conversation = Conversation::new(Asks::new(NAMES, READERS).with_forms(), Vec::new());
    let mut take = |event: Event| {
        conversation.handle_event(0, event);
        conversation.asks().ask("c").expect("it began").questions.clone()
    };
    let mut before = take(Event::new(
        EventType::ToolCallStart,
        [("toolCallId", "c".into()), ("toolCallName", "ask_user_question".into())],
    ));
    for piece in pieces {
        let after =
            take(Event::new(EventType::ToolCallArgs, [("toolCallId", "c".into()), ("delta", piece.as_str().into())]));
        assert!(kept::is_kept(&before, &after), "{before:?} {after:?}");
        before = after;
    }
    let complete = take(Event::new(EventType::ToolCallEnd, [("toolCallId", "c".into())]));
    assert!(kept::is_kept(&before, &complete), "{before:?} {complete:?}");
}

/// The complete value, or the offset at which it cannot become one.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (Option<Value>, Option<usize>) {
    let (mut parser, mut value) = (PartialParser::default(), SoFar::default());
    let fed = pieces.into_iter().try_for_each(|piece| parser.feed(piece, |token| value.take(&token)));
    match fed.and_then(|()| parser.finish(|token| value.take(&token))) {
        Ok(()) => (value.json().map(Json::into_value), None),
        Err(error) => (None, Some(error.offset)),
    }
}
