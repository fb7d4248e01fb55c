//! Asks for whose answer the agent does not wait.

use crate::samples::{database_ask, responds, says, user};
use ask_user_question::Limits;
use ask_user_question::limits::ExtraMember;
use ask_user_question::outcome::{ASKED_TEXT, AnsweredBy, AskMetadata, OutcomeKind, WITHDRAWN_TEXT};
use question_agent::background::{WITHDRAW, is_withdrawn, open, text_for_model};
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::{Message, UserMessage};
use question_agent::registry::{ToolContext, ToolRegistry};
use question_agent::{Conversation, Effect, Event, Rejected, intercept};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LIMITS: Limits = Limits::RUNTIME.with(ExtraMember::Blocking);

fn background_call(id: &str) -> ToolCall {
    ToolCall::new(id, "ask_user_question", serde_json::to_string(&database_ask().in_background()).unwrap())
}

/// Judges the running call.
fn run(conversation: &mut Conversation, effects: &[Effect]) -> Vec<Effect> {
    let Some(Effect::ExecuteTool(call)) = effects.last() else { panic!("{effects:?}") };
    let event = intercept(&ToolContext::default(), &LIMITS, call, None).expect("an ask");
    conversation.handle(event).unwrap()
}

/// A conversation whose agent asked, and went on at once.
fn asked() -> Conversation {
    let mut conversation = Conversation::new();
    conversation.handle(says("u1", "set it up")).unwrap();
    let effects = conversation.handle(responds("a1", "", vec![background_call("call-1")])).unwrap();
    let effects = run(&mut conversation, &effects);
    assert_eq!(effects.last(), Some(&Effect::RequestLlm));
    conversation
}

fn answers(id: &str, call: &str, reply: &str) -> Event {
    let ask = AskMetadata {
        tool_call_id: call.to_owned(),
        reply_id: reply.to_owned(),
        outcome: OutcomeKind::Answered,
        by: AnsweredBy::Card,
        replaces: None,
        via: None,
    };
    Event::UserMessage { messages: vec![UserMessage { ask: Some(ask), ..user(id, "SQLite") }] }
}

fn open_ids(conversation: &Conversation) -> Vec<&str> {
    open(conversation.messages()).into_iter().map(|(id, _)| id).collect()
}

fn done(conversation: &mut Conversation, id: &str) {
    conversation.handle(responds(id, "Done.", Vec::new())).unwrap();
}

#[test]
fn the_agent_goes_on_and_takes_the_answer_as_a_message() {
    let mut conversation = asked();
    assert_eq!(conversation.result_of("call-1").unwrap().content, ASKED_TEXT);
    assert_eq!(conversation.waiting(), None);
    assert_eq!(conversation.handle(answers("u2", "call-1", "r1")), Err(Rejected::Busy), "the client holds it");
    done(&mut conversation, "a2");
    conversation.handle(says("u3", "And tests?")).unwrap();
    done(&mut conversation, "a3");
    assert_eq!(open_ids(&conversation), ["call-1"], "words that name no ask leave it open");
    let effects = conversation.handle(answers("u2", "call-1", "r1")).unwrap();
    assert_eq!(effects.last(), Some(&Effect::RequestLlm));
    assert_eq!(open_ids(&conversation), <[&str; 0]>::default());
    let Some(Message::User(answer)) = conversation.messages().last() else { panic!("no answer") };
    let told = text_for_model(conversation.messages(), answer);
    assert_eq!(told, "The answer to your earlier question \u{201C}Which database?\u{201D}:\nSQLite");
    done(&mut conversation, "a4");
    for (id, reply, is_same) in [("u4", "r1", true), ("u5", "r2", false)] {
        let Err(Rejected::AlreadyAnswered { same_reply, winner }) = conversation.handle(answers(id, "call-1", reply))
        else {
            panic!("taken twice")
        };
        let answer = json!({"answers": {"Which database?": "SQLite"}});
        let won: Value = serde_json::from_str(&winner.content).unwrap();
        assert_eq!((same_reply, won, winner.ask.unwrap().reply_id), (is_same, answer, "r1".to_owned()));
    }
    let Event::UserMessage { mut messages } = answers("u6", "call-1", "r3") else { unreachable!("it is a message") };
    messages[0].ask.as_mut().unwrap().replaces = Some("r1".to_owned());
    conversation.handle(Event::UserMessage { messages }).expect("a change of the answer is a message like any other");
}

