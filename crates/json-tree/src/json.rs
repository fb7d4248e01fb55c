//! The tree of a JSON text.

use crate::{Error, Members, Number};
use std::borrow::Cow;
use std::mem;

/// A JSON text as it was written: members keep their order and duplicates, and strings without escapes are borrowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Json<'a> {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, kept in the digits in which it was written.
    Number(Number<'a>),
    /// A string.
    Text(Cow<'a, str>),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Object(Members<'a>),
}

impl<'a> Json<'a> {
    /// Creates an object from an array or vector of names and values.
    #[must_use]
    pub fn object(mut members: impl AsMut<[(&'static str, Self)]>) -> Self {
        Self::object_out_of(members.as_mut())
    }

    /// Not generic, so that it is compiled only once for all lengths.
    fn object_out_of(members: &mut [(&'static str, Self)]) -> Self {
        let mut object = Members::new();
        for (name, member) in members {
            object.push((Cow::Borrowed(*name), mem::take(member)));
        }
        Self::Object(object)
    }

    /// Creates an object from the members that are present. Takes the values out of the list.
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

    /// The last value with this name, which is the one that counts. `None` if this is no object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.find(name)
    }

    /// The last value with this name; `None` if it is no string.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The items of the last value with this name; empty if it is no list.
    #[must_use]
    pub fn items(&self, name: &str) -> &[Self] {
        self.get(name).and_then(Self::as_list).unwrap_or_default()
    }

    /// The members; `None` if this is no object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Members<'a>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The items; `None` if this is no list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text; `None` if this is no string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a string, or the JSON text of another value.
    #[must_use]
    pub fn plain_text(&self) -> String {
        self.as_str().map_or_else(|| self.text(), str::to_owned)
    }

    /// The number as `usize`; `None` if this is no number, or not a natural one.
    #[must_use]
    pub fn as_index(&self) -> Option<usize> {
        match self {
            Self::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
            _ => None,
        }
    }

    /// The flag; `None` if this is no boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Copies everything that is borrowed.
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

    /// Copies everything that is borrowed, and removes duplicates as [`make_unique`](Self::make_unique) does.
    #[must_use]
    pub fn into_unique(self) -> Json<'static> {
        let mut json = self.into_static();
        json.make_unique();
        json
    }

    /// Removes duplicate names from all objects. The last value of each name stays.
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

    /// A key that occurs twice in some object of this value; `None` if there is none.
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
    /// Inlined, since the caller already contains the code for cloning.
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

/// Reads a text in which no object may repeat a key. Some readers use the first value of a repeated key and some the last, so two readers of the
/// same ask would see different questions.
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

/// The reason why [`parse_unique`] rejects a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotUnique {
    /// The text is not JSON.
    #[error(transparent)]
    NotJson(#[from] Error),
    /// An object repeats this key.
    #[error("the key {0:?} is given twice")]
    RepeatedKey(String),
}
