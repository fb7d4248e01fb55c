//! The hook on a server, which has no browser: any question to one would panic.
#![cfg(not(target_arch = "wasm32"))]

use agent_chat::{ChatOptions, Connection, Status, use_agent_chat};
use leptos::prelude::*;

#[test]
fn a_server_renders_a_conversation_before_its_beginning() {
    let plain = || ChatOptions::new("/agent");
    for (options, may_come_back) in [
        (plain(), false),
        (plain().behind_question_server().kept_in_address(), true),
        (plain().resume("thread-1").with_headers(vec![("X-Key".to_owned(), "x".to_owned())]), true),
        (ChatOptions::new("https://agent.example").with_allow_list("/settings.json"), false),
    ] {
        let owner = Owner::new();
        let chat = owner.with(|| use_agent_chat(options));
        assert_eq!(chat.entries.with_untracked(Vec::len), 0);
        assert_eq!((chat.status.get_untracked(), chat.connection.get_untracked()), (Status::Idle, Connection::Online));
        assert_eq!(chat.restoring.get_untracked(), may_come_back);
        assert_eq!(chat.conversation_id(), "");
        assert!(!chat.send("Hello") && !chat.take_back("call-1"));
        chat.stop();
        chat.retry();
        // Another thread may take the page apart.
        std::thread::spawn(move || owner.cleanup()).join().expect("it does not panic");
    }
}
