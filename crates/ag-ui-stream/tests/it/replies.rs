//! The way back: what the next run's input holds, and when it is refused.

use crate::asks::{ASK, call, event, finished, interrupted, result, started};
use crate::reading::NOW;
use ag_ui_stream::asks::reply::{AskReply, AskedBy, Delivery, NextRun, Origin, Refusal, Said, Setup, next_run};
use ag_ui_stream::input::Tool;
use ag_ui_stream::reader::{End, EndOutcome};
use ag_ui_stream::{Asks, Message, Thread};
use ask_user_question::outcome::AnsweredBy;
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Phase, Reply};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A thread and its asks, as a page has them.
pub(crate) struct Conversation {
    pub(crate) thread: Thread,
    pub(crate) asks: Asks,
    /// What the page offers beside the asks.
    pub(crate) tools: Vec<Tool>,
}

impl Conversation {
    pub(crate) fn of(events: impl IntoIterator<Item = Value>) -> Self {
        let mut conversation = Self { thread: Thread::default(), asks: Asks::new(), tools: Vec::new() };
        events.into_iter().for_each(|event| conversation.take(event));
        conversation
    }

    pub(crate) fn take(&mut self, json: Value) {
        let event = event(json);
        self.thread.handle_event(&event);
        self.asks.handle_event(NOW, &event);
    }

    /// One ask that waits, of a run that ends so.
    pub(crate) fn waiting(end: Value) -> Self {
        let mut conversation = Self::of([started("r1")]);
        call("c1", ASK).into_iter().for_each(|event| conversation.take(event));
        conversation.take(end);
        conversation
    }

    pub(crate) fn picks(&self, id: &str, option: usize) -> AskReply {
        let ask = self.asks.ask(id).unwrap().ask.as_ref().unwrap();
        let selection = Selection { selected: vec![option], ..Selection::default() };
        Self::reply(id, Outcome::Answered(Reply::check(ask, vec![selection]).unwrap()))
    }

    pub(crate) fn types(&self, id: &str, text: &str) -> AskReply {
        let ask = self.asks.ask(id).unwrap().ask.as_ref().unwrap();
        let selection = Selection { other: Some(text.to_owned()), ..Selection::default() };
        Self::reply(id, Outcome::Answered(Reply::check(ask, vec![selection]).unwrap()))
    }

    pub(crate) fn reply(id: &str, outcome: Outcome) -> AskReply {
        AskReply { tool_call_id: id.to_owned(), reply_id: "x1".to_owned(), outcome, by: AnsweredBy::Card }
    }

    pub(crate) fn next(&self, delivery: Delivery, replies: Vec<AskReply>) -> Result<NextRun, Refusal> {
        self.say(delivery, Said { replies, ..Said::default() })
    }

    pub(crate) fn say(&self, delivery: Delivery, said: Said) -> Result<NextRun, Refusal> {
        let setup = Setup { thread_id: "t".to_owned(), tools: self.tools.clone(), ..Setup::default() };
        let mut ids = 0;
        let next_id = || {
            ids += 1;
            format!("id{ids}")
        };
        next_run(NOW, &self.thread, &self.asks, &setup, delivery, &said, next_id)
    }
}

/// The messages that an input adds to the call's.
fn added(next: &NextRun) -> Value {
    let input = serde_json::to_value(next.input()).unwrap();
    let messages = input["messages"].as_array().unwrap();
    Value::Array(messages[messages.len() - next.messages.len()..].to_vec())
}

fn about(outcome: &str) -> Value {
    json!({"ask": {"toolCallId": "c1", "replyId": "x1", "outcome": outcome, "by": "card"}})
}

