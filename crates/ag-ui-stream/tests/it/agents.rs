//! Streams of real agents: the interrupts of `LangGraph` in both of its forms, approvals, calls that are left open.

#[cfg(feature = "legacy")]
mod approvals;
mod recorded;

use crate::chat::{
    ASK, Chat, FOREIGN, NOW, about_the_call, asked, call, call_of, chat, declines, finished, interrupted, legacy,
    reloaded, reply, result, roles, said, started,
};
use ag_ui_stream::asks::reply::{AskReply, NextRun, Refusal};
use ag_ui_stream::{Conversation, Message};
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::reply::Selection;
use ask_user_question::{Outcome, Phase, Question, Reply};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The two forms in which the adapter of `LangGraph` sends an interrupt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// An event alone, with the value as JSON text.
    Legacy,
    /// The event, and the run's outcome.
    Outcome,
}

/// The events of a graph's `interrupt(value)` at the end of a run.
fn interrupts(form: Form, run: &str, id: &str, value: &Value) -> [Value; 2] {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut custom = legacy(&text.into());
    custom["rawEvent"] = json!({"id": id, "value": value});
    let mut interrupt =
        json!({"id": id, "reason": "langgraph:interrupt", "metadata": {"langgraph": {"raw": value, "ns": null}}});
    if let Some(text) = value.as_str() {
        interrupt["message"] = text.into();
    }
    for name in ["reason", "message", "toolCallId", "responseSchema"] {
        if let Some(member) = value.get(name) {
            interrupt[name] = member.clone();
        }
    }
    match form {
        Form::Legacy => [custom, finished(run)],
        Form::Outcome => [custom, interrupted(run, json!([interrupt]))],
    }
}

