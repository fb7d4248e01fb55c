//! Tools of the page's own beside the asking one.

use crate::scripted_agent::{self, Call, tick};
use crate::server::{Server, calling, hello, idle, run_finished, run_started};
use crate::visitor::{SIZE, Visitor, reply};
use ag_ui_stream::Message;
use agent_chat::{ChatOptions, PageTool, ReplyState, Status, Trouble};
use ask_user_question::Phase;
use leptos::prelude::*;
use serde_json::{Value, json};
use std::future;
use std::sync::{Arc, Mutex};
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The arguments of all calls of handlers, and their ends.
type Heard = Arc<Mutex<Vec<Value>>>;

/// Notes that the future was dropped.
struct Dropped(Heard);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.lock().expect("one thread").push(json!("dropped"));
    }
}

fn title() -> PageTool {
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    PageTool::new("set_title", "Sets the title.").with_parameters(&schema)
}

/// A page with a tool that is done at once, one that fails, and one that never ends.
fn with_tools(options: ChatOptions, heard: &Heard) -> ChatOptions {
    let (quick, slow) = (Arc::clone(heard), Arc::clone(heard));
    options
        .tool(title(), move |arguments| {
            quick.lock().expect("one thread").push(arguments.clone());
            future::ready(Ok(json!({"set": arguments["title"]})))
        })
        .tool(PageTool::new("fail", "Fails."), |_| future::ready(Err("There is no printer.".to_owned())))
        .tool(PageTool::new("wait", "Never ends."), move |_| {
            slow.lock().expect("one thread").push(json!("begun"));
            let dropped = Dropped(Arc::clone(&slow));
            async move {
                let _dropped = dropped;
                future::pending().await
            }
        })
}

/// A visitor whose agent has called these tools: each an id, a name and arguments.
async fn called(options: ChatOptions, calls: &[(&str, &str, &str)]) -> (Visitor, Heard) {
    let heard = Heard::default();
    let (visitor, call) = Visitor::greeting_with(with_tools(options, &heard)).await;
    for (id, name, arguments) in calls {
        call.calls(id, name, arguments);
    }
    call.finishes();
    (visitor, heard)
}

fn heard(heard: &Heard) -> Vec<Value> {
    heard.lock().expect("one thread").clone()
}

/// The results in a request: each with its call, and whether it is an error.
fn results(call: &Call) -> Vec<(String, String, bool)> {
    let result = |message: &Message| {
        let id = message.tool_call_id()?.to_owned();
        Some((id, message.text().into_owned(), message.error().is_some()))
    };
    call.input.messages.iter().filter_map(result).collect()
}

fn result(id: &str, content: &str) -> (String, String, bool) {
    (id.to_owned(), content.to_owned(), false)
}

fn error(id: &str, content: &str) -> (String, String, bool) {
    (id.to_owned(), content.to_owned(), true)
}

const STOPPED: &str = "Stopped: the user went on before this tool call had its result.";