#[test]
fn a_user_message_comes_with_the_reply() {
    let mut conversation = Conversation::waiting(finished("r1"));
    let next = conversation.next(Delivery::UserMessage, vec![conversation.picks("c1", 1)]).unwrap();
    assert_eq!(
        added(&next),
        json!([
            {"role": "tool", "id": "id2", "toolCallId": "c1", "content": "{\"answers\":{\"Which service?\":\"Oil\"}}", "metadata": about("answered")},
            {"role": "user", "id": "id3", "content": "Oil", "metadata": about("answered")},
        ])
    );
    let input = serde_json::to_value(next.input()).unwrap();
    assert_eq!(
        (&input["threadId"], &input["runId"], &input["protocolVersion"]),
        (&json!("t"), &json!("id1"), &json!("1.0"))
    );
    assert_eq!(
        (&input["state"], &input["tools"], &input["context"], &input["forwardedProps"]),
        (&json!({}), &json!([]), &json!([]), &json!({}))
    );
    assert!(input.get("resume").is_none());
    next.start(&mut conversation.thread, &mut conversation.asks);
    assert_eq!(conversation.asks.ask("c1").unwrap().phase, Phase::Answered);
    assert_eq!(conversation.thread.pending_tool_call_ids(), Vec::<String>::new());
    assert_eq!(conversation.thread.messages().len(), 3);
}

#[test]
fn a_tool_result_comes_alone() {
    let conversation = Conversation::waiting(finished("r1"));
    let next = conversation.next(Delivery::ToolResult, vec![conversation.picks("c1", 0)]).unwrap();
    let roles: Vec<&str> = next.messages.iter().map(|message| message.role()).collect();
    assert_eq!(roles, ["tool"]);
    let declined =
        conversation.next(Delivery::UserMessage, vec![Conversation::reply("c1", Outcome::Declined)]).unwrap();
    assert_eq!(
        added(&declined),
        json!([{"role": "tool", "id": "id2", "toolCallId": "c1", "content": "User cancelled the question", "metadata": about("declined")}])
    );
}

#[test]
fn an_acknowledged_call_is_answered_by_a_user_message_alone() {
    let mut conversation = Conversation::of([started("r1")]);
    call("c1", ASK).into_iter().for_each(|event| conversation.take(event));
    conversation.take(result("c1", "Response will follow."));
    conversation.take(finished("r1"));
    for delivery in [Delivery::UserMessage, Delivery::ToolResult] {
        let next = conversation.next(delivery, vec![conversation.picks("c1", 0)]).unwrap();
        assert_eq!(
            added(&next),
            json!([{"role": "user", "id": "id2", "content": "Brakes", "metadata": about("answered")}])
        );
    }
}

#[test]
fn the_delivery_follows_what_the_agent_does() {
    let call_waits = || Conversation::waiting(finished("r1"));
    let acknowledged = || {
        let mut conversation = Conversation::of([started("r1")]);
        for event in call("c1", ASK) {
            conversation.take(event);
        }
        conversation.take(result("c1", "Response will follow."));
        conversation.take(finished("r1"));
        conversation
    };
    let interrupts = || {
        let interrupt = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}]);
        Conversation::waiting(interrupted("r1", interrupt))
    };
    let table: [(Conversation, AskedBy, Origin, &[&str], bool); 6] = [
        (call_waits(), AskedBy::Call, Origin::Own, &["tool", "user"], false),
        (call_waits(), AskedBy::Call, Origin::Foreign, &["tool"], false),
        (acknowledged(), AskedBy::AcknowledgedCall, Origin::Own, &["user"], false),
        (acknowledged(), AskedBy::AcknowledgedCall, Origin::Foreign, &["user"], false),
        (interrupts(), AskedBy::Interrupt, Origin::Own, &[], true),
        (interrupts(), AskedBy::Interrupt, Origin::Foreign, &[], true),
    ];
    for (conversation, asked, agent, roles, resumes) in table {
        assert_eq!(conversation.asks.asked_by("c1"), Some(asked));
        let chosen = Delivery::automatic(asked, agent);
        for delivery in [Delivery::Automatic(agent), chosen] {
            let next = conversation.next(delivery, vec![conversation.picks("c1", 0)]).unwrap();
            let sent: Vec<&str> = next.messages.iter().map(Message::role).collect();
            assert_eq!(sent, roles, "{asked:?} of {agent:?}");
            assert_eq!(next.input().resume.is_some(), resumes, "{asked:?} of {agent:?}");
        }
    }
    assert_eq!(call_waits().asks.asked_by("c2"), None);
}

