//! Histories in the form of the vendors' library.

use crate::pictures::{Pictures, shown};
use crate::vendor::{Api, Vendor};
use ask_user_question::attachment::Attachment;
use json_tree::parse;
use question_agent::background::{is_withdrawn, text_for_model};
use question_agent::call::ToolCall;
use question_agent::message::{AssistantMessage, Message};
use rig_core::message::{
    self as theirs, AssistantContent, CallId, DocumentSourceKind, Image, ImageMediaType, MimeType as _, Text,
    ToolFunction, ToolName, ToolResult, ToolResultContent, UserContent,
};
use serde_json::{Map, Value, from_value, json};
use std::collections::{HashMap, HashSet};

/// The first message of a history that the agent began, for APIs that want a user's message first.
const AGENT_FIRST: &str = "(The agent spoke first.)";

/// The history that an endpoint gets.
pub(crate) struct VendorHistory<'a> {
    vendor: &'a Vendor,
    /// `None` if the model sees none.
    pictures: Option<&'a Pictures>,
    /// The endpoint and the model, which alone get their own ids and thoughts back.
    origin: &'a str,
    sends_reasoning: bool,
    /// True if the user and the agent have to take turns.
    takes_turns: bool,
    /// The ids and tools of calls by the ids that clients know.
    calls: HashMap<&'a str, (CallId, ToolName)>,
    /// The addresses of the pictures that are in it: several messages may name one.
    seen: HashSet<String>,
    messages: Vec<theirs::Message>,
}

impl<'a> VendorHistory<'a> {
    pub(crate) fn new(
        vendor: &'a Vendor,
        pictures: Option<&'a Pictures>,
        origin: &'a str,
        sends_reasoning: bool,
    ) -> Self {
        Self {
            vendor,
            pictures,
            origin,
            sends_reasoning,
            takes_turns: !matches!(vendor.api, Api::Chat(_)),
            calls: HashMap::new(),
            seen: HashSet::new(),
            messages: Vec::new(),
        }
    }

    /// The messages behind this system prompt.
    pub(crate) fn with(mut self, system: String, messages: &'a [Message]) -> Vec<theirs::Message> {
        self.messages.push(theirs::Message::System { content: system });
        if self.takes_turns && !matches!(messages.first(), Some(Message::User(_))) {
            self.user(vec![text(AGENT_FIRST)]);
        }
        for message in messages {
            match message {
                Message::User(user) => {
                    let (said, images) = self.with_files(&text_for_model(messages, user), &message.attachments());
                    let images = images.into_iter().map(UserContent::Image);
                    self.user([text(&said)].into_iter().chain(images).collect());
                }
                // Its call has a result already.
                Message::Tool(result) if is_withdrawn(result) => {}
                Message::Tool(result) => {
                    let call = self.calls.get(result.tool_use_id.as_str()).cloned();
                    let Some((call, name)) = call.or_else(|| id_and_name(&result.tool_use_id, "tool")) else {
                        continue;
                    };
                    let (text, images) = self.with_files(&result.content, &message.attachments());
                    let mut content = vec![ToolResultContent::Text(Text::new(text))];
                    content.extend(images.into_iter().map(ToolResultContent::Image));
                    self.result(ToolResult { call, name, content, is_error: result.is_error });
                }
                Message::Assistant(assistant) => self.assistant(assistant),
            }
        }
        self.messages
    }

    /// A text with the sentences about its files, and the pictures among them that the model gets.
    fn with_files(&mut self, text: &str, files: &[Attachment]) -> (String, Vec<Image>) {
        let (told, shown) = shown(self.vendor, self.pictures, files);
        let parts = [text, &told].into_iter().filter(|part| !part.is_empty());
        let new = shown.into_iter().filter(|(file, _)| self.seen.insert(file.url.clone()));
        let images = new.map(|(file, bytes)| Image {
            data: DocumentSourceKind::Raw(bytes.to_vec()),
            media_type: ImageMediaType::from_mime_type(&file.media_type),
            ..Image::default()
        });
        (parts.collect::<Vec<&str>>().join("\n\n"), images.collect())
    }

    /// Results of one turn stay together: pictures that an endpoint does not take in them go into a message behind them all.
    fn result(&mut self, result: ToolResult) {
        let content = UserContent::ToolResult(result);
        match self.messages.last_mut() {
            Some(theirs::Message::User { content: known })
                if known.iter().all(|content| matches!(content, UserContent::ToolResult(_))) =>
            {
                known.push(content);
            }
            _ => self.user(vec![content]),
        }
    }

    fn user(&mut self, content: Vec<UserContent>) {
        if let Some(theirs::Message::User { content: known }) = self.messages.last_mut().filter(|_| self.takes_turns) {
            known.extend(content);
        } else {
            self.messages.push(theirs::Message::User { content });
        }
    }

