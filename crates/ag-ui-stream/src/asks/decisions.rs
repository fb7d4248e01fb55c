//! Interrupts that ask for several decisions, as `LangChain`'s human-in-the-loop middleware sends them: a list of waiting calls, each with its
//! allowed decisions. The answer is a list of decisions in the same order
//! (<https://reference.langchain.com/python/langchain/agents/middleware/human_in_the_loop>). Graphs for `LangChain`'s Agent Inbox send and read the
//! same in other words (<https://github.com/langchain-ai/agent-inbox>).

use super::edits::{EditForm, Wire};
use super::form::{Decision, InterruptPart, ReplyForm, ask_in, asked as asked_as};
use crate::outcome::{first, unpacked};
use ask_user_question::outcome::{DECLINED_TEXT, Outcome};
use ask_user_question::repairs::Repairs;
use ask_user_question::{AskUserQuestion, Question, Reply};
use json_tree::Json;
use question_form::Form;
use std::slice;
use std::sync::Arc;

/// One part for each call in the list; empty if the value has another form.
pub(super) fn parts(value: &Json<'static>, repairs: &Repairs) -> Vec<InterruptPart> {
    let inbox = inbox(value);
    let is_inbox = !inbox.is_empty();
    let items = if is_inbox { inbox } else { list(value, &["action_requests", "actionRequests"]) };
    let mut parts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let request = item.get(REQUEST).unwrap_or(item);
        let config = item.get("config").filter(|_| is_inbox).unwrap_or_else(|| config(value, request, at));
        let allowed = first(config, &["allowed_decisions", "allowedDecisions"]).and_then(Json::as_list);
        // Without a list, every decision is allowed that leaves the arguments unchanged.
        let allows = |decision: &str| match allowed {
            _ if is_inbox => allows_in_inbox(config, decision),
            Some(allowed) => allowed.iter().any(|it| it.as_str() == Some(decision)),
            None => decision != "edit",
        };
        let about = |arguments| about(item, request, arguments);
        let arguments = first(request, &["args", "arguments"]).map(unpacked);
        let arguments = arguments.as_ref();
        let asked = arguments
            .and_then(|arguments| ask_in(arguments, repairs))
            .filter(|_| allows("respond"))
            .map(|ask| (ask, None));
        let edits = if asked.is_none() && allows("approve") && allows("edit") {
            editing(&about(None), request, arguments, config, allows("reject"))
        } else {
            None
        };
        let is_own = asked.is_some();
        let (asked, form) = match edits {
            Some((ask, form)) => (Some((ask, Some(Arc::clone(&form)))), form),
            None => {
                let approval = || asked_as(Form::approval(&about(arguments), APPROVED));
                let words = || (AskUserQuestion::new([Question::new(about(arguments), [""; 0])]), None);
                let asked = asked.or_else(|| allows("approve").then(approval));
                let asked = asked.or_else(|| allows("respond").then(words));
                let approval = asked.as_ref().and_then(|(_, form)| form.clone());
                let form: Arc<dyn ReplyForm> =
                    Arc::new(DecisionForm { can_reject: allows("reject"), is_own, approval });
                (asked, form)
            }
        };
        let form = match is_inbox {
            true => Arc::new(InboxForm { request: request.clone(), config: config.clone(), form }),
            false => form,
        };
        let decision = Decision { at, of: items.len(), is_list: is_inbox, form };
        parts.push(InterruptPart { asked, decision: Some(decision) });
    }
    parts
}

/// The member of an item of Agent Inbox with the call.
const REQUEST: &str = "action_request";

/// The items for Agent Inbox: a list of them, or a single one. Empty if the value has another form.
fn inbox<'v>(value: &'v Json<'static>) -> &'v [Json<'static>] {
    let items = value.as_list().unwrap_or(slice::from_ref(value));
    if items.iter().all(|item| item.get(REQUEST).is_some()) { items } else { &[] }
}

