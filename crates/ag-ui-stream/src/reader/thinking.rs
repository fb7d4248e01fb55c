//! The `THINKING_*` events of drafts before 1.0. The reference client translates them until 2027-09-17 (`middleware/compatibility-boundary.ts`).

use crate::LEGACY;
use crate::notice::{NoticeDetail, Notices};
use crate::protocol::{EntityKind, EventEffect, EventRule};
use crate::wire::{Members, set, take};

/// Generates ids for the entities that retired events open, since these events have no ids.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    /// The number of generated ids. An id is made of the run id and this count, so the same bytes give the same ids.
    made: u64,
    span: Option<String>,
    message: Option<String>,
}

impl Thinking {
    /// Translates a retired event in place and returns its rule; `None` if the event is not retired.
    pub(super) fn translate(
        &mut self,
        event: &mut Members<'_>,
        run: Option<&str>,
        warnings: &mut Notices,
    ) -> Option<&'static EventRule> {
        let rule = EventRule::of_retired(event.string("type").filter(|_| LEGACY)?)?;
        if rule.effect == EventEffect::Open(EntityKind::Span) && take(event, "title").is_some() {
            warnings.push(NoticeDetail::RetiredTitle, &[], Some("/title".to_owned()));
        }
        if rule.effect == EventEffect::Open(EntityKind::Reasoning) {
            set(event, "role", "reasoning");
        }
        let open = if rule.entity() == Some(EntityKind::Span) { &mut self.span } else { &mut self.message };
        if let EventEffect::Open(_) = rule.effect {
            self.made += 1;
            *open = Some(run.unwrap_or("run").to_owned() + "-thinking-" + &self.made.to_string());
        }
        set(event, "type", rule.name);
        set(event, "messageId", open.as_deref().unwrap_or_default());
        if let EventEffect::Close(_) = rule.effect {
            *open = None;
        }
        Some(rule)
    }
}
