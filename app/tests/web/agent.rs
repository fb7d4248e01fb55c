//! The page's own agent, controlled by a test.

use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/tests/web/agent.js")]
extern "C" {
    fn forget();
    fn lay(name: &str, text: &str);
    fn refuse(name: &str);
    fn write(name: &str, text: &str);
    fn close(name: &str);
    fn bodies(name: &str) -> Vec<String>;
    fn names() -> Vec<String>;
}

const RUN: &str = "POST /agent";

/// One conversation of the agent's, which its server has.
pub(crate) struct Agent {
    id: &'static str,
}

impl Agent {
    /// A conversation with these waiting questions: each with its call and its arguments.
    pub(crate) fn asking(id: &'static str, asks: &[(&str, &Value)]) -> Self {
        Self::asking_after(id, &["Hello"], asks)
    }

    /// The same, after the user has said all this.
    pub(crate) fn asking_after(id: &'static str, said: &[&str], asks: &[(&str, &Value)]) -> Self {
        let said: Vec<_> = said.iter().map(|text| json!(text)).collect();
        Self::asking_after_contents(id, &said, asks)
    }

    /// The same, after messages of the user with these contents.
    pub(crate) fn asking_after_contents(id: &'static str, said: &[Value], asks: &[(&str, &Value)]) -> Self {
        forget();
        let agent = Self { id };
        let calls: Vec<_> = asks.iter().map(|(id, ask)| call(id, ask)).collect();
        let said = said.iter().enumerate();
        let said = said.map(|(at, text)| json!({"id": format!("u{}", at + 1), "role": "user", "content": text}));
        let asked = json!({"id": "a1", "role": "assistant", "toolCalls": calls});
        let history: Value = said.chain([asked]).collect();
        let pending: Vec<_> = asks.iter().map(|(id, _)| json!({"toolCallId": id})).collect();
        let description = json!({
            "messages": history,
            "state": {"type": "awaiting_user_response"},
            "pending": pending,
            "lastEventId": "life-1m",
        });
        lay(&agent.history(), &description.to_string());
        lay(&agent.events(), ": here\n\n");
        lay(RUN, ": here\n\n");
        agent
    }

    /// Is about to have a file at this address.
    pub(crate) fn awaits_file(&self, file: &Value) {
        lay(&self.files(), &file.to_string());
    }

    /// Returns true if the page has uploaded a file.
    pub(crate) fn is_given_file(&self) -> bool {
        !bodies(&self.files()).is_empty()
    }

    /// Has that file.
    pub(crate) fn has_file(&self) {
        close(&self.files());
    }

    /// Has the first file of a conversation that has not begun.
    pub(crate) fn has_first_file(file: &Value) {
        forget();
        lay("POST /conversations/*/files", &file.to_string());
        lay(RUN, ": here\n\n");
    }

    /// Ends the answer to its upload.
    pub(crate) fn closes_first_file() {
        for id in Self::file_holders() {
            close(&format!("POST /conversations/{id}/files"));
        }
    }

    /// The conversations to which the page has uploaded files.
    pub(crate) fn file_holders() -> Vec<String> {
        let names = names();
        let id = |name: &String| Some(name.strip_prefix("POST /conversations/")?.strip_suffix("/files")?.to_owned());
        names.iter().filter_map(id).collect()
    }

    /// Refuses the next answer.
    pub(crate) fn refuses(&self) {
        refuse(RUN);
    }

    /// The fragment of the page's address.
    pub(crate) fn fragment(&self) -> String {
        format!("#c={}", self.id)
    }

    /// Returns true if the page has asked for the history.
    pub(crate) fn is_asked(&self) -> bool {
        !bodies(&self.history()).is_empty()
    }

    /// Ends the answer to the request for the history.
    pub(crate) fn describes(&self) {
        close(&self.history());
    }

    /// Returns true if the page listens to the event feed.
    pub(crate) fn is_heard(&self) -> bool {
        !bodies(&self.events()).is_empty()
    }

