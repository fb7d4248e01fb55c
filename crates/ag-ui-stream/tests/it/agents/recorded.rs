//! `test_data/agents`: what agents of other frameworks have sent to the page, each in two conversations, which are had once more. `cargo xtask
//! agents --record` keeps new ones.

use crate::chat::{Chat, FOREIGN, said};
use crate::reading::transcript;
use ag_ui_stream::asks::reply::NextRun;
use ag_ui_stream::message::Content;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::{Conversation, Message};
use ask_user_question::Phase;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The streams of an agent, one a run.
struct Recorded {
    name: &'static str,
    /// A question, another one after its answer, and what follows.
    after_another: [&'static [u8]; 3],
    /// Two questions in one turn, and what follows; nothing of an agent that can't ask so.
    at_once: Option<[&'static [u8]; 2]>,
}

macro_rules! stream {
    ($name:literal, $file:literal) => {
        include_bytes!(concat!("../../../test_data/agents/", $name, "/", $file, ".sse"))
    };
}

macro_rules! recorded {
    ($name:literal, one at a time) => {
        Recorded {
            name: $name,
            after_another: [
                stream!($name, "after-another-0"),
                stream!($name, "after-another-1"),
                stream!($name, "after-another-2"),
            ],
            at_once: None,
        }
    };
    ($name:literal) => {
        Recorded {
            at_once: Some([stream!($name, "at-once-0"), stream!($name, "at-once-1")]),
            ..recorded!($name, one at a time)
        }
    };
}

const RECORDED: &[Recorded] = &[
    recorded!("agent-framework", one at a time),
    recorded!("agno"),
    recorded!("copilotkit"),
    recorded!("crewai"),
    recorded!("google-adk"),
    recorded!("langgraph"),
    recorded!("langgraph-create-agent"),
    recorded!("langgraph-interrupt"),
    recorded!("librechat"),
    recorded!("llama-index"),
    recorded!("mastra"),
    recorded!("pydantic-ai"),
    recorded!("strands"),
];

/// Has a run in a conversation: what goes out, and what came.
#[track_caller]
fn run(conversation: &mut Conversation, next: &NextRun, stream: &[u8]) {
    conversation.start_response(next);
    conversation.feed(stream);
    let end = conversation.end();
    assert!(matches!(end, EndOutcome::Completed | EndOutcome::Interrupt), "{end:?}");
}

/// The first run, which the user begins.
#[track_caller]
fn begun(stream: &[u8]) -> Conversation {
    let mut conversation = crate::chat::unread();
    let next = conversation.say(FOREIGN, said("I need my car looked at")).unwrap();
    run(&mut conversation, &next, stream);
    conversation
}

/// The last message of the agent.
fn last_words(conversation: &Conversation) -> String {
    let mut messages = conversation.thread().messages().iter().rev();
    let words = messages.find(|message| message.role() == "assistant" && *message.content() != Content::None);
    words.map(Message::text).unwrap_or_default().trim().to_owned()
}

#[test]
fn two_questions_one_after_the_other_are_answered() {
    for Recorded { name, after_another: [asks, asks_again, books], .. } in RECORDED {
        let mut conversation = begun(asks);
        let [first] = &conversation.waiting()[..] else { panic!("{name}: {:?}", conversation.waiting()) };
        let next = conversation.next(FOREIGN, [conversation.picks(first, 0)]).unwrap();
        run(&mut conversation, &next, asks_again);
        assert_eq!(conversation.phase(first), Phase::Answered, "{name}");

        let [second] = &conversation.waiting()[..] else { panic!("{name}: {:?}", conversation.waiting()) };
        let next = conversation.next(FOREIGN, [conversation.types(second, "On Friday")]).unwrap();
        run(&mut conversation, &next, books);
        assert_eq!(last_words(&conversation), "Booked: Brake service, On Friday.", "{name}");
        assert_eq!(conversation.waiting(), Vec::<String>::new(), "{name}");
        assert!(conversation.say(FOREIGN, said("Thanks")).is_ok(), "{name}");
    }
}

#[test]
fn each_of_their_texts_comes_once() {
    for Recorded { name, after_another: [asks, ..], at_once } in RECORDED {
        for stream in [asks].into_iter().chain(at_once.iter().map(|[asks, _]| asks)) {
            let conversation = begun(stream);
            let texts =
                conversation.thread().messages().iter().filter(|it| it.role() == "assistant").map(Message::text);
            let said = texts.filter(|text| text.contains("need to know")).count();
            assert_eq!(said, 1, "{name}");
        }
    }
}

#[test]
fn two_questions_in_one_turn_are_answered_together() {
    for Recorded { name, at_once, .. } in RECORDED {
        let Some([asks, books]) = at_once else { continue };
        let mut conversation = begun(asks);
        let [first, second] = &conversation.waiting()[..] else { panic!("{name}: {:?}", conversation.waiting()) };
        let replies = [conversation.picks(first, 0), conversation.picks(second, 1)];
        let next = conversation.next(FOREIGN, replies).unwrap();
        run(&mut conversation, &next, books);
        assert_eq!(last_words(&conversation), "Booked: Brake service, Rush.", "{name}");
        assert!(conversation.say(FOREIGN, said("Thanks")).is_ok(), "{name}");
    }
}

#[test]
fn they_say_the_same_byte_by_byte() {
    for Recorded { name, after_another, at_once } in RECORDED {
        for stream in after_another.iter().chain(at_once.iter().flatten()) {
            assert_eq!(transcript(stream.chunks(1)), transcript([*stream]), "{name}");
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn they_are_all_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/test_data/agents");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    assert_eq!(names, RECORDED.iter().map(|recorded| recorded.name).collect::<Vec<_>>());
}
