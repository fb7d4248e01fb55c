//! The agent's end of the line, in the hands of a test.

use ag_ui_stream::Message;
use ag_ui_stream::input::RunAgentInput;
use js_sys::Promise;
use serde_json::Value;
use std::ops::Deref;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(module = "/tests/web/scripted_agent.js")]
extern "C" {
    fn next_call(name: &str) -> Promise;
    fn open_calls() -> Vec<String>;
    fn forget_calls();
    fn take_complaints() -> Vec<String>;
    fn next_task() -> Promise;
    fn body_of(call: &JsValue) -> String;
    fn path_of(call: &JsValue) -> String;
    fn header_of(call: &JsValue, name: &str) -> Option<String>;
    fn credentials_of(call: &JsValue) -> String;
    fn parameter_of(call: &JsValue, name: &str) -> Option<String>;
    fn accept(call: &JsValue, date: Option<&str>);
    fn write(call: &JsValue, text: &str);
    fn close(call: &JsValue);
    fn break_off(call: &JsValue);
    fn answer(call: &JsValue, status: u16, body: &str, date: Option<&str>);
    fn fail(call: &JsValue);
    fn is_aborted(call: &JsValue) -> bool;
    fn is_sent(call: &JsValue, loaded: u32, total: u32);
    fn show(visible: bool);
    fn connect(online: bool);
    fn lock(state: &str);
    fn dispatch(name: &str);
    fn store(key: &str);
    fn turn_clock(milliseconds: u32);
    fn stop_clock(stands: bool);
}

/// Forgets what an earlier test left.
pub(crate) fn fresh() {
    forget_calls();
    take_complaints();
    show(true);
    connect(true);
    lock("granted");
    stop_clock(false);
}

/// The browser shows the page, or hides it.
pub(crate) fn is_shown(visible: bool) {
    show(visible);
}

/// The machine gets a network, or loses it.
pub(crate) fn is_connected(online: bool) {
    connect(online);
}

/// The browser has Web Locks: `granted`, `none` or `refused`.
pub(crate) fn locks_are(state: &str) {
    lock(state);
}

/// The browser tells its page something else.
pub(crate) fn tells(event: &str) {
    dispatch(event);
}

/// The browser tells its page that another has kept something under this key.
pub(crate) fn stores(key: &str) {
    store(key);
}

/// Time passes, in milliseconds.
pub(crate) fn passes(milliseconds: u32) {
    turn_clock(milliseconds);
}

/// From now on timers wait until [time passes](passes).
pub(crate) fn clock_stands() {
    stop_clock(true);
}

/// The messages of the browser's console since the last call.
pub(crate) fn complaints() -> Vec<String> {
    take_complaints()
}

/// The requests that wait and that the test has not taken, as `METHOD PATH`.
pub(crate) fn waiting() -> Vec<String> {
    open_calls()
}

/// Lets every task run that is due.
pub(crate) async fn tick() {
    JsFuture::from(next_task()).await.expect("a task always comes");
}

/// The request of a run, which waits for its response.
pub(crate) struct Call {
    request: Request,
    /// The posted input.
    pub(crate) input: RunAgentInput,
}

impl Deref for Call {
    type Target = Request;

    fn deref(&self) -> &Request {
        &self.request
    }
}

impl Call {
    /// The next request, as soon as it is made.
    pub(crate) async fn next() -> Self {
        let request = Request::next("POST /agent").await;
        let input = serde_json::from_str(&body_of(&request.call)).expect("the body is a RunAgentInput");
        Self { request, input }
    }

    /// Answers with 200 and the beginning of the run.
    pub(crate) fn accept(&self) {
        accept(&self.call, None);
        self.event(&self.of_run("RUN_STARTED", ""));
    }

    /// The same, at this time of the server.
    pub(crate) fn accept_at(&self, date: &str) {
        accept(&self.call, Some(date));
        self.event(&self.of_run("RUN_STARTED", ""));
    }

    /// Answers with a whole run, in which nothing is said.
    pub(crate) fn runs(&self) {
        self.accept();
        self.finishes();
    }

    /// Answers with a whole run, in which this is said.
    pub(crate) fn runs_saying(&self, id: &str, text: &str) {
        self.accept();
        self.says(id, text);
        self.finishes();
    }

    /// Accepts, and writes this as it is.
    pub(crate) fn writes(&self, text: &str) {
        accept(&self.call, None);
        write(&self.call, text);
    }

