//! Whatever the runs bring, a conversation goes on.

use super::law;
use crate::chat::{
    ASK, Chat, FOREIGN, NOW, call, call_of, declines, event, finished, interrupted, legacy, result, said, started,
};
use crate::fixtures::data;
use ag_ui_stream::asks::reply::{AskedBy, Said};
use ag_ui_stream::event::EventType;
use ag_ui_stream::thread::RunState;
use ag_ui_stream::{Asks, Conversation, Event, Message};
use ask_user_question::{AskSnapshot, Phase};
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
        let mut conversation = Conversation::default();
        picked.into_iter().for_each(|index| conversation.handle_event(NOW, events[index].clone()));
        let (thread, asks) = (conversation.thread(), conversation.asks());
        // What a thread says about its calls must agree with its messages.
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

/// What runs are made of: how they begin, what happens in them, how they end.
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
        let mut conversation = Conversation::new(Asks::new().with_approvals(["approved"]), Vec::new());
        for (start, body, end) in runs.clone() {
            for event in iter::once(start).chain(body).chain(end) {
                conversation.handle_event(NOW, event);
            }
            if let RunState::Running { .. } = conversation.thread().run() {
                conversation.end();
            }
        }
        // Who cancels what can be cancelled can go on.
        let asks = conversation.asks();
        let waits = |ask: &&AskSnapshot| match ask.phase {
            Phase::Answerable => true,
            Phase::Malformed => asks.asked_by(&ask.tool_call_id) == Some(AskedBy::Interrupt),
            _ => false,
        };
        let replies = asks.asks().filter(waits).map(|ask| declines(&ask.tool_call_id)).collect();
        let next = conversation.say(FOREIGN, Said { replies, ..said("Go on") });
        prop_assert!(next.is_ok(), "{:?} after {:?}", next, runs);
        Ok(())
    });
}
