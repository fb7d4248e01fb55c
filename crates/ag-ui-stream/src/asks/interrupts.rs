//! Asks that come as interrupts, in the protocol's form or in the legacy one.

use super::followed::{Followed, Source};
use super::form::{APPROVALS, Form, option};
use super::time::parse_deadline;
use super::{AskChange, Asks};
use crate::event::EventRef;
use crate::message::{sorted, text_of};
use crate::outcome::Interrupt;
use ask_user_question::outcome::{Outcome, OutcomeKind};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::text::is_blank;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question};
use json_tree::Json;

/// The name of the legacy event.
pub(super) const ON_INTERRUPT: &str = "on_interrupt";

/// A legacy `on_interrupt` event: the adapters of `LangGraph` and `Mastra` send one in the place of the protocol's interrupt, or beside it.
#[derive(Clone, Debug)]
pub(super) struct Legacy {
    /// Its id, where the adapter's own event tells it, or else a name.
    pub(super) id: String,
    /// The value as it came; the answer quotes it.
    pub(super) value: Json<'static>,
}

impl Asks {
    /// Notes a legacy interrupt, which counts only where the run's end names none in the protocol's form.
    pub(super) fn note_legacy(&mut self, custom: &EventRef<'_>) {
        let raw_id = custom.raw_event().and_then(|raw| raw.get("id")?.as_str());
        let id = match raw_id {
            Some(id) => id.to_owned(),
            None => self.run_id.clone() + "-on_interrupt-" + &self.legacy.len().to_string(),
        };
        let value = custom.get("value").map_or(Json::Null, sorted);
        self.legacy.push(Legacy { id, value });
    }

    /// The legacy interrupts of the last run that still wait: each with its id and its value as it came. Messages do not tell of them, so a
    /// host that keeps a history keeps them as `on_interrupt` events, with the id as `rawEvent.id`.
    pub fn legacy_interrupts(&self) -> impl Iterator<Item = (&str, &Json<'static>)> {
        let waiting = self.followed.iter().filter(|it| it.can_be_ended());
        let legacy = waiting.filter_map(|it| it.legacy.as_ref());
        legacy.map(|legacy| (legacy.id.as_str(), &legacy.value))
    }

    /// The asks of interrupts that are over and that no call tells of. Messages do not either, so a host that keeps a history keeps them too,
    /// for [`restore_receipt`](Self::restore_receipt).
    pub fn receipts(&self) -> impl Iterator<Item = (&str, &AskUserQuestion, &Outcome)> {
        let bare = self.followed.iter();
        let bare = bare.filter(|it| it.source == Source::Interrupt && !it.can_be_ended());
        bare.filter_map(|it| {
            let AskSnapshot { ask, outcome, .. } = &it.snapshot;
            Some((&*it.id, ask.as_deref()?, outcome.as_ref()?))
        })
    }

    /// Brings one of the [`receipts`](Self::receipts) back.
    pub fn restore_receipt(&mut self, id: &str, ask: AskUserQuestion, outcome: Outcome) -> Vec<AskChange> {
        let mut changes = Vec::new();
        if !self.positions.contains(id) {
            let followed = self.open(id, Source::Interrupt, &mut changes);
            followed.complete(ask, Phase::Ready, &mut changes);
            followed.settle(Some(outcome), None, &mut changes);
        }
        changes
    }

    /// Makes asks of the legacy interrupts of a run whose end named none in the protocol's form.
    pub(super) fn take_legacy(&mut self, changes: &mut Vec<AskChange>) {
        for legacy in std::mem::take(&mut self.legacy) {
            let interrupt = standard(&legacy);
            self.bind_interrupt(&interrupt, changes).legacy = Some(legacy);
        }
    }

    /// Binds an interrupt to the ask that it is about, or makes an ask of it.
    pub(super) fn take_interrupt(&mut self, interrupt: Interrupt, changes: &mut Vec<AskChange>) {
        let followed = self.bind_interrupt(&interrupt, changes);
        followed.interrupt = Some(interrupt);
    }

    /// Finds or makes the ask that an interrupt is about. It waits from here on, perhaps for the second time; one that can't be shown waits
    /// to be cancelled.
    fn bind_interrupt(&mut self, interrupt: &Interrupt, changes: &mut Vec<AskChange>) -> &mut Followed {
        let asked = ask_of(interrupt);
        let named = interrupt.tool_call_id.as_deref();
        let told = |it: &Followed| it.interrupt.as_ref().is_some_and(|it| it.id == interrupt.id);
        let position = named
            .and_then(|id| self.positions.get(id))
            .or_else(|| self.followed.iter().position(told))
            .or_else(|| self.call_about(&asked.as_ref()?.0));
        let followed = if let Some(position) = position {
            &mut self.followed[position]
        } else {
            // Some agents give a later interrupt the id of an earlier one, whose receipt stays.
            let (mut id, mut run) = (interrupt.id.clone(), self.run);
            while self.positions.contains(&id) {
                id = interrupt.id.clone() + "-" + &run.to_string();
                run += 1;
            }
            let followed = self.open(&id, Source::Interrupt, changes);
            if let Some((ask, form)) = asked {
                followed.form = form;
                followed.complete(ask, Phase::Answerable, changes);
            }
            followed
        };
        followed.ask_again(changes);
        let deadline = interrupt.expires_at.as_deref().and_then(parse_deadline);
        if followed.snapshot.expires_at != deadline {
            followed.patch(AskPatch::ExpiresAt(deadline), changes);
        }
        followed
    }

