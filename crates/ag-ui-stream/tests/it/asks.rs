//! The interceptor: which phase an ask has when.

use crate::chat::{
    ASK, Chat, NOW, OTHER, about_the_call, all_asks, asked, call, call_of, chat, finished, interrupted, legacy,
    messages, reloaded, result, snapshot, started,
};
use ag_ui_stream::asks::Asks;
use ag_ui_stream::asks::reply::AskedBy;
use ag_ui_stream::{Conversation, Message};
use ask_user_question::Phase;
use ask_user_question::outcome::{ASKED_TEXT, Readers, Via};
use ask_user_question::snapshot::MemberPath;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// An ask that waits for its answer.
fn waiting() -> Conversation {
    asked(ASK, [finished("r1")])
}

#[track_caller]
fn check(conversation: &Conversation, id: &str, phase: Phase) {
    assert_eq!(conversation.phase(id), phase, "{:?}", conversation.asks().ask(id));
}

fn phases(conversation: &Conversation) -> Vec<Phase> {
    conversation.asks().asks().map(|ask| ask.phase).collect()
}

fn user(text: &str, about: Option<(&str, &str)>) -> Message {
    let mut message = json!({"role": "user", "id": "u", "content": text});
    if let Some((call, outcome)) = about {
        message["metadata"] = json!({"ask": {"toolCallId": call, "replyId": "x", "outcome": outcome, "by": "card"}});
    }
    serde_json::from_value(message).unwrap()
}

#[test]
fn only_tools_of_the_right_name_are_asks() {
    let named = |asks: Asks, names: &[&str]| {
        let mut conversation = Conversation::new(asks, Vec::new());
        let calls = names.iter().flat_map(|name| {
            let [start, _, end] = call_of(name, name, "");
            [start, end]
        });
        conversation.take([started("r1")].into_iter().chain(calls));
        conversation.asks().asks().map(|ask| ask.tool_call_id.clone()).collect::<Vec<_>>()
    };
    let names = ["ask_user_question", "AskUserQuestion", "ask", "Ask_User_Question"];
    assert_eq!(named(Asks::default(), &names), names[..2]);
    assert_eq!(named(Asks::new(["poll"], Readers::default()), &["poll", "ask_user_question"]), ["poll"]);
    // Models of Kimi write a namespace before a name and a number behind it.
    let written = ["functions.ask_user_question", "ask_user_question:0", "functions.AskUserQuestion:12"];
    assert_eq!(named(Asks::default(), &written), written);
    let others = ["other.ask_user_question", "ask_user_question:", "ask_user_question:a", "functions:0"];
    assert_eq!(named(Asks::default(), &others), Vec::<String>::new());
}

#[test]
fn an_answer_from_elsewhere_names_its_way_live_and_in_a_history() {
    let content = r#"{"answers":{"Which service?":"Brakes"}}"#;
    let about = json!({"toolCallId": "c1", "replyId": "x", "outcome": "answered", "by": "card", "via": "slack", "answeredBy": "Ann"});
    let mut told = result("c1", content);
    told["metadata"] = json!({"ask": about});
    let live = asked(ASK, [finished("r1"), started("r2"), told, finished("r2")]);
    let answer = json!({"role": "tool", "id": "t", "toolCallId": "c1", "content": content, "metadata": {"ask": about}});
    for chat in [&live, &reloaded(&live), &replayed(json!([assistant("a", "c1", ASK), answer]))] {
        check(chat, "c1", Phase::Answered);
        let via = chat.asks().ask("c1").unwrap().via.clone();
        assert_eq!(via, Some(Via { answered_by: Some("Ann".to_owned()), ..Via::named("slack") }));
    }
    // The agent went on meanwhile, and takes the answer as a message.
    let late = [result("c1", ASKED_TEXT), finished("r1")];
    let mut late = asked(ASK, late);
    let answer = json!({"role": "user", "id": "u", "content": "Brakes", "metadata": {"ask": about}});
    late.push_message(serde_json::from_value(answer).unwrap());
    assert_eq!(late.asks().ask("c1").unwrap().via.as_ref().map(|via| &*via.name), Some("slack"));
}

