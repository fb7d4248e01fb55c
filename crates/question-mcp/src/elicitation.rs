//! The elicitation: the question as a form that the client shows.

use crate::tools::{self, VIEW_URI};
use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::Json;
use question_form::Form;
use rmcp::model::{
    CallToolResult, ElicitRequestParams, ElicitResult, ElicitationAction, MetaObject, RequestMetaObject, object,
};
use serde_json::{Value, json};

/// The message of a form with several questions, each of which is the text of its field.
const SEVERAL: &str = "The agent asks you some questions.";

/// The sentence for a user who sent a form without any answer.
const AGAIN: &str = "No option was chosen and no text typed. Choose an option, write under \"Other\", or decline.";

/// The form of the question; `None` if the protocol has none for it. `again` is true if the user sent it without any answer before. `in_card` is true
/// if the client shows the card for the form.
pub(crate) fn form(ask: &AskUserQuestion, again: bool, in_card: bool) -> Option<ElicitRequestParams> {
    let mut message = match &ask.questions[..] {
        [only] => only.text().into_owned(),
        _ => SEVERAL.to_owned(),
    };
    if again {
        message = format!("{AGAIN} {message}");
    }
    let mut schema = Form::of(ask).schema(ask).into_value();
    for (at, question) in ask.questions.iter().enumerate() {
        // Clients read only the title of an option, so its description goes into the field's. Some show a line break as a blot.
        let options = question.options.iter().filter_map(|option| Some((&option.label, option.description.as_ref()?)));
        let described: Vec<String> = options.map(|(label, description)| format!("{label}: {description}")).collect();
        let property = &mut schema["properties"][format!("question_{}", at + 1)];
        let described = match (property["description"].as_str(), described.join("; ")) {
            (_, options) if options.is_empty() => continue,
            (None, options) => options,
            (Some(question), options) => format!("{question} ({options})"),
        };
        property["description"] = described.into();
    }
    let meta = in_card.then(|| RequestMetaObject(MetaObject(object(json!({"ui": {"resourceUri": VIEW_URI}})))));
    let requested_schema = serde_json::from_value(schema)
        .inspect_err(|error| tracing::error!(%error, "the form of a question is no elicitation schema"))
        .ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta, message, requested_schema })
}

/// The result of a call whose form has this answer. Returns `None` if the user sent no answer and is to be asked again.
pub(crate) fn result(ask: &AskUserQuestion, answer: &ElicitResult, again: bool) -> Option<CallToolResult> {
    let outcome = match (&answer.action, &answer.content) {
        (ElicitationAction::Decline, _) => Outcome::Declined,
        (ElicitationAction::Cancel, _) => Outcome::Superseded,
        (ElicitationAction::Accept, None | Some(Value::Null | Value::Object(_))) => {
            let content = answer.content.as_ref().map_or(Json::Null, Json::from);
            let Some(reply) = Form::of(ask).read(ask, &content) else {
                return Some(unreadable());
            };
            if !again && reply.answers().iter().all(|answer| answer.given.is_skipped()) {
                return None;
            }
            Outcome::Answered(reply)
        }
        _ => return Some(unreadable()),
    };
    Some(tools::over(ask, &outcome))
}

/// The result of a call whose form was answered with something else.
pub(crate) fn unreadable() -> CallToolResult {
    tools::error("invalid_reply", "The answer does not fit the question. Ask it again.")
}
