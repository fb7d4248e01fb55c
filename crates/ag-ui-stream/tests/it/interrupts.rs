//! Interrupts: which card asks for them, and when they wait again.

use crate::chat::{
    ASK, Chat, FOREIGN, about_the_call, asked, call, chat, declines, finished, interrupted, legacy, reloaded, reply,
    result, said, started,
};
use ag_ui_stream::Conversation;
use ag_ui_stream::asks::reply::NextRun;
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Phase, Reply};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn proceed(options: &Value) -> Value {
    json!({"questions": [{"question": "Proceed?", "options": options}]})
}

/// The ids of the interrupts that a request answers, each with its status.
fn resumed(next: &NextRun) -> Vec<(String, String)> {
    let entries = serde_json::to_value(next.input().resume).unwrap_or_default();
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    entries.as_array().into_iter().flatten().map(|it| (text(it, "interruptId"), text(it, "status"))).collect()
}

fn labels(conversation: &Conversation, id: &str) -> Vec<String> {
    let questions = &conversation.asks().ask(id).unwrap().questions;
    questions.iter().flat_map(|question| &question.options).map(|option| option.label.text.clone()).collect()
}

/// A call asked, its user answered, and a later run asks by an interrupt alone.
fn asked_before(first: &Value, then: &Value, named: bool) -> Conversation {
    let mut conversation =
        chat([started("r1")].into_iter().chain(call("c1", &first.to_string())).chain([finished("r1")]));
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 0)]).unwrap();
    conversation.start_response(&next);
    let mut interrupt = json!({"id": "i1", "reason": "acme:ask", "metadata": {"ask": then}});
    if named {
        interrupt["toolCallId"] = "c1".into();
    }
    conversation.take([started("r2"), interrupted("r2", json!([interrupt]))]);
    conversation
}

#[test]
fn an_interrupt_opens_no_card_that_shows_other_choices() {
    let before = json!([{"label": "Yes", "description": "Keep the backups"}, {"label": "No"}]);
    for (then, shown) in [
        (proceed(&json!(["Deploy", "Later"])), ["Deploy", "Later"]),
        (proceed(&json!(["Yes", "Deploy"])), ["Yes", "Deploy"]),
        (proceed(&json!([{"label": "Yes", "description": "Delete the backups"}, "No"])), ["Yes", "No"]),
    ] {
        for named in [false, true] {
            let conversation = asked_before(&proceed(&before), &then, named);
            for conversation in [&conversation, &reloaded(&conversation)] {
                assert_eq!(conversation.only_waiting(), "i1", "{then}");
                assert_eq!(labels(conversation, "i1"), shown);
                let next = conversation.next(FOREIGN, [conversation.picks("i1", 0)]).unwrap();
                let payload = serde_json::to_value(next.input().resume).unwrap()[0]["payload"].clone();
                assert_eq!(payload, json!({"answers": {"Proceed?": shown[0]}}));
            }
            assert_eq!(conversation.phase("c1"), Phase::Answered, "its receipt stays");
        }
    }
    // More questions than the call has were never shown either.
    let mut more = proceed(&before);
    more["questions"].as_array_mut().unwrap().push(json!({"question": "When?", "options": ["Now", "Later"]}));
    assert_eq!(asked_before(&proceed(&before), &more, false).only_waiting(), "i1");
    // The same choices are the same card, whatever is said about them less, and in which order.
    for same in [proceed(&before), proceed(&json!(["No", "Yes"])), proceed(&json!(["Yes ", "No"]))] {
        assert_eq!(asked_before(&proceed(&before), &same, false).only_waiting(), "c1", "{same}");
    }
}