#[test]
fn a_call_may_name_the_language_of_its_texts() {
    let lang = |metadata: Value| {
        let [mut start, ..] = call("c1", ASK);
        start["metadata"] = metadata.clone();
        let streamed = chat([started("r1"), start]).asks().ask("c1").unwrap().lang.clone();
        let mut history = assistant("a", "c1", ASK);
        history["toolCalls"][0]["metadata"] = metadata;
        assert_eq!(replayed(json!([history])).asks().ask("c1").unwrap().lang, streamed);
        streamed
    };
    for tag in ["de", "de-AT", "zh-Hant-TW", "es-419"] {
        assert_eq!(lang(json!({"lang": tag})).as_deref(), Some(tag));
    }
    for other in ["", "d", "de_AT", "de-", "4u", "german language", "en\"onclick"] {
        assert_eq!(lang(json!({"lang": other})), None, "{other:?}");
    }
    assert_eq!(lang(json!({"lang": 7, "theme": "dark"})), None);
}

#[test]
fn a_change_says_which_part_of_the_ask_grew_and_from_where() {
    let [start, args, _] = call("c1", ASK);
    let mut conversation = chat([started("r1"), start]);
    let (path, mut shown) = (MemberPath::label(0, 1), 0);
    for index in 0..ASK.len() {
        let mut args = args.clone();
        args["delta"] = ASK[index..=index].into();
        let changes = conversation.take([args]);
        assert!(changes.len() <= 1, "one event has one delta: {changes:?}");
        for delta in changes.into_iter().filter(|delta| delta.member == Some(path)) {
            assert_eq!((delta.slot, delta.from), (0, shown));
            shown = conversation.asks().at(0).unwrap().questions[0].options[1].label.text.len();
        }
    }
    assert_eq!(shown, "Oil".len());
}

#[test]
fn a_stream_that_breaks_off_interrupts_what_streams_and_keeps_what_is_complete() {
    let mut conversation = asked(ASK, call("c2", OTHER).into_iter().take(2));
    assert_eq!(phases(&conversation), [Phase::Ready, Phase::Streaming]);
    conversation.end();
    assert_eq!(phases(&conversation), [Phase::Answerable, Phase::Interrupted]);
    assert_eq!(phases(&reloaded(&conversation)), [Phase::Answerable, Phase::Interrupted]);
    // A result that came before the break counts.
    let cancelled = result("c2", "User cancelled the question");
    let mut cut = asked(ASK, call("c2", OTHER).into_iter().take(2).chain([cancelled]));
    cut.end();
    assert_eq!(phases(&cut), [Phase::Answerable, Phase::Declined]);
    assert_eq!(phases(&reloaded(&cut)), phases(&cut));
}

#[test]
fn a_reload_shows_what_a_marked_user_message_says() {
    let several = ASK.replace("Brakes", "Brakes, front").replace("\"options\"", "\"multiSelect\":true,\"options\"");
    for (arguments, text) in [
        (ASK, "Oil (note: soon)"),
        (ASK, "(skipped) (note: later)"),
        (&several, "Brakes, front, Oil (note: both, please)"),
        (&several, "Brakes, front, 2 wipers"),
    ] {
        let history = json!([
            assistant("a", "c1", arguments),
            {"role": "tool", "id": "t", "toolCallId": "c1", "content": "The answer will follow."},
            user(text, Some(("c1", "answered"))),
        ]);
        let conversation = replayed(history);
        let reply = conversation.reply_of("c1");
        assert_eq!(reply.message(), text);
        let read = &reply.answers()[0];
        assert!(read.given.is_skipped() || !read.given.options().is_empty(), "{text}: {read:?}");
        assert_eq!(read.note.is_some(), text.contains("note"), "{text}");
    }
}

