//! Answers that name options by the agent's own values, as graphs of `LibreChat` and resumed tools of `Mastra` expect them.

use super::form::ReplyForm;
use crate::outcome::first;
use ask_user_question::outcome::Outcome;
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::{AskUserQuestion, Question, Reply};
use json_tree::{Json, Members};
use std::borrow::Cow;
use std::slice;

const ANSWER: &str = "answer";

/// The agent's question in its own format: `{question, options}`, or a list `questions` of such objects with ids. An option is a label or `{label,
/// value}`.
#[derive(Debug)]
pub(super) struct OptionValues {
    asked: Json<'static>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// In an object `answers`, by the ids of the questions.
    Ids,
    /// In the member `name`, or as the whole reply if there is no name.
    One { name: Option<String>, takes_list: bool },
}

impl OptionValues {
    /// Reads the value that a graph of `LibreChat` passed to its `interrupt()`.
    pub(super) fn of(raw: &Json<'static>) -> Option<Self> {
        let place = match raw.get("questions").and_then(Json::as_list) {
            Some(_) => Place::Ids,
            None => Place::One { name: Some(ANSWER.to_owned()), takes_list: false },
        };
        (raw.string("type")? == "ask_user_question").then(|| Self { asked: raw.clone(), place })
    }

    /// Reads the question of a tool that takes any text, according to the schema.
    pub(super) fn in_words(asked: &Json<'static>, schema: &Json<'static>) -> Option<Self> {
        let (name, schema) = match schema.get("properties").and_then(Json::as_object) {
            Some(properties) => {
                let [required] = schema.items("required") else { return None };
                (Some(required.as_str()?.to_owned()), properties.find(required.as_str()?)?)
            }
            None => (None, schema),
        };
        let alternatives =
            first(schema, &["anyOf", "oneOf"]).and_then(Json::as_list).unwrap_or(slice::from_ref(schema));
        let takes = |kind: &str| {
            let is_any =
                |it: &Json<'static>| it.string("type") == Some(kind) && first(it, &["enum", "format"]).is_none();
            alternatives.iter().any(is_any)
        };
        let place = Place::One { name, takes_list: takes("array") };
        takes("string").then(|| Self { asked: asked.clone(), place })
    }

    fn find(&self, text: &str) -> Option<&Json<'static>> {
        let listed = self.asked.get("questions").and_then(Json::as_list);
        let alone = || self.asked.get("question").map(slice::from_ref).unwrap_or_default();
        let mut all = listed.unwrap_or_else(alone).iter();
        all.find(|asked| {
            let asked = asked.get("question").unwrap_or(asked);
            asked.as_str().is_some_and(|asked| asked.trim() == text.trim())
        })
    }

    /// The labels and values of the question's options. The value defaults to the label.
    fn pairs(&self, question: &str) -> impl Iterator<Item = (String, String)> {
        let options = self.find(question).and_then(|asked| asked.get("options")).or_else(|| self.asked.get("options"));
        options.and_then(Json::as_list).unwrap_or_default().iter().filter_map(|option| {
            let label = text_of(option.get("label").unwrap_or(option))?;
            let value = option.get("value").and_then(text_of).unwrap_or_else(|| label.clone());
            Some((label, value))
        })
    }

    fn id(&self, question: &str) -> Option<String> {
        self.find(question)?.get("id").and_then(text_of)
    }

    fn values(&self, answer: &Answer) -> Vec<String> {
        let value = |label: &str| self.pairs(&answer.question).find(|(its, _)| its.trim() == label.trim());
        let options = answer.given.options().iter();
        let picked = options.map(|it| value(&it.label).map_or_else(|| it.label.clone(), |(_, value)| value));
        picked.chain(answer.given.typed().map(Cow::into_owned)).collect()
    }

    /// The options whose values occur in a text; the rest becomes own words.
    fn selection(&self, index: usize, question: &Question, content: &Json<'static>) -> Option<Selection> {
        let option = |value: &str| {
            let (label, _) = self.pairs(&question.question).find(|(_, its)| its == value)?;
            question.options.iter().position(|option| option.label.trim() == label.trim())
        };
        let text = text_of(content);
        let parts = match (&text, content.as_list()) {
            (Some(text), _) if question.multi_select => text.split(", ").collect(),
            (Some(text), _) => vec![text.as_str()],
            (None, listed) => listed?.iter().filter_map(Json::as_str).collect(),
        };
        let (picked, typed): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| option(part).is_some());
        let selection = Selection::picked(index, picked.into_iter().filter_map(option).collect::<Vec<_>>());
        Some(if typed.is_empty() { selection } else { selection.with_other(typed.join(", ")) })
    }
}

impl ReplyForm for OptionValues {
    fn write(&self, ask: &AskUserQuestion, outcome: &Outcome) -> Result<Json<'static>, String> {
        let content: Json<'static> = match outcome {
            Outcome::Answered(reply) => {
                let mut answered = reply.answers().iter().filter(|answer| !answer.given.is_skipped());
                match self.place {
                    Place::Ids => {
                        let mut answers = Members::new();
                        for answer in answered {
                            let id = self.id(&answer.question).unwrap_or_else(|| answer.question.clone());
                            answers.push((id.into(), self.values(answer).join(", ").into()));
                        }
                        return Ok(Json::object([("answers", Json::Object(answers))]));
                    }
                    Place::One { takes_list, .. } => {
                        let values = answered.next().map(|answer| self.values(answer)).unwrap_or_default();
                        let is_list = takes_list && ask.questions.iter().any(|question| question.multi_select);
                        if is_list { values.into() } else { values.join(", ").into() }
                    }
                }
            }
            Outcome::RepliedInChat { text, .. } => text.as_str().into(),
            _ => return Ok(outcome.to_json(ask)),
        };
        let name = match &self.place {
            Place::Ids => ANSWER,
            Place::One { name: Some(name), .. } => name,
            Place::One { name: None, .. } => return Ok(content),
        };
        Ok(Json::Object([(name.to_owned().into(), content)].into_iter().collect()))
    }

    fn read(&self, ask: &AskUserQuestion, content: &Json<'static>) -> Option<Outcome> {
        let answer = |question: &Question| match (&self.place, content.get("answers")) {
            (Place::Ids, Some(answers)) => answers.get(&self.id(&question.question)?),
            (Place::Ids, None) => content.get(ANSWER),
            (Place::One { name: Some(name), .. }, _) => content.get(name),
            (Place::One { name: None, .. }, _) => Some(content),
        };
        let asked = ask.questions.iter().enumerate();
        let selections = asked.map(|(index, question)| {
            answer(question)
                .and_then(|it| self.selection(index, question, it))
                .unwrap_or_else(|| Selection::skipped(index))
        });
        Reply::of(ask, selections.collect()).map(Outcome::Answered)
    }

    fn restates(&self) -> bool {
        true
    }
}

fn text_of(value: &Json<'_>) -> Option<String> {
    let is_plain = value.as_object().is_none() && value.as_list().is_none() && *value != Json::Null;
    is_plain.then(|| value.plain_text())
}