#[test]
fn an_interrupt_with_other_choices_than_its_open_call_has_its_own_card() {
    let interrupt = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1", "metadata": {"ask": proceed(&json!(["Deploy", "Later"]))}}]);
    let conversation = asked(&proceed(&json!(["Yes", "No"])).to_string(), [interrupted("r1", interrupt.clone())]);
    assert_eq!(conversation.waiting(), ["c1", "i1"]);
    assert_eq!(labels(&conversation, "i1"), ["Deploy", "Later"]);
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 1), conversation.picks("i1", 1)]).unwrap();
    assert_eq!(resumed(&next), [("i1".to_owned(), "resolved".to_owned())]);
    // It says what a call could not.
    let conversation = asked("[", [interrupted("r1", interrupt)]);
    assert_eq!(conversation.only_waiting(), "c1");
    assert_eq!(labels(&conversation, "c1"), ["Deploy", "Later"]);
    assert_eq!(reloaded(&conversation).only_waiting(), "c1");
}

#[test]
fn several_interrupts_about_one_call_are_one_card_whose_answer_all_of_them_get() {
    let about = |id: &str, reason: &str| json!({"id": id, "reason": reason, "toolCallId": "c1"});
    let interrupts = json!([about("i1", "tool_call"), about("i2", "input_required"), about("i3", "acme:odd")]);
    let resolved = |status: &str| ["i1", "i2", "i3"].map(|id| (id.to_owned(), status.to_owned()));
    let live = asked(ASK, [interrupted("r1", interrupts)]);
    for mut conversation in [reloaded(&live), live] {
        assert_eq!(conversation.only_waiting(), "c1");
        let cancels = conversation.next(FOREIGN, [declines("c1")]).unwrap();
        assert_eq!(resumed(&cancels), resolved("cancelled"));
        let next = conversation.next(FOREIGN, [conversation.picks("c1", 1)]).unwrap();
        assert_eq!(resumed(&next), resolved("resolved"));
        conversation.start_response(&next);
        assert_eq!(conversation.phase("c1"), Phase::Answered);
        conversation.take([started("r2"), result("c1", r#"{"answers":{"Which service?":"Oil"}}"#), finished("r2")]);
        assert!(conversation.say(FOREIGN, said("Thanks")).is_ok());
    }
}

#[test]
fn an_interrupt_about_a_call_that_asks_for_something_else_is_asked_by_itself() {
    let approval = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]});
    let interrupts = json!([
        {"id": "i1", "reason": "tool_call", "toolCallId": "c1"},
        {"id": "i2", "reason": "confirmation", "toolCallId": "c1", "message": "Charge the card?", "responseSchema": approval},
    ]);
    let conversation = asked(ASK, [interrupted("r1", interrupts)]);
    assert_eq!(conversation.waiting(), ["c1", "i2"]);
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 1), conversation.picks("i2", 1)]).unwrap();
    let payloads: Vec<Value> =
        next.input().resume.unwrap().iter().map(|it| it.payload.clone().unwrap().into_value()).collect();
    assert_eq!(payloads, [json!({"answers": {"Which service?": "Oil"}}), json!({"approved": false})]);
}

#[test]
fn one_of_several_interrupts_that_expired_is_cancelled_beside_the_others() {
    let about =
        |id: &str, expires: &str| json!({"id": id, "reason": "tool_call", "toolCallId": "c1", "expiresAt": expires});
    let interrupts = json!([about("i1", "2026-11-20T11:00:00Z"), about("i2", "2026-11-20T13:00:00Z")]);
    let conversation = asked(ASK, [interrupted("r1", interrupts)]);
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 1)]).unwrap();
    let mut resumed = resumed(&next);
    resumed.sort();
    assert_eq!(resumed, [("i1".to_owned(), "cancelled".to_owned()), ("i2".to_owned(), "resolved".to_owned())]);
}

#[cfg(feature = "legacy")]
#[test]
fn several_legacy_interrupts_about_one_call_get_its_answer_each() {
    let values = [json!({"toolCallId": "c1", "a": 1}), json!({"toolCallId": "c1", "b": 2})];
    let conversation = asked(ASK, values.iter().map(legacy).chain([finished("r1")]));
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 1)]).unwrap();
    let command = next.input().forwarded_props.unwrap().get("command").cloned().unwrap().into_value();
    assert_eq!(command["interruptEvent"], json!(values));
    assert_eq!(command["resume"].as_object().unwrap().len(), 2);
}