    /// Sends an event to all listeners.
    pub(crate) fn tells(&self, id: &str, event: &Value) {
        write(&self.events(), &frame(id, event));
    }

    /// Another client answers a question, and the agent asks another one.
    pub(crate) fn goes_on(&self, answered: &str, next: &str, ask: &Value) {
        write(&self.events(), &self.answered(answered));
        self.asks(next, ask);
    }

    /// The same, all of which comes at once.
    pub(crate) fn has_gone_on(&self, answered: &str, next: &str, ask: &Value) {
        write(&self.events(), &[self.answered(answered), self.asked(next, ask).concat()].concat());
    }

    /// The agent asks in the run that is open, and ends it.
    pub(crate) fn asks(&self, next: &str, ask: &Value) {
        self.asked(next, ask).iter().for_each(|frame| write(&self.events(), frame));
    }

    /// A run begins with the answer of another client.
    fn answered(&self, call: &str) -> String {
        let answer = json!({"id": "t1", "role": "tool", "toolCallId": call, "content": "User cancelled the question"});
        let input = json!({"threadId": self.id, "runId": "r2", "messages": [answer]});
        frame("life-2", &json!({"type": "RUN_STARTED", "threadId": self.id, "runId": "r2", "input": input}))
    }

    /// That run asks, and ends.
    fn asked(&self, call: &str, ask: &Value) -> [String; 4] {
        [
            frame(
                "life-3",
                &json!({"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "ask_user_question"}),
            ),
            frame("life-4", &json!({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": ask.to_string()})),
            frame("life-5", &json!({"type": "TOOL_CALL_END", "toolCallId": call})),
            frame("life-6", &json!({"type": "RUN_FINISHED", "threadId": self.id, "runId": "r2"})),
        ]
    }

    /// The messages of each run that the page has posted.
    pub(crate) fn runs() -> Vec<Value> {
        let input = |body: &String| -> Value { serde_json::from_str(body).expect("an input") };
        bodies(RUN).iter().map(|body| input(body)["messages"].take()).collect()
    }

    /// Returns true if the page has posted a run to the agent of another address.
    pub(crate) fn is_posted(address: &str) -> bool {
        !bodies(&format!("POST {address}")).is_empty()
    }

    /// The agent says something in the run that the page has asked for, which stays open.
    pub(crate) fn says(&self, text: &str) {
        let input: Value = serde_json::from_str(&bodies(RUN)[0]).expect("an input");
        let started = json!({"type": "RUN_STARTED", "threadId": self.id, "runId": input["runId"]});
        let text = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "role": "assistant", "delta": text});
        write(RUN, &format!("data: {started}\n\ndata: {text}\n\n"));
    }

    /// The agent finishes the run that the page has asked for.
    pub(crate) fn finishes(&self) {
        let input: Value = serde_json::from_str(&bodies(RUN)[0]).expect("an input");
        let finished = json!({"type": "RUN_FINISHED", "threadId": self.id, "runId": input["runId"]});
        write(RUN, &format!("data: {finished}\n\n"));
        close(RUN);
    }

    fn history(&self) -> String {
        format!("GET /conversations/{}", self.id)
    }

    fn files(&self) -> String {
        format!("POST /conversations/{}/files", self.id)
    }

    fn events(&self) -> String {
        format!("GET /conversations/{}/events", self.id)
    }
}

fn frame(id: &str, event: &Value) -> String {
    format!("id: {id}\ndata: {event}\n\n")
}

fn call(id: &str, ask: &Value) -> Value {
    let function = json!({"name": "ask_user_question", "arguments": ask.to_string()});
    json!({"id": id, "type": "function", "function": function})
}

/// A question with two options.
pub(crate) fn question(text: &str, options: [&str; 2]) -> Value {
    json!({"question": text, "header": text, "options": [{"label": options[0]}, {"label": options[1]}]})
}