#[test]
fn a_result_that_says_how_it_ended_settles_the_ask() {
    for (content, phase) in [
        (r#"{"answers":{"Which service?":"Oil"}}"#, Phase::Answered),
        ("User cancelled the question", Phase::Declined),
        ("Error: User cancelled the question", Phase::Declined),
        ("anything else", Phase::Answerable),
        ("Forwarded to client", Phase::Answerable),
        ("[Awaiting external execution]", Phase::Answerable),
        (r#"{"cancelled":true,"answers":{"Which service?":"Oil"}}"#, Phase::Declined),
        (r#"{"status":"timeout","answers":{"Which service?":"Oil"}}"#, Phase::Expired),
        (r#"{"error":"nobody is there","answers":{"Which service?":"Oil"}}"#, Phase::Answerable),
    ] {
        let mut conversation = waiting();
        conversation.take([started("r2"), result("c1", content)]);
        check(&conversation, "c1", phase);
    }
    let refused = asked(ASK, [result("c1", "Invalid input: Must have 1-4 questions"), finished("r1")]);
    check(&refused, "c1", Phase::Malformed);
}

#[test]
fn a_result_that_comes_before_its_ask_is_whole_settles_it_too() {
    for (content, phase) in [
        (r#"{"answers":{"Which service?":"Oil"}}"#, Phase::Answered),
        ("User cancelled the question", Phase::Declined),
        ("Invalid input: Must have 1-4 questions", Phase::Malformed),
        ("anything else", Phase::Answerable),
    ] {
        for at in 0..3 {
            let mut events = call("c1", ASK).to_vec();
            events.insert(at, result("c1", content));
            let conversation = chat([started("r1")].into_iter().chain(events).chain([finished("r1")]));
            check(&conversation, "c1", phase);
            assert!(
                phase != Phase::Answerable || conversation.asks().asked_by("c1") == Some(AskedBy::AcknowledgedCall),
                "{content} at {at}"
            );
        }
    }
}

#[test]
fn the_first_outcome_holds() {
    let mut conversation = waiting();
    let [declined, answered] =
        ["User cancelled the question", r#"{"answers":{"Which service?":"Oil"}}"#].map(|content| result("c1", content));
    conversation.take([started("r2"), declined, answered]);
    check(&conversation, "c1", Phase::Declined);
    conversation.push_message(user("Something else", None));
    check(&conversation, "c1", Phase::Declined);
}

#[test]
fn a_user_message_answers_or_supersedes() {
    let after = |message| {
        let mut conversation = waiting();
        conversation.push_message(message);
        conversation.phase("c1")
    };
    assert_eq!(after(user("Whatever", Some(("c1", "answered")))), Phase::Answered);
    assert_eq!(after(user("Whatever", Some(("c1", "declined")))), Phase::Declined);
    assert_eq!(after(user("Whatever", Some(("c1", "replied_in_chat")))), Phase::Answered);
    assert_eq!(after(user("Whatever", Some(("another", "answered")))), Phase::Answerable);
    assert_eq!(after(user("Oil", None)), Phase::Answered);
    assert_eq!(after(user("How is the weather?", None)), Phase::Superseded);
}

#[test]
fn an_ask_expires_when_its_interrupt_does() {
    let mut end = about_the_call();
    end["outcome"]["interrupts"][0]["expiresAt"] = "2026-11-20T12:00:01Z".into();
    let mut conversation = asked(ASK, [end]);
    check(&conversation, "c1", Phase::Answerable);
    assert_eq!(conversation.thread().open_interrupts()[0].id, "i1");
    assert_eq!(conversation.asks().asked_by("c1"), Some(AskedBy::Interrupt));
    assert_eq!(conversation.poll_timeout(), Some(NOW + 1000));
    conversation.handle_timeout(NOW + 999);
    assert_eq!(conversation.changes(), []);
    conversation.handle_timeout(NOW + 1000);
    assert_eq!(conversation.changes().len(), 1);
    check(&conversation, "c1", Phase::Expired);
    assert_eq!(conversation.poll_timeout(), None);
}

#[test]
fn an_ask_expires_when_its_server_says_so_beside_the_events() {
    let mut conversation = waiting();
    let set = |conversation: &mut Conversation, id: &str, deadline: &str| {
        conversation.set_deadline(id, deadline);
        conversation.changes()
    };
    assert_eq!(set(&mut conversation, "c1", "soon"), []);
    assert_eq!(set(&mut conversation, "c2", "2026-11-20T12:00:01Z"), []);
    assert_eq!(conversation.poll_timeout(), None);
    assert_eq!(set(&mut conversation, "c1", "2026-11-20T12:00:01Z").len(), 1);
    assert_eq!(set(&mut conversation, "c1", "2026-11-20T12:00:01Z"), [], "it is known");
    assert_eq!(conversation.poll_timeout(), Some(NOW + 1000));
    conversation.handle_timeout(NOW + 1000);
    check(&conversation, "c1", Phase::Expired);
    conversation.changes();
    assert_eq!(set(&mut conversation, "c1", "2026-11-20T13:00:00Z"), []);
}

#[test]
fn a_deadline_is_read_as_agents_write_it() {
    let read = |text: &str| {
        let mut conversation = waiting();
        conversation.set_deadline("c1", text);
        conversation.poll_timeout()
    };
    for (text, milliseconds) in [
        ("2026-11-20T12:00:00Z", NOW),
        ("2026-11-20T12:00:00.000Z", NOW),
        ("2026-11-20T13:00:00+01:00", NOW),
        ("2026-11-20T06:30-0530", NOW),
        ("2026-11-20 12:00:00,5", NOW + 500),
        (" 2026-11-20t14:00:00.1239+02 ", NOW + 123),
        ("2026-11-20T12:00", NOW),
        ("2026-11-19T24:00Z", NOW - 12 * 3_600_000),
        ("1970-01-01T00:00:00Z", 0),
        ("2000-02-29T00:00:00Z", 951_782_400_000),
    ] {
        assert_eq!(read(text), Some(milliseconds), "{text}");
    }
    for text in [
        "",
        "2026-13-01T00:00:00Z",
        "2026-11-20",
        "1969-12-31T23:59:59Z",
        "2026-11-20T25:00Z",
        "2026-11-20T24:30Z",
        "2026-11-20T12:00:00+24:00",
        "2026-11-20T12:00:00+01:60",
        "+026-1-1T1:1Z",
        "2026-11-20T12:00:00.5x",
        "2026-11-20T12:00:00+1",
        "2026-11-20T12:00:00+01:0",
        "2026-11-20T12:00:00 Z",
        "2026-11-20T12:00:00Z+01",
        "1234567890-11-20T12:00:00Z",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn an_interrupt_alone_becomes_an_ask() {
    let [start, _, end] = call_of("delete_file", "c1", "");
    let schema = json!({"type": "object", "properties": {"colour": {"enum": ["red", "blue"]}}});
    let approval = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}});
    let in_metadata = json!({"questions": [{"question": "In metadata?", "options": ["Yes", "No"]}]});
    let interrupts = json!([
        {"id": "i1", "reason": "tool_call", "toolCallId": "c1", "message": "Delete it?", "responseSchema": approval},
        {"id": "i2", "reason": "input_required", "message": "Which colour?", "responseSchema": schema},
        {"id": "i3", "reason": "acme:odd", "message": "Say something"},
        {"id": "i4", "reason": "acme:ask", "metadata": in_metadata},
        {"id": "i5", "reason": "acme:silent"},
    ]);
    let conversation = chat([started("r1"), start, end, interrupted("r1", interrupts)]);
    let asks = conversation.asks().asks();
    let questions = asks.flat_map(|ask| ask.ask.iter().flat_map(|ask| &ask.questions));
    let shown = questions.map(|question| {
        (question.question.as_str(), question.options.iter().map(|option| option.label.as_str()).collect())
    });
    let expected: [(&str, Vec<&str>); 4] = [
        ("Delete it?", vec!["Yes", "No"]),
        ("Which colour?", vec!["red", "blue"]),
        ("Say something", vec![]),
        ("In metadata?", vec!["Yes", "No"]),
    ];
    assert!(shown.eq(expected), "{:?}", conversation.asks().asks().collect::<Vec<_>>());
}

#[cfg(feature = "legacy")]
#[test]
fn a_legacy_interrupt_becomes_an_ask_unless_the_run_ends_with_a_real_one() {
    let shown = |conversation: &Conversation| -> Vec<String> {
        let questions = conversation.asks().asks().flat_map(|ask| &ask.questions);
        questions.map(|question| question.question.text.clone()).collect()
    };
    let choices = json!("{\"message\": \"Go on?\", \"choices\": [\"Yes\"]}");
    let values = [choices, json!("Plain?"), json!(7)];
    let conversation = chat([started("r1")].into_iter().chain(values.iter().map(legacy)).chain([finished("r1")]));
    assert_eq!(shown(&conversation), ["Go on?", "Plain?"]);
    check(&conversation, "r1-on_interrupt-2", Phase::Malformed);
    let real = interrupted("r1", json!([{"id": "i1", "reason": "confirmation", "message": "New?"}]));
    let conversation = chat([started("r1"), legacy(&json!("Old?")), real]);
    assert_eq!((conversation.asks().asks().len(), shown(&conversation)), (1, vec!["New?".to_owned()]));
}

#[test]
fn a_replayed_history_gives_the_phases_of_the_stream() {
    let history = json!([
        {"role": "user", "id": "u0", "content": "Hello"},
        assistant("m1", "c1", ASK), {"role": "tool", "id": "t1", "toolCallId": "c1", "content": "{\"answers\":{\"Which service?\":\"Oil\"}}"},
        {"role": "user", "id": "u1", "content": "Oil", "metadata": {"ask": {"toolCallId": "c1", "replyId": "x", "outcome": "answered", "by": "card"}}},
        assistant("m2", "c2", ASK), {"role": "tool", "id": "t2", "toolCallId": "c2", "content": "User cancelled the question"},
        assistant("m3", "c3", ASK), {"role": "user", "id": "u3", "content": "Something else"},
        assistant("m4", "c4", ASK), {"role": "tool", "id": "t4", "toolCallId": "c4", "content": "Response will follow"},
        {"role": "user", "id": "u4", "content": "Brakes"},
        assistant("m5", "c5", "{"),
        assistant("m6", "c6", ASK),
    ]);
    let expected =
        [Phase::Answered, Phase::Declined, Phase::Superseded, Phase::Answered, Phase::Malformed, Phase::Answerable];
    assert_eq!(phases(&replayed(history.clone())), expected);
    // The same history as a snapshot in the middle of a run.
    let history = snapshot(&messages(history));
    let mut conversation = chat([started("r1"), history.clone()]);
    check(&conversation, "c6", Phase::Ready);
    conversation.take([finished("r1")]);
    assert_eq!(phases(&conversation), expected);
    // And once more, which must not change a thing.
    assert_eq!(conversation.take([started("r2"), history]), []);
}

/// A conversation that begins with these messages.
fn replayed(history: Value) -> Conversation {
    Conversation::new(all_asks(), messages(history))
}

fn assistant(id: &str, call: &str, arguments: &str) -> Value {
    let function = json!({"name": "ask_user_question", "arguments": arguments});
    json!({"role": "assistant", "id": id, "toolCalls": [{"id": call, "type": "function", "function": function}]})
}

#[cfg(feature = "legacy")]
#[test]
fn what_was_complete_is_not_spoilt_by_what_follows() {
    let mut conversation = waiting();
    conversation.take([started("r2")].into_iter().chain(call("c1", ASK)));
    assert_eq!(phases(&conversation), [Phase::Answerable]);
}