#[test]
fn an_answer_whose_run_failed_can_be_given_again() {
    let alone = || {
        let interrupt = json!([{"id": "i1", "reason": "input_required", "message": "Which name?"}]);
        chat([started("r1"), interrupted("r1", interrupt)])
    };
    let legacy = || chat([started("r1"), legacy(&json!("Which name?")), finished("r1")]);
    let of_call = || asked(ASK, [about_the_call()]);
    let error = || json!({"type": "RUN_ERROR", "message": "overloaded"});
    for asked in [alone, of_call, legacy].into_iter().take(if cfg!(feature = "legacy") { 3 } else { 2 }) {
        for failed in [vec![], vec![error()], vec![started("r2")], vec![started("r2"), error()]] {
            let mut conversation = asked();
            let id = conversation.only_waiting();
            let next = conversation.next(FOREIGN, [conversation.types(&id, "Ada")]).unwrap();
            conversation.start_response(&next);
            assert_eq!(conversation.phase(&id), Phase::Answered);
            conversation.take(failed);
            conversation.end();
            assert_eq!(conversation.only_waiting(), id);
            let outcome = &conversation.asks().ask(&id).unwrap().outcome;
            assert!(matches!(outcome, Some(Outcome::Answered(_))), "the answer may have arrived");
            let again = conversation.next(FOREIGN, [conversation.types(&id, "Ada")]).unwrap();
            conversation.start_response(&again);
            conversation.take([started("r3"), finished("r3")]);
            conversation.end();
            assert_eq!(conversation.phase(&id), Phase::Answered);
            assert!(conversation.say(FOREIGN, said("Thanks")).is_ok());
        }
    }
    // A cancellation is no answer: it goes out once more as well.
    let mut conversation = alone();
    let next = conversation.next(FOREIGN, [declines("i1")]).unwrap();
    conversation.start_response(&next);
    conversation.end();
    assert_eq!(conversation.only_waiting(), "i1");
}

#[test]
fn null_members_of_an_interrupt_are_absent() {
    let names = ["message", "toolCallId", "responseSchema", "expiresAt", "subagentRunId", "metadata"];
    let mut interrupt = json!({"id": "i1", "reason": "input_required"});
    for name in names {
        interrupt[name] = Value::Null;
    }
    interrupt["message"] = "Which name?".into();
    let mut end = interrupted("r1", json!([interrupt]));
    (end["timestamp"], end["metadata"]) = (Value::Null, Value::Null);
    let conversation = chat([started("r1"), end]);
    assert_eq!(conversation.only_waiting(), "i1");
    assert_eq!(conversation.asks().ask("i1").unwrap().questions[0].question.text, "Which name?");
}

/// The questions and labels that an interrupt asks for.
fn shown(interrupt: &Value) -> Vec<(String, Vec<String>)> {
    let conversation = chat([started("r1"), interrupted("r1", json!([interrupt]))]);
    let id = conversation.only_waiting();
    let questions = &conversation.asks().ask(&id).unwrap().ask.as_ref().unwrap().questions;
    let labels = |options: &[ask_user_question::QuestionOption]| options.iter().map(|it| it.label.clone()).collect();
    questions.iter().map(|it| (it.question.clone(), labels(&it.options))).collect()
}