/// A call of a tool of the agent's own.
fn own_call(id: &str, name: &str) -> [Value; 3] {
    call_of(name, id, r#"{"path":"a.txt"}"#)
}

/// A run that leaves a call of the agent's own tool open.
fn left_open(name: &str, end: Value) -> Vec<Value> {
    [started("r1")].into_iter().chain(own_call("w1", name)).chain([end]).collect()
}

fn questions() -> Value {
    serde_json::from_str(ASK).unwrap()
}

/// One run that begins with a call, perhaps, and ends with an interrupt.
fn graph(form: Form, first: &[Value], value: &Value) -> Conversation {
    let events = [started("r1")].into_iter().chain(first.iter().cloned());
    chat(events.chain(interrupts(form, "r1", "i1", value)))
}

/// The command that legacy interrupts are answered by.
fn command(next: &NextRun) -> Value {
    next.input().forwarded_props.and_then(|props| Some(props.get("command")?.clone().into_value())).unwrap()
}

/// The reply by either form's way.
fn sent(form: Form, next: &NextRun) -> Value {
    match form {
        Form::Legacy => command(next)["resume"].clone(),
        Form::Outcome => {
            let input = next.input();
            let entries = input.resume.as_ref().unwrap();
            assert_eq!((entries.len(), entries[0].interrupt_id.as_str()), (1, "i1"));
            entries[0].payload.clone().map(Json::into_value).unwrap_or_default()
        }
    }
}

#[cfg(feature = "legacy")]
#[test]
fn every_way_of_langgraph_to_ask_is_one_card_whose_answer_arrives() {
    let named = json!({"reason": "tool_call", "toolCallId": "c1", "questions": questions()["questions"], "message": "Which service?", "responseSchema": {"type": "object"}});
    let reply = json!({"answers": {"Which service?": "Oil"}});
    let (ask, human) = (call("c1", ASK), own_call("c1", "ask_human"));
    let ways: [(&str, &[Value], Value, Value); 6] = [
        ("a node, questions", &[], questions(), reply.clone()),
        ("another tool, questions", &human, questions(), reply.clone()),
        ("another tool, text", &human, json!("Which service?"), json!("Oil")),
        ("the tool, questions", &ask, questions(), reply.clone()),
        ("the tool, text", &ask, json!("Which service?"), json!("Oil")),
        ("the tool, by its name", &ask, named, reply.clone()),
    ];
    for (way, first, value, expected) in ways {
        for form in [Form::Legacy, Form::Outcome] {
            let mut conversation = graph(form, first, &value);
            let id = conversation.only_waiting();
            let has_options = !conversation.asks().ask(&id).unwrap().questions[0].options.is_empty();
            let reply = if has_options { conversation.picks(&id, 1) } else { conversation.types(&id, "Oil") };
            let next = conversation.next(FOREIGN, [reply]).unwrap();
            assert_eq!(sent(form, &next), expected, "{way}, {form:?}");
            assert_eq!(next.messages, [], "{way}, {form:?}");

            conversation.start_response(&next);
            conversation.take([started("r2")]);
            assert_eq!(conversation.phase(&id), Phase::Answered, "{way}, {form:?}");
            assert_eq!(conversation.reply_of(&id).message(), "Oil", "{way}, {form:?}");

            // The graph goes on without a result for the call, and the user says something else.
            conversation.take([finished("r2")]);
            let next = conversation.say(FOREIGN, said("Thanks")).unwrap();
            let expected: &[&str] = if first.is_empty() { &["user"] } else { &["tool", "user"] };
            assert_eq!(roles(&next.messages), expected, "{way}, {form:?}");
        }
    }
}

#[cfg(feature = "legacy")]
#[test]
fn an_interrupt_of_langgraph_can_be_cancelled() {
    for first in [&[][..], &call("c1", ASK), &own_call("c1", "ask_human")] {
        for value in [questions(), json!("Which service?"), json!({"odd": true}), json!([7])] {
            for form in [Form::Legacy, Form::Outcome] {
                let mut conversation = graph(form, first, &value);
                let asks = conversation.asks().asks().rev();
                let open = asks.filter(|ask| matches!(ask.phase, Phase::Answerable | Phase::Malformed));
                let replies: Vec<AskReply> = open.map(|ask| declines(&ask.tool_call_id)).collect();
                let next = conversation.next(FOREIGN, replies.clone()).unwrap();
                let expected = match form {
                    Form::Legacy => json!(DECLINED_TEXT),
                    Form::Outcome => Value::Null,
                };
                assert_eq!(sent(form, &next), expected, "{value}");
                conversation.start_response(&next);
                conversation.take([started("r2")]);
                assert_eq!(conversation.phase(&replies[0].tool_call_id), Phase::Declined, "{value}");
            }
        }
    }
}

#[test]
fn what_cannot_be_asked_waits_for_its_cancellation_and_is_called_by_its_name() {
    let mut conversation = graph(Form::Outcome, &[], &json!({"odd": true}));
    assert_eq!(conversation.phase("i1"), Phase::Malformed);
    let refused = conversation.say(FOREIGN, said("Hello")).unwrap_err();
    let open = Refusal::OpenInterrupts { interrupt_ids: vec!["i1".to_owned()] };
    assert_eq!(refused, open);
    assert!(!refused.to_string().contains("question"), "{refused}");
    let next = conversation.next(FOREIGN, [declines("i1")]).unwrap();
    assert_eq!(serde_json::to_value(&next.input().resume).unwrap()[0]["status"], "cancelled");
    conversation.start_response(&next);
    conversation.take([started("r2"), finished("r2")]);
    assert!(conversation.say(FOREIGN, said("Hello")).is_ok());
}

#[cfg(feature = "legacy")]
#[test]
fn a_later_interrupt_asks_once_more() {
    // Two interrupting tools in one node: the second question comes when the first is answered.
    let second = ASK.replace("Which service?", "When?");
    let first: Vec<Value> = call("c1", ASK).into_iter().chain(call("c2", &second)).collect();
    let mut conversation = graph(Form::Legacy, &first, &json!("Which service?"));
    let both = [conversation.picks("c1", 1), conversation.picks("c2", 0)];
    let next = conversation.next(FOREIGN, both).unwrap();
    assert_eq!(sent(Form::Legacy, &next), "Oil");
    conversation.start_response(&next);
    conversation.take([started("r2")]);
    conversation.take(interrupts(Form::Legacy, "r2", "i2", &json!("When?")));
    assert_eq!(conversation.only_waiting(), "c2");
    assert_eq!(conversation.asks().ask("c2").unwrap().outcome, None);
    let next = conversation.next(FOREIGN, [conversation.picks("c2", 0)]).unwrap();
    assert_eq!(sent(Form::Legacy, &next), "Brakes");
    // A node that asks again gives its new interrupt the id of the old one.
    let mut conversation = graph(Form::Outcome, &[], &questions());
    let next = conversation.next(FOREIGN, [conversation.picks("i1", 0)]).unwrap();
    conversation.start_response(&next);
    conversation.take([started("r2")]);
    conversation.take(interrupts(Form::Outcome, "r2", "i1", &json!("Sure?")));
    let id = conversation.only_waiting();
    assert_ne!(id, "i1");
    assert_eq!(conversation.phase("i1"), Phase::Answered);
    let next = conversation.next(FOREIGN, [conversation.types(&id, "Yes")]).unwrap();
    assert_eq!(sent(Form::Outcome, &next), "Yes");
}

#[cfg(feature = "legacy")]
#[test]
fn several_legacy_interrupts_are_answered_each_by_its_id() {
    let second = serde_json::from_str(&ASK.replace("Which service?", "When?")).unwrap();
    let [first, _] = interrupts(Form::Legacy, "r1", "i1", &questions());
    let [second, end] = interrupts(Form::Legacy, "r1", "i2", &second);
    let values = json!([first["value"], second["value"]]);
    let mut conversation = chat([started("r1"), first, second, end]);
    let one = conversation.next(FOREIGN, [conversation.picks("i1", 0)]);
    let waiting = Refusal::QuestionsWait { tool_call_ids: vec!["i2".to_owned()] };
    assert_eq!(one, Err(waiting));
    let both = [conversation.picks("i1", 0), conversation.picks("i2", 1)];
    let next = conversation.next(FOREIGN, both).unwrap();
    let resume = json!({"i1": {"answers": {"Which service?": "Brakes"}}, "i2": {"answers": {"When?": "Oil"}}});
    assert_eq!(sent(Form::Legacy, &next), resume);
    assert_eq!(command(&next)["interruptEvent"], values);
    conversation.start_response(&next);
    for (id, said) in [("i1", "Brakes"), ("i2", "Oil")] {
        assert_eq!(conversation.reply_of(id).message(), said);
    }
}

#[cfg(feature = "legacy")]
#[test]
fn a_legacy_interrupt_comes_back_with_what_was_kept_of_it() {
    for first in [&[][..], &call("c1", ASK)] {
        let conversation = graph(Form::Legacy, first, &questions());
        let id = conversation.only_waiting();
        let again = reloaded(&conversation);
        assert_eq!(again.only_waiting(), id);
        let next = again.next(FOREIGN, [again.picks(&id, 1)]).unwrap();
        assert_eq!(sent(Form::Legacy, &next), json!({"answers": {"Which service?": "Oil"}}));
    }
}

#[cfg(feature = "legacy")]
#[test]
fn the_agents_own_open_calls_never_stand_in_the_way() {
    // After a run that ended well, nobody else will close them.
    let conversation = asked(ASK, own_call("w1", "get_weather").into_iter().chain([finished("r1")]));
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 0)]).unwrap();
    let closed: Vec<(String, bool)> = next
        .messages
        .iter()
        .map(|message| (message.tool_call_id().unwrap().to_owned(), message.error().is_some()))
        .collect();
    assert_eq!(closed, [("c1".to_owned(), false), ("w1".to_owned(), true)]);
    // One that ended in interrupts still has them in hand.
    for form in [Form::Legacy, Form::Outcome] {
        let conversation = graph(form, &own_call("w1", "get_weather"), &questions());
        let id = conversation.only_waiting();
        let next = conversation.next(FOREIGN, [conversation.picks(&id, 0)]).unwrap();
        assert_eq!(next.messages, []);
    }
}

