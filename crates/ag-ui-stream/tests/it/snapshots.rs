//! Messages that agents tell in `MESSAGES_SNAPSHOT`, beside those that they streamed.

use crate::chat::{
    ASK, Chat, FOREIGN, OTHER, call, call_of, chat, finished, messages, reloaded, result, said, started,
};
use ag_ui_stream::Conversation;
use ag_ui_stream::asks::reply::{Delivery, NextRun};
use ask_user_question::Phase;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const OIL: &str = r#"{"answers":{"Which service?":"Oil"}}"#;

fn told(messages: &Value) -> Value {
    json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})
}

fn user(id: &str, text: &str) -> Value {
    json!({"role": "user", "id": id, "content": text})
}

fn calls(id: &str, call: &str, arguments: &str) -> Value {
    let function = json!({"name": "ask_user_question", "arguments": arguments});
    json!({"role": "assistant", "id": id, "toolCalls": [{"id": call, "type": "function", "function": function}]})
}

fn answers(id: &str, call: &str) -> Value {
    json!({"role": "tool", "id": id, "toolCallId": call, "content": OIL})
}

fn phases(conversation: &Conversation) -> Vec<(&str, Phase)> {
    conversation.asks().asks().map(|ask| (ask.tool_call_id.as_str(), ask.phase)).collect()
}

/// The messages of a request: the role and the call, or the text.
fn sent(next: &NextRun) -> Vec<String> {
    let body: Value = serde_json::from_str(&next.body).unwrap();
    let line = |message: &Value| match message["role"].as_str().unwrap() {
        "tool" => format!("result {}", message["toolCallId"].as_str().unwrap()),
        role => match message["toolCalls"].as_array() {
            Some(calls) => format!("call {}", calls[0]["id"].as_str().unwrap()),
            None => format!("{role} {}", message["content"].as_str().unwrap()),
        },
    };
    body["messages"].as_array().unwrap().iter().map(line).collect()
}

#[cfg(feature = "legacy")]
#[test]
fn an_answered_turn_that_is_told_twice_is_asked_once() {
    let turn = |user_id: &str, id: &str| [user(user_id, "My car, please"), calls(id, "c1", ASK)];
    let twice: Vec<Value> = turn("u1", "a1").into_iter().chain([answers("t1", "c1")]).chain(turn("u2", "a2")).collect();
    let alone = [user("u1", "My car, please"), calls("a1", "c1", ASK), answers("t1", "c1"), calls("a2", "c1", ASK)];
    for list in [json!(twice), json!(alone)] {
        let fresh = chat([started("r"), told(&list), finished("r")]);
        let mut events = vec![started("r1")];
        events.extend(call("c1", ASK));
        events.extend([finished("r1"), started("r2"), result("c1", OIL), told(&list), finished("r2")]);
        let mut live = chat(events);
        live.take([started("r3"), told(&list), finished("r3")]);
        for conversation in [&fresh, &live, &reloaded(&fresh), &reloaded(&live)] {
            assert_eq!(phases(conversation), [("c1", Phase::Answered)]);
            assert_eq!(conversation.thread().unanswered_tool_call_ids(), Vec::<String>::new());
            let next = conversation.say(FOREIGN, said("Thanks")).unwrap();
            assert_eq!(sent(&next).iter().filter(|it| it.ends_with("c1")).count(), 2, "{}", next.body);
        }
        // The agent says itself that it asks once more.
        let mut end = finished("r");
        end["outcome"] = json!({"type": "success", "pendingToolCallIds": ["c1"]});
        let again = chat([started("r"), told(&list), end]);
        for conversation in [&again, &reloaded(&again)] {
            assert_eq!(phases(conversation), [("c1", Phase::Answered), ("c1#2", Phase::Answerable)]);
        }
    }
    // Other words of the user, or another question, are another turn.
    let mut asks_again = twice.clone();
    asks_again[3]["content"] = "And the other car".into();
    let mut asks_other = twice;
    asks_other[4] = calls("a2", "c1", OTHER);
    for list in [asks_again, asks_other] {
        let conversation = chat([started("r"), told(&json!(list)), finished("r")]);
        assert_eq!(phases(&conversation), [("c1", Phase::Answered), ("c1#2", Phase::Answerable)]);
    }
}

