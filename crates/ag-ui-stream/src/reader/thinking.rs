//! The retired `THINKING_*` events. (The reference client translates them until 2027-09-17.)

use crate::notice::{NoticeDetail, Notices};
use crate::protocol::{EntityKind, EventEffect, EventRule};
use crate::wire::{Members, set, take, text};

/// What is open of the retired events, which have no ids of their own.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    /// How many ids were made. They are derived from the run and this count, so that the same bytes give the same ids.
    made: u64,
    span: Option<String>,
    message: Option<String>,
}

impl Thinking {
    /// Translates an event in place and returns its row; `None` where it is none of the retired ones.
    pub(super) fn translate(
        &mut self,
        event: &mut Members<'_>,
        run: Option<&str>,
        warnings: &mut Notices,
    ) -> Option<&'static EventRule> {
        let rule = EventRule::of_retired(text(event, "type")?)?;
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
