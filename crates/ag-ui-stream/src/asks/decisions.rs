//! Interrupts that ask for several decisions, as the human-in-the-loop middleware of `LangChain` has it: a list of calls that wait, each with
//! the decisions that it takes. The answer is a list of decisions in the same order.

use super::form::{Asked, Decision, InterruptPart, ask_in, asked, first};
use super::tracked::TrackedAsk;
use ask_user_question::Reply;
use ask_user_question::form::Form;
use ask_user_question::outcome::{DECLINED_TEXT, Outcome};
use json_tree::Json;

/// The calls that a value lists, none if it is of another form.
pub(super) fn parts(value: &Json<'static>) -> Vec<InterruptPart> {
    let requests = list(value, &["action_requests", "actionRequests"]);
    let mut parts = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let allowed = allowed(value, request, at);
        let allows = |decision: &str| allowed.iter().any(|it| it.as_str() == Some(decision));
        let arguments = first(request, &["args", "arguments"]);
        let asked = match arguments.and_then(ask_in).filter(|_| allows("respond")) {
            Some(ask) => Some((ask, None)),
            None if allows("approve") => Some(approval(request, arguments)),
            None => None,
        };
        let decision = Decision { at, of: requests.len(), can_reject: allows("reject") };
        parts.push(InterruptPart { asked, decision: Some(decision) });
    }
    parts
}

/// The approval of a call: its description, or the tool's name and the arguments.
fn approval(request: &Json<'static>, arguments: Option<&Json<'static>>) -> Asked {
    let text = |names: &[&str]| first(request, names).and_then(Json::as_str).unwrap_or_default();
    let mut question = text(&["description"]).to_owned();
    if question.is_empty() {
        text(&["name", "action"]).clone_into(&mut question);
        if let Some(arguments) = arguments {
            question.push(' ');
            arguments.write(&mut question);
        }
    }
    asked(Form::approval(&question, APPROVED))
}

/// The member of the form's payload that approves the call.
const APPROVED: &str = "approved";

/// The decisions that a call takes, by the tool's name or else by its place.
fn allowed<'v>(value: &'v Json<'static>, request: &Json<'static>, at: usize) -> &'v [Json<'static>] {
    let configs = list(value, &["review_configs", "reviewConfigs"]);
    let name = request.get("name").or_else(|| request.get("action"));
    let is_named = |config: &&Json<'static>| first(config, &["action_name", "actionName"]) == name;
    let config = configs.get(at).filter(is_named).or_else(|| configs.iter().find(is_named)).or_else(|| configs.get(at));
    config.map_or(&[], |config| list(config, &["allowed_decisions", "allowedDecisions"]))
}

fn list<'v>(value: &'v Json<'static>, names: &[&str]) -> &'v [Json<'static>] {
    first(value, names).and_then(Json::as_list).unwrap_or_default()
}

impl Decision {
    /// The decision that an outcome is. An outcome without an answer goes to the agent as a message.
    pub(super) fn of(self, tracked: &TrackedAsk, outcome: &Outcome) -> Result<Json<'static>, String> {
        let decide = |kind: &'static str, message: Option<String>| {
            Json::object_of(&mut [("type", Some(kind.into())), ("message", message.map(Json::from))])
        };
        let words = || Some(outcome.tool_content(tracked.ask()));
        match (outcome, &tracked.form) {
            (Outcome::Answered(reply), Some(form)) => {
                let payload = form.payload(reply)?;
                let is_approved = payload.get(APPROVED).and_then(Json::as_bool) == Some(true);
                Ok(if is_approved { decide("approve", None) } else { decide("reject", None) })
            }
            (Outcome::Answered(_) | Outcome::RepliedInChat { .. }, None) => Ok(decide("respond", words())),
            (_, Some(_)) => Ok(decide("reject", words())),
            (_, None) if self.can_reject => Ok(decide("reject", words())),
            (_, None) => Ok(decide("respond", words())),
        }
    }

    /// The outcome that a list of decisions has for an ask.
    pub(super) fn read(self, tracked: &TrackedAsk, payload: &Json<'static>) -> Option<Outcome> {
        let decision = payload.get("decisions")?.as_list()?.get(self.at)?;
        let message = decision.get("message").and_then(Json::as_str);
        let ask = tracked.ask();
        match (decision.get("type")?.as_str()?, &tracked.form) {
            ("reject", None) => Some(Outcome::Declined),
            ("respond", None) => {
                let message = message?;
                Outcome::parse(ask, message).or_else(|| Some(Outcome::Answered(Reply::read_message(ask, message)?)))
            }
            (kind @ ("approve" | "reject"), Some(_)) if message.is_none_or(|message| message != DECLINED_TEXT) => {
                let payload = Json::object([(APPROVED, Json::Bool(kind == "approve"))]);
                tracked.form.as_ref()?.read(ask, &payload).map(Outcome::Answered)
            }
            ("reject", Some(_)) => Some(Outcome::Declined),
            _ => None,
        }
    }
}
