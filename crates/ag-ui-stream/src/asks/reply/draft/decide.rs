//! Answers to interrupts that ask for several decisions.

use super::{AskReply, Draft, Refusal, gives_content, is_expired};
use crate::asks::followed::Followed;
use crate::outcome::Interrupt;
use json_tree::Json;
use std::mem;

impl Draft<'_> {
    /// Answers the interrupts that ask for several decisions, each by all of them in their order.
    pub(super) fn decide(&mut self) -> Result<(), Refusal> {
        let mut decided = mem::take(&mut self.decided);
        while let Some((first, reply)) = decided.first().copied() {
            let interrupt = self.interrupt_of(first);
            let is_of_same = |it: &Followed| match first.legacy() {
                Some(legacy) => it.legacy().is_some_and(|other| other.id == legacy.id),
                None => it.interrupt().map(|it| &it.id) == interrupt.map(|it| &it.id),
            };
            let mut waiting = Vec::new();
            let mut decisions = vec![Json::Null; first.decision().map_or(0, |decision| decision.of)];
            for part in self.asks.followed.iter().filter(|it| is_of_same(it)) {
                match decided.iter().find(|(it, _)| it.id == part.id) {
                    Some((_, reply)) => self.put_decision(part, reply, interrupt, &mut decisions)?,
                    None => waiting.push(part.snapshot.tool_call_id.clone()),
                }
            }
            if !waiting.is_empty() {
                return Err(Refusal::QuestionsWait { tool_call_ids: waiting });
            }
            decided.retain(|(it, _)| !is_of_same(it));
            let payload = Json::object([("decisions", Json::List(decisions))]);
            match (first.legacy(), interrupt) {
                (Some(legacy), _) => self.commands.push((legacy, payload)),
                (None, Some(interrupt)) => {
                    self.resume(interrupt, Some(payload), Some(self.metadata(&reply.tool_call_id, reply)));
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn put_decision(
        &self,
        part: &Followed,
        reply: &AskReply,
        interrupt: Option<&Interrupt>,
        decisions: &mut [Json<'static>],
    ) -> Result<(), Refusal> {
        if let Some(interrupt) = interrupt.filter(|it| gives_content(&reply.outcome) && is_expired(self.now, it)) {
            return Err(Refusal::Expired { interrupt_id: interrupt.id.clone() });
        }
        if let Some(decision) = part.decision()
            && let Some(place) = decisions.get_mut(decision.at)
        {
            let tool_call_id = reply.tool_call_id.clone();
            *place = decision.of(part, &reply.outcome).map_err(|message| Refusal::Payload { tool_call_id, message })?;
        }
        Ok(())
    }
}
