//! What is on its way, or held until it may go.

use crate::ids::new_id;
use ag_ui_stream::asks::reply::{AskReply, NextRun};
use ask_user_question::Outcome;
use ask_user_question::outcome::AnsweredBy;

/// Replies that wait for their run to end or for the other asks, and the run that failed to reach the agent.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    held: Vec<AskReply>,
    /// The last replies made, so that sending the same one again is a retry and not a second answer.
    made: Vec<AskReply>,
    unsent: Option<Outgoing>,
}

/// A run that is to be started.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) run: NextRun,
    /// What it answers.
    pub(crate) replies: Vec<AskReply>,
    /// Whether its messages are part of the conversation already.
    pub(crate) started: bool,
}

impl Outbox {
    /// Holds the reply to an ask, in the place of an earlier one.
    pub(crate) fn hold(&mut self, tool_call_id: &str, outcome: Outcome, by: AnsweredBy) {
        let is_same = |made: &&AskReply| {
            made.tool_call_id == tool_call_id && made.outcome == outcome && made.by == by
        };
        let reply_id = self
            .made
            .iter()
            .find(is_same)
            .map_or_else(new_id, |made| made.reply_id.clone());
        let reply = AskReply {
            tool_call_id: tool_call_id.to_owned(),
            reply_id,
            outcome,
            by,
        };
        for list in [&mut self.held, &mut self.made] {
            list.retain(|other| other.tool_call_id != reply.tool_call_id);
            list.push(reply.clone());
        }
    }

    /// What is held.
    pub(crate) fn held(&self) -> &[AskReply] {
        &self.held
    }

    /// Holds nothing any more.
    pub(crate) fn take_held(&mut self) -> Vec<AskReply> {
        std::mem::take(&mut self.held)
    }

    /// Keeps a run that did not reach the agent.
    pub(crate) fn keep(&mut self, outgoing: Outgoing) {
        self.unsent = Some(outgoing);
    }

    /// Forgets the run that did not reach the agent: another one carries everything that was said.
    pub(crate) fn drop_unsent(&mut self) {
        self.unsent = None;
    }

    /// The run that did not reach the agent, under a new id: a run is never started twice.
    pub(crate) fn take_unsent(&mut self) -> Option<Outgoing> {
        let mut outgoing = self.unsent.take()?;
        outgoing.run.input.run_id = new_id();
        Some(outgoing)
    }
}