/// Runs the tool that withdraws, and returns its result and what was stored before it.
fn withdraws(conversation: &mut Conversation, id: &str, arguments: &str) -> (ToolResult, Vec<ToolResult>) {
    conversation.handle(says(&format!("u-{id}"), "Never mind")).unwrap();
    let call = ToolCall::new(id, WITHDRAW, arguments);
    conversation.handle(responds(&format!("a-{id}"), "", vec![call.clone()])).unwrap();
    let event = intercept(&ToolContext::default(), &LIMITS, &call, None).expect("it is not run");
    let effects = conversation.handle(event).unwrap();
    done(conversation, &format!("b-{id}"));
    let stored = effects.into_iter().filter_map(|effect| match effect {
        Effect::PersistToolResults { results } => Some(results),
        _ => None,
    });
    let mut stored: Vec<ToolResult> = stored.flatten().collect();
    (stored.pop().unwrap(), stored)
}

#[test]
fn an_agent_withdraws_what_it_no_longer_needs() {
    let mut conversation = asked();
    done(&mut conversation, "a2");
    for (id, arguments) in [("w1", r#"{"question": "Which cake?"}"#), ("w2", "{"), ("w3", r#"{"question": 7}"#)] {
        let (refused, stored) = withdraws(&mut conversation, id, arguments);
        assert!(refused.is_error && refused.content.starts_with("Invalid input: question: "), "{}", refused.content);
        assert_eq!((stored, open_ids(&conversation)), (Vec::new(), vec!["call-1"]));
    }
    let (result, stored) = withdraws(&mut conversation, "w4", r#"{"question": "Which database? "}"#);
    assert_eq!((result.is_error, &*result.tool_use_id), (false, "w4"));
    let [closed] = &stored[..] else { panic!("{stored:?}") };
    assert_eq!((&*closed.tool_use_id, &*closed.content, is_withdrawn(closed)), ("call-1", WITHDRAWN_TEXT, true));
    assert_eq!(open_ids(&conversation), <[&str; 0]>::default());
    let Err(Rejected::AlreadyAnswered { same_reply: false, winner }) =
        conversation.handle(answers("u2", "call-1", "r1"))
    else {
        panic!("taken after all")
    };
    assert_eq!(winner.content, WITHDRAWN_TEXT);
    let (refused, _) = withdraws(&mut conversation, "w5", "{}");
    assert!(refused.is_error && refused.content.starts_with("No question is open"), "{}", refused.content);
    let unknown = ToolCall::new("w6", WITHDRAW, "{}");
    assert_eq!(intercept(&ToolContext::default(), &Limits::RUNTIME, &unknown, None), None);
    let names = |limits| ToolRegistry::new(limits, ToolContext::default()).specs().into_iter().map(|spec| spec.name);
    assert_eq!(names(LIMITS).collect::<Vec<_>>(), ["ask_user_question", WITHDRAW]);
    assert_eq!(names(Limits::RUNTIME).collect::<Vec<_>>(), ["ask_user_question"]);
}

#[test]
fn of_several_open_asks_the_named_one_is_withdrawn() {
    let mut conversation = asked();
    let other = background_call("call-2").arguments().replace("Which database?", "Which cake?");
    let effects =
        conversation.handle(responds("a2", "", vec![ToolCall::new("call-2", "ask_user_question", other)])).unwrap();
    run(&mut conversation, &effects);
    done(&mut conversation, "a3");
    let (refused, _) = withdraws(&mut conversation, "w1", "{}");
    assert!(refused.content.ends_with("Which database?\nWhich cake?"), "{}", refused.content);
    withdraws(&mut conversation, "w2", r#"{"question": "Which cake?"}"#);
    assert_eq!(open_ids(&conversation), ["call-1"]);
}

#[test]
fn an_answer_in_the_background_is_none_to_the_ask_that_waits() {
    let mut conversation = asked();
    let effects = conversation
        .handle(responds(
            "a2",
            "",
            vec![ToolCall::new(
                "call-2",
                "ask_user_question",
                background_call("x").arguments().replace(",\"blocking\":false", ""),
            )],
        ))
        .unwrap();
    run(&mut conversation, &effects);
    assert_eq!(conversation.waiting().unwrap().tool_use_id, "call-2");
    let rejected = conversation.handle(answers("u2", "call-1", "r1")).unwrap_err();
    assert_eq!(rejected, Rejected::ForeignReply { waiting: "call-2".to_owned() });
    assert_eq!(open_ids(&conversation), ["call-1"]);
    assert_eq!(conversation.waiting().unwrap().tool_use_id, "call-2");
    // Before what answers the one that waits, it stays its own.
    let Event::UserMessage { mut messages } = answers("u2", "call-1", "r1") else { unreachable!("it is a message") };
    messages.push(user("u3", "Postgres"));
    conversation.handle(Event::UserMessage { messages }).unwrap();
    assert_eq!(conversation.result_of("call-2").unwrap().content, r#"{"answers":{"Which database?":"Postgres"}}"#);
    assert_eq!(open_ids(&conversation), <[&str; 0]>::default());
    let answered: Value = serde_json::from_str(&conversation.end_of("call-1").unwrap().content).unwrap();
    assert_eq!(answered, json!({"answers": {"Which database?": "SQLite"}}));
}
