//! Conversations between a simulated agent and a simulated user, as data: `tests/it/conversations/*.json`.
//!
//! A step is what one side does; `expect` says how the conversation stands afterwards. Calls of the asking tool are intercepted as an
//! executor would and expire at 1000, all others complete when the data says so.

use crate::samples::{intercept_running, replies, responds, says};
use ask_user_question::Outcome;
use ask_user_question::Reply;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::message::Message;
use question_agent::{Conversation, Effect, Event, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

macro_rules! conversations {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                play(include_str!(concat!("conversations/", stringify!($name), ".json")));
            }
        )*
    };
}

conversations!(
    one_question_answered,
    four_questions_mixed,
    declined_and_going_on,
    cancelled_and_over,
    malformed_then_right,
    calls_behind_the_question,
    typed_instead_of_picked,
    two_asks_in_one_turn,
    expired_and_going_on,
);

#[derive(Deserialize)]
struct Step {
    #[serde(flatten)]
    doing: Doing,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Doing {
    User(String),
    Model {
        text: String,
        calls: Vec<(String, String, Value)>,
    },
    Reply {
        to: String,
        content: Value,
    },
    Decline {
        to: String,
    },
    Cancel {
        proceed: bool,
    },
    Tool {
        id: String,
        content: String,
    },
    /// It is that late now.
    Time(u64),
}

/// Everything is optional; what is given must hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    state: Option<String>,
    rejected: Option<String>,
    asked: Option<Vec<String>>,
    #[serde(default)]
    results: BTreeMap<String, Expected>,
    roles: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    content: Option<String>,
    contains: Option<String>,
    error: bool,
}

fn play(text: &str) {
    let steps: Vec<Step> = serde_json::from_str(text).expect("the data is a list of steps");
    let mut conversation = Conversation::new();
    for (number, step) in steps.into_iter().enumerate() {
        let event = event_of(&conversation, number, step.doing);
        let rejected = drive(&mut conversation, event).err().map(|rejected| rejected.code().to_owned());
        check(&conversation, number, &step.expect, rejected);
    }
}

fn drive(conversation: &mut Conversation, event: Event) -> Result<(), question_agent::Rejected> {
    let mut effects: Vec<Effect> = conversation.handle(event)?;
    while !effects.is_empty() {
        effects = intercept_running(conversation, &effects);
    }
    Ok(())
}

fn event_of(conversation: &Conversation, number: usize, doing: Doing) -> Event {
    match doing {
        Doing::User(text) => says(&format!("u{number}"), &text),
        Doing::Model { text, calls } => {
            let calls = calls.into_iter().map(|(id, name, arguments)| ToolCall::new(id, name, arguments.to_string()));
            responds(&format!("a{number}"), &text, calls.collect())
        }
        Doing::Reply { to, content } => {
            let waiting = conversation.waiting().expect("a reply needs a question");
            let reply = Reply::parse(&waiting.questions, &content).expect("the reply fits the question");
            replies(&to, &format!("r{number}"), Outcome::Answered(reply))
        }
        Doing::Decline { to } => replies(&to, &format!("r{number}"), Outcome::Declined),
        Doing::Cancel { proceed } => Event::UserCancel { proceed },
        Doing::Tool { id, content } => Event::ToolComplete { result: ToolResult::success(id, content) },
        Doing::Time(now) => Event::QuestionExpired { now: Timestamp(now) },
    }
}

fn check(conversation: &Conversation, number: usize, expect: &Expect, rejected: Option<String>) {
    assert_eq!(rejected, expect.rejected, "step {number}");
    if let Some(state) = &expect.state {
        assert_eq!(conversation.state().name(), state, "step {number}");
    }
    if let Some(asked) = &expect.asked {
        let waiting = conversation.waiting().expect("the step asks");
        let questions: Vec<&str> =
            waiting.questions.questions.iter().map(|question| question.question.as_str()).collect();
        assert_eq!(questions, *asked, "step {number}");
    }
    for (id, expected) in &expect.results {
        let result = conversation.result_of(id).unwrap_or_else(|| panic!("step {number}: {id} has no result"));
        assert_eq!(result.is_error, expected.error, "step {number}: {}", result.content);
        if let Some(content) = &expected.content {
            assert_eq!(result.content, *content, "step {number}");
        }
        if let Some(part) = &expected.contains {
            assert!(result.content.contains(part), "step {number}: {}", result.content);
        }
    }
    if let Some(roles) = &expect.roles {
        let found: Vec<&str> = conversation.messages().iter().map(role).collect();
        assert_eq!(found, *roles, "step {number}");
    }
}

fn role(message: &Message) -> &'static str {
    match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::Tool(_) => "tool",
    }
}
