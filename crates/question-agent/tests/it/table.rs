//! The transition table, both ways: every legal pair does what it says, every illegal one leaves the conversation untouched.

use crate::samples::{ask_call, database_ask, other_call, picks, replies, responds, says, waiting};
use ask_user_question::{AskUserQuestion, Outcome};
use question_agent::call::{ToolCall, ToolResult};
use question_agent::effect::StateChange;
use question_agent::event::Event;
use question_agent::message::{AssistantMessage, Message};
use question_agent::transition::{MAX_LLM_ATTEMPTS, NOT_RUN_CANCELLED, NOT_RUN_STOPPED, NOT_RUN_UNANSWERED};
use question_agent::{ConvState, Conversation, Effect, Rejected, Timestamp, transition};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const DEADLINE: Timestamp = Timestamp(1_795_176_000_000);

const STATES: [&str; 5] = ["idle", "llm_requesting", "tool_executing", "awaiting_user_response", "failed"];

/// One row an event, one column a state in the order of [`STATES`]: the next state, or `!` and the code of the rejection.
#[rustfmt::skip]
const TABLE: [(&str, [&str; 5]); 14] = [
    ("user_message",              ["llm_requesting", "!busy", "!busy", "llm_requesting", "llm_requesting"]),
    ("llm_response",              ["!not_requested", "idle", "!not_requested", "!not_requested", "!not_requested"]),
    ("llm_failed",                ["!not_requested", "failed", "!not_requested", "!not_requested", "!not_requested"]),
    ("llm_stopped",               ["!not_requested", "idle", "!not_requested", "!not_requested", "!not_requested"]),
    ("tool_complete",             ["!not_executing", "!not_executing", "llm_requesting", "!not_executing", "!not_executing"]),
    ("program_asked",             ["awaiting_user_response", "!busy", "!busy", "!already_waiting", "awaiting_user_response"]),
    ("ask_user_question_pending", ["!not_executing", "!not_executing", "awaiting_user_response", "!not_executing", "!not_executing"]),
    ("question_withdrawn",        ["!not_executing", "!not_executing", "llm_requesting", "!not_executing", "!not_executing"]),
    ("user_question_response",    ["!not_waiting", "!not_waiting", "!not_waiting", "llm_requesting", "!not_waiting"]),
    ("question_expired",          ["!not_waiting", "!not_waiting", "!not_waiting", "llm_requesting", "!not_waiting"]),
    ("user_cancel",               ["!nothing_to_cancel", "idle", "idle", "idle", "!nothing_to_cancel"]),
    ("retry",                     ["!nothing_to_retry", "!nothing_to_retry", "!nothing_to_retry", "!nothing_to_retry", "llm_requesting"]),
    ("sub_agent_started",         ["!not_executing", "!not_executing", "tool_executing", "!not_executing", "!not_executing"]),
    ("sub_agent_finished",        ["!not_executing", "!not_executing", "tool_executing", "!not_executing", "!not_executing"]),
];

#[test]
fn every_state_with_every_event() {
    for (event_name, row) in TABLE {
        for (state_name, expected) in STATES.into_iter().zip(row) {
            let (state, event) = (state_for(state_name, event_name), event_named(event_name));
            let before = state.clone();
            let found = match transition(&state, event) {
                Ok(next) => next.state.name().to_owned(),
                Err(rejected) => format!("!{}", rejected.code()),
            };
            assert_eq!(found, expected, "{state_name} with {event_name}");
            assert_eq!(state, before, "{state_name} with {event_name}");
        }
    }
}

#[test]
fn every_legal_transition_is_stored_before_anything_is_started() {
    for (event_name, row) in TABLE {
        for (state_name, expected) in STATES.into_iter().zip(row) {
            if expected.starts_with('!') {
                continue;
            }
            let next = transition(&state_for(state_name, event_name), event_named(event_name))
                .expect("the table says it is legal");
            let persisted = next.effects.iter().position(|effect| *effect == Effect::PersistState);
            let starts = |effect: &Effect| matches!(effect, Effect::RequestLlm | Effect::ExecuteTool(_));
            let started = next.effects.iter().position(starts).unwrap_or(usize::MAX);
            assert!(persisted.is_some_and(|at| at < started), "{state_name} with {event_name}: {:?}", next.effects);
        }
    }
}

