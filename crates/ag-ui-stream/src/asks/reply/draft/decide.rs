//! Answers to interrupts that ask for several decisions.

use super::{AskReply, InputDraft, Refusal};
use crate::asks::tracked::{TrackedAsk, WaitsBy};
use json_tree::Json;
use std::mem;

impl InputDraft<'_> {
    pub(super) fn decide(&mut self) -> Result<(), Refusal> {
        let mut decided = mem::take(&mut self.decided);
        while let Some((first, reply)) = decided.first().copied() {
            let Some(by) = self.waits_by(first) else { break };
            let is_of_same = |it: &TrackedAsk| it.waits_by().is_some_and(|it| it.interrupt.id == by.interrupt.id);
            let mut waiting = Vec::new();
            let mut decisions = vec![Json::Null; first.decision().map_or(0, |decision| decision.of)];
            for part in self.asks.tracked.iter().filter(|it| is_of_same(it)) {
                match decided.iter().find(|(it, _)| it.id == part.id) {
                    Some((_, reply)) => self.put_decision(part, reply, by, &mut decisions)?,
                    None => waiting.push(part.snapshot.tool_call_id.clone()),
                }
            }
            if !waiting.is_empty() {
                return Err(Refusal::QuestionsWait { tool_call_ids: waiting });
            }
            decided.retain(|(it, _)| !is_of_same(it));
            let payload = Json::object([("decisions", Json::List(decisions))]);
            self.send(by, Some(payload), reply);
        }
        Ok(())
    }

    fn put_decision(
        &self,
        part: &TrackedAsk,
        reply: &AskReply,
        by: &WaitsBy,
        decisions: &mut [Json<'static>],
    ) -> Result<(), Refusal> {
        self.check_deadline(by, &reply.outcome)?;
        if let Some(decision) = part.decision()
            && let Some(place) = decisions.get_mut(decision.at)
        {
            let tool_call_id = reply.tool_call_id.clone();
            let decided = decision.form.write(part.ask(), &reply.outcome);
            *place = decided.map_err(|message| Refusal::Payload { tool_call_id, message })?;
        }
        Ok(())
    }
}
