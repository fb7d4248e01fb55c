//! The wire form of replies.

use super::{Answer, Reply};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reply = serializer.serialize_struct("Reply", 1 + usize::from(self.needs_details))?;
        reply.serialize_field("answers", &Flat(&self.answers))?;
        if self.needs_details {
            reply.serialize_field("details", &Details(&self.answers))?;
        } else {
            reply.skip_field("details")?;
        }
        reply.end()
    }
}

/// The map from question texts to answers. Questions with equal texts, which no legal ask has, share an entry.
struct Flat<'a>(&'a [Answer]);

impl Serialize for Flat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = flat(self.0);
        let mut map = serializer.serialize_map(Some(entries.len()))?;
        for (question, text) in &entries {
            map.serialize_entry(question, text)?;
        }
        map.end()
    }
}

/// The entries of the flat map, in the order of the questions.
pub(super) fn flat(answers: &[Answer]) -> Vec<(&str, String)> {
    let mut entries: Vec<(&str, String)> = Vec::with_capacity(answers.len());
    for answer in answers {
        let Some(text) = answer.text() else {
            continue;
        };
        match entries.iter_mut().find(|(question, _)| *question == answer.question) {
            Some((_, joined)) => {
                joined.push_str(", ");
                joined.push_str(&text);
            }
            None => entries.push((&answer.question, text)),
        }
    }
    entries
}

/// The `details` array, which says everything.
pub(crate) struct Details<'a>(pub(crate) &'a [Answer]);

impl Serialize for Details<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for answer in self.0 {
            list.serialize_element(&Detail::from(answer))?;
        }
        list.end()
    }
}

#[derive(serde::Serialize)]
struct Detail<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a str>,
    selected: Vec<DetailOption<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    status: &'static str,
}

#[derive(serde::Serialize)]
struct DetailOption<'a> {
    index: usize,
    label: &'a str,
}

impl<'a> From<&'a Answer> for Detail<'a> {
    fn from(answer: &'a Answer) -> Self {
        let option = |selected: &'a super::Selected| DetailOption { index: selected.index, label: &selected.label };
        Self {
            index: answer.index,
            header: answer.header.as_deref(),
            selected: answer.selected.iter().map(option).collect(),
            other: answer.other.as_deref(),
            note: answer.note.as_deref(),
            status: if answer.skipped { "skipped" } else { "answered" },
        }
    }
}