/// <https://github.com/microsoft/agent-framework/issues/8140>
#[cfg(feature = "legacy")]
#[test]
fn a_turn_that_is_told_twice_before_its_answer_is_asked_once() {
    let turn = |user_id: &str, id: &str| [user(user_id, "My car, please"), calls(id, "c1", ASK)];
    let mut twice: Vec<Value> =
        turn("u1", "a1").into_iter().chain(turn("u2", "a2")).chain([answers("t1", "c1")]).collect();
    let fresh = chat([started("r"), told(&json!(twice)), finished("r")]);
    for conversation in [&fresh, &reloaded(&fresh)] {
        assert_eq!(phases(conversation), [("c1", Phase::Answered)]);
        let next = conversation.say(FOREIGN, said("Thanks")).unwrap();
        assert_eq!(sent(&next).iter().filter(|it| it.ends_with("c1")).count(), 2, "{}", next.body);
    }
    // Without an answer, the second may be asked in the place of the first.
    twice.pop();
    let open = chat([started("r"), told(&json!(twice)), finished("r")]);
    assert_eq!(open.only_waiting(), "c1#2");
}

#[test]
fn an_ask_whose_call_a_snapshot_leaves_out_is_answered_by_a_user_message() {
    let events = [started("r")].into_iter().chain(call("c1", ASK));
    let mut conversation = chat(events.chain([told(&json!([user("u1", "My car, please")])), finished("r")]));
    assert_eq!(conversation.only_waiting(), "c1");
    assert!(conversation.say(FOREIGN, said("Something else")).is_ok());
    for delivery in [Delivery::ToolResult, Delivery::UserMessage, FOREIGN] {
        let next = conversation.next(delivery, [conversation.picks("c1", 1)]).unwrap();
        assert_eq!(sent(&next), ["user My car, please", "user Oil"], "{delivery:?}");
    }
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 1)]).unwrap();
    conversation.start_response(&next);
    assert_eq!(conversation.phase("c1"), Phase::Answered);
    assert_eq!(conversation.reply_of("c1").message(), "Oil");
    conversation.take([started("r2"), finished("r2")]);
    assert!(conversation.say(FOREIGN, said("Thanks")).is_ok());
}

