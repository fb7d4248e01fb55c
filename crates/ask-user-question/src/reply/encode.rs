//! Writes the wire form of replies.

use super::answer::{Answer, Given, Reply, Selected};
use crate::attachment::Attachment;
use crate::text::joined;
use json_tree::{Json, Members};
use serde::ser::{Serialize, Serializer};

const SKIPPED: &str = "Questions marked skipped in `details` are not answered; do not take them as consent.";
const ALL_SKIPPED: &str = "The user skipped every question. This is no answer and no consent.";
const TYPED: &str = "What is `other` in `details` was typed by the user and is none of the options.";
const ATTACHED: &str = "What is `attachments` in `details` are files of the user.";

impl Reply {
    /// The wire form: `answers` in the order of the questions and, if this flat map would lose information, `details` and `message`.
    #[must_use]
    pub fn to_json(&self) -> Json<'static> {
        self.into()
    }
}

impl From<&Reply> for Json<'static> {
    fn from(reply: &Reply) -> Self {
        let answers = Self::Object(flat(&reply.answers));
        let details = reply.needs_details.then(|| details(&reply.answers));
        Self::object_of(&mut [("answers", Some(answers)), ("details", details), ("message", message(&reply.answers))])
    }
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Json::from(self).serialize(serializer)
    }
}

fn message(answers: &[Answer]) -> Option<Json<'static>> {
    let any = |is: fn(&Answer) -> bool| answers.iter().any(is);
    let mut sentences = Vec::new();
    if any(|answer| answer.given.is_skipped()) {
        sentences.push(if any(|answer| !answer.given.is_skipped()) { SKIPPED } else { ALL_SKIPPED });
    }
    let is_own = any(|answer| other(answer).is_some());
    for (is, sentence) in [(is_own, TYPED), (any(|answer| !answer.attachments.is_empty()), ATTACHED)] {
        if is {
            sentences.push(sentence);
        }
    }
    (!sentences.is_empty()).then(|| joined(&sentences, " ").into())
}

pub(super) fn flat(answers: &[Answer]) -> Members<'static> {
    let mut flat = Members::new();
    for answer in answers {
        let Some(text) = answer.text() else {
            continue;
        };
        match flat.iter_mut().find(|(question, _)| *question == answer.question) {
            Some((_, Json::Text(joined))) => {
                let joined = joined.to_mut();
                joined.push_str(", ");
                joined.push_str(&text);
            }
            _ => flat.push((answer.question.clone().into(), text.into())),
        }
    }
    flat
}

fn other(answer: &Answer) -> Option<&str> {
    match &answer.given {
        Given::Picked { other, .. } => other.as_deref(),
        _ => None,
    }
}

/// The array `details`, which is lossless.
pub(crate) fn details(answers: &[Answer]) -> Json<'static> {
    Json::List(answers.iter().map(detail).collect())
}

fn detail(answer: &Answer) -> Json<'static> {
    let said = |text: &Option<String>| text.as_deref().map(Json::from);
    let chosen = answer.given.options().iter().map(|Selected { index, label, value }| {
        let index = Some((*index).into());
        Json::object_of(&mut [("index", index), ("label", Some(label.as_str().into())), ("value", said(value))])
    });
    let attachments: Vec<_> = answer.attachments.iter().map(Attachment::to_json).collect();
    Json::object_of(&mut [
        ("index", Some(answer.index.into())),
        ("header", said(&answer.header)),
        ("selected", Some(Json::List(chosen.collect()))),
        ("other", other(answer).map(Json::from)),
        ("value", answer.given.value()),
        ("note", said(&answer.note)),
        ("attachments", (!attachments.is_empty()).then_some(Json::List(attachments))),
        ("status", Some(if answer.given.is_skipped() { "skipped" } else { "answered" }.into())),
    ])
}
