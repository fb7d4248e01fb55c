//! A conversation with an agent of another framework, which only the browser keeps.

use crate::scripted_agent::{self, Call, Request, tick};
use crate::visitor::{COLOUR, SIZE, Visitor};
use agent_chat::{ChatOptions, Delivery, Status, Trouble};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{Outcome, Phase};
use leptos::prelude::*;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use wasm_bindgen_test::wasm_bindgen_test as test;

fn options(id: &str) -> ChatOptions {
    ChatOptions::new("/agent").with_delivery(Delivery::UserMessage).resume(id)
}

/// A visitor who was asked for the size.
async fn asked(id: &str) -> Visitor {
    Visitor::asked_with(options(id)).await
}

#[test]
async fn a_reload_finds_what_was_said_and_the_question_that_waits() {
    drop(asked("reload").await);
    let visitor = Visitor::beside(options("reload"));
    visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    visitor.picks("c1", SIZE, 1);
    let call = Call::next().await;
    assert_eq!(call.input.thread_id, "reload");
    assert_eq!(call.input.messages.len(), 4);
    call.runs_saying("m1", "Large it is.");
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(options("reload"));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    assert!(Visitor::beside(options("another")).keys().is_empty());
}

#[test]
async fn a_question_that_was_asked_twice_is_one_entry_also_after_a_reload() {
    let (visitor, call) = Visitor::greeting_with(options("twice")).await;
    call.asks("c1", SIZE);
    call.asks("c2", SIZE);
    call.finishes();
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor.sees_status(Status::Idle).await;
    visitor.picks("c1", SIZE, 1);
    Call::next().await.runs_saying("m1", "Large it is.");
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    drop(visitor);
    let visitor = Visitor::beside(options("twice"));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
}