    /// The call that an interrupt is about without naming it: the only one with the same question that waits, or, where none does, that got no
    /// result of the agent's own.
    fn call_about(&self, ask: &AskUserQuestion) -> Option<usize> {
        let (mut waiting, mut open) = (Vec::new(), Vec::new());
        for (position, followed) in self.followed.iter().enumerate() {
            if followed.source != Source::Call || followed.is_suspended() || !shares_question(followed.ask(), ask) {
                continue;
            }
            if followed.snapshot.phase == Phase::Answerable {
                waiting.push(position);
            }
            if !followed.has_result {
                open.push(position);
            }
        }
        let meant = if waiting.is_empty() { open } else { waiting };
        if meant.len() == 1 { meant.first().copied() } else { None }
    }

    /// A run began, and every interrupt of the last one had to be answered for that, even if it is not told how.
    pub(super) fn settle_interrupts(&mut self, changes: &mut Vec<AskChange>) {
        for followed in &mut self.followed {
            let was_suspended = followed.is_suspended();
            followed.interrupt = None;
            followed.legacy = None;
            // A call that has a result waited for its interrupt alone.
            let waited = followed.source == Source::Interrupt || was_suspended && followed.is_closed;
            let kind = match followed.snapshot.phase {
                Phase::Answerable => OutcomeKind::Answered,
                // What can't be shown can only be cancelled.
                Phase::Malformed => OutcomeKind::Declined,
                _ => continue,
            };
            if waited {
                followed.settle(None, Some(kind), changes);
            }
        }
    }
}

/// A legacy interrupt as the adapters that send both forms write it in the protocol's.
fn standard(legacy: &Legacy) -> Interrupt {
    let read = unpacked(&legacy.value);
    let text = |names: &[&str]| text_of(first(&read, names)?);
    let schema = first(&read, &["responseSchema", "response_schema", "resumeSchema"]).map(unpacked);
    let mut interrupt = Interrupt::new(&*legacy.id, text(&["reason"]).unwrap_or_else(|| ON_INTERRUPT.to_owned()));
    interrupt.message = text_of(&read).or_else(|| text(&["message"]));
    interrupt.tool_call_id = text(&["toolCallId", "tool_call_id"]);
    interrupt.response_schema = schema.filter(|schema| schema.as_object().is_some());
    interrupt.expires_at = text(&["expiresAt", "expires_at"]);
    interrupt.metadata = Some(Json::object([("langgraph", Json::object([("raw", read)]))]));
    interrupt
}

/// The first of these members that is there.
fn first<'v>(value: &'v Json<'static>, names: &[&str]) -> Option<&'v Json<'static>> {
    names.iter().find_map(|name| value.get(name))
}

/// The value itself, or what the JSON text says that some adapters send in its place.
fn unpacked(value: &Json<'static>) -> Json<'static> {
    if let Some(text) = value.as_str()
        && let Ok(parsed @ (Json::Object(_) | Json::Text(_))) = Json::parse(text)
    {
        return parsed.into_sorted();
    }
    value.clone()
}

/// Whether an agent with an interrupt value of its own reads an answer in the tool's form. An agent that sent plain text reads plain text.
pub(super) fn takes_reply(value: &Json<'static>) -> bool {
    unpacked(value).get("questions").is_some()
}

/// The value that a graph of `LangGraph` gave to its `interrupt()`, in the protocol's form.
pub(super) fn raw(interrupt: &Interrupt) -> Option<&Json<'static>> {
    interrupt.metadata.as_ref()?.get("langgraph")?.get("raw")
}

fn ask_of(interrupt: &Interrupt) -> Option<(AskUserQuestion, Option<Form>)> {
    let raw = raw(interrupt).map_or(Json::Null, unpacked);
    let metadata = interrupt.metadata.as_ref().unwrap_or(&Json::Null);
    for place in [metadata.get("ask"), metadata.get("ask_user_question"), Some(metadata), Some(&raw)] {
        if let Some(ask) = place.and_then(ask_in) {
            return Some((ask, None));
        }
    }
    let message = interrupt.message.as_deref().unwrap_or_default();
    if let Some(schema) = &interrupt.response_schema
        && let Some((ask, form)) = Form::of(message, schema)
    {
        return Some((ask, Some(form)));
    }
    // Whatever came back as a text would be taken for consent.
    if matches!(interrupt.reason.as_str(), "confirmation" | "confirm_changes") {
        let (ask, form) = Form::approval(message, APPROVALS[0]);
        return Some((ask, Some(form)));
    }
    plain_ask(&raw).or_else(|| plain_ask(&message.into())).map(|ask| (ask, None))
}

/// An ask in the tool's own form.
fn ask_in(value: &Json<'static>) -> Option<AskUserQuestion> {
    let has_questions =
        value.get("questions").is_some() || value.get("question").is_some() && value.get("options").is_some();
    if has_questions { AskUserQuestion::from_json(value) } else { None }
}

/// An ask from a text, or from an object with a text and perhaps a list of choices.
fn plain_ask(value: &Json<'static>) -> Option<AskUserQuestion> {
    let text = first(value, &["question", "message", "prompt", "description"]).unwrap_or(value);
    let question = text.as_str().filter(|text| !is_blank(text))?.to_owned();
    let choices = first(value, &["options", "choices", "actions", "buttons"]).and_then(Json::as_list);
    let mut options = Vec::new();
    for choice in choices.unwrap_or_default() {
        options.extend(text_of(choice.get("label").unwrap_or(choice)).map(option));
    }
    Some(AskUserQuestion { questions: vec![Question { question, header: None, multi_select: false, options }] })
}

fn shares_question(call: &AskUserQuestion, ask: &AskUserQuestion) -> bool {
    let is_asked = |text: &str| call.questions.iter().any(|question| question.question.trim() == text);
    ask.questions.iter().any(|question| is_asked(question.question.trim()))
}