#[test]
fn an_interrupt_is_answered_by_resume() {
    let interrupt = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}]);
    let mut conversation = Conversation::waiting(interrupted("r1", interrupt));
    let next = conversation.next(Delivery::Resume, vec![conversation.picks("c1", 1)]).unwrap();
    let resume = serde_json::to_value(&next.input().resume).unwrap();
    let entry = json!({"interruptId": "i1", "status": "resolved", "payload": {"answers": {"Which service?": "Oil"}}, "metadata": about("answered")});
    assert_eq!((resume, next.messages.len()), (json!([entry]), 0));
    let declined =
        conversation.next(Delivery::UserMessage, vec![Conversation::reply("c1", Outcome::Declined)]).unwrap();
    let resume = serde_json::to_value(&declined.input().resume).unwrap();
    assert_eq!(resume, json!([{"interruptId": "i1", "status": "cancelled", "metadata": about("declined")}]));
    next.start(&mut conversation.thread, &mut conversation.asks);
    assert_eq!(conversation.asks.ask("c1").unwrap().phase, Phase::Answered);
}

#[test]
fn a_payload_is_what_the_schema_describes() {
    let schema = json!({"type": "object", "required": ["approved", "count"], "properties": {"approved": {"type": "boolean"}, "count": {"type": "integer"}}});
    let alone = |schema: Value| {
        Conversation::of([
            started("r1"),
            interrupted(
                "r1",
                json!([{"id": "i1", "reason": "input_required", "message": "Say", "responseSchema": schema}]),
            ),
        ])
    };
    let conversation = alone(json!({"type": "object", "properties": {"response": {"type": "string"}}}));
    let next = conversation.next(Delivery::UserMessage, vec![conversation.types("i1", "johndoe42")]).unwrap();
    assert_eq!(next.input().resume.unwrap()[0].payload, Some(json!({"response": "johndoe42"}).into()));
    let conversation = alone(json!({"type": "object", "properties": {"approved": {"type": "boolean"}}}));
    let next = conversation.next(Delivery::UserMessage, vec![conversation.picks("i1", 1)]).unwrap();
    assert_eq!(next.input().resume.unwrap()[0].payload, Some(json!({"approved": false}).into()));
    let refused = conversation.next(Delivery::UserMessage, vec![conversation.types("i1", "well, sure")]);
    assert!(matches!(refused, Err(Refusal::Payload { .. })), "{refused:?}");
    let mut conversation = alone(schema);
    let ask = conversation.asks.ask("i1").unwrap().ask.clone().unwrap();
    let answers = |count: &str| {
        let yes = Selection { selected: vec![0], ..Selection::default() };
        let count = Selection { question: 1, other: Some(count.to_owned()), ..Selection::default() };
        Conversation::reply("i1", Outcome::Answered(Reply::check(&ask, vec![yes, count]).unwrap()))
    };
    let next = conversation.next(Delivery::UserMessage, vec![answers("12")]).unwrap();
    assert_eq!(next.input().resume.as_ref().unwrap()[0].payload, Some(json!({"approved": true, "count": 12}).into()));
    assert!(matches!(conversation.next(Delivery::UserMessage, vec![answers("many")]), Err(Refusal::Payload { .. })));
    assert!(matches!(conversation.next(Delivery::UserMessage, vec![answers("1.5")]), Err(Refusal::Payload { .. })));
    next.start(&mut conversation.thread, &mut conversation.asks);
    let Some(Outcome::Answered(reply)) = &conversation.asks.ask("i1").unwrap().outcome else { panic!("no reply") };
    assert_eq!(
        (reply.answers()[0].selected[0].label.as_str(), reply.answers()[1].other.as_deref()),
        ("Yes", Some("12"))
    );
}

#[test]
fn a_legacy_interrupt_is_answered_by_a_command() {
    let value = json!({"question": "Go on?", "options": ["Yes", "No"]});
    let legacy = json!({"type": "CUSTOM", "name": "on_interrupt", "value": value});
    let conversation = Conversation::of([started("r1"), legacy, finished("r1")]);
    let id = "r1-on_interrupt-0";
    let next = conversation.next(Delivery::UserMessage, vec![conversation.picks(id, 0)]).unwrap();
    let props = next.input().forwarded_props.unwrap();
    assert_eq!(props, json!({"command": {"resume": "Yes", "interruptEvent": value}}));
}

