//! The cost of ten times the input, if one message, snapshot or run holds thousands of things.

use ag_ui_stream::asks::reply::{RunDefaults, UserTurn};
use ag_ui_stream::conversation::Update;
use ag_ui_stream::{Asks, Conversation};
use ask_user_question::tool::NAMES;
use nix::time::{ClockId, clock_gettime};
use question_compat::READERS;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// One kind of input that may be long.
pub(crate) struct Growing {
    pub(crate) name: &'static str,
    /// The frames of this many things.
    frames: fn(usize) -> String,
    /// The next step, which is timed as well.
    then: fn(&mut Conversation),
}

pub(crate) const GROWING: [Growing; 23] = [
    Growing::of("a snapshot of asks and user messages", asks),
    Growing::of("calls in one message, and their results", calls),
    Growing::of("subagents that write in chunks", lanes),
    Growing::of("a snapshot with calls in one message", told_calls),
    Growing::of("members that patches add to a large object, and remove", patches),
    Growing::of("runs with an ask", runs_with_asks),
    Growing::of("runs that end in an interrupt", interrupted_runs),
    Growing::of("runs with one call id", one_id),
    Growing::of("equal asks, and a placeholder for each", |count| twins(count, "")),
    Growing::of("asks, and a placeholder for each", |count| answered(count, "")),
    Growing::of("asks, and a result in other words for each", |count| answered(count, "Seen to.")),
    Growing::of("calls, texts and late results", late_results),
    Growing::of("a snapshot of asks with results in other words", told_answers),
    Growing::of("results in other words of one ask", results_of_one),
    Growing::of("decisions of one interrupt", decisions),
    Growing::of("interrupts in one run", |count| interrupts(count, false)),
    Growing::of("calls, and interrupts that ask the same", |count| interrupts(count, true)),
    Growing { name: "open calls that a request closes", frames: open_calls, then: say },
    Growing::of("members of a state whose names differ late", chosen_members),
    Growing::of("tags in a question that the question opened", own_tags),
    Growing::of("parameters in a question that never end", half_parameters),
    Growing::of("parameters in a question without a tag", bare_parameters),
    Growing::of("quotation marks in a question and its result", quotation_marks),
];

impl Growing {
    const fn of(name: &'static str, frames: fn(usize) -> String) -> Self {
        Self { name, frames, then: |_| {} }
    }

    /// The factor by which ten times the input takes longer; for each the least time of some rounds, taken in turns.
    pub(crate) fn tenfold(&self, rounds: usize) -> f64 {
        let inputs = [(self.frames)(FEW), (self.frames)(10 * FEW)];
        let mut least = [Duration::MAX; 2];
        for _ in 0..rounds {
            for (least, input) in least.iter_mut().zip(&inputs) {
                *least = (*least).min(time(input, self.then));
            }
        }
        least[1].as_secs_f64() / least[0].as_secs_f64()
    }
}

const FEW: usize = 500;

const ASK: &str = r#"{"questions":[{"question":"Which service?","options":["Brakes","Oil"]}]}"#;

fn time(frames: &str, then: fn(&mut Conversation)) -> Duration {
    let mut conversation = Conversation::new(Asks::new(NAMES, READERS).with_forms(), Vec::new());
    let start = spent();
    conversation.feed(frames.as_bytes());
    while let Some(update) = conversation.next_update(0) {
        assert!(!matches!(update, Update::Refused(_)), "the stream is legal: {update:?}");
    }
    then(&mut conversation);
    spent() - start
}

/// The processor time of this thread: whatever else the machine does while it waits, does not count.
fn spent() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("the system has this clock").into()
}

fn run(events: impl IntoIterator<Item = Value>) -> String {
    let id = |kind: &str| json!({"type": kind, "threadId": "t", "runId": "r"});
    let events = [id("RUN_STARTED")].into_iter().chain(events).chain([id("RUN_FINISHED")]);
    events.map(|event| format!("data: {event}\n\n")).collect()
}

fn call(n: usize) -> Value {
    json!({"id": format!("c{n}"), "type": "function", "function": {"name": "ask_user_question", "arguments": ASK}})
}