/// The answer to an interrupt of that description: yes, no and cancel.
fn approvals(interrupt: Value) -> [Value; 3] {
    let conversation = chat(left_open("delete_file", interrupted("r1", json!([interrupt]))));
    let id = conversation.only_waiting();
    let options = &conversation.asks().ask(&id).unwrap().questions[0].options;
    let labels: Vec<&str> = options.iter().map(|option| option.label.text.as_str()).collect();
    assert_eq!(labels, ["Yes", "No"]);
    let typed = conversation.next(FOREIGN, [conversation.types(&id, "well")]);
    assert!(matches!(typed, Err(Refusal::Payload { .. })), "{typed:?}");
    assert!(!conversation.asks().takes_change(&id), "its call runs with the decision");
    [conversation.picks(&id, 0), conversation.picks(&id, 1), declines(&id)].map(|reply| {
        let next = conversation.next(FOREIGN, [reply]).unwrap();
        assert_eq!(next.messages, []);
        let entry = serde_json::to_value(&next.input().resume).unwrap()[0].clone();
        entry.get("payload").unwrap_or(&entry["status"]).clone()
    })
}

#[test]
fn an_approval_can_be_given_and_refused() {
    let optional = json!({"approved": {"type": "boolean"}, "reason": {"type": "string"}});
    let aliases = json!({
        "approved": {"type": "boolean", "description": "Whether it is approved."},
        "accepted": {"type": "boolean", "description": "An alias."},
        "path": {"type": "string", "description": "Another path."},
    });
    let expected = [json!({"approved": true}), json!({"approved": false}), json!("cancelled")];
    for interrupt in [
        // pydantic-ai
        json!({"id": "i1", "reason": "tool_call", "toolCallId": "w1", "message": "Delete it?", "responseSchema": {"type": "object", "properties": optional, "required": ["approved"]}}),
        // Microsoft's agent framework
        json!({"id": "i1", "reason": "tool_call", "toolCallId": "w1", "message": "Delete it?", "responseSchema": {"type": "object", "properties": aliases, "anyOf": [{"required": ["approved"]}, {"required": ["accepted"]}]}}),
        // Google's ADK, with and without a hint
        json!({"id": "w1", "reason": "confirmation", "toolCallId": "w1", "message": "Delete it?"}),
        json!({"id": "w1", "reason": "confirmation", "toolCallId": "w1"}),
    ] {
        assert_eq!(approvals(interrupt.clone()), expected, "{interrupt}");
    }
    let accepted = json!({"id": "i1", "reason": "tool_call", "responseSchema": {"type": "object", "properties": {"accepted": {"type": "boolean"}, "steps": {"type": "array"}}, "required": ["accepted"]}});
    assert_eq!(approvals(accepted)[1], json!({"accepted": false}));
}

