//! Replies: writes the input of the run that carries an answer.

mod body;
mod delivery;
mod draft;
mod refusal;
mod turn;

use super::list::Asks;
use crate::input::RunAgentInput;
use crate::message::Message;
use crate::thread::{RunState, Thread};
use draft::InputDraft;
use json_tree::Json;

pub use delivery::{AskedBy, Delivery, Origin};
pub use refusal::Refusal;
pub use turn::{AskReply, NextRun, RunDefaults, UserTurn};

impl NextRun {
    /// A run without new messages, for an agent that stores the conversation and only has to continue it.
    #[must_use]
    pub fn again(setup: &RunDefaults, run_id: String) -> Self {
        let props = setup.forwarded_props.clone();
        let body = body::body(setup, &run_id, &[], &Json::Null, &props, Vec::new());
        Self { run_id, body, messages: Vec::new(), answers: Vec::new() }
    }

    /// The body, parsed.
    #[must_use]
    pub fn input(&self) -> RunAgentInput {
        RunAgentInput::parse(&self.body).map(|(input, _)| input).unwrap_or_default()
    }
}

pub(crate) fn next_run(
    now: u64,
    thread: &Thread,
    asks: &Asks,
    setup: &RunDefaults,
    said: &UserTurn,
    mut next_id: impl FnMut() -> String,
) -> Result<NextRun, Refusal> {
    if let RunState::Running { run_id } = thread.run() {
        return Err(Refusal::RunOpen { run_id: run_id.clone() });
    }
    let run_id = next_id();
    let mut draft = InputDraft::new(now, thread, asks, setup);
    for reply in &said.replies {
        draft.add(reply, &mut next_id)?;
    }
    draft.close_lost_asks(said, &mut next_id);
    draft.close_agents_calls(&mut next_id);
    draft.cancel_expired();
    if said.text.is_some() || !said.files.is_empty() {
        let id = said.text_id.clone().unwrap_or_else(next_id);
        let files = said.files.iter().map(|file| (None, file));
        let replacing = said.replaces.as_deref().map(|call| draft.replacing(call, &id));
        draft.say(Message::user_with_files(id, said.text.as_deref().unwrap_or_default(), files), replacing);
    }
    draft.finish(run_id)
}