#[test]
fn a_question_is_found_wherever_an_adapter_puts_it() {
    let asked = |question: &str, labels: &[&str]| {
        vec![(question.to_owned(), labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>())]
    };
    // Strands: what the tool asks, as an object or as a text.
    let reason = |reason: Value| json!({"id": "i1", "reason": "need_clarification", "metadata": {"reason": reason}});
    let slots = json!({"question": "Which slot?", "options": ["Monday", "Tuesday"]});
    assert_eq!(shown(&reason(slots.clone())), asked("Which slot?", &["Monday", "Tuesday"]));
    assert_eq!(shown(&reason(json!({"questions": [slots.clone()]}))), asked("Which slot?", &["Monday", "Tuesday"]));
    let text = json!({"questions": [slots.clone()]}).to_string();
    assert_eq!(shown(&reason(json!(text))), asked("Which slot?", &["Monday", "Tuesday"]));
    assert_eq!(shown(&reason(json!("Which slot?"))), asked("Which slot?", &[]));
    assert_eq!(shown(&reason(json!({"message": "Which slot?"}))), asked("Which slot?", &[]));
    // CrewAI: what the method that stopped has returned.
    let output =
        |output: Value| json!({"id": "i1", "reason": "human_feedback", "metadata": {"crewai": {"output": output}}});
    assert_eq!(shown(&output(slots.clone())), asked("Which slot?", &["Monday", "Tuesday"]));
    assert_eq!(shown(&output(json!({"questions": [slots.clone()]}))), asked("Which slot?", &["Monday", "Tuesday"]));
    // Mastra: what the tool suspended with.
    let mastra = |payload: &Value| {
        let metadata = json!({"mastra": {"type": "mastra_suspend", "toolName": "ask", "suspendPayload": payload}});
        json!({"id": "r1::c1", "reason": "mastra:tool_suspend", "toolCallId": "c1", "metadata": metadata})
    };
    assert_eq!(shown(&mastra(&slots)), asked("Which slot?", &["Monday", "Tuesday"]));
    assert_eq!(shown(&mastra(&json!({"message": "Which slot?"}))), asked("Which slot?", &[]));
    let mut approval = mastra(&json!({"message": "Book it?"}));
    approval["responseSchema"] = json!({"properties": {"confirmed": {"type": "boolean"}}, "required": ["confirmed"]});
    assert_eq!(shown(&approval), asked("Book it?", &["Yes", "No"]));
    // LibreChat: the question is an object, and may stand beside all of them.
    let raw =
        |raw: Value| json!({"id": "i1", "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": raw}}});
    assert_eq!(shown(&raw(json!({"query": "Which slot?"}))), asked("Which slot?", &[]));
    assert_eq!(shown(&raw(json!({"instruction": "Check it.", "text": "A text"}))), asked("Check it.", &[]));
    let deploy = json!({"question": "Where to?", "description": "One is in use.", "options": [{"label": "Staging", "value": "stg"}, {"label": "Production", "value": "prd"}]});
    let alone = json!({"type": "ask_user_question", "question": deploy});
    assert_eq!(shown(&raw(alone.clone())), asked("Where to?", &["Staging", "Production"]));
    let mut beside = alone;
    beside["questions"] = json!([deploy, {"question": "When?", "options": ["Now", "Later"]}]);
    assert_eq!(shown(&raw(beside)).len(), 2);
}

