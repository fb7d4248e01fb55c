//! The approval of a call whose arguments may be edited: a decision, and a field for each argument, shown only if the user chooses to edit.

use super::form::{ReplyForm, unanswered};
use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Flaw, Input, InputKind};
use ask_user_question::outcome::{DECLINED_TEXT, Outcome};
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question, Reply};
use json_tree::{Json, Members};
use question_form::{Asked, flag, question_for};
use std::borrow::Cow;

/// The call as the agent wrote it, and the format of its answer.
pub(super) struct EditForm {
    arguments: Members<'static>,
    /// For each argument, the values of its options; empty if the argument is typed.
    values: Vec<Vec<Json<'static>>>,
    /// Whether own words are accepted, as the reason to reject the call. Otherwise only options are.
    takes_words: bool,
    wire: Wire,
}

pub(super) enum Wire {
    /// An object with this flag, [`EDITED`] and [`REASON`].
    Payload {
        flag: &'static str,
        /// Whether the arguments are required even if none was changed.
        is_whole: bool,
    },
    /// A decision for `LangChain`'s human-in-the-loop middleware. `name` is the tool.
    Decision { name: Json<'static> },
}

/// The member with all arguments after editing.
pub(super) const EDITED: &str = "editedArgs";
pub(super) const REASON: &str = "reason";

const APPROVE: usize = 0;
const EDIT: usize = 1;
const REJECT: usize = 2;

impl EditForm {
    /// The ask about a call; `None` if there are no arguments to edit. `described` is the part of the schema `root` for the arguments.
    pub(super) fn of(
        question: &str,
        arguments: &Json<'static>,
        (root, described): (&Json<'static>, &Json<'static>),
        takes_words: bool,
        wire: Wire,
    ) -> Option<(AskUserQuestion, Self)> {
        let arguments = arguments.as_object().filter(|arguments| !arguments.is_empty())?.clone();
        let mut decision = Question::new(question, [""; 0]).with_input(Input::new(InputKind::Approval));
        let condition = ShowIf::new(question, decision.options.get(EDIT)?.label.as_str());
        if matches!(wire, Wire::Decision { .. }) && !takes_words {
            decision.options.truncate(REJECT);
        }
        let (mut questions, mut values) = (vec![decision], Vec::new());
        for (name, came) in &arguments {
            let (mut question, its) = field(came, question_for(root, described, name));
            (**name).clone_into(&mut question.question);
            questions.push(question.with_show_if(condition.clone()));
            values.push(its);
        }
        Some((AskUserQuestion::new(questions), Self { arguments, values, takes_words, wire }))
    }

    /// All arguments after editing, unchanged ones exactly as they came; `None` if the user changed none.
    fn edited(&self, answers: &[Answer]) -> Option<Members<'static>> {
        let (mut edited, mut is_other) = (Members::new(), false);
        for (((name, came), values), answer) in self.arguments.iter().zip(&self.values).zip(answers) {
            let picked = answer.given.options().first().and_then(|picked| values.get(picked.index).cloned());
            let changed = picked.or_else(|| answer.given.value()).filter(|value| !is_same(came, value));
            is_other |= changed.is_some();
            edited.push((name.clone(), changed.unwrap_or_else(|| came.clone())));
        }
        is_other.then_some(edited)
    }
}

/// The field for an argument, with its value as default. If the value does not fit the schema, the field has the type of the value.
fn field(came: &Json<'static>, asked: Option<Asked>) -> Asked {
    let (mut question, values) = asked.or_else(|| came.as_bool().map(|_| flag())).unwrap_or_default();
    let chosen = values.iter().position(|value| value == came);
    if let Some(chosen) = chosen.and_then(|chosen| question.options.get(chosen)) {
        let kind = question.input.as_ref().map_or(InputKind::Choice, |input| input.kind);
        question.input = Some(Input::new(kind).with_default(&*chosen.label));
        return (question, values);
    }
    let described = question.input.as_ref().filter(|input| input.kind != InputKind::Text && fits(input, came)).cloned();
    let mut input = described.unwrap_or_else(|| Input::new(kind_of(came)));
    if came.as_str().is_some() && input.schema.is_none() {
        input.schema = question.input.and_then(|input| input.schema);
    }
    let text = input.spelled(came);
    (Question::new("", [""; 0]).with_input(input.with_default(text)), Vec::new())
}

