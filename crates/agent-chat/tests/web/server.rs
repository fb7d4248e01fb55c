//! The server of a conversation, in the hands of a test: what it says of the conversation, and what happens there.

use crate::scripted_agent::Request;
use crate::visitor::{SIZE, Visitor};
use agent_chat::ChatOptions;
use serde_json::{Value, json};
use std::cell::Cell;

thread_local! {
    static CONVERSATIONS: Cell<u32> = const { Cell::new(0) };
}

/// One conversation that the server has.
pub(crate) struct Server {
    pub(crate) id: String,
}

impl Server {
    pub(crate) fn new() -> Self {
        let number = CONVERSATIONS.get() + 1;
        CONVERSATIONS.set(number);
        Self { id: format!("conversation-{number}") }
    }

    /// The options of a page that comes back to the conversation.
    pub(crate) fn options(&self) -> ChatOptions {
        ChatOptions::new("/agent").behind_question_server().resume(&self.id)
    }

    /// Answers the request for the history.
    pub(crate) async fn describes(&self, description: Value) {
        self.asked("").await.answers(200, &description);
    }

    /// The next time that a page asks for this.
    pub(crate) async fn asked(&self, rest: &str) -> Request {
        Request::next(&format!("GET /conversations/{}{rest}", self.id)).await
    }

    /// The next time that a page posts this.
    pub(crate) async fn posted(&self, rest: &str) -> Request {
        Request::next(&format!("POST /conversations/{}{rest}", self.id)).await
    }

    /// The next time that a page wants to hear what happens.
    pub(crate) async fn heard(&self) -> Request {
        let stream = self.asked("/events").await;
        stream.streams();
        stream
    }

    /// A visitor who has come back to a conversation with a waiting question, and the stream of its events.
    pub(crate) async fn asked_visitor(&self) -> (Visitor, Request) {
        self.asked_visitor_with(self.options()).await
    }

    pub(crate) async fn asked_visitor_with(&self, options: ChatOptions) -> (Visitor, Request) {
        let visitor = Visitor::first(options);
        self.describes(asking("life-4m")).await;
        let stream = self.heard().await;
        visitor.sees_lines(&["user: Hello", "ask: answerable"]).await;
        (visitor, stream)
    }
}

/// A conversation in which a question waits.
pub(crate) fn asking(last_event_id: &str) -> Value {
    json!({
        "messages": [hello(), size_call()],
        "state": {"type": "awaiting_user_response", "toolCallId": "c1"},
        "pending": [{"toolCallId": "c1"}],
        "lastEventId": last_event_id,
    })
}

/// A conversation in which nothing waits and nothing happens.
pub(crate) fn idle(messages: &[Value], last_event_id: &str) -> Value {
    json!({"messages": messages, "state": {"type": "idle"}, "pending": [], "lastEventId": last_event_id})
}

/// [`asking`], answered with this reply id; the agent is at work.
pub(crate) fn answered(reply_id: &str, last_event_id: &str) -> Value {
    json!({
        "messages": [hello(), size_call(), answer(reply_id)],
        "state": {"type": "llm_requesting", "attempt": 1},
        "pending": [],
        "runId": "r2",
        "lastEventId": last_event_id,
    })
}

pub(crate) fn hello() -> Value {
    json!({"id": "u1", "role": "user", "content": "Hello"})
}

pub(crate) fn size_call() -> Value {
    calling("a1", "c1", "ask_user_question", SIZE)
}

/// A message of the agent with a call.
pub(crate) fn calling(id: &str, call: &str, name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!({"id": id, "role": "assistant", "toolCalls": [{"id": call, "type": "function", "function": function}]})
}

pub(crate) fn answer(reply_id: &str) -> Value {
    json!({
        "id": "t1",
        "role": "tool",
        "toolCallId": "c1",
        "content": r#"{"answers":{"Which size?":"Large"}}"#,
        "metadata": {"ask": {"toolCallId": "c1", "replyId": reply_id, "outcome": "answered", "by": "card"}},
    })
}

/// The beginning of a run, with what it was started with.
pub(crate) fn run_started(conversation: &str, run_id: &str, messages: Value) -> Value {
    json!({
        "type": "RUN_STARTED",
        "threadId": conversation,
        "runId": run_id,
        "input": {"threadId": conversation, "runId": run_id, "messages": messages},
    })
}

pub(crate) fn run_finished(conversation: &str, run_id: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": conversation, "runId": run_id})
}

pub(crate) fn says(id: &str, text: &str) -> Value {
    json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": id, "delta": text})
}