#[test]
fn nothing_may_be_left_dangling() {
    let mut conversation = Conversation::of([started("r1")]);
    for event in call("c1", ASK).into_iter().chain(call("c2", ASK)) {
        conversation.take(event);
    }
    conversation.take(json!({"type": "TOOL_CALL_START", "toolCallId": "c3", "toolCallName": "locate"}));
    conversation.take(json!({"type": "TOOL_CALL_END", "toolCallId": "c3"}));
    conversation.take(finished("r1"));
    conversation.tools = vec![Tool::new("locate", "Where the user is.")];
    let waiting =
        |asks: &[&str]| Err(Refusal::QuestionsWait { tool_call_ids: asks.iter().map(|id| (*id).to_owned()).collect() });
    assert_eq!(conversation.next(Delivery::UserMessage, vec![]), waiting(&["c1", "c2"]));
    assert_eq!(conversation.next(Delivery::UserMessage, vec![conversation.picks("c1", 0)]), waiting(&["c2"]));
    let both = vec![conversation.picks("c1", 0), conversation.picks("c2", 1)];
    let refused = conversation.next(Delivery::ToolResult, both.clone());
    let open = Refusal::OpenCalls { tool_call_ids: vec!["c3".to_owned()] };
    assert_eq!(refused, Err(open));
    conversation.thread.push_message(Message::tool("t3", "c3", "here"));
    let next = conversation.next(Delivery::UserMessage, both).unwrap();
    let roles: Vec<&str> = next.input().messages.iter().map(|message| message.role()).collect();
    assert_eq!(roles, ["assistant", "tool", "assistant", "tool", "assistant", "tool", "user", "user"]);
}

#[test]
fn every_interrupt_must_be_answered() {
    let interrupts = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}, {"id": "i2", "reason": "acme:silent"},
        {"id": "i3", "reason": "acme:old", "expiresAt": "2026-11-20T11:00:00Z"}]);
    let conversation = Conversation::waiting(interrupted("r1", interrupts));
    let open = Refusal::OpenInterrupts { interrupt_ids: vec!["i2".to_owned()] };
    assert_eq!(conversation.next(Delivery::UserMessage, vec![conversation.picks("c1", 0)]), Err(open));
}

#[test]
fn what_has_expired_can_only_be_declined() {
    let interrupts =
        json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1", "expiresAt": "2026-11-20T11:00:00Z"}]);
    let mut conversation = Conversation::waiting(interrupted("r1", interrupts));
    assert_eq!(conversation.asks.ask("c1").unwrap().phase, Phase::Expired);
    let refused = conversation.next(Delivery::Resume, vec![conversation.picks("c1", 0)]);
    assert_eq!(refused, Err(Refusal::NotAnswerable { tool_call_id: "c1".to_owned(), phase: Phase::Expired }));
    let next = conversation.say(Delivery::UserMessage, said("Go on")).unwrap();
    assert_eq!(
        serde_json::to_value(&next.input().resume).unwrap(),
        json!([{"interruptId": "i1", "status": "cancelled"}])
    );
    next.start(&mut conversation.thread, &mut conversation.asks);
}

#[test]
fn calls_that_nobody_can_answer_are_closed_with_the_next_message() {
    let mut conversation = Conversation::of([started("r1")]);
    call("c1", "{").into_iter().for_each(|event| conversation.take(event));
    conversation.take(finished("r1"));
    let next = conversation.say(Delivery::UserMessage, said("What?")).unwrap();
    let expected = json!([
        {"role": "tool", "id": "id2", "toolCallId": "c1", "content": "Invalid input: the arguments could not be read.", "error": "The arguments could not be read."},
        {"role": "user", "id": "id3", "content": "What?"},
    ]);
    assert_eq!(added(&next), expected);
}