/// Returns true if a field of this kind can show the value. A value that violates a limit is shown so that the user can correct it.
fn fits(input: &Input, came: &Json<'static>) -> bool {
    /// Fields of browsers take a time without an offset; this is its length.
    const LOCAL: usize = "2026-11-29T09:30:00".len();
    let text = input.spelled(came);
    match input.kind {
        InputKind::Email | InputKind::Url => came.as_str().is_some_and(|text| !is_blank(text) && text.trim() == text),
        InputKind::DateTime if text.len() > LOCAL => false,
        _ => match input.value(&text) {
            Ok(typed) => typed.to_json() == *came,
            Err(flaw) => flaw != Flaw::Unreadable && came.as_str().is_none(),
        },
    }
}

/// The kind of field for a value without a usable schema.
fn kind_of(value: &Json<'static>) -> InputKind {
    match value {
        Json::Text(text) if is_blank(text) => InputKind::Json,
        Json::Text(text) if text.bytes().any(|byte| byte == b'\n') => InputKind::Lines,
        Json::Text(_) => InputKind::Text,
        Json::Number(_) => InputKind::Number,
        _ => InputKind::Json,
    }
}

/// Returns true if the user left the value unchanged. Fields normalise line breaks and drop those at the end.
fn is_same(came: &Json<'_>, value: &Json<'_>) -> bool {
    match (came.as_str(), value.as_str()) {
        (Some(came), Some(value)) => came.trim_end_matches(['\n', '\r']).lines().eq(value.lines()),
        _ => came == value,
    }
}

impl ReplyForm for EditForm {
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        let (mut decided, mut reason, mut edited) = (REJECT, None, None);
        match (outcome, &self.wire) {
            (Outcome::Answered(reply), _) => {
                if let Some((decision, arguments)) = reply.answers().split_first() {
                    let picked = decision.given.options().first().map(|picked| picked.index);
                    if picked.is_none() && !self.takes_words {
                        return Err(String::from("\"") + &decision.question + "\" takes one of its options");
                    }
                    decided = picked.unwrap_or(REJECT);
                    // Own words are a reason, never consent.
                    let own_words = decision.given.typed().map(Cow::into_owned);
                    reason = own_words.or_else(|| decision.note.clone()).filter(|_| self.takes_words);
                    edited = self.edited(arguments).filter(|_| decided == EDIT);
                }
            }
            (_, Wire::Payload { .. }) => return unanswered(ask, outcome),
            (_, Wire::Decision { .. }) => reason = Some(outcome.tool_content(ask)),
        }
        let is_approved = decided != REJECT;
        let reason = reason.filter(|_| !is_approved).map(Json::from);
        Ok(match &self.wire {
            Wire::Payload { flag, is_whole } => {
                let whole = || (*is_whole && is_approved).then(|| self.arguments.clone());
                let edited = edited.or_else(whole).map(Json::Object);
                Json::object_of(&mut [(*flag, Some(Json::Bool(is_approved))), (EDITED, edited), (REASON, reason)])
            }
            Wire::Decision { name } => {
                let action =
                    edited.map(|edited| Json::object([("name", name.clone()), ("args", Json::Object(edited))]));
                let kind = match is_approved {
                    true if action.is_some() => "edit",
                    true => "approve",
                    false => "reject",
                };
                Json::object_of(&mut [("type", Some(kind.into())), ("edited_action", action), ("message", reason)])
            }
        })
    }

    fn read(&self, ask: &AskUserQuestion, content: &Json<'static>) -> Option<Outcome> {
        let (is_approved, edited, reason) = match &self.wire {
            Wire::Payload { flag, .. } => (content.get(flag)?.as_bool()?, content.get(EDITED), REASON),
            Wire::Decision { .. } => {
                let edited = content.get("edited_action").and_then(|action| action.get("args"));
                let is_approved = match content.string("type")? {
                    "approve" | "edit" => true,
                    "reject" => false,
                    _ => return None,
                };
                (is_approved, edited, "message")
            }
        };
        let edited = edited.filter(|edited| edited.as_object().is_some());
        let reason = content.string(reason).filter(|reason| !is_approved && !is_blank(reason));
        if reason == Some(DECLINED_TEXT) {
            return Some(Outcome::Declined);
        }
        let decided = match is_approved {
            true => APPROVE + usize::from(edited.is_some()),
            false => REJECT,
        };
        let decision = reason.map_or_else(|| Selection::picked(0, [decided]), |reason| Selection::typed(0, reason));
        let mut selections = vec![decision];
        for ((question, (name, came)), values) in ask.questions.iter().skip(1).zip(&self.arguments).zip(&self.values) {
            let mut selection = Selection::of(selections.len());
            let value = edited.and_then(|edited| edited.get(name)).unwrap_or(came);
            match question.typed() {
                Some(input) => selection.other = Some(input.spelled(value)),
                None => selection.selected.extend(values.iter().position(|its| its == value)),
            }
            selections.push(selection);
        }
        Reply::of(ask, selections).map(Outcome::Answered)
    }
}
