//! The answer that `LibreChat`'s graphs resume with: the values of the options, by the ids of the questions.

use super::form::ReplyForm;
use ask_user_question::outcome::Outcome;
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::{AskUserQuestion, Question, Reply};
use json_tree::{Json, Members};
use std::borrow::Cow;
use std::slice;

/// The value that a graph gave to its `interrupt()`: `{type, question, questions?: [{id, question, options: [{label, value}]}]}`.
#[derive(Debug)]
pub(super) struct OptionValues(Json<'static>);

impl OptionValues {
    pub(super) fn of(raw: &Json<'static>) -> Option<Self> {
        (raw.string("type")? == "ask_user_question").then(|| Self(raw.clone()))
    }

    /// The questions with ids: they are answered by an object. Without them, the one question is answered alone.
    fn listed(&self) -> Option<&[Json<'static>]> {
        self.0.get("questions")?.as_list()
    }

    fn find(&self, text: &str) -> Option<&Json<'static>> {
        let alone = || self.0.get("question").map(slice::from_ref).unwrap_or_default();
        let mut all = self.listed().unwrap_or_else(alone).iter();
        all.find(|asked| {
            let asked = asked.get("question").unwrap_or(asked);
            asked.as_str().is_some_and(|asked| asked.trim() == text.trim())
        })
    }

    /// The labels and values of its options. An option without a value is its label.
    fn pairs(&self, question: &str) -> impl Iterator<Item = (String, String)> {
        let options = self.find(question).and_then(|asked| asked.get("options")).or_else(|| self.0.get("options"));
        options.and_then(Json::as_list).unwrap_or_default().iter().filter_map(|option| {
            let label = text_of(option.get("label").unwrap_or(option))?;
            let value = option.get("value").and_then(text_of).unwrap_or_else(|| label.clone());
            Some((label, value))
        })
    }

    fn id(&self, question: &str) -> Option<String> {
        self.find(question)?.get("id").and_then(text_of)
    }

    fn value(&self, answer: &Answer) -> String {
        let value = |label: &str| self.pairs(&answer.question).find(|(its, _)| its.trim() == label.trim());
        let options = answer.given.options().iter();
        let picked = options.map(|it| value(&it.label).map_or_else(|| it.label.clone(), |(_, value)| value));
        let texts: Vec<String> = picked.chain(answer.given.typed().map(Cow::into_owned)).collect();
        texts.join(", ")
    }

    /// The options whose values a text has, and the rest as own words.
    fn selection(&self, index: usize, question: &Question, text: &str) -> Selection {
        let option = |value: &str| {
            let (label, _) = self.pairs(&question.question).find(|(_, its)| its == value)?;
            question.options.iter().position(|option| option.label.trim() == label.trim())
        };
        let parts = if question.multi_select { text.split(", ").collect() } else { vec![text] };
        let (picked, typed): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| option(part).is_some());
        let selection = Selection::picked(index, picked.into_iter().filter_map(option).collect::<Vec<_>>());
        if typed.is_empty() { selection } else { selection.with_other(typed.join(", ")) }
    }
}

impl ReplyForm for OptionValues {
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        let text = match outcome {
            Outcome::Answered(reply) => {
                let answered = reply.answers().iter().filter(|answer| !answer.given.is_skipped());
                if self.listed().is_some() {
                    let mut answers = Members::new();
                    for answer in answered {
                        let id = self.id(&answer.question).unwrap_or_else(|| answer.question.clone());
                        answers.push((id.into(), self.value(answer).into()));
                    }
                    return Ok(Json::object([("answers", Json::Object(answers))]));
                }
                answered.map(|answer| self.value(answer)).next().unwrap_or_default()
            }
            Outcome::RepliedInChat { text, .. } => text.clone(),
            _ => return Ok(outcome.to_json(ask)),
        };
        Ok(Json::object([("answer", text.into())]))
    }

    fn read(&self, ask: &AskUserQuestion, content: &Json<'static>) -> Option<Outcome> {
        let answer = |question: &Question| match content.get("answers") {
            Some(answers) => answers.get(&self.id(&question.question)?),
            None => content.get("answer"),
        };
        let asked = ask.questions.iter().enumerate();
        let selections = asked.map(|(index, question)| match answer(question).and_then(text_of) {
            Some(text) => self.selection(index, question, &text),
            None => Selection::skipped(index),
        });
        Reply::of(ask, selections.collect()).map(Outcome::Answered)
    }

    fn restates(&self) -> bool {
        true
    }
}

/// A text, or what a number or flag is written as.
fn text_of(value: &Json<'_>) -> Option<String> {
    let is_plain = value.as_object().is_none() && value.as_list().is_none() && *value != Json::Null;
    is_plain.then(|| value.as_str().map_or_else(|| value.text(), str::to_owned))
}
