//! The two tools as clients see them, and the results of their calls.

use crate::own_page::EndedAsk;
use ask_user_question::attachment::Attachment;
use ask_user_question::outcome::OutcomeKind;
use ask_user_question::tool::{NAMES, tool_definition};
use ask_user_question::{AskUserQuestion, Limits, Outcome};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject, ResourceContents, Tool, object};
use serde_json::{Value, json};

/// The tool that asks.
pub(crate) const ASK: &str = NAMES[0];

/// The tool that goes on waiting.
pub(crate) const WAIT: &str = "wait_for_answer";

/// The address of the card.
pub(crate) const VIEW_URI: &str = "ui://question-card/card.html";

/// The media type of the card, as the extension names it.
pub(crate) const VIEW_TYPE: &str = "text/html;profile=mcp-app";

/// An `outcome` in addition to those of other deliveries: every question was skipped, so there is no answer.
const SKIPPED: &str = "skipped";

/// The `outcome` if the question is on the client's screen. The answer comes as the next message.
const SHOWN: &str = "shown";

/// The `outcome` if the question waits on its page.
const OPEN: &str = "open";

/// The end of every text that is no answer.
const NO_ANSWER: &str = "This is no answer and no consent.";

/// The tool that asks. With a view, it tells clients the view's address.
pub(crate) fn asking(limits: &Limits, has_view: bool) -> Tool {
    let definition = tool_definition(limits);
    let mut tool = tool(ASK, "Ask the user", &definition.description, definition.parameters.into_value());
    if has_view {
        let view = json!({"ui": {"resourceUri": VIEW_URI, "visibility": ["model", "app"]}});
        tool.meta = Some(MetaObject(object(view)));
    }
    tool
}

pub(crate) fn waiting() -> Tool {
    let what = "Goes on waiting for the answer to a question that ask_user_question has asked and that is still open. \
                Call it until the outcome is another than \"open\".";
    let id = json!({"type": "string", "description": "The `ask_id` of the question."});
    let parameters = json!({"type": "object", "properties": {"ask_id": id}, "required": ["ask_id"]});
    tool(WAIT, "Wait for the answer", what, parameters)
}

fn tool(name: &str, title: &str, description: &str, parameters: Value) -> Tool {
    let tool = json!({
        "name": name, "title": title, "description": description,
        "inputSchema": parameters, "outputSchema": output(),
        "annotations": {"title": title, "readOnlyHint": true, "openWorldHint": false},
    });
    serde_json::from_value(tool).expect("these are the members of a tool")
}

/// The schema of what both tools return.
fn output() -> Value {
    let mut outcomes: Vec<&str> = OutcomeKind::ALL.iter().map(|kind| kind.as_str()).collect();
    outcomes.extend([SKIPPED, SHOWN, OPEN]);
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {
            "outcome": {"type": "string", "enum": outcomes, "description": "Only \"answered\" is an answer."},
            "answers": {"type": "object", "additionalProperties": text, "description": "The answer by the question's text."},
            "details": {"type": "array", "items": {"type": "object"}, "description": "Each question's answer, where `answers` would lose something."},
            "message": text,
            "text": text,
            "ask_id": text,
            "answered_at": {"type": "string", "description": "The time at which the user answered on a page."},
        },
        "required": ["outcome"],
    })
}

/// The result of an ask that has ended.
pub(crate) fn over(ask: &AskUserQuestion, outcome: &Outcome) -> CallToolResult {
    let mut content = object(json!({"outcome": word(outcome)}));
    match outcome.to_json(ask).into_value() {
        Value::Object(reply) => content.extend(reply.into_iter().filter(|(name, _)| name != "outcome")),
        sentence => content.extend([("message".to_owned(), sentence)]),
    }
    result(outcome.tool_content(ask), content)
}

/// The result of an ask that has ended, as the page has stored it. Its time tells a new answer from one that was given while no call waited.
pub(crate) fn stored(ended: &EndedAsk) -> CallToolResult {
    let EndedAsk { ask, content, ended_at } = ended;
    let Some(outcome) = Outcome::parse(ask, content) else {
        return error("no_answer", content);
    };
    let files: Vec<ContentBlock> = outcome.attachments().into_iter().filter_map(|(_, file)| block(file)).collect();
    let outcome = outcome.without_data();
    let mut result = over(ask, &outcome);
    result.content.extend(files);
    if let (Outcome::Answered(_), Some(time), Some(content)) = (&outcome, ended_at, &mut result.structured_content) {
        content["answered_at"] = time.as_str().into();
    }
    result
}

/// A file of an answer as a content block, with the bytes of its `data:` URL.
fn block(file: &Attachment) -> Option<ContentBlock> {
    let (_, bytes) = file.url.strip_prefix("data:")?.split_once(";base64,")?;
    let kind = file.media_type.as_str();
    if file.is_picture() {
        return Some(ContentBlock::image(bytes, kind));
    }
    let uri = format!("attachment:{}", utf8_percent_encode(&file.name, NON_ALPHANUMERIC));
    let is_text = kind.starts_with("text/") || kind == "application/json";
    let text = is_text.then(|| String::from_utf8(BASE64.decode(bytes).ok()?).ok()).flatten();
    let contents = match text {
        Some(text) => ResourceContents::text(text, uri),
        None => ResourceContents::blob(bytes, uri),
    };
    Some(ContentBlock::resource(contents.with_mime_type(kind)))
}

/// The `outcome`. An answer in which every question was skipped counts as none.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered(reply) if reply.answers().iter().all(|answer| answer.given.is_skipped()) => SKIPPED,
        _ => outcome.kind().as_str(),
    }
}

/// The result of a call whose question is on the client's screen. It has the repaired ask for the view, which repairs nothing; the model does not
/// read that part.
pub(crate) fn shown(ask: &AskUserQuestion) -> CallToolResult {
    let text = format!(
        "The question is on the user's screen and not answered yet. The answer comes as the user's next message: end your turn now, and do \
         nothing that depends on it. {NO_ANSWER}"
    );
    let content = object(json!({"outcome": SHOWN, "message": text}));
    let mut result = result(text, content);
    result.meta = Some(MetaObject(object(json!({"ask": ask}))));
    result
}

/// The result of a call that has waited for as long as it may.
pub(crate) fn open(id: &str, address: Option<&str>) -> CallToolResult {
    let place = address.map(|address| format!(" Tell the user to answer at {address} first.")).unwrap_or_default();
    let text = format!(
        "The question is still open: the user has not answered yet.{place} Call {WAIT} with ask_id \"{id}\" to go on waiting. {NO_ANSWER}"
    );
    let content = object(json!({"outcome": OPEN, "ask_id": id, "message": text}));
    result(text, content)
}

/// The result of a call whose agent does not wait for the answer.
pub(crate) fn asked(id: &str, address: Option<&str>) -> CallToolResult {
    let place =
        address.map(|address| format!(" Tell the user to answer at {address} when it suits them.")).unwrap_or_default();
    let text = format!(
        "The question is asked and open.{place} Go on with what does not depend on it, and call {WAIT} with ask_id \"{id}\" when you need the \
         answer. {NO_ANSWER}"
    );
    let content = object(json!({"outcome": OPEN, "ask_id": id, "message": text}));
    result(text, content)
}

/// An error that the model reads, with a code.
pub(crate) fn error(code: &'static str, text: &str) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(format!("{text} {NO_ANSWER}"))]);
    result.meta = Some(MetaObject(object(json!({"code": code}))));
    result
}

fn result(text: String, content: JsonObject) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(Value::Object(content));
    result
}
