//! A desk at work, with its history and nothing else.

use ask_user_question::Outcome;
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::{Reply, Selection};
use question_agent::ag_ui::{Delta, Turn};
use question_agent::event::Response;
use question_agent::message::{AssistantMessage, UserMessage};
use question_agent::registry::ToolContext;
use question_agent::{Conversation, Effect, Event, intercept};
use scripted_agent::Script;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The next turn, as a host takes it.
fn turn(desk: &Script, conversation: &Conversation) -> AssistantMessage {
    let mut ids = 0..;
    let context = ToolContext::default();
    let mut turn = Turn::new(context.clone(), move || format!("id-{}", ids.next().unwrap_or(0)));
    turn.take(
        desk.next(conversation.messages(), &context).into_iter().map(Ok::<Delta, question_agent::ag_ui::AnswerTooLong>),
    )
    .expect("it is short");
    turn.finish().0
}

#[test]
fn a_desk_asks_and_goes_on_with_the_answer() {
    goes_on_after(Selection::picked(0, [0]));
}

#[test]
fn a_picture_alone_is_an_answer_of_ones_own() {
    let [url, name, media_type] = ["/files/1", "brake.png", "image/png"].map(str::to_owned);
    let picture = Attachment { url, name, media_type, size: 67 };
    goes_on_after(Selection::of(0).with_attachments([picture]));
}

fn goes_on_after(selection: Selection) {
    let desk = Script::front_desk();
    let mut conversation = Conversation::new();
    let hello = UserMessage::new("u1", "hi");
    conversation.handle(Event::UserMessage { messages: vec![hello] }).expect("it is new");
    let asked = turn(&desk, &conversation);
    let effects = conversation.handle(Event::LlmResponse(asked)).expect("it was asked");
    let Some(Effect::ExecuteTool(call)) = effects.last() else { panic!("it calls: {effects:?}") };
    let waits = intercept(&ToolContext::default(), &desk.limits(), call, None).expect("it asks");
    conversation.handle(waits).expect("the call runs");
    let waiting = conversation.waiting().expect("it waits").clone();
    let outcome = Outcome::Answered(Reply::check(&waiting.questions, vec![selection]).expect("there is an option"));
    let response = Response::new(waiting.tool_use_id, "r1", AnsweredBy::Card, outcome);
    conversation.handle(Event::UserQuestionResponse(response)).expect("it is the first");
    let next = turn(&desk, &conversation);
    assert!(!next.text.is_empty() && !next.tool_calls.is_empty(), "{next:?}");
    assert_eq!(next, turn(&desk, &conversation), "the same history brings the same turn");
}
