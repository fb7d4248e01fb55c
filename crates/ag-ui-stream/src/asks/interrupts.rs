//! Asks that come as interrupts, in the protocol's form or in the legacy one.

use super::followed::Source;
use super::form::Form;
use super::time::parse_deadline;
use super::{AskChange, Asks};
use crate::outcome::Interrupt;
use ask_user_question::outcome::OutcomeKind;
use ask_user_question::snapshot::AskPatch;
use ask_user_question::validate::check;
use ask_user_question::{AskUserQuestion, Limits, Phase, Question, QuestionOption};
use serde_json::Value;

impl Asks {
    /// Binds an interrupt to the ask that it names, or makes an ask of it.
    pub(super) fn take_interrupt(&mut self, interrupt: &Interrupt, changes: &mut Vec<AskChange>) {
        let named = interrupt
            .tool_call_id
            .as_ref()
            .and_then(|id| self.positions.get(id));
        let followed = match named {
            Some(position) => &mut self.followed[position],
            None if self.positions.contains(&interrupt.id) => return,
            None => {
                let Some((ask, form)) = ask_of(interrupt) else {
                    return;
                };
                let run = self.run;
                let followed = self.open(&interrupt.id, Source::Interrupt, run, changes);
                followed.form = form;
                followed.complete(ask, Phase::Answerable, changes);
                followed
            }
        };
        followed.interrupt = Some(interrupt.clone());
        if let Some(deadline) = interrupt.expires_at.as_deref().and_then(parse_deadline) {
            followed.patch(AskPatch::ExpiresAt(Some(deadline)), changes);
        }
    }

    /// Makes asks of the legacy interrupts of a run whose end named none in the protocol's form.
    pub(super) fn take_legacy(&mut self, changes: &mut Vec<AskChange>) {
        for (index, value) in std::mem::take(&mut self.legacy).into_iter().enumerate() {
            // Some adapters send the value as JSON text.
            let read = value
                .as_str()
                .and_then(|text| ask_user_question::json::parse(text).ok())
                .unwrap_or_else(|| value.clone());
            let Some(ask) = ask_in(&read).or_else(|| plain_ask(&read)) else {
                continue;
            };
            let id = format!("{}-on_interrupt-{index}", self.run_id);
            if !self.positions.contains(&id) {
                let run = self.run;
                self.open(&id, Source::Legacy(value), run, changes)
                    .complete(ask, Phase::Answerable, changes);
            }
        }
    }

    /// A run began, and every interrupt of the last one had to be answered for that, even if it is not told how.
    pub(super) fn settle_interrupts(&mut self, changes: &mut Vec<AskChange>) {
        for followed in &mut self.followed {
            if followed.source != Source::Call && followed.snapshot.phase == Phase::Answerable {
                followed.settle(None, Some(OutcomeKind::Answered), changes);
            }
        }
    }
}

fn ask_of(interrupt: &Interrupt) -> Option<(AskUserQuestion, Option<Form>)> {
    let metadata = interrupt
        .metadata
        .clone()
        .map(Value::Object)
        .unwrap_or_default();
    let own = [&metadata["ask"], &metadata["ask_user_question"], &metadata];
    if let Some(ask) = own.into_iter().find_map(ask_in) {
        return Some((ask, None));
    }
    let message = interrupt.message.as_deref().unwrap_or_default();
    if let Some((ask, form)) = interrupt
        .response_schema
        .as_ref()
        .and_then(|schema| Form::of(message, schema))
    {
        return Some((ask, Some(form)));
    }
    plain_ask(&Value::from(message)).map(|ask| (ask, None))
}

/// An ask in the tool's own form.
fn ask_in(value: &Value) -> Option<AskUserQuestion> {
    let has_questions = value.get("questions").is_some()
        || value.get("question").is_some() && value.get("options").is_some();
    if has_questions {
        check(&Limits::RUNTIME, value.clone()).ask
    } else {
        None
    }
}

/// An ask from a text, or from an object with a text and perhaps a list of choices.
fn plain_ask(value: &Value) -> Option<AskUserQuestion> {
    let named = |names: [&str; 4]| names.into_iter().find_map(|name| value.get(name));
    let text = value
        .as_str()
        .or_else(|| named(["question", "message", "prompt", "description"])?.as_str())?;
    let choices = named(["options", "choices", "actions", "buttons"]).and_then(Value::as_array);
    let label = |choice: &Value| {
        choice
            .as_str()
            .or_else(|| choice.get("label")?.as_str())
            .map(str::to_owned)
    };
    let options = choices
        .into_iter()
        .flatten()
        .filter_map(label)
        .map(option)
        .collect();
    (!text.trim().is_empty()).then(|| AskUserQuestion {
        questions: vec![Question {
            question: text.to_owned(),
            header: None,
            multi_select: false,
            options,
        }],
    })
}

pub(super) fn option(label: impl Into<String>) -> QuestionOption {
    QuestionOption {
        label: label.into(),
        description: None,
        preview: None,
    }
}
