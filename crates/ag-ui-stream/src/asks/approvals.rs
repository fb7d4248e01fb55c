//! Calls of the agent's own tools that a run leaves open because they wait for approval, as in `Agno`. Its events do not say which calls wait
//! (<https://github.com/agno-agi/agno/issues/9285>).

use super::form::{Asked, asked};
use super::list::Asks;
use super::tracked::{AskSource, TrackedAsk};
use crate::LEGACY;
use crate::message::{Role, ToolCall};
use crate::thread::Thread;
use ask_user_question::AskUserQuestion;
use ask_user_question::outcome::Outcome;
use json_tree::Json;
use question_form::Form;

const ACCEPTED: &str = "accepted";

impl Asks {
    /// Treats calls of these tools as requests for approval if a run completes and leaves them open. Some servers ask this way
    /// (`requires_confirmation` of `Agno`) without any sign in the stream. The tools are the agent's own, not the page's.
    ///
    /// The question is the call: the tool's name and arguments. The answer is the call's result: `{"accepted": true}`, `{"accepted": false}` or, if
    /// the question is dismissed, a tool message with `error`.
    #[cfg(feature = "legacy")]
    #[must_use]
    pub fn with_approvals<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.approvals = names.into_iter().map(Into::into).collect();
        self
    }

    /// Opens an ask for each open call of these tools since the user's last message, which supersedes older calls.
    pub(super) fn ask_approvals(&mut self, thread: &Thread) {
        // Beside an interrupt, the agent itself still keeps its open calls.
        if !LEGACY || self.approvals.is_empty() || !thread.open_interrupts().is_empty() {
            return;
        }
        let mut open = Vec::new();
        for message in thread.messages().iter().rev().take_while(|message| message.role != Role::User) {
            for call in message.tool_calls().iter().rev() {
                if thread.call(&call.id).is_some_and(|it| it.ended && !it.is_answered()) {
                    open.push(&call.id);
                }
            }
        }
        for key in open.into_iter().rev() {
            self.ask_approval(key, thread);
        }
    }

    pub(super) fn ask_approval(&mut self, key: &str, thread: &Thread) {
        let is_approval = |name: &String| !self.is_ask(name) && self.approvals.contains(name);
        let call = thread.tool_call(key).filter(|call| LEGACY && is_approval(&call.name) && !self.positions.has(key));
        if let Some((ask, form)) = call.and_then(question) {
            let position = self.open(key, AskSource::Approval);
            let tracked = &mut self.tracked[position];
            tracked.form = form;
            tracked.complete(ask, &mut self.changes);
        }
    }
}

/// The approval of a call. `None` if its arguments are no complete JSON.
pub(super) fn question(call: &ToolCall) -> Option<Asked> {
    let arguments = call.arguments.trim();
    let mut question = call.name.clone();
    if !matches!(arguments, "" | "null" | "{}") {
        Json::parse(arguments).ok()?;
        question = question + " " + arguments;
    }
    Some(asked(Form::approval(&question, ACCEPTED)))
}

impl TrackedAsk {
    /// Reads the outcome from a result. Consent is read only from a boolean member `accepted`.
    pub(super) fn read_approval(&self, content: &str) -> Option<Outcome> {
        let payload = Json::parse(content).map(Json::into_unique).ok();
        match payload.filter(|payload| payload.get(ACCEPTED).is_some_and(|it| it.as_bool().is_some())) {
            Some(payload) => self.read_payload(&payload),
            None => Outcome::parse(&AskUserQuestion::default(), content)
                .filter(|outcome| !matches!(outcome, Outcome::Answered(_))),
        }
    }
}
