//! Asks that come as interrupts, in the protocol's form or in the legacy one.

use super::followed::Source;
use super::form::{APPROVALS, Form, option};
use super::time::parse_deadline;
use super::{AskChange, Asks};
use crate::event::EventRef;
use crate::message::sorted;
use crate::outcome::Interrupt;
use ask_user_question::outcome::{Outcome, OutcomeKind};
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question};
use json_tree::Json;
use std::borrow::Cow;

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
            let run = self.run;
            let followed = self.open(id, Source::Interrupt, run, &mut changes);
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
    pub(super) fn take_interrupt(&mut self, interrupt: &Interrupt, changes: &mut Vec<AskChange>) {
        self.bind_interrupt(interrupt, changes).interrupt = Some(interrupt.clone());
    }

    /// Finds or makes the ask that an interrupt is about. It waits from here on, perhaps for the second time; one that can't be shown waits
    /// to be cancelled.
    fn bind_interrupt(&mut self, interrupt: &Interrupt, changes: &mut Vec<AskChange>) -> &mut super::Followed {
        let asked = ask_of(interrupt);
        let named = interrupt.tool_call_id.as_deref();
        let told = |it: &super::Followed| it.interrupt.as_ref().is_some_and(|it| it.id == interrupt.id);
        let position = named
            .and_then(|id| self.positions.get(id))
            .or_else(|| self.followed.iter().position(told))
            .or_else(|| self.call_about(&asked.as_ref()?.0));
        let followed = if let Some(position) = position {
            &mut self.followed[position]
        } else {
            // Some agents give a later interrupt the id of an earlier one, whose receipt stays.
            let mut id = interrupt.id.clone();
            let mut others = (self.run..).map(|run| interrupt.id.clone() + "-" + &run.to_string());
            while self.positions.contains(&id) {
                id = others.next().unwrap_or_default();
            }
            let run = self.run;
            let followed = self.open(&id, Source::Interrupt, run, changes);
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
        let is_same = |followed: &super::Followed| {
            let call = followed.snapshot.ask.as_ref();
            let call = call.filter(|_| followed.source == Source::Call);
            !followed.is_suspended() && call.is_some_and(|call| shares_question(call, ask))
        };
        let only = |is_meant: &dyn Fn(&super::Followed) -> bool| {
            let followed = self.followed.iter().enumerate();
            let mut meant = followed.filter(|(_, it)| is_same(it) && is_meant(it));
            let (position, _) = meant.next()?;
            Some(meant.next().map_or(Some(position), |_| None))
        };
        only(&|it| it.snapshot.phase == Phase::Answerable).or_else(|| only(&|it| !it.has_result)).flatten()
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
    let find = |names: &[&str]| names.iter().find_map(|name| read.get(name));
    let text = |names: &[&str]| find(names)?.as_str().map(str::to_owned);
    let schema = find(&["responseSchema", "response_schema", "resumeSchema"]);
    let schema = schema.map(|schema| unpacked(schema).into_owned()).filter(|it| it.as_object().is_some());
    let raw = Json::object([("raw", read.clone().into_owned())]);
    Interrupt {
        message: read.as_str().map(str::to_owned).or_else(|| text(&["message"])),
        tool_call_id: text(&["toolCallId", "tool_call_id"]),
        response_schema: schema,
        expires_at: text(&["expiresAt", "expires_at"]),
        metadata: Some(Json::object([("langgraph", raw)])),
        ..Interrupt::new(legacy.id.clone(), text(&["reason"]).unwrap_or_else(|| ON_INTERRUPT.to_owned()))
    }
}

/// The value itself, or what the JSON text says that some adapters send in its place.
fn unpacked<'v>(value: &'v Json<'static>) -> Cow<'v, Json<'static>> {
    let parsed = value.as_str().and_then(|text| Some(Json::parse(text).ok()?.into_sorted()));
    match parsed.filter(|parsed| matches!(parsed, Json::Object(_) | Json::Text(_))) {
        Some(parsed) => Cow::Owned(parsed),
        None => Cow::Borrowed(value),
    }
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
    let metadata = interrupt.metadata.as_ref();
    let own = |name: &str| metadata?.get(name);
    let raw = unpacked(raw(interrupt).unwrap_or(&Json::Null));
    let told = [own("ask"), own("ask_user_question"), metadata, Some(&raw)];
    if let Some(ask) = told.into_iter().flatten().find_map(ask_in) {
        return Some((ask, None));
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
    plain_ask(&raw).or_else(|| plain_ask(&Json::from(message))).map(|ask| (ask, None))
}

/// An ask in the tool's own form.
fn ask_in(value: &Json<'static>) -> Option<AskUserQuestion> {
    let has_questions =
        value.get("questions").is_some() || value.get("question").is_some() && value.get("options").is_some();
    if has_questions { AskUserQuestion::from_json(value) } else { None }
}

/// An ask from a text, or from an object with a text and perhaps a list of choices.
fn plain_ask(value: &Json<'static>) -> Option<AskUserQuestion> {
    let named = |names: [&str; 4]| names.into_iter().find_map(|name| value.get(name));
    let text = value.as_str().or_else(|| named(["question", "message", "prompt", "description"])?.as_str())?;
    let choices = named(["options", "choices", "actions", "buttons"]).and_then(Json::as_list);
    let label = |choice: &Json<'static>| choice.as_str().or_else(|| choice.get("label")?.as_str()).map(str::to_owned);
    let options = choices.into_iter().flatten().filter_map(label).map(option).collect();
    (!text.trim().is_empty()).then(|| AskUserQuestion {
        questions: vec![Question { question: text.to_owned(), header: None, multi_select: false, options }],
    })
}

fn shares_question(call: &AskUserQuestion, ask: &AskUserQuestion) -> bool {
    let texts = || call.questions.iter().map(|question| question.question.trim());
    ask.questions.iter().any(|question| texts().any(|text| text == question.question.trim()))
}