/// A run that leaves a call open, about which an interrupt with `editedArgs` asks.
fn editable(arguments: &str, schema: &Value) -> Conversation {
    let interrupt = json!([{"id": "i1", "reason": "tool_call", "toolCallId": "m1", "message": "Send it?", "responseSchema": schema}]);
    let events = call_of("send_mail", "m1", arguments).into_iter().chain([interrupted("r1", interrupt)]);
    chat([started("r1")].into_iter().chain(events))
}

fn approval_of(edited: &Value) -> Value {
    json!({"type": "object", "properties": {"approved": {"type": "boolean"}, "editedArgs": edited}, "required": ["approved"]})
}

fn pick(question: usize, option: usize) -> Selection {
    Selection::picked(question, [option])
}

fn typed(question: usize, text: &str) -> Selection {
    Selection::typed(question, text)
}

const MAIL: &str = r#"{"to": "kim@example.test", "copies": 2, "body": "Hello\nKim\n", "urgent": false, "format": "text", "tags": ["a"], "at": "2026-11-29T09:30:00Z"}"#;

fn described_mail() -> Value {
    let edited = json!({"anyOf": [{"$ref": "#/$defs/Mail"}, {"type": "null"}]});
    let mut schema = approval_of(&edited);
    schema["$defs"] = json!({"Mail": {"type": "object", "properties": {
        "to": {"type": "string", "format": "email"},
        "copies": {"type": "integer", "minimum": 1, "maximum": 5},
        "body": {"type": "string"},
        "urgent": {"type": "boolean"},
        "format": {"type": "string", "enum": ["html", "text"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "at": {"type": "string", "format": "date-time"},
    }}});
    schema
}

#[test]
fn the_arguments_of_a_call_are_fields_of_their_kinds() {
    let shown = |schema: &Value| -> Vec<(String, String, String)> {
        let conversation = editable(MAIL, schema);
        let ask = conversation.asks().ask("i1").unwrap().ask.clone().unwrap();
        let labels: Vec<&str> = ask.questions[0].options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!(
            (ask.questions[0].text().as_ref(), labels),
            ("Send it?", vec!["Approve", "Approve with changes", "Reject"])
        );
        assert_eq!(ask.hidden(&[pick(0, 0)]), [&[false][..], &[true; 7]].concat());
        assert_eq!(ask.hidden(&[pick(0, 1)]), [false; 8]);
        let fields = ask.questions[1..].iter().map(|asked| {
            let input = asked.input.as_ref().unwrap();
            (asked.question.clone(), input.kind.to_string(), input.default.clone().unwrap())
        });
        fields.collect()
    };
    let expected = |kinds: [&str; 7]| -> Vec<(String, String, String)> {
        let names = ["to", "copies", "body", "urgent", "format", "tags", "at"];
        let texts = ["kim@example.test", "2", "Hello\nKim\n", "No", "text", r#"["a"]"#, "2026-11-29T09:30:00Z"];
        let fields = names.iter().zip(kinds).zip(texts);
        fields.map(|((name, kind), text)| ((*name).to_owned(), kind.to_owned(), text.to_owned())).collect()
    };
    // A browser's field takes no time with an offset.
    assert_eq!(shown(&described_mail()), expected(["email", "integer", "lines", "boolean", "choice", "json", "text"]));
    let bare = approval_of(&json!({"type": "object"}));
    assert_eq!(shown(&bare), expected(["text", "number", "lines", "boolean", "text", "json", "text"]));
}

#[test]
fn a_call_is_approved_with_edited_arguments() {
    let came: Value = serde_json::from_str(MAIL).unwrap();
    let mut edited = came.clone();
    (edited["to"], edited["copies"], edited["urgent"], edited["format"]) =
        (json!("ann@example.test"), json!(3), json!(true), json!("html"));
    let fields = |to: &str, copies: &str, urgent: usize, format: usize| {
        let texts = [
            typed(1, to),
            typed(2, copies),
            typed(3, "Hello\nKim"),
            typed(6, r#"[ "a" ]"#),
            typed(7, "2026-11-29T09:30:00Z"),
        ];
        [vec![pick(0, 1), pick(4, urgent), pick(5, format)], texts.to_vec()].concat()
    };
    let unchanged = fields("kim@example.test", "2", 1, 1);
    let mut whole = described_mail();
    whole["required"] = json!(["approved", "editedArgs"]);
    for (schema, selections, payload) in [
        (described_mail(), vec![pick(0, 0)], json!({"approved": true})),
        // What the fields have from the start is no change.
        (described_mail(), unchanged.clone(), json!({"approved": true})),
        // The arguments take the place of the others, so all are sent.
        (described_mail(), fields("ann@example.test", "3", 0, 0), json!({"approved": true, "editedArgs": edited})),
        (described_mail(), vec![pick(0, 2)], json!({"approved": false})),
        (described_mail(), vec![typed(0, "Not to Kim")], json!({"approved": false, "reason": "Not to Kim"})),
        // An agent may want them in any case, as they came.
        (whole.clone(), vec![pick(0, 0)], json!({"approved": true, "editedArgs": came})),
        (whole.clone(), unchanged, json!({"approved": true, "editedArgs": came})),
        (whole, vec![pick(0, 2)], json!({"approved": false})),
    ] {
        let mut conversation = editable(MAIL, &schema);
        let restored = reloaded(&conversation);
        let ask = conversation.asks().ask("i1").unwrap().ask.clone().unwrap();
        let outcome = Outcome::Answered(Reply::of(&ask, selections).expect("it is an answer"));
        let next = conversation.next(FOREIGN, [reply("i1", outcome.clone())]).unwrap();
        let resume = serde_json::to_value(&next.input().resume).unwrap();
        assert_eq!((&resume[0]["status"], &resume[0]["payload"]), (&json!("resolved"), &payload));
        assert_eq!(restored.next(FOREIGN, [reply("i1", outcome.clone())]).unwrap().body, next.body);
        // Another client of the conversation reads it, live and from the history.
        conversation.start_response(&next);
        conversation.take([started("r2")]);
        let read = conversation.asks().ask("i1").unwrap().outcome.clone();
        if payload["approved"] == json!(false) {
            assert_eq!(read, Some(outcome), "{payload}");
        }
        let copies = conversation.reply_of("i1").answers()[2].text();
        assert_eq!(copies, payload.get("editedArgs").map(|edited| edited["copies"].to_string()), "{payload}");
        assert_eq!(reloaded(&conversation).asks().ask("i1").unwrap().outcome, read);
    }
}

#[test]
fn a_file_is_refused_by_an_agent_that_reads_answers_in_a_form_without_files() {
    let asks = |value: &Value| graph(Form::Outcome, &[], value);
    let text = json!({"properties": {"why": {"type": "string"}}, "required": ["why"]});
    let edits = vec![pick(0, 1), typed(1, "a@b.test"), typed(2, "2"), typed(3, "Hi"), pick(4, 0), pick(5, 0)];
    let edits = edits.into_iter().chain([typed(6, "[]"), typed(7, "now")]).collect();
    let mut cases = vec![
        (asks(&json!({"message": "Why?", "responseSchema": text})), 0, vec![typed(0, "So")]),
        (asks(&json!("Why?")), 0, vec![typed(0, "So")]),
        (editable(MAIL, &described_mail()), 3, edits),
    ];
    if cfg!(feature = "legacy") {
        let chosen = json!({"type": "ask_user_question", "question": {"question": "Which?", "options": ["S", "M"]}});
        cases.push((asks(&chosen), 0, vec![pick(0, 0)]));
    }
    for (conversation, question, selections) in cases {
        let snapshot = conversation.asks().ask("i1").unwrap();
        let send = |selections| {
            let reply_to = Reply::check(snapshot.ask.as_ref().unwrap(), selections).expect("it is an answer");
            conversation.next(FOREIGN, [reply("i1", Outcome::Answered(reply_to))])
        };
        let file = Attachment { url: "/files/1".into(), name: "a.png".into(), media_type: "image/png".into(), size: 3 };
        let mut with_file = selections.clone();
        with_file[question].attachments = vec![file];
        let Err(Refusal::Payload { message, .. }) = send(with_file) else { panic!("the file is lost: {snapshot:?}") };
        assert!(message.ends_with(" takes no files"), "{message}");
        assert!(send(selections).is_ok(), "{snapshot:?}");
    }
}

#[test]
fn an_edited_argument_that_breaks_its_schema_is_refused_at_its_field() {
    let conversation = editable(MAIL, &described_mail());
    let ask = conversation.asks().ask("i1").unwrap().ask.clone().unwrap();
    let good =
        [typed(1, "a@b.test"), typed(2, "2"), typed(3, "Hi"), pick(4, 0), pick(5, 0), typed(6, "[]"), typed(7, "now")];
    let judged = |wrong: Selection| {
        let mut selections = [vec![pick(0, 1)], good.to_vec()].concat();
        let at = wrong.question;
        selections[at] = wrong;
        let violations = Reply::check(&ask, selections).err().unwrap_or_default();
        violations.into_iter().map(|violation| violation.path).collect::<Vec<_>>()
    };
    assert_eq!(judged(typed(1, "a@b.test")), [""; 0]);
    assert_eq!(judged(typed(1, "nobody")), ["selections[1].other"]);
    assert_eq!(judged(typed(2, "6")), ["selections[2].other"]);
    assert_eq!(judged(typed(2, "1.5")), ["selections[2].other"]);
    assert_eq!(judged(typed(4, "maybe")), ["selections[4]"]);
    assert_eq!(judged(typed(5, "pdf")), ["selections[5]"]);
    assert_eq!(judged(typed(6, "[")), ["selections[6].other"]);
    assert_eq!(judged(typed(6, "{}")), ["selections[6].other"]);
    assert_eq!(judged(typed(6, "[1]")), ["selections[6].other"]);
    assert_eq!(judged(typed(6, r#"["b", "c"]"#)), [""; 0]);
    // An argument that is not shown breaks nothing.
    assert!(Reply::of(&ask, vec![pick(0, 0), typed(1, "nobody")]).is_some());
}

#[test]
fn a_schema_without_changes_is_a_yes_or_no() {
    // Nothing is there to change, or the call is unknown; or the agent wants more than is known here.
    let edited = approval_of(&json!({"type": "object"}));
    let mut other = edited.clone();
    other["properties"]["size"] = json!({"enum": ["S", "M"]});
    other["required"] = json!(["approved", "size"]);
    for (arguments, schema, options) in [
        ("{}", edited.clone(), 2),
        ("{", edited.clone(), 2),
        ("[1]", edited.clone(), 2),
        (MAIL, other, 2),
        (MAIL, edited.clone(), 3),
    ] {
        let conversation = editable(arguments, &schema);
        assert_eq!(conversation.asks().ask("i1").unwrap().questions[0].options.len(), options, "{arguments}");
    }
    // Own words are a reason only where the schema has room for one.
    let mut closed = edited;
    closed["additionalProperties"] = json!(false);
    let conversation = editable(MAIL, &closed);
    let refused = conversation.next(FOREIGN, [conversation.types("i1", "No!")]);
    assert!(matches!(refused, Err(Refusal::Payload { .. })), "{refused:?}");
    let next = conversation.next(FOREIGN, [conversation.picks("i1", 2)]).unwrap();
    assert_eq!(serde_json::to_value(&next.input().resume).unwrap()[0]["payload"], json!({"approved": false}));
}

/// The run goes on that an answer to an interrupt started.
fn answered_by_resume() -> Conversation {
    let mut conversation = asked(ASK, [about_the_call()]);
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 1)]).unwrap();
    conversation.start_response(&next);
    conversation.take([started("r2")]);
    conversation
}

#[test]
fn an_answer_by_resume_without_a_result_goes_with_the_next_message() {
    let mut conversation = answered_by_resume();
    conversation.take([finished("r2")]);
    let next = conversation.say(FOREIGN, said("And then?")).unwrap();
    assert_eq!(next.messages[0].text(), r#"{"answers":{"Which service?":"Oil"}}"#);
    assert_eq!(next.messages[1].text(), "And then?");
    conversation.start_response(&next);
    assert_eq!(conversation.thread().unanswered_tool_call_ids(), Vec::<String>::new());
    // An agent that waits for something else still has the call in hand.
    let mut conversation = answered_by_resume();
    conversation.take([interrupted("r2", json!([{"id": "i2", "reason": "acme:more", "message": "Sure?"}]))]);
    let next = conversation.next(FOREIGN, [conversation.types("i2", "Yes")]).unwrap();
    assert_eq!(next.messages, []);
}

#[test]
fn an_ask_that_expired_and_is_asked_again_is_open_again() {
    let interrupt = |id: &str, deadline: &str| json!([{"id": id, "reason": "tool_call", "toolCallId": "c1", "expiresAt": deadline}]);
    let past = interrupt("i1", "2026-11-20T11:00:00Z");
    let mut conversation = asked(ASK, [interrupted("r1", past)]);
    assert_eq!(conversation.phase("c1"), Phase::Expired);
    conversation.take([started("r2")]);
    conversation.take([interrupted("r2", interrupt("i2", "2026-11-20T13:00:00Z"))]);
    assert_eq!(conversation.only_waiting(), "c1");
    assert!(conversation.poll_timeout() > Some(NOW));
    let next = conversation.next(FOREIGN, [conversation.picks("c1", 0)]).unwrap();
    assert_eq!(next.input().resume.unwrap()[0].interrupt_id, "i2");
}

#[test]
fn arguments_that_never_became_whole_go_back_as_an_empty_object() {
    let conversation = asked(&ASK[..ASK.len() / 2], call("c2", "").into_iter().chain([finished("r1")]));
    let next = conversation.say(FOREIGN, said("Go on")).unwrap();
    let input = next.input();
    let calls = input.messages.iter().flat_map(Message::tool_calls);
    let arguments: Vec<&str> = calls.map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, ["{}", "{}"]);
    // A complete text goes back as it came, whatever its content.
    let conversation = asked(r#"{ "path" : "a" , "path":1}"#, [result("c1", "x"), finished("r1")]);
    let next = conversation.say(FOREIGN, said("Go on")).unwrap();
    let input = next.input();
    let call = &input.messages[0].tool_calls()[0];
    assert_eq!(call.arguments, r#"{ "path" : "a" , "path":1}"#);
}

#[test]
fn one_typed_text_answers_one_ask() {
    let another = call("c2", &ASK.replace("Which service?", "Which one first?"));
    let mut conversation = asked(ASK, another.into_iter().chain([finished("r1")]));
    conversation.push_message(Message::user("u", "Oil"));
    let phases: Vec<Phase> = conversation.asks().asks().map(|ask| ask.phase).collect();
    assert_eq!(phases, [Phase::Answered, Phase::Superseded]);
}

#[test]
fn an_interrupt_waits_after_a_reload_even_if_the_run_that_answered_it_failed() {
    let state = json!({"type": "STATE_SNAPSHOT", "snapshot": {"city": "Rome"}});
    let mut conversation = asked(ASK, [state, about_the_call()]);
    let picks = |conversation: &Conversation| {
        let again = reloaded(conversation);
        assert_eq!(again.only_waiting(), "c1");
        assert_eq!(again.thread().state(), conversation.thread().state());
        again.next(FOREIGN, [again.picks("c1", 1)]).unwrap()
    };
    let next = picks(&conversation);
    assert_eq!(next.body, conversation.next(FOREIGN, [conversation.picks("c1", 1)]).unwrap().body);
    conversation.start_response(&next);
    let failed = json!({"type": "RUN_ERROR", "message": "Gone"});
    conversation.take([started("r2"), failed]);
    assert!(picks(&conversation).body.contains(r#""interruptId":"i1""#));
}

#[test]
fn an_answered_interrupt_that_no_message_tells_of_is_in_the_history() {
    let interrupt = json!([{"id": "i1", "reason": "acme:ask", "message": "Which service?"}]);
    let mut conversation = chat([started("r1"), interrupted("r1", interrupt)]);
    let next = conversation.next(FOREIGN, [conversation.types("i1", "Oil")]).unwrap();
    conversation.start_response(&next);
    let waits = reloaded(&conversation);
    assert_eq!(waits.phase("i1"), Phase::Answerable, "no run has begun");
    conversation.take([started("r2"), finished("r2")]);
    let again = reloaded(&conversation);
    assert_eq!(again.phase("i1"), Phase::Answered);
    assert_eq!(again.asks().ask("i1"), conversation.asks().ask("i1"));
    assert_eq!(again.asks().after("i1"), None);
    again.next(FOREIGN, []).unwrap();
}

#[test]
fn an_edited_argument_keeps_to_the_lengths_of_its_schema() {
    let schema = approval_of(&json!({"type": "object", "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 6},
        "text": {"type": "string", "maxLength": 20},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
    }}));
    // The agent's own name is too short: it is shown as it came, to be put right.
    let conversation = editable(r#"{"name": "K", "text": "Hello\nKim", "tags": ["a"]}"#, &schema);
    let ask = conversation.asks().ask("i1").unwrap().ask.clone().unwrap();
    let fields: Vec<_> = ask.questions[1..].iter().filter_map(Question::typed).collect();
    assert_eq!(fields.iter().map(|input| input.kind.as_str()).collect::<Vec<_>>(), ["text", "lines", "json"]);
    assert_eq!(fields[0].default.as_deref(), Some("K"));
    for (name, text, tags, path) in [
        ("kim", "Hello\nthere", "[\"b\"]", None),
        ("k", "Hi", "[\"b\"]", Some("selections[1].other")),
        ("kimkimkim", "Hi", "[\"b\"]", Some("selections[1].other")),
        ("kim", "far too long for this field", "[\"b\"]", Some("selections[2].other")),
        ("kim", "Hi", "[]", Some("selections[3].other")),
        ("kim", "Hi", "[\"a\", \"b\", \"c\"]", Some("selections[3].other")),
    ] {
        let judged = Reply::check(&ask, vec![pick(0, 1), typed(1, name), typed(2, text), typed(3, tags)]);
        let violations = judged.err().unwrap_or_default();
        assert_eq!(violations.first().map(|violation| violation.path.as_str()), path, "{name} {text} {tags}");
    }
}
