//! The agent's end of the line, in the hands of a test.

use ag_ui_stream::input::RunAgentInput;
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(module = "/tests/web/scripted_agent.js")]
extern "C" {
    fn next_call() -> Promise;
    fn forget_calls();
    fn next_task() -> Promise;
    fn body_of(call: &JsValue) -> String;
    fn accept(call: &JsValue);
    fn write(call: &JsValue, text: &str);
    fn close(call: &JsValue);
    fn break_off(call: &JsValue);
    fn refuse(call: &JsValue, status: u16, body: &str);
    fn fail(call: &JsValue);
    fn is_aborted(call: &JsValue) -> bool;
}

/// Forgets what an earlier test left.
pub(crate) fn fresh() {
    forget_calls();
}

/// Lets every task run that is due.
pub(crate) async fn tick() {
    JsFuture::from(next_task())
        .await
        .expect("a task always comes");
}

/// One request that waits for its response.
pub(crate) struct Call {
    call: JsValue,
    /// What was posted.
    pub(crate) input: RunAgentInput,
}

impl Call {
    /// The next request, as soon as it is made.
    pub(crate) async fn next() -> Self {
        let call = JsFuture::from(next_call()).await.expect("a call comes");
        let input = serde_json::from_str(&body_of(&call)).expect("the body is a RunAgentInput");
        Self { call, input }
    }

    /// Answers with 200 and the beginning of the run.
    pub(crate) fn accept(&self) {
        accept(&self.call);
        self.event(&format!(
            r#"{{"type":"RUN_STARTED","threadId":"t","runId":"{}"}}"#,
            self.input.run_id
        ));
    }

    /// Sends one event.
    pub(crate) fn event(&self, json: &str) {
        write(&self.call, &format!("data: {json}\n\n"));
    }

    /// Says something.
    pub(crate) fn says(&self, id: &str, text: &str) {
        self.event(&format!(
            r#"{{"type":"TEXT_MESSAGE_CHUNK","messageId":"{id}","delta":{text:?}}}"#
        ));
    }

    /// Calls the ask tool, arguments and all.
    pub(crate) fn asks(&self, id: &str, arguments: &str) {
        self.begins_ask(id, arguments);
        self.event(&format!(
            r#"{{"type":"TOOL_CALL_END","toolCallId":"{id}"}}"#
        ));
    }

    /// Calls the ask tool and leaves its arguments open.
    pub(crate) fn begins_ask(&self, id: &str, arguments: &str) {
        self.event(&format!(
            r#"{{"type":"TOOL_CALL_START","toolCallId":"{id}","toolCallName":"ask_user_question"}}"#
        ));
        self.event(&format!(
            r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"{id}","delta":{arguments:?}}}"#
        ));
    }

    /// Ends the run well.
    pub(crate) fn finishes(&self) {
        self.event(&format!(
            r#"{{"type":"RUN_FINISHED","threadId":"t","runId":"{}"}}"#,
            self.input.run_id
        ));
        close(&self.call);
    }

    /// Ends the run with interrupts.
    pub(crate) fn interrupts(&self, interrupts: &str) {
        let outcome = format!(r#"{{"type":"interrupt","interrupts":{interrupts}}}"#);
        self.event(&format!(
            r#"{{"type":"RUN_FINISHED","threadId":"t","runId":"{}","outcome":{outcome}}}"#,
            self.input.run_id
        ));
        close(&self.call);
    }

    /// Whether the hook gave the request up.
    pub(crate) fn is_aborted(&self) -> bool {
        is_aborted(&self.call)
    }

    /// Cuts the connection in the middle of the run.
    pub(crate) fn breaks_off(&self) {
        break_off(&self.call);
    }

    /// Answers with an error status.
    pub(crate) fn refuses(&self, status: u16, body: &str) {
        refuse(&self.call, status, body);
    }

    /// Never answers: the network is gone.
    pub(crate) fn is_unreachable(&self) {
        fail(&self.call);
    }
}
