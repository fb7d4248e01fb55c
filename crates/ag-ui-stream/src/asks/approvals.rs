//! Calls of the agent's own tools that a run leaves open because they wait for a yes or no, as `Agno` has it.

use super::followed::{Followed, Source};
use super::form::Form;
use super::{AskChange, Asks};
use crate::message::ToolCall;
use ask_user_question::outcome::Outcome;
use ask_user_question::{AskUserQuestion, Phase};
use json_tree::Json;

/// The member of the answer that says whether the call is approved.
const ACCEPTED: &str = "accepted";

/// A call of a tool that may need approval, which has no result yet.
#[derive(Clone, Debug)]
pub(super) struct OpenCall {
    id: String,
    name: String,
    pub(super) arguments: String,
    pub(super) ended: bool,
}

impl OpenCall {
    /// The call itself, as the agent wrote it: the tool and its arguments. `None` where these are not whole.
    fn question(&self) -> Option<String> {
        let arguments = match self.arguments.split_at_checked(self.arguments.len() / 2) {
            // An agent that takes up an approved call tells it once more.
            Some((told, again)) if told == again => told.trim(),
            _ => self.arguments.trim(),
        };
        let is_none = matches!(arguments, "" | "null" | "{}");
        if !self.ended || !is_none && Json::parse(arguments).is_err() {
            return None;
        }
        Some(match is_none {
            true => self.name.clone(),
            false => self.name.clone() + " " + arguments,
        })
    }
}

impl Asks {
    /// The same, taking calls of the tools so named for questions whether to make them, where a run ends well and leaves them open. Some
    /// servers ask for approval so (`requires_confirmation` of `Agno`), and nothing in the stream says that it is asked for. The tools are the
    /// agent's own, none that the page offers.
    ///
    /// The question is the call: the tool's name and the arguments. The answer is the call's result: `{"accepted": true}`,
    /// `{"accepted": false}`, or, where the question is put away, a tool message with `error`.
    #[must_use]
    pub fn with_approvals<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.approvals = names.into_iter().map(Into::into).collect();
        self
    }

    pub(super) fn is_approval(&self, tool_name: &str) -> bool {
        !self.is_ask(tool_name) && self.approvals.iter().any(|name| name == tool_name)
    }

    /// Learns of a call in a history.
    pub(super) fn note_whole_call(&mut self, call: &ToolCall) {
        self.note_call(&call.id, &call.name);
        if let Some(open) = self.open_call(&call.id) {
            open.arguments.clone_from(&call.arguments);
            open.ended = true;
        }
    }

    /// Learns of a call that begins.
    pub(super) fn note_call(&mut self, id: &str, name: &str) {
        let is_known = self.positions.contains(id) || self.open_calls.iter().any(|it| it.id == id);
        if !is_known && self.is_approval(name) {
            self.open_calls.push(OpenCall {
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: String::new(),
                ended: false,
            });
        }
    }

    /// A call whose arguments still arrive.
    pub(super) fn open_call(&mut self, id: &str) -> Option<&mut OpenCall> {
        let mut calls = self.open_calls.iter_mut();
        calls.find(|call| call.id == id && !call.ended)
    }

    /// A call that is open no longer.
    pub(super) fn take_open_call(&mut self, id: &str) -> Option<OpenCall> {
        let position = self.open_calls.iter().position(|call| call.id == id)?;
        Some(self.open_calls.remove(position))
    }

    /// Asks about every call that is open now.
    pub(super) fn ask_approvals(&mut self, changes: &mut Vec<AskChange>) {
        for call in std::mem::take(&mut self.open_calls) {
            self.ask_approval(&call, changes);
        }
    }

    pub(super) fn ask_approval(&mut self, call: &OpenCall, changes: &mut Vec<AskChange>) {
        let question = call.question().filter(|_| !self.positions.contains(&call.id));
        if let Some(question) = question {
            let (ask, form) = Form::approval(&question, ACCEPTED);
            let followed = self.open(&call.id, Source::Approval, changes);
            followed.form = Some(form);
            followed.complete(ask, Phase::Answerable, changes);
        }
    }
}

impl Followed {
    /// The outcome that a result stands for. Nothing but the word itself is taken for consent.
    pub(super) fn read_approval(&self, content: &str) -> Option<Outcome> {
        let payload = Json::parse(content).map(Json::into_sorted).ok();
        match payload.filter(|payload| payload.get(ACCEPTED).is_some_and(|it| it.as_bool().is_some())) {
            Some(payload) => self.read_payload(&payload),
            None => Outcome::parse(&AskUserQuestion::default(), content)
                .filter(|outcome| !matches!(outcome, Outcome::Answered(_))),
        }
    }
}
