//! Conversion between the tree and `serde_json::Value`.

use crate::{Error, Json, Number};
use serde::de::{Deserialize, Deserializer};
use serde_json::{Map, Value};

impl Json<'_> {
    /// Converts to a [`Value`]. If a key is repeated, its last value is used.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number.into()),
            Self::Text(text) => Value::String(text.into_owned()),
            Self::List(items) => Value::Array(items.into_iter().map(Json::into_value).collect()),
            Self::Object(members) => {
                let mut object = Map::new();
                for (key, member) in members {
                    object.insert(key.into_owned(), member.into_value());
                }
                Value::Object(object)
            }
        }
    }
}

/// Compares after [`into_value`](Json::into_value), so the order of members does not matter.
impl PartialEq<Value> for Json<'_> {
    fn eq(&self, other: &Value) -> bool {
        self.clone().into_value() == *other
    }
}

impl From<&Value> for Json<'_> {
    fn from(value: &Value) -> Self {
        value.clone().into()
    }
}

impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number.into()),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(object) => object.into(),
        }
    }
}

impl From<Map<String, Value>> for Json<'_> {
    fn from(object: Map<String, Value>) -> Self {
        let members = object.into_iter();
        Self::Object(members.map(|(key, member)| (key.into(), member.into())).collect())
    }
}

impl From<Number<'_>> for serde_json::Number {
    fn from(number: Number<'_>) -> Self {
        match (number.as_u64(), number.as_i64()) {
            (Some(natural), _) => natural.into(),
            (_, Some(negative)) => negative.into(),
            _ => Self::from_f64(number.as_f64()).unwrap_or_else(|| 0.into()),
        }
    }
}

/// Parses one JSON text into a [`Value`].
///
/// # Errors
/// As [`Json::parse`].
pub fn parse(text: &str) -> Result<Value, Error> {
    Json::parse(text).map(Json::into_value)
}

/// A [`Value`] that is safe to deserialize from untrusted text. For a field, use `#[serde(deserialize_with = "…::plain")]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain(pub Value);

/// Deserializes a field as [`Plain`].
///
/// # Errors
/// If the deserializer fails.
pub fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Json::deserialize(deserializer).map(Json::into_value)
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        plain(deserializer).map(Self)
    }
}