#[test]
fn librechats_graphs_are_answered_by_ids_and_values() {
    let size = json!({"id": "size", "question": "Which size?", "options": [{"label": "Small", "value": "s"}, {"label": "Medium", "value": 38}]});
    let extras = json!({"id": "extras", "question": "Which extras?", "multiSelect": true, "options": [{"label": "Gift wrap", "value": "wrap"}, {"label": "Card", "value": "card"}, "Ribbon"]});
    let raw = |raw: &Value| {
        let metadata = json!({"langgraph": {"raw": raw}});
        interrupted("r1", json!([{"id": "i1", "reason": "langgraph:interrupt", "metadata": metadata}]))
    };
    let all = json!({"questions": [size, extras]});
    let beside =
        json!({"type": "ask_user_question", "question": size, "questions": [size, extras], "tool_call_id": "c1"});
    let alone = json!({"type": "ask_user_question", "question": size});
    let picked = |conversation: &Conversation, id: &str, several: &[usize]| {
        let shown = conversation.asks().ask(id).unwrap();
        let ask = shown.ask.as_ref().unwrap();
        let mut selections = vec![Selection::picked(0, [1])];
        if ask.questions.len() > 1 {
            selections.push(Selection::picked(1, several).with_other("A bow"));
        }
        Outcome::Answered(Reply::of(ask, selections).unwrap())
    };
    for (events, payload) in [
        (asked(&all.to_string(), [raw(&beside)]), json!({"answers": {"size": "38", "extras": "wrap, Ribbon, A bow"}})),
        (chat([started("r1"), raw(&alone)]), json!({"answer": "38"})),
    ] {
        for mut conversation in [reloaded(&events), events] {
            let id = conversation.only_waiting();
            let outcome = picked(&conversation, &id, &[0, 2]);
            let next = conversation.next(FOREIGN, [reply(&id, outcome.clone())]).unwrap();
            assert_eq!(serde_json::to_value(next.input().resume).unwrap()[0]["payload"], payload);
            conversation.start_response(&next);
            assert_eq!(conversation.phase(&id), Phase::Answered);
            // Another client of the conversation reads the same answer.
            let shown = conversation.asks().ask(&id).unwrap();
            assert_eq!(
                shown.outcome.as_ref().unwrap().tool_content(shown.ask.as_ref().unwrap()),
                outcome.tool_content(shown.ask.as_ref().unwrap())
            );
        }
    }
    // An answer in one's own words stands where the value would.
    let conversation = chat([started("r1"), raw(&alone)]);
    let next = conversation.next(FOREIGN, [conversation.types("i1", "XL")]).unwrap();
    assert_eq!(serde_json::to_value(next.input().resume).unwrap()[0]["payload"], json!({"answer": "XL"}));
    // A call that offers other choices is never meant.
    let mut other = beside;
    other["questions"][0]["options"][1]["label"] = "Large".into();
    other["question"] = other["questions"][0].clone();
    let conversation = asked(&all.to_string(), [raw(&other)]);
    assert_eq!(conversation.waiting(), ["c1", "i1"]);
}

#[cfg(feature = "legacy")]
#[test]
fn mastras_tools_are_answered_as_their_schema_says() {
    let text = json!({"type": "string"});
    let of_ask_user = json!({"anyOf": [text, {"type": "array", "items": text}]});
    let of_an_object = json!({"type": "object", "properties": {"city": text}, "required": ["city"]});
    let one = json!({"question": "Which one?", "options": [{"label": "S"}, {"label": "M"}], "selectionMode": "single_select"});
    let mut several = one.clone();
    several["selectionMode"] = "multi_select".into();
    let open = json!({"question": "Which city?"});
    for (asked, schema, selection, payload) in [
        (&one, &of_ask_user, Selection::picked(0, [1]), json!("M")),
        (&one, &of_ask_user, Selection::typed(0, "XL, M"), json!("XL, M")),
        (&several, &of_ask_user, Selection::picked(0, [0, 1]).with_other("XL"), json!(["S", "M", "XL"])),
        (&open, &of_ask_user, Selection::typed(0, "Bern"), json!("Bern")),
        (&open, &of_an_object, Selection::typed(0, "Bern"), json!({"city": "Bern"})),
        (&one, &of_an_object, Selection::picked(0, [0]), json!({"city": "S"})),
    ] {
        let suspend = json!({"type": "mastra_suspend", "toolName": "ask_user", "suspendPayload": asked});
        let standard = json!({"id": "r1::c1", "reason": "mastra:tool_suspend", "toolCallId": "c1", "responseSchema": schema, "metadata": {"mastra": suspend}});
        let mut legacy = suspend;
        legacy["resumeSchema"] = schema.to_string().into();
        let legacy = json!({"type": "CUSTOM", "name": "on_interrupt", "value": legacy.to_string()});
        for events in [
            vec![started("r1"), legacy.clone(), finished("r1")],
            vec![started("r1"), legacy, interrupted("r1", json!([standard]))],
            // A server that shows the call of the tool as well.
            [started("r1")]
                .into_iter()
                .chain(call("c1", &asked.to_string()))
                .chain([interrupted("r1", json!([standard]))])
                .collect(),
        ] {
            let mut conversation = chat(events);
            let id = conversation.only_waiting();
            let shown = conversation.asks().ask(&id).unwrap();
            let reply_of = Reply::of(shown.ask.as_ref().unwrap(), vec![selection.clone()]).unwrap();
            let next = conversation.next(FOREIGN, [reply(&id, Outcome::Answered(reply_of.clone()))]).unwrap();
            let input = serde_json::to_value(next.input()).unwrap();
            let sent =
                input["resume"].get(0).map_or(&input["forwardedProps"]["command"]["resume"], |it| &it["payload"]);
            assert_eq!(*sent, payload, "{input}");
            // Another client of the conversation reads the same answer.
            conversation.start_response(&next);
            assert_eq!(conversation.asks().ask(&id).unwrap().outcome, Some(Outcome::Answered(reply_of)));
        }
    }
}