    /// An event of the run, with more members.
    fn of_run(&self, kind: &str, more: &str) -> String {
        let RunAgentInput { thread_id, run_id, .. } = &self.input;
        format!(r#"{{"type":"{kind}","threadId":"{thread_id}","runId":"{run_id}"{more}}}"#)
    }

    /// `metadata.ask.replyId` of the first reply.
    pub(crate) fn reply_id(&self) -> String {
        let metadata = self.input.messages.iter().filter_map(Message::metadata);
        let mut asks = metadata.filter_map(|metadata| metadata.get("ask"));
        let reply_id = asks.find_map(|ask| ask.get("replyId")?.as_str());
        reply_id.expect("it carries a reply").to_owned()
    }

    /// The path of the request.
    pub(crate) fn path(&self) -> String {
        path_of(&self.call)
    }

    /// The use of cookies by the request.
    pub(crate) fn credentials(&self) -> String {
        credentials_of(&self.call)
    }

    /// Sends one event.
    pub(crate) fn event(&self, json: &str) {
        write(&self.call, &format!("data: {json}\n\n"));
    }

    /// Sends a text of the agent.
    pub(crate) fn says(&self, id: &str, text: &str) {
        self.event(&format!(r#"{{"type":"TEXT_MESSAGE_CHUNK","messageId":"{id}","delta":{text:?}}}"#));
    }

    /// Calls the ask tool, arguments and all.
    pub(crate) fn asks(&self, id: &str, arguments: &str) {
        self.begins_ask(id, arguments);
        self.event(&format!(r#"{{"type":"TOOL_CALL_END","toolCallId":"{id}"}}"#));
    }

    /// Calls another tool, arguments and all.
    pub(crate) fn calls(&self, id: &str, name: &str, arguments: &str) {
        self.event(&format!(r#"{{"type":"TOOL_CALL_START","toolCallId":"{id}","toolCallName":"{name}"}}"#));
        if !arguments.is_empty() {
            self.event(&format!(r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"{id}","delta":{arguments:?}}}"#));
        }
        self.event(&format!(r#"{{"type":"TOOL_CALL_END","toolCallId":"{id}"}}"#));
    }

    /// Calls the ask tool and leaves its arguments open.
    pub(crate) fn begins_ask(&self, id: &str, arguments: &str) {
        self.event(&format!(r#"{{"type":"TOOL_CALL_START","toolCallId":"{id}","toolCallName":"ask_user_question"}}"#));
        self.event(&format!(r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"{id}","delta":{arguments:?}}}"#));
    }

    /// Ends the run well.
    pub(crate) fn finishes(&self) {
        self.event(&self.of_run("RUN_FINISHED", ""));
        close(&self.call);
    }

    /// Ends the run with an error.
    pub(crate) fn errs(&self, message: &str) {
        self.event(&format!(r#"{{"type":"RUN_ERROR","message":{message:?}}}"#));
        close(&self.call);
    }

    /// Ends the run with an interrupt for the ask `c1`, which expires in this number of milliseconds.
    pub(crate) fn waits_for_answer(&self, milliseconds: f64) {
        let expires_at = js_sys::Date::new(&(js_sys::Date::now() + milliseconds).into()).to_iso_string();
        self.interrupts(&format!(
            r#"[{{"id":"i1","reason":"tool_call","toolCallId":"c1","expiresAt":"{expires_at}"}}]"#
        ));
    }

    /// Ends the run with interrupts.
    pub(crate) fn interrupts(&self, interrupts: &str) {
        let outcome = format!(r#","outcome":{{"type":"interrupt","interrupts":{interrupts}}}"#);
        self.event(&self.of_run("RUN_FINISHED", &outcome));
        close(&self.call);
    }

    /// Answers with an error status.
    pub(crate) fn refuses(&self, status: u16, body: &str) {
        answer(&self.call, status, body, None);
    }
}

/// A request that waits for its response.
pub(crate) struct Request {
    call: JsValue,
}

impl Request {
    /// The next request of this method and path, as soon as it is made.
    pub(crate) async fn next(name: &str) -> Self {
        let call = JsFuture::from(next_call(name)).await.expect("a call comes");
        Self { call }
    }

    /// The posted body.
    pub(crate) fn body(&self) -> Value {
        serde_json::from_str(&body_of(&self.call)).expect("the body is JSON")
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        header_of(&self.call, name)
    }

    /// A parameter in the request's address.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        parameter_of(&self.call, name)
    }

    /// So many bytes of an upload are sent.
    #[cfg(feature = "card")]
    pub(crate) fn is_sent(&self, bytes: u32, all: u32) {
        is_sent(&self.call, bytes, all);
    }

    /// Answers as a whole.
    pub(crate) fn answers(&self, status: u16, body: &Value) {
        answer(&self.call, status, &body.to_string(), None);
    }

    /// Answers as a whole, at this time of the server.
    pub(crate) fn answers_at(&self, date: &str, body: &Value) {
        answer(&self.call, 200, &body.to_string(), Some(date));
    }

    /// Answers with a page.
    pub(crate) fn answers_with_page(&self, page: &str) {
        answer(&self.call, 200, page, None);
    }

    /// Answers with a stream.
    pub(crate) fn streams(&self) {
        accept(&self.call, None);
    }

    /// Sends a frame of the stream.
    pub(crate) fn tells(&self, event: &str, id: &str, data: &Value) {
        let event = if event.is_empty() { String::new() } else { format!("event: {event}\n") };
        let id = if id.is_empty() { String::new() } else { format!("id: {id}\n") };
        write(&self.call, &format!("{event}{id}data: {data}\n\n"));
    }

    /// Ends the stream.
    pub(crate) fn ends(&self) {
        close(&self.call);
    }

    /// Cuts the connection.
    pub(crate) fn breaks_off(&self) {
        break_off(&self.call);
    }

    /// Never answers: the network is gone.
    pub(crate) fn is_unreachable(&self) {
        fail(&self.call);
    }

    /// Returns true if the hook gave the request up.
    pub(crate) fn is_aborted(&self) -> bool {
        is_aborted(&self.call)
    }
}
