//! The question as a form that the client shows.

use crate::tools::{VIEW_URI, members};
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use json_tree::Json;
use question_form::Form;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, MetaObject, RequestMetaObject};
use serde_json::{Value, json};

/// The message where there are several questions, each of which is in its field.
const SEVERAL: &str = "The agent asks you some questions.";

/// The sentence for a user who sent a form without any answer.
const AGAIN: &str = "No option was chosen and no text typed. Choose an option, write under \"Other\", or decline.";

/// The form of the question; `None` if the protocol has none for it. `again` is true if it was sent without any answer before; `in_card`, if
/// the client shows the card for it.
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
        // Constants with a title are all that clients read of an option, and some show a line break as a blot.
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
    let meta = in_card.then(|| RequestMetaObject(MetaObject(members(json!({"ui": {"resourceUri": VIEW_URI}})))));
    let requested_schema = serde_json::from_value(schema)
        .inspect_err(|error| tracing::error!(%error, "the form of a question is no elicitation schema"))
        .ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta, message, requested_schema })
}

/// The answer to a form.
pub(crate) enum FormAnswer {
    /// The outcome of the ask.
    Settled(Outcome),
    /// No answer at all, in a form that was accepted.
    Blank,
    /// Something that can't be read as an answer to this question.
    Unreadable,
}

/// Reads the answer to a form.
pub(crate) fn read(ask: &AskUserQuestion, answer: &ElicitResult) -> FormAnswer {
    match answer.action {
        ElicitationAction::Decline => return FormAnswer::Settled(Outcome::Declined),
        ElicitationAction::Cancel => return FormAnswer::Settled(Outcome::Superseded),
        ElicitationAction::Accept => {}
        _ => return FormAnswer::Unreadable,
    }
    let content = match &answer.content {
        None | Some(Value::Null) => return FormAnswer::Blank,
        Some(content @ Value::Object(_)) => content,
        Some(_) => return FormAnswer::Unreadable,
    };
    match Form::of(ask).read(ask, &Json::from(content)) {
        Some(reply) if reply.answers().iter().all(|answer| answer.given.is_skipped()) => FormAnswer::Blank,
        Some(reply) => FormAnswer::Settled(Outcome::Answered(reply)),
        None => FormAnswer::Unreadable,
    }
}

/// The outcome of a form that was sent without any answer twice: every question was skipped.
pub(crate) fn nothing(ask: &AskUserQuestion) -> Outcome {
    let reply = Reply::of(ask, (0..ask.questions.len()).map(Selection::skipped).collect());
    reply.map_or(Outcome::Superseded, Outcome::Answered)
}
