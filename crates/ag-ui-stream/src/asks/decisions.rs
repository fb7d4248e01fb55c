//! Interrupts that ask for several decisions, as `LangChain`'s human-in-the-loop middleware sends them: a list of waiting calls, each with its
//! allowed decisions. The answer is a list of decisions in the same order
//! (<https://reference.langchain.com/python/langchain/agents/middleware/human_in_the_loop>).

use super::edits::{EditForm, Wire};
use super::form::{Asked, Decision, InterruptPart, ReplyForm, ask_in, asked};
use crate::outcome::{first, unpacked};
use ask_user_question::outcome::{DECLINED_TEXT, Outcome};
use ask_user_question::repairs::Repairs;
use ask_user_question::{AskUserQuestion, Reply};
use json_tree::Json;
use question_form::Form;
use std::sync::Arc;

/// One part for each call in the list; empty if the value has another form.
pub(super) fn parts(value: &Json<'static>, repairs: &Repairs) -> Vec<InterruptPart> {
    let requests = list(value, &["action_requests", "actionRequests"]);
    let mut parts = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let config = config(value, request, at);
        let allowed = first(config, &["allowed_decisions", "allowedDecisions"]).and_then(Json::as_list);
        // Without a list, every decision is allowed that leaves the arguments unchanged.
        let allows = |decision: &str| match allowed {
            Some(allowed) => allowed.iter().any(|it| it.as_str() == Some(decision)),
            None => decision != "edit",
        };
        let arguments = first(request, &["args", "arguments"]).map(unpacked);
        let arguments = arguments.as_ref();
        let asked = arguments
            .and_then(|arguments| ask_in(arguments, repairs))
            .filter(|_| allows("respond"))
            .map(|ask| (ask, None));
        let edits = if asked.is_none() && allows("approve") && allows("edit") {
            editing(request, arguments, config, allows("reject"))
        } else {
            None
        };
        let (asked, form) = match edits {
            Some((ask, form)) => (Some((ask, Some(Arc::clone(&form)))), form),
            None => {
                let asked = asked.or_else(|| allows("approve").then(|| approval(request, arguments)));
                let approval = asked.as_ref().and_then(|(_, form)| form.clone());
                let form: Arc<dyn ReplyForm> = Arc::new(DecisionForm { can_reject: allows("reject"), approval });
                (asked, form)
            }
        };
        let decision = Decision { at, of: requests.len(), form };
        parts.push(InterruptPart { asked, decision: Some(decision) });
    }
    parts
}

fn editing(
    request: &Json<'static>,
    arguments: Option<&Json<'static>>,
    config: &Json<'static>,
    can_reject: bool,
) -> Option<(AskUserQuestion, Arc<dyn ReplyForm>)> {
    let wire = Wire::Decision { name: first(request, NAME)?.clone() };
    let schema = first(config, &["args_schema", "argsSchema"]).unwrap_or(config);
    // The question omits the arguments, since the fields show them.
    let (ask, form) = EditForm::of(&about(request, None), arguments?, (schema, schema), can_reject, wire)?;
    Some((ask, Arc::new(form)))
}

fn approval(request: &Json<'static>, arguments: Option<&Json<'static>>) -> Asked {
    asked(Form::approval(&about(request, arguments), APPROVED))
}

const NAME: &[&str] = &["name", "action"];

/// The question about a call: its description, or the tool's name and the arguments.
fn about(request: &Json<'static>, arguments: Option<&Json<'static>>) -> String {
    let text = |names: &[&str]| first(request, names).and_then(Json::as_str).unwrap_or_default();
    let mut question = text(&["description"]).to_owned();
    if question.is_empty() {
        text(NAME).clone_into(&mut question);
        if let Some(arguments) = arguments {
            question.push(' ');
            arguments.write(&mut question);
        }
    }
    question
}

const APPROVED: &str = "approved";

/// The allowed decisions for a call, found by the tool's name or else by the call's index.
fn config<'v>(value: &'v Json<'static>, request: &Json<'static>, at: usize) -> &'v Json<'static> {
    let configs = list(value, &["review_configs", "reviewConfigs"]);
    let name = request.get("name").or_else(|| request.get("action"));
    let is_named = |config: &&Json<'static>| first(config, &["action_name", "actionName"]) == name;
    let config = configs.get(at).filter(is_named).or_else(|| configs.iter().find(is_named)).or_else(|| configs.get(at));
    config.unwrap_or(&Json::Null)
}

fn list<'v>(value: &'v Json<'static>, names: &[&str]) -> &'v [Json<'static>] {
    first(value, names).and_then(Json::as_list).unwrap_or_default()
}

/// The form of one decision on a call: `approve`, `reject` or `respond`.
struct DecisionForm {
    can_reject: bool,
    approval: Option<Arc<dyn ReplyForm>>,
}

impl ReplyForm for DecisionForm {
    /// An outcome without an answer is sent to the agent as a message.
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        let decide = |kind: &'static str, message: Option<String>| {
            Ok(Json::object_of(&mut [("type", Some(kind.into())), ("message", message.map(Json::from))]))
        };
        // The message is text, and a model can't use the bytes of a file in it.
        let words = || Some(outcome.clone().without_data().tool_content(ask));
        match (outcome, &self.approval) {
            (Outcome::Answered(_), Some(form)) => {
                let is_approved = form.write(ask, outcome)?.get(APPROVED).and_then(Json::as_bool) == Some(true);
                decide(if is_approved { "approve" } else { "reject" }, None)
            }
            (Outcome::Answered(_) | Outcome::RepliedInChat { .. }, None) => decide("respond", words()),
            (_, None) if !self.can_reject => decide("respond", words()),
            _ => decide("reject", words()),
        }
    }

    fn read(&self, ask: &AskUserQuestion, decision: &Json<'static>) -> Option<Outcome> {
        let message = decision.string("message");
        match (decision.string("type")?, &self.approval) {
            ("respond", None) => {
                let message = message?;
                Outcome::parse(ask, message).or_else(|| Some(Outcome::Answered(Reply::read_message(ask, message)?)))
            }
            (kind @ ("approve" | "reject"), Some(form)) if message.is_none_or(|message| message != DECLINED_TEXT) => {
                form.read(ask, &Json::object([(APPROVED, Json::Bool(kind == "approve"))]))
            }
            ("reject", _) => Some(Outcome::Declined),
            _ => None,
        }
    }
}