    fn assistant(&mut self, assistant: &'a AssistantMessage) {
        let turn = self.own_turn(assistant).unwrap_or_else(|| rebuilt(assistant));
        for (call, theirs) in assistant.tool_calls.iter().zip(turn.tool_calls()) {
            self.calls.insert(&call.id, (theirs.id.clone(), theirs.function.name.clone()));
        }
        if !turn.content.is_empty() {
            self.messages.push(theirs::Message::Assistant(turn));
        }
    }

    /// The turn as the endpoint itself wrote it.
    fn own_turn(&self, assistant: &AssistantMessage) -> Option<theirs::AssistantMessage> {
        let stored = assistant.origin.clone()?.into_value();
        if stored["from"] != *self.origin {
            return None;
        }
        let mut turn: theirs::AssistantMessage = from_value(stored["turn"].clone()).ok()?;
        if !self.sends_reasoning {
            turn.content.retain(|content| !matches!(content, AssistantContent::Reasoning(_)));
        }
        // The library leaves out a turn whose finish reason it does not know.
        turn.stop = None;
        let is_text = |content: &AssistantContent| matches!(content, AssistantContent::Text(_));
        let texts = turn.content.iter().filter_map(|content| match content {
            AssistantContent::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        if texts.collect::<String>().trim() != assistant.text.trim() {
            // The text of the endpoint's own turn had thoughts in it.
            turn.content.retain(|content| !is_text(content));
            let call = turn.content.iter().position(|content| matches!(content, AssistantContent::ToolCall(_)));
            let at = call.unwrap_or_default();
            turn.content.splice(at..at, said(assistant));
        }
        let mut ours = assistant.tool_calls.iter();
        for content in &mut turn.content {
            if let AssistantContent::ToolCall(theirs) = content {
                *content = as_read(theirs.clone(), ours.next()?)?;
            }
        }
        ours.next().is_none().then_some(turn)
    }
}

/// Returns true if the model goes on after its user's message, or after results of calls with thoughts before them.
pub(crate) fn may_think(messages: &[theirs::Message]) -> bool {
    let last = messages.iter().rev().find_map(|message| match message {
        theirs::Message::Assistant(turn) => Some(&turn.content),
        theirs::Message::User { .. } | theirs::Message::System { .. } => None,
    });
    let has = |is: fn(&AssistantContent) -> bool| last.is_some_and(|content| content.iter().any(is));
    !has(|content| matches!(content, AssistantContent::ToolCall(_)))
        || has(|content| matches!(content, AssistantContent::Reasoning(_)))
}

fn text(text: &str) -> UserContent {
    UserContent::Text(Text::new(text))
}

/// A call with its name and arguments as they were read, and with all else that the endpoint wrote, such as a signature.
fn as_read(mut theirs: theirs::ToolCall, ours: &ToolCall) -> Option<AssistantContent> {
    let function = ToolFunction::new(ToolName::new(ours.name()).ok()?, Value::Object(arguments(ours)));
    if theirs.function == function {
        return Some(AssistantContent::ToolCall(theirs));
    }
    theirs.function = function;
    let item = theirs.native.take().map(|native| native.item);
    let written = [json!(theirs.function.name), Value::Object(theirs.function.arguments.clone())];
    let call = AssistantContent::ToolCall(theirs);
    let Some(mut item) = item else {
        return Some(call);
    };
    // The places of name and arguments in items of Gemini and Anthropic. In items of chat completions, the library sets both itself.
    for places in [["/functionCall/name", "/functionCall/args"], ["/name", "/input"]] {
        for (place, written) in places.iter().zip(&written) {
            if let Some(place) = item.pointer_mut(place) {
                place.clone_from(written);
            }
        }
    }
    Some(call.with_native(item))
}

/// Rebuilds a turn that another endpoint or model wrote.
fn rebuilt(assistant: &AssistantMessage) -> theirs::AssistantMessage {
    let calls = assistant.tool_calls.iter().filter_map(call);
    theirs::AssistantMessage::new(said(assistant).into_iter().chain(calls).collect())
}

fn said(assistant: &AssistantMessage) -> Option<AssistantContent> {
    (!assistant.text.trim().is_empty()).then(|| AssistantContent::Text(Text::new(assistant.text.clone())))
}

fn call(call: &ToolCall) -> Option<AssistantContent> {
    let (id, name) = id_and_name(&call.id, call.name())?;
    let function = ToolFunction::new(name, Value::Object(arguments(call)));
    Some(AssistantContent::ToolCall(theirs::ToolCall::new(id, function)))
}

/// Arguments that are no JSON object become `{}`, since endpoints refuse the whole history for them; the tool's result has the error.
fn arguments(call: &ToolCall) -> Map<String, Value> {
    match parse(call.arguments()) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    }
}

fn id_and_name(id: &str, name: &str) -> Option<(CallId, ToolName)> {
    Some((CallId::from_wire(id), ToolName::new(name).ok()?))
}