#[test]
fn results_go_back_behind_their_calls_wherever_they_were_told() {
    let text = json!({"role": "assistant", "id": "a2", "content": "One moment."});
    let expected = ["user My car, please", "call c1", "result c1", "assistant One moment.", "user Thanks"];
    let list = json!([user("u1", "My car, please"), calls("a1", "c1", ASK), text, answers("t1", "c1")]);
    let fresh = chat([started("r"), told(&list), finished("r")]);
    // A result that was never an event comes behind all that is known.
    let mut events = vec![started("r"), told(&json!([user("u1", "My car, please")]))];
    let mut begins = call("c1", ASK);
    begins[0]["parentMessageId"] = "a1".into();
    events.extend(begins);
    let speaks = |kind: &str| json!({"type": kind, "messageId": "a2", "delta": "One moment."});
    events.extend(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"].map(speaks));
    let in_place = json!([user("u1", "My car, please"), calls("a1", "c1", ASK), answers("t1", "c1"), list[2]]);
    events.extend([told(&in_place), finished("r")]);
    let late = chat(events);
    for conversation in [&fresh, &late, &reloaded(&fresh), &reloaded(&late)] {
        let next = conversation.say(FOREIGN, said("Thanks")).unwrap();
        assert_eq!(sent(&next), expected);
    }
}

#[test]
fn messages_under_new_ids_go_back_where_the_agent_put_them() {
    let mut begins = call("c1", ASK);
    begins[0]["parentMessageId"] = "a1".into();
    let mut conversation = crate::chat::unread();
    conversation.push_message(messages(json!([user("u1", "My car, please")])).remove(0));
    let list = json!([user("server-1", "My car, please"), calls("a1", "c1", ASK)]);
    conversation.take([started("r")].into_iter().chain(begins).chain([told(&list), finished("r")]));
    for conversation in [&conversation, &reloaded(&conversation)] {
        assert_eq!(conversation.only_waiting(), "c1");
        let next = conversation.next(Delivery::ToolResult, [conversation.picks("c1", 1)]).unwrap();
        assert_eq!(sent(&next), ["user My car, please", "call c1", "result c1"]);
    }
}

#[test]
fn a_message_told_without_its_metadata_still_answers_its_ask() {
    let mut conversation = chat(
        [started("r")]
            .into_iter()
            .chain(call("c1", ASK))
            .chain([result("c1", "The answer will follow."), finished("r")]),
    );
    let next = conversation.next(FOREIGN, [conversation.types("c1", "My own words")]).unwrap();
    conversation.start_response(&next);
    let list = serde_json::to_value(conversation.thread().messages()).unwrap();
    let mut bare = list.clone();
    for message in bare.as_array_mut().unwrap() {
        message.as_object_mut().unwrap().remove("metadata");
    }
    conversation.take([started("r2"), told(&bare), finished("r2")]);
    for conversation in [&conversation, &reloaded(&conversation)] {
        assert_eq!(phases(conversation), [("c1", Phase::Answered)]);
        assert_eq!(conversation.reply_of("c1").message(), "My own words");
    }
}

#[test]
fn a_state_of_null_comes_back() {
    let mut events = vec![started("r"), json!({"type": "STATE_SNAPSHOT", "snapshot": null})];
    events.extend(call("c1", ASK));
    events.push(finished("r"));
    let conversation = chat(events);
    let again = reloaded(&conversation);
    assert_eq!(again.only_waiting(), "c1");
    assert_eq!(again.thread().state(), conversation.thread().state());
    for state in [json!(null), json!([]), json!({}), json!(""), json!(0), json!(false), json!({"a": null})] {
        let conversation = chat([started("r"), json!({"type": "STATE_SNAPSHOT", "snapshot": state}), finished("r")]);
        assert_eq!(reloaded(&conversation).thread().state(), &state);
    }
}

#[test]
fn a_users_message_told_behind_a_call_of_the_run_leaves_the_call_pending() {
    for list in [json!([calls("c1", "c1", ASK), user("u1", "My car, please")]), json!([user("u1", "My car, please")])] {
        let events = [started("r")].into_iter().chain(call_of("locate", "c1", "{}"));
        let conversation = chat(events.chain([told(&list), finished("r")]));
        assert_eq!(conversation.thread().pending_tool_call_ids(), ["c1"], "{list}");
    }
}

#[cfg(feature = "legacy")]
#[test]
fn equal_calls_that_stream_at_once_are_one_card() {
    let [one, other] = ["c1", "c2"].map(|id| call(id, ASK));
    let cut = |args: &Value| {
        let (mut head, mut tail) = (args.clone(), args.clone());
        (head["delta"], tail["delta"]) = (ASK[..40].into(), ASK[40..].into());
        [head, tail]
    };
    let ([one_head, one_tail], [other_head, other_tail]) = (cut(&one[1]), cut(&other[1]));
    let [one_start, _, one_end] = &one;
    let [other_start, _, other_end] = &other;
    let orders = [
        vec![one_start, other_start, &one_head, &other_head, &one_tail, &other_tail, one_end, other_end],
        vec![one_start, other_start, &other_head, &one_head, &other_tail, &one_tail, other_end, one_end],
        vec![one_start, &one_head, other_start, &other_head, &other_tail, other_end, &one_tail, one_end],
        vec![one_start, other_start, &other_head, &other_tail, other_end, &one_head, &one_tail, one_end],
    ];
    for order in orders {
        let conversation = chat([started("r")].into_iter().chain(order.into_iter().cloned()).chain([finished("r")]));
        assert_eq!(phases(&conversation), [("c1", Phase::Answerable)]);
        assert_eq!(phases(&reloaded(&conversation)), phases(&conversation));
        let next = conversation.next(Delivery::ToolResult, [conversation.picks("c1", 1)]).unwrap();
        assert_eq!(next.messages.len(), 2, "both calls get the answer");
    }
    // Those that differ are asked by themselves, whatever became of the first.
    let different = call("c2", OTHER);
    let both = [one_start, &different[0], &one_head, &different[1], &one_tail, one_end, &different[2]];
    let conversation = chat([started("r")].into_iter().chain(both.into_iter().cloned()).chain([finished("r")]));
    assert_eq!(phases(&conversation), [("c1", Phase::Answerable), ("c2", Phase::Answerable)]);
    let cut_off = [one_start, other_start, &one_head, &other_head, &other_tail, other_end];
    let mut broken = chat([started("r")].into_iter().chain(cut_off.into_iter().cloned()));
    broken.end();
    assert_eq!(phases(&broken), [("c1", Phase::Interrupted), ("c2", Phase::Answerable)]);
    assert_eq!(phases(&reloaded(&broken)), phases(&broken));
}

#[test]
fn results_under_one_id_answer_each_their_call() {
    let list = json!([calls("a1", "c1", ASK), calls("a2", "c2", OTHER), answers("t", "c1"), answers("t", "c1"),
        {"role": "tool", "id": "t", "toolCallId": "c2", "content": r#"{"answers":{"Which day?":"Monday"}}"#}]);
    let conversation = chat([started("r"), told(&list), finished("r")]);
    for conversation in [&conversation, &reloaded(&conversation)] {
        assert_eq!(phases(conversation), [("c1", Phase::Answered), ("c2", Phase::Answered)]);
        assert_eq!(conversation.thread().messages().len(), 4);
    }
}

#[test]
fn the_result_of_a_call_that_failed_is_no_answer() {
    for content in ["Oil", r#"{"answers":{"Which service?":"Oil"}}"#] {
        let failed = json!({"role": "tool", "id": "t", "toolCallId": "c1", "content": content, "error": "lost"});
        let list = json!([calls("a1", "c1", ASK), failed, {"role": "assistant", "id": "a2", "content": "Sorry."}]);
        let conversation = chat([started("r"), told(&list), finished("r")]);
        assert_eq!(phases(&conversation), [("c1", Phase::Settled)], "{content}");
        assert_eq!(phases(&reloaded(&conversation)), phases(&conversation), "{content}");
    }
}

#[cfg(feature = "legacy")]
#[test]
fn a_call_that_an_input_tells_under_another_message_is_there_once() {
    let mut events: Vec<Value> = [started("r1")].into_iter().chain(call("c1", ASK)).chain([finished("r1")]).collect();
    let mut again = started("r2");
    let list = json!([user("u1", "My car, please"), calls("a1", "c1", ASK), answers("t", "c1")]);
    again["input"] = json!({"threadId": "t", "runId": "r2", "messages": list});
    events.extend([again, finished("r2")]);
    let conversation = chat(events);
    let messages = serde_json::to_value(conversation.thread().messages()).unwrap();
    for conversation in [&conversation, &reloaded(&conversation), &chat([started("r"), told(&messages), finished("r")])]
    {
        assert_eq!(phases(conversation), [("c1", Phase::Answered)]);
        assert_eq!(conversation.thread().messages().len(), 3);
    }
}