fn asks(count: usize) -> String {
    let messages = (0..count).flat_map(|n| {
        let asked = json!({"role": "assistant", "id": format!("a{n}"), "toolCalls": [call(n)]});
        [asked, json!({"role": "user", "id": format!("u{n}"), "content": "Something else"})]
    });
    run([json!({"type": "MESSAGES_SNAPSHOT", "messages": messages.collect::<Vec<_>>()})])
}

fn told_calls(count: usize) -> String {
    let calls: Vec<Value> = (0..count).map(call).collect();
    let messages = json!([{"role": "assistant", "id": "a", "toolCalls": calls}]);
    run([json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})])
}

fn calls(count: usize) -> String {
    let begun = (0..count).flat_map(|n| {
        let id = format!("c{n}");
        [
            json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "f", "parentMessageId": "a"}),
            json!({"type": "TOOL_CALL_END", "toolCallId": id}),
        ]
    });
    let results = (0..count).map(|n| {
        json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r{n}"), "toolCallId": format!("c{n}"), "content": ""})
    });
    run(begun.chain(results))
}

/// The events of a call, and of its result if there is one.
fn called(id: &str, name: &str, arguments: &str, result: Option<&str>) -> Vec<Value> {
    let mut events = vec![
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": arguments}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ];
    events.extend(result.map(|content| told_result(id, content)));
    events
}

fn told_result(call: &str, content: &str) -> Value {
    json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r-{call}"), "toolCallId": call, "content": content})
}

/// An ask that no other one repeats.
fn question(n: usize) -> String {
    ASK.replace("Which", &format!("{n}. Which"))
}

fn asked(id: &str, n: usize) -> Vec<Value> {
    called(id, "ask_user_question", &question(n), None)
}

fn runs_with_asks(count: usize) -> String {
    (0..count).map(|n| run(asked(&format!("c{n}"), n))).collect()
}

fn one_id(count: usize) -> String {
    (0..count).map(|n| run(called("c", "f", &format!("[{n}]"), Some("done")))).collect()
}

fn ends_in(interrupts: &[Value]) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "interrupt", "interrupts": interrupts}})
}

/// A run that ends in interrupts.
fn suspended(events: impl IntoIterator<Item = Value>, interrupts: &[Value]) -> String {
    let started = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
    let events = [started].into_iter().chain(events).chain([ends_in(interrupts)]);
    events.map(|event| format!("data: {event}\n\n")).collect()
}

fn interrupted_runs(count: usize) -> String {
    let interrupt = |n: usize| json!({"id": "i", "reason": "acme:ask", "message": format!("{n}?")});
    (0..count).map(|n| suspended([], &[interrupt(n)])).collect()
}

fn twins(count: usize, result: &str) -> String {
    let calls = (0..count).flat_map(|n| called(&format!("c{n}"), "ask_user_question", ASK, None));
    run(calls.chain((0..count).map(|n| told_result(&format!("c{n}"), result))))
}

fn answered(count: usize, result: &str) -> String {
    let calls = (0..count).flat_map(|n| asked(&format!("c{n}"), n));
    run(calls.chain((0..count).map(|n| told_result(&format!("c{n}"), result))))
}

fn late_results(count: usize) -> String {
    let text = |n: usize| {
        let event =
            move |kind: &str| json!({"type": kind, "messageId": format!("m{n}"), "delta": format!("Text {n}.")});
        ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"].map(event)
    };
    let calls = (0..count).flat_map(|n| called(&format!("c{n}"), "f", "{}", None));
    run(calls.chain((0..count).flat_map(text)).chain((0..count).map(|n| told_result(&format!("c{n}"), "done"))))
}

fn told_answers(count: usize) -> String {
    let messages = (0..count).flat_map(|n| {
        let mut call = call(n);
        call["function"]["arguments"] = question(n).into();
        let asked = json!({"role": "assistant", "id": format!("a{n}"), "toolCalls": [call]});
        [asked, json!({"role": "tool", "id": format!("t{n}"), "toolCallId": format!("c{n}"), "content": "Seen to."})]
    });
    run([json!({"type": "MESSAGES_SNAPSHOT", "messages": messages.collect::<Vec<_>>()})])
}