#[test]
fn the_rest_is_refused_with_a_reason() {
    let mut conversation = Conversation::of([started("r1")]);
    call("c1", ASK).into_iter().for_each(|event| conversation.take(event));
    assert_eq!(
        conversation.next(Delivery::UserMessage, vec![conversation.picks("c1", 0)]),
        Err(Refusal::RunOpen { run_id: "r1".to_owned() })
    );
    conversation.take(finished("r1"));
    let refused = conversation.next(Delivery::Resume, vec![conversation.picks("c1", 0)]);
    assert_eq!(refused, Err(Refusal::NoInterrupt { tool_call_id: "c1".to_owned() }));
    let refused = conversation.next(Delivery::UserMessage, vec![Conversation::reply("c9", Outcome::Declined)]);
    assert_eq!(refused, Err(Refusal::UnknownAsk { tool_call_id: "c9".to_owned() }));
    assert_eq!(refused.unwrap_err().to_string(), "there is no such question");
    let first = conversation.next(Delivery::UserMessage, vec![conversation.picks("c1", 0)]).unwrap();
    let again = conversation.picks("c1", 0);
    first.start(&mut conversation.thread, &mut conversation.asks);
    let refused = conversation.next(Delivery::UserMessage, vec![again]);
    assert_eq!(refused, Err(Refusal::NotAnswerable { tool_call_id: "c1".to_owned(), phase: Phase::Answered }));
}

#[test]
fn a_call_that_its_own_run_left_open_does_not_end_the_conversation() {
    let start = json!({"type": "TOOL_CALL_START", "toolCallId": "x1", "toolCallName": "search"});
    let mut conversation = Conversation::of([started("r1"), start]);
    let refused = conversation.say(Delivery::UserMessage, said("go on"));
    assert!(matches!(refused, Err(Refusal::RunOpen { .. })));
    conversation.thread.handle_end(&End { outcome: EndOutcome::Truncated, error: None });
    let next = conversation.say(Delivery::UserMessage, said("go on")).unwrap();
    let roles: Vec<&str> = next.messages.iter().map(Message::role).collect();
    assert_eq!(roles, ["tool", "user"]);
    assert!(next.messages[0].text().starts_with("Not finished"));
}

#[test]
fn a_call_of_another_tool_that_waits_for_its_client_is_not_closed() {
    let [start, end] = ["TOOL_CALL_START", "TOOL_CALL_END"]
        .map(|kind| json!({"type": kind, "toolCallId": "x1", "toolCallName": "search"}));
    let mut end = end;
    end.as_object_mut().unwrap().remove("toolCallName");
    let mut conversation = Conversation::of([started("r1"), start, end, finished("r1")]);
    conversation.tools = vec![Tool::new("search", "Searches this page.")];
    let refused = conversation.say(Delivery::UserMessage, said("go on"));
    assert!(matches!(refused, Err(Refusal::OpenCalls { .. })));
}

#[test]
fn a_malformed_ask_that_the_agent_closed_takes_no_second_result() {
    let mut conversation = Conversation::of([started("r1")]);
    for event in call("c1", "{}") {
        conversation.take(event);
    }
    conversation.take(result("c1", "Invalid input: `questions` is missing"));
    conversation.take(finished("r1"));
    let declined = Conversation::reply("c1", Outcome::Declined);
    let refused = conversation.next(Delivery::UserMessage, vec![declined]);
    assert!(matches!(refused, Err(Refusal::NotAnswerable { .. })));
}

#[test]
fn a_malformed_ask_that_its_user_cancelled_is_over() {
    let mut conversation = Conversation::of([started("r1")]);
    for event in call("c1", "{}") {
        conversation.take(event);
    }
    conversation.take(finished("r1"));
    let phase = |asks: &Asks| asks.ask("c1").unwrap().phase;
    assert_eq!(phase(&conversation.asks), Phase::Malformed);
    let declined = Conversation::reply("c1", Outcome::Declined);
    let next = conversation.next(Delivery::UserMessage, vec![declined]).unwrap();
    next.start(&mut conversation.thread, &mut conversation.asks);
    assert_eq!(phase(&conversation.asks), Phase::Declined);
    assert_eq!(conversation.asks.ask("c1").unwrap().outcome, Some(Outcome::Declined));
    // A history tells the same.
    let replayed = Asks::replay(conversation.thread.messages());
    assert_eq!(phase(&replayed), Phase::Declined);
}

pub(crate) fn said(text: &str) -> Said {
    Said { text: Some(text.to_owned()), ..Said::default() }
}
