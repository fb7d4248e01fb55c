//! The approval of a call whose arguments may be changed, as the human-in-the-loop middleware of `LangChain` offers it: a decision, and a
//! field for each argument that is shown with one of the decisions alone.

use super::form::ReplyForm;
use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::outcome::{DECLINED_TEXT, Outcome};
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question, Reply};
use json_tree::{Json, Members};

/// The call as the agent wrote it, and if it may be refused.
pub(super) struct EditForm {
    name: Json<'static>,
    arguments: Members<'static>,
    can_reject: bool,
}

const HEADER: &str = "Decision";
const DECISIONS: [&str; 3] = ["Approve", "Approve with changes", "Reject"];
const APPROVE: usize = 0;
const EDIT: usize = 1;
const REJECT: usize = 2;

impl EditForm {
    /// The ask about a call; `None` if there is nothing to change.
    pub(super) fn of(
        question: &str,
        name: Json<'static>,
        arguments: &Json<'static>,
        can_reject: bool,
    ) -> Option<(AskUserQuestion, Self)> {
        let arguments = arguments.as_object().filter(|arguments| !arguments.is_empty())?;
        let decisions = DECISIONS.iter().copied().filter(|decision| can_reject || *decision != DECISIONS[REJECT]);
        let mut questions = vec![Question::new(question, decisions).with_header(HEADER)];
        for (name, value) in arguments {
            let condition = ShowIf::new(HEADER, DECISIONS[EDIT]);
            questions.push(Question::new(&**name, [""; 0]).with_input(field(value)).with_show_if(condition));
        }
        let form = Self { name, arguments: arguments.clone(), can_reject };
        Some((AskUserQuestion::new(questions), form))
    }

    /// The arguments after the user's changes; `None` if there are none. What was not changed is as it came.
    fn edited(&self, answers: &[Answer]) -> Option<Members<'static>> {
        let (mut edited, mut is_other) = (Members::new(), false);
        for ((name, came), answer) in self.arguments.iter().zip(answers) {
            let changed = answer.value.as_ref().filter(|value| !is_same(came, value));
            is_other |= changed.is_some();
            edited.push((name.clone(), changed.unwrap_or(came).clone()));
        }
        is_other.then_some(edited)
    }
}

/// The field for an argument, with its value.
fn field(value: &Json<'static>) -> Input {
    let kind = match value {
        Json::Text(text) if is_blank(text) => InputKind::Json,
        Json::Text(text) if text.contains('\n') => InputKind::Lines,
        Json::Text(_) => InputKind::Text,
        Json::Number(_) => InputKind::Number,
        _ => InputKind::Json,
    };
    let input = Input::new(kind);
    let text = input.spelled(value);
    input.with_default(text)
}

/// Returns true if a value is as it came: no field sends the line breaks at its end.
fn is_same(came: &Json<'_>, value: &Json<'_>) -> bool {
    match (came.as_str(), value.as_str()) {
        (Some(came), Some(value)) => came.trim_end_matches(['\n', '\r']) == value.trim_end_matches(['\n', '\r']),
        _ => came == value,
    }
}

impl ReplyForm for EditForm {
    /// Own words are no consent: they are the reason to reject.
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        let decide = |kind: &'static str, message: Option<String>| {
            Ok(Json::object_of(&mut [("type", Some(kind.into())), ("message", message.map(Json::from))]))
        };
        let Outcome::Answered(reply) = outcome else {
            return decide("reject", Some(outcome.tool_content(ask)));
        };
        let Some((decision, arguments)) = reply.answers().split_first() else {
            return decide("reject", None);
        };
        match decision.selected.first().map(|selected| selected.index) {
            Some(APPROVE) => decide("approve", None),
            Some(EDIT) => match self.edited(arguments) {
                None => decide("approve", None),
                Some(edited) => {
                    let action = Json::object([("name", self.name.clone()), ("args", Json::Object(edited))]);
                    Ok(Json::object([("type", "edit".into()), ("edited_action", action)]))
                }
            },
            _ if self.can_reject => decide("reject", decision.other.clone().or_else(|| decision.note.clone())),
            _ => Err(String::from("\"") + &decision.question + "\" takes one of its options"),
        }
    }

    fn read(&self, ask: &AskUserQuestion, decision: &Json<'static>) -> Option<Outcome> {
        let message = decision.get("message").and_then(Json::as_str);
        let edited = decision.get("edited_action").and_then(|action| action.get("args"));
        let mut decided = Selection::default();
        match (decision.get("type")?.as_str()?, message) {
            ("approve", _) => decided.selected.push(APPROVE),
            ("edit", _) => decided.selected.push(EDIT),
            ("reject", None) => decided.selected.push(REJECT),
            ("reject", Some(DECLINED_TEXT)) => return Some(Outcome::Declined),
            ("reject", Some(reason)) => decided.other = Some(reason.to_owned()),
            _ => return None,
        }
        let mut selections = vec![decided];
        for (at, (question, (name, came))) in ask.questions.iter().skip(1).zip(&self.arguments).enumerate() {
            let value = edited.and_then(|edited| edited.get(name)).unwrap_or(came);
            let other = question.typed().map(|input| input.spelled(value));
            selections.push(Selection { question: at + 1, other, ..Selection::default() });
        }
        Reply::of(ask, selections).map(Outcome::Answered)
    }
}
