//! Whatever the runs bring, a conversation goes on.

use super::law;
use crate::chat::{
    ASK, Chat, FOREIGN, NOW, OTHER, all_asks, call, call_of, chat, declines, event, finished, interrupted, legacy,
    reloaded, result, said, snapshot, speaks, started, unread,
};
use crate::fixtures::data;
use ag_ui_stream::asks::reply::{AskedBy, UserTurn};
use ag_ui_stream::event::EventType;
use ag_ui_stream::thread::RunState;
use ag_ui_stream::{Conversation, Event, Message};
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use json_tree::Json;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::iter;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn no_events_in_any_order_make_thread_or_asks_panic() {
    let events: Vec<Event> = data().filter_map(|json| serde_json::from_str(json).ok()).collect();
    assert!(events.len() > 100);
    law(400, &prop::collection::vec(0..events.len(), 1..60), |picked| {
        let mut conversation = unread();
        picked.into_iter().for_each(|index| conversation.handle_event(NOW, events[index].clone()));
        let (thread, asks) = (conversation.thread(), conversation.asks());
        // A thread's calls must agree with its messages.
        for call in thread.messages().iter().flat_map(Message::tool_calls) {
            prop_assert!(thread.call(&call.id).is_some() && thread.arguments(&call.id).is_some());
        }
        for message in thread.messages() {
            prop_assert_eq!(thread.message(message.id()).map(Message::id), Some(message.id()));
        }
        let ids: BTreeSet<&str> = asks.asks().map(|ask| ask.tool_call_id.as_str()).collect();
        prop_assert_eq!(ids.len(), asks.asks().len());
        Ok(())
    });
}

/// The parts of runs: beginnings, events, ends.
fn run_parts() -> [Vec<Event>; 3] {
    let interrupt = |id: &str, call: &str| {
        interrupted("r", json!([{"id": id, "reason": "acme:odd", "message": "Which service?", "toolCallId": call}]))
    };
    let approved = call_of("approved", "e", "{}");
    let asked = call("c", ASK).into_iter().chain(call("d", "{")).chain(approved).cycle().take(27);
    let own = [
        started("r"),
        finished("r"),
        interrupt("i", "c"),
        interrupt("i", "nothing"),
        result("c", "Later."),
        legacy(&json!("Which service?")),
        legacy(&json!({"toolCallId": "c"})),
        legacy(&json!(7)),
    ];
    let own = own.into_iter().cycle().take(24).chain(asked);
    let mut parts = [Vec::new(), Vec::new(), Vec::new()];
    let of_fixtures = data().filter_map(|json| serde_json::from_str(json).ok());
    for event in of_fixtures.chain(own.map(event)) {
        let part = match event.kind() {
            EventType::RunStarted => 0,
            EventType::RunFinished | EventType::RunError => 2,
            _ => 1,
        };
        parts[part].push(event);
    }
    parts
}

#[test]
fn no_runs_leave_a_conversation_stuck() {
    let [starts, bodies, ends] = run_parts().map(prop::sample::select);
    let body = prop::collection::vec(bodies, 0..12);
    let run = (starts, body, prop::option::weighted(0.8, ends));
    law(600, &prop::collection::vec(run, 1..5), |runs| {
        let asks = all_asks();
        #[cfg(feature = "legacy")]
        let asks = asks.with_approvals(["approved"]);
        let mut conversation = Conversation::new(asks, Vec::new());
        for (start, body, end) in runs.clone() {
            for event in iter::once(start).chain(body).chain(end) {
                conversation.handle_event(NOW, event);
            }
            if let RunState::Running { .. } = conversation.thread().run() {
                conversation.end();
            }
        }
        // A user who cancels all that can be cancelled can continue.
        let asks = conversation.asks();
        let waits = |ask: &&AskSnapshot| match ask.phase {
            Phase::Answerable => true,
            Phase::Malformed => asks.asked_by(&ask.tool_call_id) == Some(AskedBy::Interrupt),
            _ => false,
        };
        let replies = asks.asks().filter(waits).map(|ask| declines(&ask.tool_call_id)).collect();
        let next = conversation.say(FOREIGN, UserTurn { replies, ..said("Go on") });
        prop_assert!(next.is_ok(), "{:?} after {:?}", next, runs);
        Ok(())
    });
}