#[cfg(feature = "legacy")]
#[test]
fn requests_of_langchain_may_lack_what_they_take_and_write_their_arguments_as_text() {
    let raw = |request: Value, configs: Value| {
        let raw = json!({"action_requests": [request], "review_configs": configs});
        json!({"id": "i1", "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": raw}}})
    };
    let decides = |interrupt: &Value, option: usize| {
        let conversation = chat([started("r1"), interrupted("r1", json!([interrupt]))]);
        let next = conversation.next(FOREIGN, [conversation.picks("i1", option)]).unwrap();
        serde_json::to_value(next.input().resume).unwrap()[0]["payload"]["decisions"][0].clone()
    };
    let delete = json!({"name": "delete_file", "args": {"path": "a"}});
    let unlisted = raw(delete, Value::Null);
    assert_eq!(shown(&unlisted)[0].0, "delete_file {\"path\":\"a\"}");
    assert_eq!(decides(&unlisted, 0), json!({"type": "approve"}));
    assert_eq!(decides(&unlisted, 1), json!({"type": "reject"}));
    let ask = json!({"name": "ask_user_question", "args": ASK});
    for configs in [Value::Null, json!([{"action_name": "ask_user_question", "allowed_decisions": ["respond"]}])] {
        assert_eq!(decides(&raw(ask.clone(), configs), 0)["type"], "respond");
    }
    let edited = raw(
        json!({"name": "delete_file", "args": "{\"path\":\"a\"}", "description": "Delete it?"}),
        json!([{"action_name": "delete_file", "allowed_decisions": ["approve", "edit", "reject"]}]),
    );
    assert_eq!(shown(&edited).iter().map(|it| &*it.0).collect::<Vec<_>>(), ["Delete it?", "path"]);
}

#[test]
fn an_answer_that_another_client_gave_is_read_in_its_words_or_in_the_result() {
    let resumed = |payload: Value| {
        let interrupt = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}]);
        let mut run = started("r2");
        let resume = json!([{"interruptId": "i1", "status": "resolved", "payload": payload}]);
        run["input"] = json!({"threadId": "t", "runId": "r2", "messages": [], "resume": resume});
        let events = [started("r1")].into_iter().chain(call("c1", ASK));
        chat(events.chain([interrupted("r1", interrupt), run]))
    };
    for payload in [json!({"response": "Oil"}), json!({"answers": ["Oil"]}), json!("Oil"), json!({"value": "Oil"})] {
        assert_eq!(resumed(payload.clone()).reply_of("c1").message(), "Oil", "{payload}");
    }
    assert_eq!(resumed(json!({"declined": true})).phase("c1"), Phase::Declined);
    for unread in [json!(1), json!({"approved": true})] {
        let mut conversation = resumed(unread);
        assert_eq!(conversation.phase("c1"), Phase::Answered);
        conversation.take([result("c1", r#"{"answers":{"Which service?":"Oil"}}"#), finished("r2")]);
        assert_eq!(conversation.reply_of("c1").message(), "Oil");
    }
}