fn allows_in_inbox(config: &Json<'static>, decision: &str) -> bool {
    let allows = |name: &str| config.get(name).and_then(Json::as_bool) == Some(true);
    match decision {
        "approve" => allows("allow_accept"),
        "edit" => allows("allow_edit"),
        "respond" => allows("allow_respond"),
        _ => allows("allow_ignore") || allows("allow_respond"),
    }
}

fn editing(
    question: &str,
    request: &Json<'static>,
    arguments: Option<&Json<'static>>,
    config: &Json<'static>,
    can_reject: bool,
) -> Option<(AskUserQuestion, Arc<dyn ReplyForm>)> {
    let wire = Wire::Decision { name: first(request, NAME)?.clone() };
    let schema = first(config, &["args_schema", "argsSchema"]).unwrap_or(config);
    // The question omits the arguments, since the fields show them.
    let (ask, form) = EditForm::of(question, arguments?, (schema, schema), can_reject, wire)?;
    Some((ask, Arc::new(form)))
}

const NAME: &[&str] = &["name", "action"];

/// The question about a call: its description, or the tool's name and the arguments.
fn about(item: &Json<'static>, request: &Json<'static>, arguments: Option<&Json<'static>>) -> String {
    let mut question = item.string("description").unwrap_or_default().to_owned();
    if question.is_empty() {
        first(request, NAME).and_then(Json::as_str).unwrap_or_default().clone_into(&mut question);
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
    /// The call is one of the tool, which reads its own form.
    is_own: bool,
    approval: Option<Arc<dyn ReplyForm>>,
}

impl ReplyForm for DecisionForm {
    /// An outcome without an answer is sent to the agent as a message.
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        let decide = |kind: &'static str, message: Option<String>| {
            Ok(Json::object_of(&mut [("type", Some(kind.into())), ("message", message.map(Json::from))]))
        };
        // The message is text, and a model can't use the bytes of a file in it.
        let words = || match outcome {
            Outcome::Answered(reply) if !self.is_own => Some(reply.message()),
            _ => Some(outcome.clone().without_data().tool_content(ask)),
        };
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

const REJECTED_TEXT: &str = "The user rejected this call.";

/// A decision in the words of Agent Inbox: `{type, args}` with `accept`, `edit`, `response` or `ignore`.
struct InboxForm {
    request: Json<'static>,
    config: Json<'static>,
    form: Arc<dyn ReplyForm>,
}

impl ReplyForm for InboxForm {
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        let decision = self.form.write(ask, outcome)?;
        let allows = |name: &str| self.config.get(name).and_then(Json::as_bool) == Some(true);
        let words = decision.get("message").cloned().unwrap_or_else(|| REJECTED_TEXT.into());
        let (kind, args) = match (decision.string("type"), decision.get("edited_action")) {
            (Some("approve"), _) => ("accept", self.request.clone()),
            (_, Some(edited)) => {
                let [action, args] = ["name", "args"].map(|name| edited.get(name).cloned().unwrap_or_default());
                ("edit", Json::object([("action", action), ("args", args)]))
            }
            _ if allows("allow_respond") => ("response", words),
            _ => ("ignore", Json::Null),
        };
        Ok(Json::object([("type", kind.into()), ("args", args)]))
    }

    fn read(&self, ask: &AskUserQuestion, response: &Json<'static>) -> Option<Outcome> {
        let args = response.get("args");
        let decide = |kind: &'static str, member, args| {
            self.form.read(ask, &Json::object_of(&mut [("type", Some(kind.into())), (member, args)]))
        };
        match response.string("type")? {
            "accept" => decide("approve", "message", None),
            "edit" => decide("edit", "edited_action", args.cloned()),
            "response" => {
                decide("respond", "message", args.cloned()).or_else(|| decide("reject", "message", args.cloned()))
            }
            "ignore" => Some(Outcome::Declined),
            _ => None,
        }
    }
}