const THIRD: &str = r#"{"questions":[{"question":"Which service?","options":[{"label":"Oil"},{"label":"Tyres"}]}]}"#;

/// An action of an agent or, between its runs, of a user.
#[derive(Clone, Debug)]
enum Act {
    Call {
        id: &'static str,
        arguments: &'static str,
    },
    Result {
        id: &'static str,
        content: &'static str,
    },
    Speak,
    /// The agent calls a tool of its own, which has its result at once.
    Work,
    /// The agent tells of all messages.
    Tell,
    /// The agent tells of all messages except the last one with a call.
    Forget,
    /// The run fails, and another one begins.
    Fail,
    /// The run fails in the middle of a call, and another one begins.
    Break {
        id: &'static str,
        arguments: &'static str,
    },
    /// The last run ends while the agent waits for a call, over or not.
    Await(&'static str),
    /// The run ends, its user says something, and another one begins.
    Say {
        text: &'static str,
        about: Option<&'static str>,
    },
    /// The user changes the answer to a call.
    Change(&'static str),
    NextRun,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let id = || prop::sample::select(vec!["c", "d"]);
    let arguments = prop::sample::select(vec![ASK, OTHER, THIRD]);
    let content = prop::sample::select(vec![
        r#"{"answers":{"Which service?":"Oil"}}"#,
        "User cancelled the question",
        "Oil",
        "Somebody will see to it.",
        "Forwarded to client",
        "Error: timed out",
    ]);
    let text = prop::sample::select(vec!["Oil", "Something else"]);
    prop::collection::vec(
        prop_oneof![
            3 => (id(), arguments.clone()).prop_map(|(id, arguments)| Act::Call { id, arguments }),
            2 => (id(), content).prop_map(|(id, content)| Act::Result { id, content }),
            2 => Just(Act::Speak),
            1 => Just(Act::Work),
            1 => Just(Act::Tell),
            1 => Just(Act::Forget),
            1 => Just(Act::Fail),
            1 => (id(), arguments.clone()).prop_map(|(id, arguments)| Act::Break { id, arguments }),
            1 => id().prop_map(Act::Await),
            1 => (text, prop::option::of(id())).prop_map(|(text, about)| Act::Say { text, about }),
            1 => id().prop_map(Act::Change),
            2 => Just(Act::NextRun),
        ],
        0..14,
    )
}

#[test]
fn a_conversation_read_live_and_from_its_history_is_the_same() {
    law(2_000, &acts(), |acts| {
        let mut live = unread();
        let mut sent = BTreeSet::new();
        live.take([started("r")]);
        // The messages alone do not say that a call broke off, or that it was made again rather than told again.
        let mut messages_suffice = !acts.iter().any(|act| matches!(act, Act::Break { .. }));
        for (number, act) in acts.iter().enumerate() {
            let id = |kind: &str| format!("{kind}{number}");
            match act {
                Act::Call { id: call, arguments } => {
                    let key = live.thread().key(call).into_owned();
                    let repeats = live.thread().call(&key).is_some_and(|call| call.is_answered());
                    messages_suffice &= !(repeats && live.thread().arguments(&key) == Some(*arguments));
                }
                Act::Result { id: call, .. } => {
                    // The messages suffice where a call has one result and no twin, and an agent does not contradict what its user sent.
                    let key = live.thread().key(call).into_owned();
                    let is_answered = live.thread().call(&key).is_none_or(|call| call.is_answered());
                    let mut calls = live.thread().messages().iter().flat_map(Message::tool_calls);
                    let arguments = live.thread().arguments(&key);
                    let has_twin = calls.any(|it| it.id != key && Some(&*it.arguments) == arguments);
                    messages_suffice &= !is_answered && !has_twin && !sent.contains(call);
                }
                Act::Forget => messages_suffice = false,
                Act::Speak | Act::Tell | Act::NextRun => {}
                Act::Work => {
                    let (call, message) = (id("w"), id("a"));
                    let [mut start, args, end] = call_of("get_weather", &call, "{}");
                    start["parentMessageId"] = message.into();
                    live.take([start, args, end, result(&call, "Oil")]);
                    continue;
                }
                Act::Fail => {
                    live.take([json!({"type": "RUN_ERROR", "message": "Out of paper"}), started("r")]);
                    continue;
                }
                Act::Break { id: call, arguments } => {
                    let [mut start, mut args, _] = call_of("ask_user_question", call, arguments);
                    start["parentMessageId"] = id("a").into();
                    args["delta"] = arguments[..arguments.len() - 1].into();
                    live.take([start, args, json!({"type": "RUN_ERROR", "message": "Out of paper"})]);
                    prop_assert_eq!(told(&live), told(&reloaded(&live)), "{:?}", acts);
                    live.take([started("r")]);
                    continue;
                }
                Act::Await(call) => {
                    let mut end = finished("r");
                    if live.thread().unanswered_tool_call_ids().iter().any(|open| open == call) {
                        end["outcome"] = json!({"type": "success", "pendingToolCallIds": [call]});
                    }
                    messages_suffice = false;
                    live.take([end]);
                    prop_assert_eq!(told(&live), told(&reloaded(&live)), "{:?}", acts);
                    live.take([started("r")]);
                    continue;
                }
                Act::Say { text, about } => {
                    live.take([finished("r")]);
                    // Which of two questions a text answers that names none, nobody can tell.
                    let text = if live.waiting().len() > 1 { "Something else" } else { *text };
                    sent.extend(*about);
                    let about = about.map(|call| {
                        let about = json!({"toolCallId": call, "replyId": "x", "outcome": "answered", "by": "card"});
                        Json::from(json!({"ask": about}))
                    });
                    live.push_message(Message::user(id("u"), text).with_metadata(about));
                    live.take([started("r")]);
                    continue;
                }
                Act::Change(call) => {
                    live.take([finished("r")]);
                    let about = json!({"toolCallId": call, "replyId": "x", "outcome": "answered", "by": "card", "replaces": call});
                    let text = "I changed my answer to “Which service?”: Oil";
                    live.push_message(
                        Message::user(id("u"), text).with_metadata(Some(Json::from(json!({"ask": about})))),
                    );
                    live.take([started("r")]);
                    continue;
                }
            }
            perform(&mut live, act, number);
        }
        live.take([finished("r")]);
        let replayed = reloaded(&live);
        let told_again = || [started("h"), snapshot(live.thread().messages()), finished("h")];
        let restored = chat(told_again());
        prop_assert_eq!(told(&live), told(&replayed), "{:?}", acts);
        if messages_suffice {
            prop_assert_eq!(told(&live), told(&restored), "{:?}", acts);
            let (before, again) = (told(&live), told_again());
            live.take(again);
            prop_assert_eq!(before, told(&live), "{:?}", acts);
        }
        Ok(())
    });
}

/// An ask: its id, phase, outcome, what replaced it, and a result that is none.
type ToldAsk = (String, Phase, Option<Outcome>, Option<Reply>, Option<String>);

/// The asks of a conversation by id.
fn told(conversation: &Conversation) -> Vec<ToldAsk> {
    let asks = conversation.asks().asks();
    let mut asks: Vec<_> = asks
        .map(|ask| (ask.tool_call_id.clone(), ask.phase, ask.outcome.clone(), ask.replaced.clone(), ask.result.clone()))
        .collect();
    asks.sort_by(|one, other| one.0.cmp(&other.0));
    asks
}

fn without_last_call(chat: &Conversation) -> serde_json::Value {
    let mut messages = chat.thread().messages().to_vec();
    if let Some(last) = messages.iter().rposition(|message| !message.tool_calls().is_empty()) {
        messages.remove(last);
    }
    snapshot(&messages)
}

/// An act of an agent or a user that needs nothing of the conversation but its messages.
fn perform(chat: &mut Conversation, act: &Act, number: usize) {
    let id = |kind: &str| format!("{kind}{number}");
    match act {
        Act::Call { id: call, arguments } => {
            let [mut start, mut args, end] = call_of("ask_user_question", call, arguments);
            start["parentMessageId"] = id("a").into();
            let (first, rest) = arguments.split_at(20);
            let mut more = args.clone();
            (args["delta"], more["delta"]) = (first.into(), rest.into());
            drop(chat.take([start, args, more, end]));
        }
        Act::Result { id: call, content } => {
            let mut event = result(call, content);
            event["messageId"] = id("t").into();
            drop(chat.take([event]));
        }
        Act::Speak => drop(chat.take(speaks(&id("m")))),
        Act::Tell => {
            let told = snapshot(chat.thread().messages());
            drop(chat.take([told]));
        }
        Act::Forget => {
            let told = without_last_call(chat);
            drop(chat.take([told]));
        }
        Act::Say { text, .. } => {
            chat.take([finished("r")]);
            chat.push_message(Message::user(id("u"), *text));
            chat.take([started("r")]);
        }
        _ => drop(chat.take([finished("r"), started("r")])),
    }
}

#[test]
fn a_last_word_counts_after_a_reload_when_its_message_is_gone() {
    let answer = r#"{"answers":{"Which service?":"Oil"}}"#;
    let acts = [
        Act::Result { id: "d", content: answer },
        Act::Result { id: "d", content: answer },
        Act::Result { id: "d", content: answer },
        Act::Call { id: "d", arguments: ASK },
        Act::Result { id: "c", content: "Forwarded to client" },
        Act::Call { id: "d", arguments: ASK },
        Act::Call { id: "d", arguments: OTHER },
        Act::Result { id: "d", content: "Oil" },
        Act::Forget,
    ];
    let mut live = unread();
    live.take([started("r")]);
    for (number, act) in acts.iter().enumerate() {
        perform(&mut live, act, number);
    }
    live.take([finished("r")]);
    let mut again = reloaded(&live);
    for chat in [&mut live, &mut again] {
        chat.take([started("r")]);
        perform(chat, &Act::Speak, 9);
        perform(chat, &Act::Result { id: "c", content: "Forwarded to client" }, 10);
        perform(chat, &Act::Call { id: "c", arguments: OTHER }, 11);
        chat.take([finished("r")]);
    }
    assert_eq!(told(&live), told(&again));
}

#[test]
fn a_conversation_goes_on_alike_after_a_reload() {
    law(2_000, &(acts(), any::<prop::sample::Index>()), |(acts, cut)| {
        let mut live = unread();
        live.take([started("r")]);
        let cut = cut.index(acts.len() + 1);
        for (number, act) in acts[..cut].iter().enumerate() {
            perform(&mut live, act, number);
        }
        live.take([finished("r")]);
        let mut again = reloaded(&live);
        prop_assert_eq!(told(&live), told(&again), "{:?}", acts);
        for chat in [&mut live, &mut again] {
            chat.take([started("r")]);
            for (number, act) in acts.iter().enumerate().skip(cut) {
                perform(chat, act, number);
            }
            chat.take([finished("r")]);
        }
        prop_assert_eq!(told(&live), told(&again), "{:?} cut at {}", acts, cut);
        Ok(())
    });
}