fn results_of_one(count: usize) -> String {
    let result = |n: usize| json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r{n}"), "toolCallId": "c", "content": "Seen to."});
    run(asked("c", 0).into_iter().chain((0..count).map(result)))
}

fn decisions(count: usize) -> String {
    let calls = (0..count).flat_map(|n| asked(&format!("c{n}"), n));
    let args = |n: usize| serde_json::from_str::<Value>(&question(n)).expect("it is JSON");
    let request = |n: usize| json!({"name": "ask_user_question", "args": args(n)});
    let config = json!({"action_name": "ask_user_question", "allowed_decisions": ["respond"]});
    let raw = json!({"action_requests": (0..count).map(request).collect::<Vec<_>>(), "review_configs": [config]});
    let interrupt = json!({"id": "i", "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": raw}}});
    suspended(calls, &[interrupt])
}

fn interrupts(count: usize, of_calls: bool) -> String {
    let asks = |n: usize| serde_json::from_str::<Value>(&question(n)).expect("it is JSON");
    let interrupt = |n: usize| json!({"id": format!("i{n}"), "reason": "acme:ask", "metadata": {"ask": asks(n)}});
    let calls = (0..count).filter(|_| of_calls).flat_map(|n| asked(&format!("c{n}"), n));
    suspended(calls, &(0..count).map(interrupt).collect::<Vec<_>>())
}

fn open_calls(count: usize) -> String {
    run((0..count).flat_map(|n| called(&format!("c{n}"), "f", "{}", None)))
}

/// The user goes on.
fn say(conversation: &mut Conversation) {
    let said = UserTurn { text: Some("Go on".to_owned()), ..UserTurn::default() };
    let mut ids = (0..).map(|id| format!("id{id}"));
    let next = conversation.request(0, &RunDefaults::default(), &said, || ids.next().unwrap_or_default());
    conversation.start_response(&next.expect("nothing waits"));
    while conversation.next_update(0).is_some() {}
}

/// Names that differ late, which is the worst that can be chosen for the tree in which `json-tree` finds them.
fn chosen_members(count: usize) -> String {
    let name = |n| (format!("{n:0>60}"), Value::Null);
    let state: Map<String, Value> = (0..4 * count).map(name).collect();
    run([json!({"type": "STATE_SNAPSHOT", "snapshot": state})])
}

/// An ask with this question.
fn asks_with(text: &str) -> String {
    run(called("c", "ask_user_question", &ASK.replace("Which service?", text), None))
}

fn own_tags(count: usize) -> String {
    asks_with(&(String::from("Why <question>?") + &"x".repeat(20 * count) + &"</question>".repeat(20 * count)))
}

fn half_parameters(count: usize) -> String {
    asks_with(&(String::from("Why?") + &r#"<parameter name=\""#.repeat(20 * count)))
}

fn quotation_marks(count: usize) -> String {
    let arguments = ASK.replace("Which service?", &r#"\""#.repeat(20 * count));
    let result = told_result("c", &"\"".repeat(40 * count));
    // The agent speaks on, so the result counts.
    let text = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Done."});
    run(called("c", "ask_user_question", &arguments, None).into_iter().chain([result, text]))
}

fn bare_parameters(count: usize) -> String {
    asks_with(&(String::from("Why?<invoke>") + &r#"parameter name=\"a\">"#.repeat(20 * count)))
}

fn lanes(count: usize) -> String {
    let chunk = |n: usize| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": format!("m{n}"), "delta": "x", "subagentRunId": format!("s{n}")});
    run((0..2 * count).map(|n| chunk(n % count)))
}

fn patches(count: usize) -> String {
    let state: Map<String, Value> = (0..4 * count).map(|n| (format!("m{n}"), json!(n))).collect();
    let adds = (0..2 * count).map(|n| json!({"op": "add", "path": format!("/state/a{n}"), "value": n}));
    let removes = (0..2 * count).map(|n| json!({"op": "remove", "path": format!("/state/m{n}")}));
    let deltas = adds.chain(removes).map(|operation| json!({"type": "STATE_DELTA", "delta": [operation]}));
    run([json!({"type": "STATE_SNAPSHOT", "snapshot": {"state": state}})].into_iter().chain(deltas))
}