#[test]
fn asking_waits_and_tells_every_client_the_questions() {
    let next = transition(&state_named("tool_executing"), event_named("ask_user_question_pending")).expect("legal");
    let told = StateChange::from(&next.state);
    assert_eq!(next.effects, [Effect::PersistState, Effect::NotifyStateChange(told.clone())]);
    let json = serde_json::to_value(&told).expect("a state change is JSON");
    assert_eq!(json["type"], "awaiting_user_response");
    assert_eq!(json["toolCallId"], "call-1");
    assert_eq!(json["expiresAt"], "2026-11-20T12:00:00.000Z");
    assert_eq!(json["questions"][0]["options"][1]["label"], "SQLite");
}

#[test]
fn an_answer_is_the_tool_result_and_the_model_goes_on() {
    let mut conversation = waiting(Vec::new());
    let effects = conversation.handle(replies("call-1", "r1", picks(1))).expect("it waits");
    let result = conversation.result_of("call-1").expect("it was answered").clone();
    assert_eq!(result.content, r#"{"answers":{"Which database?":"SQLite"}}"#);
    assert!(!result.is_error);
    assert_eq!(
        effects,
        [
            Effect::PersistToolResults { results: vec![result] },
            Effect::PersistState,
            Effect::NotifyLlmRequesting { attempt: 1 },
            Effect::RequestLlm,
        ]
    );
}

#[test]
fn after_what_a_program_asks_it_is_the_users_turn() {
    let ends = [
        replies("call-1", "r1", picks(1)),
        replies("call-1", "r1", Outcome::Declined),
        says("u2", "SQLite"),
        Event::QuestionExpired { now: DEADLINE },
        Event::UserCancel { proceed: true },
        Event::UserCancel { proceed: false },
    ];
    for end in ends {
        let name = end.name();
        let mut conversation = Conversation::new();
        let effects = conversation.handle(program_asks("call-1")).expect("nothing is under way");
        assert!(matches!(
            &effects[..],
            [Effect::PersistMessage(_), Effect::PersistState, Effect::NotifyStateChange(_)]
        ));
        let effects = conversation.handle(end).expect("it waits");
        assert_eq!(conversation.state(), &ConvState::Idle, "{name}");
        assert_eq!(effects.last(), Some(&Effect::NotifyAgentDone), "{name}");
        assert!(conversation.result_of("call-1").is_some(), "{name}");
        let again = conversation.handle(program_asks("call-1"));
        assert_eq!(again.map_err(|rejected| rejected.code()), Err("known_message"), "{name}: a call is asked once");
    }
}

#[test]
fn a_tool_with_sub_agents_is_not_done_before_they_are() {
    let mut state = transition(&state_named("llm_requesting"), responds("a1", "", vec![other_call("call-1")]))
        .expect("legal")
        .state;
    for sub_agent_id in ["one", "two", "one"] {
        let (tool_use_id, sub_agent_id) = ("call-1".to_owned(), sub_agent_id.to_owned());
        state = transition(&state, Event::SubAgentStarted { tool_use_id, sub_agent_id }).expect("legal").state;
    }
    let complete = || Event::ToolComplete { result: ToolResult::success("call-1", "both are done") };
    for sub_agent_id in ["one", "two"] {
        assert_eq!(transition(&state, complete()), Err(Rejected::SubAgentsPending));
        let sub_agent_id = sub_agent_id.to_owned();
        state = transition(&state, Event::SubAgentFinished { sub_agent_id }).expect("legal").state;
    }
    assert_eq!(transition(&state, complete()).expect("all are done").state.name(), "llm_requesting");
    let sub_agent_id = "two".to_owned();
    assert_eq!(transition(&state, Event::SubAgentFinished { sub_agent_id }), Err(Rejected::UnknownSubAgent));
}

#[test]
fn nothing_but_an_answer_is_taken_for_consent() {
    let cancelled = Some("User cancelled the question. This is no answer and no consent.");
    let in_chat = Outcome::RepliedInChat { text: "why do you ask?".to_owned(), partial: Vec::new() };
    let says = |outcome| replies("call-1", "r1", outcome);
    for (event, own, behind, state) in [
        (Event::UserCancel { proceed: false }, cancelled, NOT_RUN_CANCELLED, "idle"),
        (Event::UserCancel { proceed: true }, cancelled, NOT_RUN_CANCELLED, "llm_requesting"),
        (says(Outcome::Declined), cancelled, NOT_RUN_CANCELLED, "llm_requesting"),
        (says(in_chat), None, NOT_RUN_UNANSWERED, "llm_requesting"),
        (says(Outcome::Expired), None, NOT_RUN_UNANSWERED, "llm_requesting"),
        (says(Outcome::Superseded), None, NOT_RUN_UNANSWERED, "llm_requesting"),
        (says(Outcome::Cancelled), None, NOT_RUN_STOPPED, "idle"),
    ] {
        let mut conversation = waiting(vec![other_call("call-2"), ask_call("call-3")]);
        conversation.handle(event).expect("it waits");
        assert_eq!(conversation.state().name(), state);
        let result = conversation.result_of("call-1").expect("no call is left dangling");
        assert!(own.is_none_or(|own| (result.content.as_str(), result.is_error) == (own, true)), "{result:?}");
        for id in ["call-2", "call-3"] {
            let result = conversation.result_of(id).expect("no call is left dangling");
            assert_eq!((result.content.as_str(), result.is_error), (behind, true));
        }
    }
}

#[test]
fn a_question_without_a_time_waits_for_as_long_as_it_takes() {
    let asked =
        Event::AskUserQuestionPending { tool_use_id: "call-1".to_owned(), questions: database_ask(), expires_at: None };
    let waiting = transition(&state_named("tool_executing"), asked).expect("legal");
    let never = Event::QuestionExpired { now: Timestamp(u64::MAX) };
    assert_eq!(transition(&waiting.state, never), Err(Rejected::NotExpired));
    let told = serde_json::to_value(StateChange::from(&waiting.state)).expect("it is JSON");
    assert_eq!(told.get("expiresAt"), None);
}

#[test]
fn stopping_a_running_tool_leaves_no_call_dangling() {
    for (proceed, state) in [(false, "idle"), (true, "llm_requesting")] {
        let mut conversation = Conversation::new();
        conversation.handle(says("u1", "go")).expect("idle takes a message");
        let calls = vec![other_call("call-1"), ask_call("call-2")];
        conversation.handle(responds("a1", "", calls)).expect("the model was asked");
        conversation.handle(Event::UserCancel { proceed }).expect("a tool runs");
        assert_eq!(conversation.state().name(), state);
        for id in ["call-1", "call-2"] {
            assert_eq!(conversation.result_of(id).expect("no call is left dangling").content, NOT_RUN_STOPPED);
        }
    }
}

#[test]
fn a_typed_label_answers_the_question_that_waits() {
    let mut conversation = waiting(Vec::new());
    conversation.handle(says("u2", "sqlite")).expect("it waits");
    let result = conversation.result_of("call-1").expect("it was answered");
    assert_eq!(result.content, r#"{"answers":{"Which database?":"SQLite"}}"#);
    let Some(Message::User(message)) = conversation.messages().last() else {
        panic!("the typed message is kept: {:?}", conversation.messages());
    };
    assert_eq!((message.text.as_str(), &message.ask), ("sqlite", &result.ask));
}

#[test]
fn a_reply_to_other_questions_is_refused_with_what_is_wrong() {
    let mut conversation = waiting(Vec::new());
    let mut other = database_ask();
    other.questions[0].question = "Which language?".to_owned();
    let reply = ask_user_question::Reply::parse(&other, &serde_json::json!({"answers": {"Which language?": "Rust"}}))
        .expect("it fits");
    let rejected = conversation.handle(replies("call-1", "r1", Outcome::Answered(reply))).expect_err("it does not fit");
    let Rejected::InvalidReply(violations) = &rejected else { panic!("{rejected:?}") };
    assert!(rejected.to_string().contains(&violations[0].message), "{rejected}");
}

#[test]
fn call_ids_are_unique_in_a_turn_and_in_a_conversation() {
    let twice = responds("a1", "", vec![other_call("call-1"), other_call("call-1")]);
    let id = "call-1".to_owned();
    assert_eq!(transition(&state_named("llm_requesting"), twice), Err(Rejected::DuplicateToolCall { id: id.clone() }));

    let mut conversation = waiting(Vec::new());
    conversation.handle(replies("call-1", "r1", picks(0))).expect("it waits");
    let again = conversation.handle(responds("a2", "", vec![ask_call("call-1")]));
    assert_eq!(again, Err(Rejected::DuplicateToolCall { id }));
}

#[test]
fn stopping_the_model_keeps_what_it_said() {
    let mut conversation = Conversation::new();
    conversation.handle(says("u1", "go")).expect("idle takes a message");
    let partial = AssistantMessage {
        id: "a1".to_owned(),
        text: "I was about to".to_owned(),
        origin: Some(serde_json::from_value(serde_json::json!("of the whole answer")).expect("it is JSON")),
        tool_calls: vec![ask_call("call-1")],
    };
    conversation.handle(Event::LlmStopped { partial }).expect("the model was asked");
    let Some(Message::Assistant(kept)) = conversation.messages().last() else {
        panic!("{:?}", conversation.messages());
    };
    assert_eq!((kept.text.as_str(), kept.tool_calls.len(), &kept.origin), ("I was about to", 0, &None));
}

/// A sub-agent can only finish where one was started.
fn state_for(state: &str, event: &str) -> ConvState {
    match (state, event) {
        ("tool_executing", "sub_agent_finished") => state_named("tool_executing with a sub-agent"),
        _ => state_named(state),
    }
}

fn state_named(name: &str) -> ConvState {
    let requesting = || ConvState::LlmRequesting { attempt: MAX_LLM_ATTEMPTS };
    let executing = || {
        let call = vec![ask_call("call-1")];
        transition(&requesting(), responds("a1", "", call)).expect("legal").state
    };
    let with_sub_agent = || transition(&executing(), event_named("sub_agent_started")).expect("legal").state;
    match name {
        "idle" => ConvState::Idle,
        "llm_requesting" => requesting(),
        "tool_executing" => executing(),
        "tool_executing with a sub-agent" => with_sub_agent(),
        "awaiting_user_response" => {
            transition(&executing(), event_named("ask_user_question_pending")).expect("legal").state
        }
        "failed" => ConvState::Failed { reason: "no network".to_owned() },
        _ => panic!("no state is named {name}"),
    }
}

fn program_asks(id: &str) -> Event {
    let message =
        AssistantMessage { id: format!("{id}-ask"), text: String::new(), tool_calls: vec![ask_call(id)], origin: None };
    Event::ProgramAsked { message, questions: database_ask(), expires_at: Some(DEADLINE) }
}

fn event_named(name: &str) -> Event {
    let call: ToolCall = ask_call("call-1");
    let questions: AskUserQuestion = database_ask();
    let event = match name {
        "user_message" => says("u2", "SQLite"),
        "llm_response" => responds("a2", "done", Vec::new()),
        "llm_failed" => Event::LlmFailed { reason: "no network".to_owned(), retryable: true },
        "llm_stopped" => Event::LlmStopped {
            partial: AssistantMessage {
                id: "a2".to_owned(),
                text: String::new(),
                tool_calls: Vec::new(),
                origin: None,
            },
        },
        "tool_complete" => Event::ToolComplete { result: ToolResult::success(call.id, "done") },
        "program_asked" => program_asks("call-2"),
        "ask_user_question_pending" => {
            Event::AskUserQuestionPending { tool_use_id: call.id, questions, expires_at: Some(DEADLINE) }
        }
        "question_withdrawn" => Event::QuestionWithdrawn { tool_use_id: call.id, question: Some("call-0".to_owned()) },
        "user_question_response" => replies(&call.id, "r1", picks(0)),
        "question_expired" => Event::QuestionExpired { now: DEADLINE },
        "user_cancel" => Event::UserCancel { proceed: false },
        "retry" => Event::Retry,
        "sub_agent_started" => Event::SubAgentStarted { tool_use_id: call.id, sub_agent_id: "helper".to_owned() },
        "sub_agent_finished" => Event::SubAgentFinished { sub_agent_id: "helper".to_owned() },
        _ => panic!("no event is named {name}"),
    };
    assert_eq!(event.name(), name);
    event
}