#[test]
async fn an_interrupt_is_still_answered_by_resume() {
    let (visitor, call) = Visitor::greeting_with(options("interrupt")).await;
    call.event(r#"{"type":"STATE_SNAPSHOT","snapshot":{"cart":2}}"#);
    call.asks("c1", SIZE);
    call.interrupts(r#"[{"id":"i1","reason":"tool_call","toolCallId":"c1"}]"#);
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(options("interrupt"));
    visitor.picks("c1", SIZE, 0);
    let input = Call::next().await.input;
    assert_eq!(input.resume.expect("it resumes")[0].interrupt_id, "i1");
    assert_eq!(input.state, Some(json!({"cart": 2}).into()));
}

#[test]
async fn a_legacy_interrupt_is_still_answered_by_its_command() {
    let (visitor, call) = Visitor::greeting_with(options("legacy")).await;
    let value = serde_json::to_string(SIZE).expect("a text");
    call.event(&format!(r#"{{"type":"CUSTOM","name":"on_interrupt","value":{value},"rawEvent":{{"id":"i1"}}}}"#));
    call.finishes();
    visitor.sees_phase("i1", Phase::Answerable).await;
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(options("legacy"));
    visitor.sees_phase("i1", Phase::Answerable).await;
    visitor.picks("i1", SIZE, 0);
    let call = Call::next().await;
    let command = call.input.forwarded_props.clone().expect("a command").into_value();
    assert!(command["command"]["resume"]["answers"].is_object());
    assert_eq!(command["command"]["interruptEvent"], SIZE);
    call.runs_saying("m2", "Small then.");
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(options("legacy"));
    visitor.sees_lines(&["user: Hello", "ask: answered", "agent: Small then."]).await;
    let outcome = visitor.ask("i1").snapshot.get_untracked().outcome;
    let Some(Outcome::Answered(reply)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(reply.message(), "Small");
}

#[test]
async fn a_reload_during_a_run_keeps_what_had_come() {
    let (visitor, call) = Visitor::greeting_with(options("midst")).await;
    call.says("m1", "Let me th");
    visitor.sees_lines(&["user: Hello", "agent: Let me th"]).await;
    scripted_agent::tells("pagehide");
    drop(visitor);
    let visitor = Visitor::beside(options("midst"));
    visitor.sees_lines(&["user: Hello", "agent: Let me th"]).await;
    visitor.sees_status(Status::Failed(Trouble::BrokeOff)).await;
    visitor.chat.retry();
    assert_eq!(Call::next().await.input.messages.len(), 2);
}

#[test]
async fn what_may_have_arrived_is_sent_again_only_by_its_user() {
    let visitor = asked("uncertain").await;
    visitor.picks("c1", SIZE, 1);
    let before = Call::next().await;
    drop(visitor);
    let visitor = Visitor::beside(options("uncertain"));
    let reason = ReplyState::Failed(Trouble::DeliveryUnknown.to_string());
    visitor.sees("the doubt on the card", |_| visitor.reply_to("c1") == reason).await;
    visitor.sends_nothing().await;
    visitor.picks("c1", SIZE, 1);
    assert_eq!(Call::next().await.reply_id(), before.reply_id());
}

#[test]
async fn what_was_held_when_the_page_was_left_goes_when_it_is_back() {
    let visitor = Visitor::asked_twice_with(options("held")).await;
    visitor.picks("c1", SIZE, 1);
    drop(visitor);
    let visitor = Visitor::beside(options("held"));
    assert!(visitor.holds("c1"));
    visitor.picks("c2", COLOUR, 0);
    let messages = Call::next().await.input.messages;
    let texts: Vec<_> = messages.iter().map(|message| message.text()).collect();
    assert_eq!(texts[5..], ["Large", "Red"]);
}

#[test]
async fn another_tab_sees_what_was_said_here_at_once_or_when_it_comes_back() {
    for (id, event) in [("tabs", "storage"), ("back", "pageshow")] {
        let here = asked(id).await;
        let there = Visitor::beside(options(id));
        here.picks("c1", SIZE, 1);
        Call::next().await.runs_saying("m1", "Large it is.");
        here.sees_status(Status::Idle).await;
        // The browser tells all pages but the one that has written.
        scripted_agent::stores("another page's");
        tick().await;
        assert_eq!(there.line(1), "ask: answerable");
        tells_of(id, event);
        there.sees_lines(&["user: Hello", "ask: answered", "agent: Large it is."]).await;
    }
}

/// The browser tells a page of what another has stored, or that it comes back: in the browser's cache it receives no events of the storage.
fn tells_of(id: &str, event: &str) {
    match event {
        "storage" => scripted_agent::stores(&format!("agent-chat conversation /agent {id}")),
        event => scripted_agent::tells(event),
    }
}

#[test]
async fn a_question_from_another_tab_expires_here_too() {
    for (id, event) in [("expiring", "storage"), ("expiring-2", "pageshow")] {
        let (here, call) = Visitor::greeting_with(options(id)).await;
        let there = Visitor::beside(options(id));
        call.asks("c1", SIZE);
        call.waits_for_answer(60_000.0);
        here.sees_status(Status::Idle).await;
        tells_of(id, event);
        there.sees_phase("c1", Phase::Answerable).await;
        drop(here);
        scripted_agent::passes(61_000);
        there.sees_phase("c1", Phase::Expired).await;
    }
}

/// A visitor who was asked for size and colour, and the same page in another window.
async fn asked_twice_in_two_windows(id: &str) -> [Visitor; 2] {
    let here = Visitor::asked_twice_with(options(id)).await;
    let there = Visitor::beside(options(id));
    there.sees_lines(&["user: Hello", "ask: answerable", "ask: answerable"]).await;
    [here, there]
}

/// Waits until the other windows of a conversation know the answer that this one holds.
async fn shares_held(here: &Visitor, id: &str) {
    let storage = window().local_storage().ok().flatten().expect("there is one");
    let key = format!("agent-chat conversation /agent {id} held");
    here.sees("the held answer", |_| storage.get_item(&key).is_ok_and(|held| held.is_some())).await;
}

#[test]
async fn two_windows_that_hold_each_others_answers_send_both() {
    let [here, there] = asked_twice_in_two_windows("windows").await;
    here.picks("c1", SIZE, 1);
    here.sees("the held answer", |_| here.holds("c1")).await;
    there.picks("c2", COLOUR, 0);
    let call = Call::next().await;
    let mut texts: Vec<_> = call.input.messages.iter().skip(5).map(|message| message.text()).collect();
    texts.sort();
    assert_eq!(texts, ["Large", "Red"]);
    call.runs_saying("m1", "Large and red.");
    there.sees_status(Status::Idle).await;
    scripted_agent::stores("agent-chat conversation /agent windows");
    here.sees_lines(&["user: Hello", "ask: answered", "ask: answered", "agent: Large and red."]).await;
    assert_eq!(here.reply_to("c1"), ReplyState::None);
    let storage = window().local_storage().ok().flatten().expect("there is one");
    assert_eq!(storage.get_item("agent-chat conversation /agent windows held"), Ok(None));
}

#[test]
async fn a_typed_answer_that_another_window_sent_is_not_said_again() {
    let (here, call) = Visitor::greeting_with(options("typed here")).await;
    call.asks("c1", SIZE);
    call.asks("c2", COLOUR);
    call.interrupts(
        r#"[{"id":"i1","reason":"tool_call","toolCallId":"c1"},{"id":"i2","reason":"tool_call","toolCallId":"c2"}]"#,
    );
    here.sees_status(Status::Idle).await;
    let there = Visitor::beside(options("typed here"));
    there.sees_lines(&["user: Hello", "ask: answerable", "ask: answerable"]).await;
    assert!(here.chat.send("A dark one, please"));
    shares_held(&here, "typed here").await;
    there.picks("c2", COLOUR, 0);
    let call = Call::next().await;
    assert_eq!(call.input.resume.iter().flatten().count(), 2);
    call.runs_saying("m1", "Dark and red.");
    there.sees_status(Status::Idle).await;
    scripted_agent::stores("agent-chat conversation /agent typed here");
    here.sees_lines(&["user: Hello", "ask: answered", "ask: answered", "agent: Dark and red."]).await;
    assert_eq!(here.chat.status.get_untracked(), Status::Idle);
}

#[test]
async fn an_answer_that_its_window_took_back_goes_from_no_other() {
    let [here, there] = asked_twice_in_two_windows("taken back").await;
    here.picks("c1", SIZE, 1);
    here.sees("the held answer", |_| here.holds("c1")).await;
    assert!(here.chat.take_back("c1"));
    there.picks("c2", COLOUR, 0);
    there.sees("the held answer", |_| there.holds("c2")).await;
    here.picks("c1", SIZE, 0);
    // The messages of either window.
    let messages = Call::next().await.input.messages;
    let mut texts: Vec<_> = messages.iter().skip(5).map(|message| message.text()).collect();
    texts.sort();
    assert_eq!(texts, ["Red", "Small"]);
}

#[test]
async fn a_typed_line_answers_what_no_window_has_answered() {
    let [here, there] = asked_twice_in_two_windows("typed").await;
    here.picks("c1", SIZE, 1);
    shares_held(&here, "typed").await;
    assert!(there.chat.send("A dark one, please"));
    let call = Call::next().await;
    let replies = call.input.messages.iter().filter(|message| message.role() == "tool").map(|message| message.text());
    let replies: Vec<_> = replies.collect();
    assert!(replies[0].contains("Large") && replies[1].contains("A dark one"), "{replies:?}");
}

#[test]
async fn the_last_conversations_are_kept_and_of_each_the_last_messages() {
    for index in 0..20 {
        let visitor = asked(&format!("many-{index}")).await;
        drop(visitor);
    }
    assert!(Visitor::beside(options("many-3")).keys().is_empty());
    assert_eq!(Visitor::beside(options("many-4")).keys().len(), 2);
    assert_eq!(Visitor::beside(options("many-19")).keys().len(), 2);

    let visitor = asked("long").await;
    for round in 0..3 {
        if round == 0 {
            visitor.chat.cancel("c1");
        } else {
            visitor.chat.send("More");
        }
        Call::next().await.runs_saying(&format!("m{round}"), &"word ".repeat(30_000));
        visitor.sees_status(Status::Idle).await;
    }
    drop(visitor);
    let visitor = Visitor::beside(options("long"));
    assert_eq!(visitor.keys().len(), 2, "one round is all there is room for");
    let text = visitor.line(0);
    assert_eq!(text, "user: More");
}

#[test]
async fn a_message_over_the_limit_is_kept_in_place_of_all_before() {
    let (visitor, call) = Visitor::greeting_with(options("one-long")).await;
    call.finishes();
    visitor.sees_status(Status::Idle).await;
    visitor.chat.send(&"word ".repeat(60_000));
    Call::next().await.runs_saying("m1", "That is long.");
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(options("one-long"));
    assert_eq!(visitor.keys().len(), 2, "the last turn");
    assert!(visitor.line(0).starts_with("user: word word"));
    assert_eq!(visitor.line(1), "agent: That is long.");
}

#[test]
async fn what_is_stored_and_cannot_be_read_counts_as_absent() {
    scripted_agent::fresh();
    let storage = window().local_storage().ok().flatten().expect("there is one");
    for kept in ["", "\n{}", "x\ny", "\n{\"type\":\"MESSAGES_SNAPSHOT\",\"messages\":[1]}"] {
        storage.set_item("agent-chat conversation /agent garbage", kept).expect("there is room");
        let visitor = Visitor::beside(options("garbage"));
        assert!(visitor.keys().is_empty());
        assert!(visitor.chat.send("Hello"));
        Call::next().await.runs();
        visitor.sees_status(Status::Idle).await;
    }
}

#[test]
async fn the_address_names_the_conversation() {
    let visitor = Visitor::first(ChatOptions::new("/agent").kept_in_address());
    let address = || window().location().hash().expect("a page has an address");
    visitor.chat.send("Hello");
    let call = Call::next().await;
    assert_eq!(address(), format!("#c={}", call.input.thread_id));
    call.runs();
    visitor.sees_status(Status::Idle).await;
    drop(visitor);
    let visitor = Visitor::beside(ChatOptions::new("/agent").kept_in_address());
    visitor.sees_lines(&["user: Hello"]).await;
    assert_eq!(visitor.chat.conversation_id(), call.input.thread_id);
    for other in ["#c=", "#c=..", "#c=a%0Ab", "#c=%FF", "#top", ""] {
        window().location().set_hash(other).expect("it is an address");
        let visitor = Visitor::beside(ChatOptions::new("/agent").kept_in_address());
        assert_ne!(visitor.chat.conversation_id(), call.input.thread_id);
        assert!(visitor.keys().is_empty());
    }
}

#[test]
async fn an_address_leads_to_each_conversation_that_a_server_takes() {
    let long = "b".repeat(200);
    for (address, id) in [
        ("#c=errand.7_a~b", "errand.7_a~b"),
        ("#c=a%20b%2F%C3%BC%3F%23", "a b/ü?#"),
        ("#c=100%25", "100%"),
        (&format!("#c={long}"), &long),
    ] {
        let visitor = Visitor::first(ChatOptions::new("/agent").kept_in_address());
        drop(visitor);
        window().location().set_hash(address).expect("it is an address");
        let visitor = Visitor::beside(ChatOptions::new("/agent").kept_in_address());
        assert_eq!(visitor.chat.conversation_id(), id);
        visitor.chat.send("Hello");
        assert_eq!(Call::next().await.input.thread_id, id);
        let named = window().location().hash().expect("a page has an address");
        assert_eq!(String::from(js_sys::decode_uri_component(&named).expect("it is encoded")), format!("#c={id}"));
    }
}

#[test]
async fn another_address_leads_to_another_conversation() {
    let visitor = Visitor::first(ChatOptions::new("/agent").kept_in_address());
    visitor.chat.send("Hello");
    Call::next().await;
    assert!(!visitor.chat.address_changed.get_untracked());
    let location = window().location();
    location.set_hash("c=another-one").expect("it takes it");
    visitor.sees("that the address has changed", |chat| chat.address_changed.get_untracked()).await;
    drop(visitor);
    let visitor = Visitor::beside(ChatOptions::new("/agent").kept_in_address());
    assert_eq!(visitor.chat.conversation_id(), "another-one");
    location.set_hash("").expect("it takes it");
}

#[test]
async fn headers_go_along_and_what_is_no_header_does_not() {
    let headers = [("Authorization", "own"), ("no header", "x"), ("X-Lines", "a\nb"), ("X-Snowman", "\u{2603}")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let visitor = Visitor::first(ChatOptions::new("/agent?key=a%20b&empty").with_headers(headers.to_vec()));
    visitor.chat.send("Hello");
    let call = Call::next().await;
    assert_eq!(call.header("authorization").as_deref(), Some("own"));
    assert_eq!(call.header("content-type").as_deref(), Some("application/json"));
    assert_eq!(["x-lines", "x-snowman"].map(|name| call.header(name)), [None, None], "what is no header is left out");
    assert_eq!(["key", "empty"].map(|name| call.parameter(name)), ["a b", ""].map(|value| Some(value.to_owned())));
}

#[test]
async fn a_token_that_expires_is_asked_for_before_each_request() {
    let tokens = Arc::new(AtomicU32::new(0));
    let options = ChatOptions::new("/agent").with_headers_from(move || {
        let token = tokens.fetch_add(1, Ordering::Relaxed);
        async move {
            tick().await;
            vec![("Authorization".to_owned(), format!("Bearer {token}"))]
        }
    });
    let visitor = Visitor::first(options);
    for turn in 0..3 {
        assert!(visitor.chat.send("Hello"));
        let call = Call::next().await;
        assert_eq!(call.header("authorization"), Some(format!("Bearer {turn}")));
        call.runs();
        visitor.sees_status(Status::Idle).await;
    }
    assert!(visitor.chat.send("Stopped before the token came"));
    visitor.chat.stop();
    visitor.sees_status(Status::Idle).await;
}

#[test]
async fn an_agent_that_is_not_allowed_is_refused_before_anything_is_sent() {
    for (list, agent) in [
        (json!({"allowAgents": ["https://other.example"]}), "https://agent.example"),
        (json!({"allowAgents": ["https://agent.example"]}), "https://agent.example:8443"),
        (json!("no list"), "https://agent.example"),
    ] {
        let url = format!("{agent}/run");
        let visitor = Visitor::first(ChatOptions::new(url).with_allow_list("/settings.json"));
        assert!(visitor.chat.send("Hello"), "it waits for the permission");
        Request::next("GET /settings.json").await.answers(200, &list);
        let trouble = Trouble::NotAllowed { agent: agent.to_owned() };
        visitor.sees_status(Status::Failed(trouble.clone())).await;
        assert!(!visitor.chat.send("Hello"));
        // The operator may have allowed it since.
        visitor.chat.retry();
        visitor.sees_status(Status::Idle).await;
        let asked_again = Request::next("GET /settings.json").await;
        asked_again.answers(200, &list);
        visitor.sees_status(Status::Failed(trouble)).await;
        visitor.sends_nothing().await;
    }
    let visitor = Visitor::first(ChatOptions::new("blob:x").with_allow_list("/settings.json"));
    let trouble = Trouble::NotAllowed { agent: "blob:x".to_owned() };
    visitor.sees_status(Status::Failed(trouble)).await;
}

#[test]
async fn who_is_allowed_can_not_be_told_without_the_list_and_is_asked_again() {
    let options = ChatOptions::new("https://agent.example/agent");
    let visitor = Visitor::first(options.with_allow_list("/settings.json"));
    Request::next("GET /settings.json").await.is_unreachable();
    visitor.sees_status(Status::Failed(Trouble::Unreachable)).await;
    visitor.chat.retry();
    let list = json!({"allowAgents": ["https://agent.example"]});
    Request::next("GET /settings.json").await.answers(200, &list);
    visitor.sees("the way free", |chat| chat.send("Hello")).await;
    Call::next().await;
}

#[test]
async fn a_message_before_the_allow_list_is_known_outlives_a_reload_and_goes_once() {
    let options = || {
        let options = ChatOptions::new("https://agent.example/agent");
        options.with_allow_list("/settings.json").kept_in_address()
    };
    let allowed = json!({"allowAgents": ["https://agent.example"]});
    window().location().set_hash("").expect("it takes it");
    let visitor = Visitor::first(options());
    let list = Request::next("GET /settings.json").await;
    assert!(visitor.chat.send("Hello"));
    list.answers(200, &allowed);
    assert_eq!(Call::next().await.input.messages[0].text(), "Hello");
    drop(visitor);

    window().location().set_hash("").expect("it takes it");
    let visitor = Visitor::first(options());
    Request::next("GET /settings.json").await;
    assert!(visitor.chat.send("Good morning"));
    drop(visitor);
    let visitor = Visitor::beside(options());
    let list = Request::next("GET /settings.json").await;
    list.answers(200, &allowed);
    let messages = Call::next().await.input.messages;
    let texts: Vec<_> = messages.iter().map(|message| message.text()).collect();
    assert_eq!(texts, ["Good morning"]);
    drop(visitor);

    // It may have arrived.
    let visitor = Visitor::beside(options());
    let list = Request::next("GET /settings.json").await;
    list.answers(200, &allowed);
    visitor.sees_lines(&["user: Good morning"]).await;
    visitor.sends_nothing().await;
    window().location().set_hash("").expect("it takes it");
}

/// Takes all of the storage that is left, as another program of the origin may.
fn fill_storage(storage: &web_sys::Storage) {
    let (mut text, mut size) = (String::new(), 1 << 22);
    while size > 0 {
        let more = [text.as_str(), &"x".repeat(size)].concat();
        if storage.set_item("another program", &more).is_ok() {
            text = more;
        } else {
            size /= 2;
        }
    }
}

#[test]
async fn a_storage_that_others_fill_keeps_what_it_has() {
    let storage = window().local_storage().expect("it may be used").expect("this browser has one");
    storage.clear().expect("it forgets");
    drop(asked("of before").await);
    let visitor = asked("of now").await;
    let all = || {
        let keys = (0..storage.length().expect("it has one")).filter_map(|at| storage.key(at).ok()?);
        let mut all: Vec<_> = keys.filter(|key| key != "another program").collect();
        all.sort();
        all
    };
    let before = all();
    fill_storage(&storage);
    // More than the room of the other conversation.
    visitor.chat.send(&"Very large. ".repeat(2_000));
    Call::next().await.runs_saying("m1", "Large it is.");
    visitor.sees_status(Status::Idle).await;
    visitor.sees_last_line("agent: Large it is.").await;
    assert_eq!(all(), before);
    drop(visitor);
    let (now, then) = (Visitor::beside(options("of now")), Visitor::beside(options("of before")));
    for visitor in [&now, &then] {
        visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
    }
    storage.clear().expect("it forgets");
}
