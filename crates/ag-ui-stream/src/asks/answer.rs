use super::reply::{AskReply, NextRun, Refusal, RunDefaults, UserTurn};
use crate::conversation::Conversation;
use ask_user_question::outcome::{AnsweredBy, Outcome};

impl Conversation {
    /// Writes the request that carries the answer to one ask, given on its card. The reply id comes from `next_id`.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn answer(
        &self,
        now: u64,
        setup: &RunDefaults,
        tool_call_id: &str,
        outcome: Outcome,
        mut next_id: impl FnMut() -> String,
    ) -> Result<NextRun, Refusal> {
        let (tool_call_id, reply_id) = (tool_call_id.to_owned(), next_id());
        let reply = AskReply { tool_call_id, reply_id, outcome, by: AnsweredBy::Card };
        self.request(now, setup, &UserTurn { replies: vec![reply], ..UserTurn::default() }, next_id)
    }
}