#[test]
async fn a_call_is_carried_out_once_and_its_result_starts_the_next_run() {
    let (visitor, calls) = called(ChatOptions::new("/agent"), &[("c1", "set_title", r#"{"title":"Cars"}"#)]).await;
    let call = Call::next().await;
    assert_eq!(results(&call), [result("c1", r#"{"set":"Cars"}"#)]);
    assert_eq!(heard(&calls), [json!({"title": "Cars"})]);
    let tools: Vec<_> = call.input.tools.iter().flatten().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["ask_user_question", "set_title", "fail", "wait"]);
    call.runs_saying("m1", "Done.");
    visitor.sees_status(Status::Idle).await;
    visitor.sees_lines(&["user: Hello", "tool: set_title, done", "agent: Done."]).await;
    tick().await;
    assert_eq!((scripted_agent::waiting(), heard(&calls).len()), (Vec::new(), 1));
}

#[test]
async fn nothing_is_carried_out_before_the_run_has_ended_or_where_it_failed() {
    let calls = Heard::default();
    let (visitor, call) = Visitor::greeting_with(with_tools(ChatOptions::new("/agent"), &calls)).await;
    call.calls("c1", "set_title", "{}");
    visitor.sees_lines(&["user: Hello", "tool: set_title"]).await;
    assert_eq!(heard(&calls), [] as [Value; 0]);
    call.errs("out of credit");
    visitor.sees("the failure", |chat| matches!(chat.status.get_untracked(), Status::Failed(_))).await;
    visitor.chat.retry();
    let again = results(&Call::next().await);
    assert!(again[0].2 && heard(&calls).is_empty(), "{again:?}");
}

#[test]
async fn every_failure_is_a_result_for_the_model_to_read() {
    let calls = [
        ("c1", "fail", ""),
        ("c2", "set_title", r#"{"title":"#),
        ("c3", "unknown", "{}"),
        ("c4", "set_title", ""),
        ("c5", "set_title", r#"["Cars"]"#),
        ("c6", "set_title", "null"),
    ];
    let (_visitor, heard_calls) = called(ChatOptions::new("/agent"), &calls).await;
    let sent = results(&Call::next().await);
    let find = |id: &str| sent.iter().find(|(call, ..)| call == id).expect("it has a result").clone();
    assert_eq!(find("c1"), error("c1", "There is no printer."));
    let (_, text, is_error) = find("c2");
    assert!(is_error && text.starts_with("The arguments are not valid JSON: "), "{text}");
    assert!(find("c3").2);
    assert_eq!(find("c4"), result("c4", r#"{"set":null}"#));
    for id in ["c5", "c6"] {
        assert_eq!(find(id), error(id, "The arguments are no JSON object."));
    }
    assert_eq!((sent.len(), heard(&heard_calls)), (6, vec![json!({})]));
}

#[test]
async fn a_result_and_the_reply_to_a_question_go_together() {
    let ask = ("c2", "ask_user_question", SIZE);
    let (visitor, _) = called(ChatOptions::new("/agent"), &[("c1", "set_title", "{}"), ask]).await;
    visitor.sees_lines(&["user: Hello", "tool: set_title, done", "ask: answerable"]).await;
    visitor.sends_nothing().await;
    visitor.picks("c2", SIZE, 1);
    let mut sent = results(&Call::next().await);
    sent.sort();
    assert_eq!(sent, [result("c1", r#"{"set":null}"#), result("c2", r#"{"answers":{"Which size?":"Large"}}"#)]);
}

#[test]
async fn a_reply_is_held_until_the_calls_have_their_results() {
    let heard_calls = Heard::default();
    let gate = Arc::new(Mutex::new(None));
    let door = Arc::clone(&gate);
    let options = with_tools(ChatOptions::new("/agent"), &heard_calls).tool(PageTool::new("door", ""), move |_| {
        let (opens, opened) = channel();
        *door.lock().expect("one thread") = Some(opens);
        async move {
            opened.await;
            Ok(json!("open"))
        }
    });
    let (visitor, call) = Visitor::greeting_with(options).await;
    call.calls("c1", "door", "");
    call.asks("c2", SIZE);
    call.finishes();
    visitor.sees_phase("c2", Phase::Answerable).await;
    visitor.sees("the handler", |_| gate.lock().expect("one thread").is_some()).await;
    assert_eq!(visitor.chat.reply("c2", reply(SIZE, 0)), ReplyState::Held);
    assert!(visitor.holds("c2"));
    let opens = gate.lock().expect("one thread").take();
    opens.expect("it is begun")();
    assert_eq!(results(&Call::next().await).len(), 2);
}

#[test]
async fn a_reply_that_stop_gave_back_to_its_card_is_not_sent() {
    let ask = ("c2", "ask_user_question", SIZE);
    let options = ChatOptions::new("/agent").resume("tools-stopped");
    let (visitor, _) = called(options, &[("c1", "wait", ""), ask]).await;
    visitor.sees_phase("c2", Phase::Answerable).await;
    visitor.picks("c2", SIZE, 0);
    let storage = window().local_storage().ok().flatten().expect("there is one");
    let shared = || storage.get_item("agent-chat conversation /agent tools-stopped held").expect("it can be read");
    visitor.sees("that other tabs could send it", |_| shared().is_some()).await;
    visitor.chat.stop();
    assert_eq!(visitor.reply_to("c2"), ReplyState::None);
    assert!(visitor.chat.send("Never mind"));
    let sent = results(&Call::next().await);
    let find = |id: &str| sent.iter().find(|(call, ..)| call == id).expect("it has a result").clone();
    assert_eq!(find("c1"), error("c1", STOPPED));
    assert!(find("c2").1.starts_with(r#"{"answers":{"Which size?":"Never mind"}"#), "{sent:?}");
}

#[test]
async fn stop_drops_the_handler_and_the_next_message_tells_the_agent() {
    let (visitor, calls) = called(ChatOptions::new("/agent"), &[("c1", "wait", "")]).await;
    visitor.sees("the handler", |_| heard(&calls) == ["begun"]).await;
    visitor.chat.stop();
    visitor.sees("the drop", |_| heard(&calls) == ["begun", "dropped"]).await;
    visitor.sees_lines(&["user: Hello", "tool: wait, done"]).await;
    visitor.sends_nothing().await;
    visitor.chat.send("Never mind");
    assert_eq!(results(&Call::next().await), [error("c1", STOPPED)]);
}

#[test]
async fn a_new_message_drops_the_handler_and_takes_a_result_along() {
    let (visitor, calls) = called(ChatOptions::new("/agent"), &[("c1", "wait", ""), ("c2", "set_title", "")]).await;
    visitor.sees("the handler", |_| heard(&calls).contains(&json!("begun"))).await;
    assert!(visitor.chat.send("Never mind"));
    let call = Call::next().await;
    let mut sent = results(&call);
    sent.sort();
    assert_eq!(sent, [error("c1", STOPPED), result("c2", r#"{"set":null}"#)]);
    assert_eq!(call.input.messages.last().expect("it says something").text(), "Never mind");
    visitor.sees("the drop", |_| heard(&calls).contains(&json!("dropped"))).await;
}

#[test]
async fn a_call_that_ran_at_a_reload_gets_an_error_unless_it_is_repeatable() {
    let options = |id: &str| ChatOptions::new("/agent").resume(id);
    for (repeats, id) in [(false, "tools-once"), (true, "tools-twice")] {
        let (visitor, calls) = called(options(id), &[("c1", "wait", "")]).await;
        visitor.sees("the handler", |_| heard(&calls) == ["begun"]).await;
        drop(visitor);
        tick().await;
        assert_eq!(heard(&calls), ["begun", "dropped"], "a page that is left drops its handlers");
        let tool = PageTool::new("wait", "Ends now.");
        let tool = if repeats { tool.repeatable() } else { tool };
        let _visitor = Visitor::beside(options(id).tool(tool, |_| future::ready(Ok(json!("it is over")))));
        let expected = match repeats {
            true => result("c1", "it is over"),
            false => error("c1", "No result: the page was reloaded while this ran."),
        };
        assert_eq!(results(&Call::next().await), [expected]);
    }
}

#[test]
async fn a_result_survives_a_reload_and_is_not_made_again() {
    let options = || ChatOptions::new("/agent").resume("tools-kept");
    let (visitor, calls) = called(options(), &[("c1", "set_title", "")]).await;
    Call::next().await.is_unreachable();
    visitor.sees("the failure", |chat| matches!(chat.status.get_untracked(), Status::Failed(_))).await;
    drop(visitor);
    let visitor = Visitor::beside(with_tools(options(), &calls));
    visitor.sees_lines(&["user: Hello", "tool: set_title, done"]).await;
    visitor.chat.send("And?");
    assert_eq!(results(&Call::next().await), [result("c1", r#"{"set":null}"#)]);
    assert_eq!(heard(&calls).len(), 1);
}

#[test]
async fn a_result_that_waits_for_a_reply_survives_a_reload() {
    let options = || ChatOptions::new("/agent").resume("tools-and-asks");
    let ask = ("c2", "ask_user_question", SIZE);
    let (visitor, calls) = called(options(), &[("c1", "set_title", ""), ask]).await;
    visitor.sees_lines(&["user: Hello", "tool: set_title, done", "ask: answerable"]).await;
    drop(visitor);
    let visitor = Visitor::beside(with_tools(options(), &calls));
    visitor.picks("c2", SIZE, 0);
    assert_eq!(results(&Call::next().await).len(), 2);
    assert_eq!(heard(&calls).len(), 1);
}

#[test]
async fn another_tab_leaves_the_call_to_the_one_that_started_the_run() {
    let options = || ChatOptions::new("/agent").resume("tools-tabs");
    let (here, calls) = called(options(), &[("c1", "wait", "")]).await;
    here.sees("the handler", |_| heard(&calls) == ["begun"]).await;
    // In the browser of the test both are one tab: the other one has lost what the first keeps in it.
    let storage = window().session_storage().expect("it is allowed").expect("it is there");
    let keys: Vec<_> = (0..storage.length().expect("a length")).filter_map(|at| storage.key(at).ok()?).collect();
    keys.iter().filter(|key| key.contains("tools")).for_each(|key| storage.remove_item(key).expect("it goes"));
    let there = Visitor::beside(with_tools(options(), &calls));
    there.sees_lines(&["user: Hello", "tool: wait"]).await;
    tick().await;
    assert_eq!(heard(&calls), ["begun"]);
    assert!(there.chat.send("Never mind"));
    assert_eq!(results(&Call::next().await), [error("c1", STOPPED)]);
}

#[test]
async fn a_result_that_a_server_did_not_get_goes_again_without_a_second_call() {
    let calls = Heard::default();
    let visitor = Visitor::first(with_tools(ChatOptions::new("/agent").behind_question_server(), &calls));
    let server = Server { id: visitor.chat.conversation_id() };
    visitor.chat.send("Hello");
    let call = Call::next().await;
    call.accept();
    call.calls("c1", "set_title", "");
    call.finishes();
    let history = |last: &str| idle(&[hello(), calling("a1", "c1", "set_title", "")], last);
    server.describes(history("life-9")).await;
    let lost = Call::next().await;
    assert_eq!(results(&lost), [result("c1", r#"{"set":null}"#)]);
    lost.is_unreachable();
    server.describes(history("life-9")).await;
    assert_eq!(results(&Call::next().await), results(&lost));
    assert_eq!(heard(&calls).len(), 1);
}

/// Lets the agent call the tool in each run, until no run follows. Returns the number of runs.
async fn calls_for_ever(visitor: &Visitor, mut runs: u32) -> u32 {
    loop {
        visitor
            .sees("a run or an end", |chat| {
                !scripted_agent::waiting().is_empty() || matches!(chat.status.get_untracked(), Status::Failed(_))
            })
            .await;
        if scripted_agent::waiting().is_empty() || runs > 50 {
            return runs;
        }
        let call = Call::next().await;
        call.accept();
        call.calls(&format!("call-{runs}"), "set_title", "{}");
        call.finishes();
        runs += 1;
    }
}

#[test]
async fn a_model_that_calls_for_ever_is_stopped_until_the_user_says_something() {
    for (options, most) in [
        (ChatOptions::new("/agent"), 16),
        (ChatOptions::new("/agent").with_tool_rounds(2), 2),
        (ChatOptions::new("/agent").with_tool_rounds(0).resume("tools-rounds"), 0),
    ] {
        let calls = Heard::default();
        let visitor = Visitor::first(with_tools(options, &calls));
        visitor.chat.send("Hello");
        assert_eq!(calls_for_ever(&visitor, 0).await, most + 1);
        let stopped = Status::Failed(Trouble::TooManyRounds(most));
        assert_eq!(visitor.chat.status.get_untracked(), stopped);
        let count = most as usize + 1;
        assert_eq!(heard(&calls).len(), count, "the last results wait");
        visitor.chat.retry();
        assert_eq!(calls_for_ever(&visitor, most + 1).await, 2 * (most + 1));
        visitor.chat.send("Go on");
        let call = Call::next().await;
        assert_eq!(results(&call).len(), 2 * count, "no result is lost");
        call.runs_saying("m1", "Done.");
        visitor.sees_status(Status::Idle).await;
    }
}

/// A conversation whose last run called the tool, as its server tells it.
fn called_history(more: &[Value], state: Value) -> Value {
    let called = calling("a1", "c1", "set_title", "{}");
    let messages: Vec<_> = [hello(), called].into_iter().chain(more.iter().cloned()).collect();
    json!({"messages": messages, "state": state, "pending": [], "lastEventId": "life-4"})
}

#[test]
async fn no_call_of_a_dead_run_or_before_later_words_starts() {
    let at_rest = json!({"type": "idle"});
    let later = json!({"id": "u2", "role": "user", "content": "And?"});
    for (state, more, runs) in [
        (at_rest.clone(), vec![], true),
        (json!({"type": "failed", "reason": "out of credit"}), vec![], false),
        (json!({"type": "llm_requesting", "attempt": 1}), vec![], false),
        (at_rest, vec![later], false),
    ] {
        let (calls, server) = (Heard::default(), Server::new());
        let visitor = Visitor::first(with_tools(server.options(), &calls));
        // The tab has started a run before its page was loaded again.
        server.describes(idle(&[], "life-1")).await;
        visitor.sees("the way free", |chat| chat.send("Hello")).await;
        Call::next().await.accept();
        visitor.sees_status(Status::Running).await;
        drop(visitor);
        scripted_agent::fresh();
        let visitor = Visitor::beside(with_tools(server.options(), &calls));
        server.describes(called_history(&more, state.clone())).await;
        visitor.sees("the history", |chat| chat.entries.with_untracked(|entries| entries.len() > 1)).await;
        for _ in 0..5 {
            tick().await;
        }
        assert_eq!(heard(&calls).len(), usize::from(runs), "{state} {more:?}");
    }
}

#[test]
async fn a_result_from_elsewhere_drops_the_handler() {
    let (calls, server) = (Heard::default(), Server::new());
    let visitor = Visitor::first(with_tools(server.options(), &calls));
    server.describes(idle(&[], "life-1")).await;
    let stream = server.heard().await;
    visitor.sees("the way free", |chat| chat.send("Hello")).await;
    let call = Call::next().await;
    call.accept();
    call.calls("c1", "wait", "");
    call.finishes();
    visitor.sees("the handler", |_| heard(&calls) == ["begun"]).await;
    let run = |number: u32| format!("life-{number}");
    let own = call.input.run_id.as_str();
    let call_start = json!({"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "wait"});
    let call_end = json!({"type": "TOOL_CALL_END", "toolCallId": "c1"});
    let closed =
        json!({"id": "t1", "role": "tool", "toolCallId": "c1", "content": "Never mind", "error": "Never mind"});
    let message = json!({"id": "u2", "role": "user", "content": "Something else"});
    let events = [
        run_started(&server.id, own, json!([hello()])),
        call_start,
        call_end,
        run_finished(&server.id, own),
        run_started(&server.id, "r2", json!([closed, message])),
    ];
    for (at, event) in events.iter().enumerate() {
        stream.tells("", &run(u32::try_from(at).expect("five") + 2), event);
    }
    visitor.sees("the drop", |_| heard(&calls) == ["begun", "dropped"]).await;
    visitor.sees_lines(&["user: Hello", "tool: wait, done", "user: Something else"]).await;
}

/// A function that lets the future end.
fn channel() -> (Box<dyn Fn() + Send>, impl Future<Output = ()>) {
    let is_open = Arc::new(Mutex::new(false));
    let door = Arc::clone(&is_open);
    let opens = move || *is_open.lock().expect("one thread") = true;
    let opened = async move {
        while !*door.lock().expect("one thread") {
            tick().await;
        }
    };
    (Box::new(opens), opened)
}
