//! The tree.

use crate::{Error, Members, Number};
use std::borrow::Cow;
use std::mem;

/// A JSON text as it was written: members keep their order, and repeated ones stay; a string without escapes is borrowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Json<'a> {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number<'a>),
    /// A string.
    Text(Cow<'a, str>),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Object(Members<'a>),
}

impl<'a> Json<'a> {
    /// An object of these members: an array or a vector of names with their values.
    #[must_use]
    pub fn object(mut members: impl AsMut<[(&'static str, Self)]>) -> Self {
        Self::object_out_of(members.as_mut())
    }

    /// Not generic, so that a program has it once for all lengths.
    fn object_out_of(members: &mut [(&'static str, Self)]) -> Self {
        let mut object = Members::new();
        for (name, member) in members {
            object.push((Cow::Borrowed(*name), mem::take(member)));
        }
        Self::Object(object)
    }

    /// An object of the present members among these, which are taken out of the list.
    #[must_use]
    pub fn object_of(members: &mut [(&'static str, Option<Self>)]) -> Self {
        let mut object = Members::new();
        for (name, member) in members {
            if let Some(member) = member.take() {
                object.push((Cow::Borrowed(name), member));
            }
        }
        Self::Object(object)
    }

    /// The last value with this name, which is the one that counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.find(name)
    }

    /// The last value with this name, if it is a string.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The items of the last value with this name; none if it is no list.
    #[must_use]
    pub fn items(&self, name: &str) -> &[Self] {
        self.get(name).and_then(Self::as_list).unwrap_or_default()
    }

    /// The members of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Members<'a>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The items of a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// A string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The string, or how another value is written.
    #[must_use]
    pub fn plain_text(&self) -> String {
        self.as_str().map_or_else(|| self.text(), str::to_owned)
    }

    /// The number as `usize`, if it is one.
    #[must_use]
    pub fn as_index(&self) -> Option<usize> {
        match self {
            Self::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
            _ => None,
        }
    }

    /// `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A copy that borrows nothing.
    #[must_use]
    pub fn into_static(self) -> Json<'static> {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(value),
            Self::Number(number) => Json::Number(number.into_static()),
            Self::Text(text) => Json::Text(text.into_owned().into()),
            Self::List(items) => Json::List(items.into_iter().map(Json::into_static).collect()),
            Self::Object(members) => Json::Object(members.into_static()),
        }
    }

    /// A copy that borrows nothing, in which each name is there once in its object, with its last value.
    #[must_use]
    pub fn into_unique(self) -> Json<'static> {
        let mut json = self.into_static();
        json.make_unique();
        json
    }

    /// Keeps each name once in its object, with its last value.
    pub fn make_unique(&mut self) {
        match self {
            Self::List(items) => items.iter_mut().for_each(Json::make_unique),
            Self::Object(members) => {
                members.unique();
                members.values_mut().for_each(Json::make_unique);
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => {}
        }
    }

    /// A key that some object in this value repeats.
    #[must_use]
    pub fn repeated_key(&self) -> Option<&str> {
        match self {
            Self::List(items) => items.iter().find_map(Self::repeated_key),
            Self::Object(members) => {
                members.repeated().or_else(|| members.iter().find_map(|(_, member)| member.repeated_key()))
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => None,
        }
    }
}

impl From<String> for Json<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<&str> for Json<'_> {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned().into())
    }
}

impl From<bool> for Json<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<usize> for Json<'_> {
    fn from(number: usize) -> Self {
        Self::Number(number.into())
    }
}

impl From<&Self> for Json<'_> {
    /// Inlined, since the caller has the code for copying already.
    #[inline]
    fn from(json: &Self) -> Self {
        json.clone()
    }
}

impl<T: Into<Self>> From<Vec<T>> for Json<'_> {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// Reads a text in which no object may repeat a key. Some readers take the first value of such a key, and some the last, so two
/// readers of the same ask would see different questions.
///
/// # Errors
/// As [`Json::parse`], and if a key is repeated.
pub fn parse_unique(text: &str) -> Result<Json<'_>, NotUnique> {
    let json = Json::parse(text)?;
    match json.repeated_key() {
        None => Ok(json),
        Some(key) => Err(NotUnique::RepeatedKey(key.to_owned())),
    }
}

/// The reason why [`parse_unique`] refuses a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotUnique {
    /// The text is not JSON.
    #[error(transparent)]
    NotJson(#[from] Error),
    /// An object repeats this key.
    #[error("the key {0:?} is given twice")]
    RepeatedKey(String),
}
