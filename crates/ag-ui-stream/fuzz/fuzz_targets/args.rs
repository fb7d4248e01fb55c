//! Arguments in any pieces are what `serde_json` makes of the whole, and an ask made of them takes nothing back that it showed.
#![no_main]

#[path = "../../../ask-user-question/tests/it/kept.rs"]
mod kept;

use ag_ui_stream::event::EventType;
use ag_ui_stream::{Conversation, Event};
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot, TextSnapshot};
use ask_user_question::{AskSnapshot, AskUserQuestion, Question, QuestionOption};
use json_tree::{Json, PartialParser, PartialValue};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let expected = json_tree::parse(text).ok();
    let characters: Vec<String> = text.chars().map(String::from).collect();
    let whole = read([text]);
    assert_eq!(whole.0, expected, "{:?}", whole.1);
    assert_eq!(read(characters.iter().map(String::as_str)), whole);
    show(&characters);
});

fn show(pieces: &[String]) {
    let mut conversation = Conversation::default();
    let mut take = |event: Event| {
        conversation.handle_event(0, event);
        conversation.asks().ask("c").cloned().expect("it began")
    };
    let mut before = take(Event::new(
        EventType::ToolCallStart,
        [("toolCallId", "c".into()), ("toolCallName", "ask_user_question".into())],
    ));
    for piece in pieces {
        let after =
            take(Event::new(EventType::ToolCallArgs, [("toolCallId", "c".into()), ("delta", piece.as_str().into())]));
        assert!(kept::is_kept(&before, &shown(&after)), "{before:?} {after:?}");
        before = after;
    }
    let complete = take(Event::new(EventType::ToolCallEnd, [("toolCallId", "c".into())]));
    assert!(kept::is_kept(&before, &shown(&complete)), "{before:?} {complete:?}");
}

/// The visible part of a snapshot, as if it were the whole ask.
fn shown(ask: &AskSnapshot) -> AskUserQuestion {
    let text = |text: &TextSnapshot| text.text.clone();
    let option = |shown: &OptionSnapshot| {
        let mut option = QuestionOption::new(text(&shown.label));
        option.description = shown.description.as_ref().map(text);
        option.preview = shown.preview.as_ref().map(text);
        option
    };
    let question = |shown: &QuestionSnapshot| {
        let mut question = Question::new(text(&shown.question), shown.options.iter().map(option));
        question.header = shown.header.as_ref().map(text);
        question.with_multi_select(shown.multi_select.unwrap_or_default())
    };
    AskUserQuestion::new(ask.questions.iter().map(question))
}

/// The complete value, or the offset at which it cannot become one.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (Option<Value>, Option<usize>) {
    let (mut parser, mut value) = (PartialParser::default(), PartialValue::default());
    let fed = pieces.into_iter().try_for_each(|piece| parser.feed(piece, |token| value.take(&token)));
    match fed.and_then(|()| parser.finish(|token| value.take(&token))) {
        Ok(()) => (value.into_json().map(Json::into_value), None),
        Err(error) => (None, Some(error.offset)),
    }
}
