//! An answer that the user changes by a later message.

use crate::chat::{ASK, Chat, FOREIGN, OTHER, asked, call, finished, reloaded, started};
use ag_ui_stream::asks::reply::UserTurn;
use ag_ui_stream::{Conversation, Message};
use ask_user_question::{Outcome, Phase, Reply};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A conversation in which the first option was picked.
fn answered() -> Conversation {
    let mut chat = asked(ASK, [finished("r1")]);
    let next = chat.next(FOREIGN, [chat.picks("c1", 0)]).unwrap();
    chat.start_response(&next);
    chat.take([started("r2"), finished("r2")]);
    chat
}

fn other(chat: &Conversation) -> Reply {
    let Outcome::Answered(reply) = chat.picks("c1", 1).outcome else { panic!("it answers") };
    reply
}

fn replaced(chat: &Conversation) -> Option<String> {
    Some(chat.asks().ask("c1").unwrap().replaced.as_ref()?.message())
}

#[track_caller]
fn replays(chat: &Conversation) {
    let asks = |chat: &Conversation| chat.asks().asks().cloned().collect::<Vec<_>>();
    assert_eq!(asks(chat), asks(&reloaded(chat)));
}

fn message(id: &str, text: &str, call: &str) -> Message {
    let ask = json!({"toolCallId": call, "replyId": "x", "outcome": "answered", "by": "card", "replaces": call});
    let message: Value = json!({"role": "user", "id": id, "content": text, "metadata": {"ask": ask}});
    serde_json::from_value(message).unwrap()
}

#[test]
fn a_change_marks_the_answer_and_a_reload_shows_the_same() {
    let mut chat = answered();
    assert!(chat.asks().takes_change("c1"));
    let text = other(&chat).change_message();
    assert_eq!(text, "I changed my answer to “Which service?”: Oil");
    let turn = UserTurn {
        text: Some(text.clone()),
        text_id: Some("u9".to_owned()),
        replaces: Some("c1".to_owned()),
        ..UserTurn::default()
    };
    let next = chat.say(FOREIGN, turn).unwrap();
    chat.start_response(&next);
    chat.take([started("r3"), finished("r3")]);
    assert_eq!((chat.phase("c1"), replaced(&chat).as_deref()), (Phase::Answered, Some("Oil")));
    assert_eq!(chat.reply_of("c1").message(), "Brakes", "what was answered first stays");
    replays(&chat);
    let messages: Value = serde_json::from_str(&next.body).unwrap();
    let sent = messages["messages"].as_array().unwrap().last().unwrap();
    assert_eq!((&sent["id"], &sent["content"]), (&json!("u9"), &json!(text)));
    assert_eq!(sent["metadata"]["ask"]["replaces"], "c1");
    // A second change takes the place of the first.
    let first = chat.picks("c1", 0);
    let Outcome::Answered(first) = first.outcome else { panic!("it answers") };
    chat.push_message(message("u10", &first.change_message(), "c1"));
    assert_eq!(replaced(&chat).as_deref(), Some("Brakes"));
    replays(&chat);
}

#[test]
fn what_changes_no_answer_is_a_message_like_any_other() {
    let good = "I changed my answer to “Which service?”: Oil";
    for (text, call) in [
        (good, "c9"),
        (good, ""),
        ("I changed my mind", "c1"),
        ("I changed my answer to “Which day?”: Oil", "c1"),
        ("", "c1"),
    ] {
        let mut chat = answered();
        chat.push_message(message("u9", text, call));
        assert_eq!(replaced(&chat), None, "{text} about {call}");
        assert_eq!(chat.thread().messages().last().unwrap().text(), text);
        replays(&chat);
    }
    // Nothing was asked or answered by then.
    let mut chat = crate::chat::unread();
    chat.push_message(message("u9", good, "c1"));
    chat.take([started("r1")].into_iter().chain(call("c1", ASK)).chain([finished("r1")]));
    assert_eq!((chat.phase("c1"), replaced(&chat)), (Phase::Answerable, None));
    chat.push_message(message("u10", good, "c1"));
    assert!(chat.phase("c1") != Phase::Answerable, "it passes the question, as words do");
    replays(&chat);
}

#[test]
fn it_passes_a_question_that_waits_as_words_do() {
    let mut chat = answered();
    chat.take([started("r3")].into_iter().chain(call("c2", OTHER)).chain([finished("r3")]));
    chat.push_message(message("u9", "I changed my answer to “Which service?”: Oil", "c1"));
    assert_eq!((replaced(&chat).as_deref(), chat.phase("c2")), (Some("Oil"), Phase::Superseded));
    replays(&chat);
}
