//! JSON that is passed on ([`JsonText`]), and JSON that others wrote, read into a [`Value`] ([`parse`], [`Plain`]).
//!
//! With `serde_json`'s feature `raw_value`, which somebody in a dependency tree always switches on, reading a `Value` treats an object whose
//! first key is `$serde_json::private::RawValue` as JSON inside a string, and reads that with a fresh limit on depth. A few kilobytes of
//! such strings inside each other overflow the stack. [`Plain`] knows no such key, so the limit holds for the whole text.
//!
//! It does not know the key of the feature `arbitrary_precision` either, which nothing here switches on; a test would tell.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize, Serializer};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Any JSON, kept as compact text, with its members in the order in which they came. A [`Value`] sorts them, which matters where a model
/// reads it; `serde_json`'s own raw value needs the feature that makes reading a [`Value`] unsafe.
///
/// ```
/// use ask_user_question::json::JsonText;
/// let schema: JsonText = serde_json::from_str(r#"{ "z": 1, "a": [true] }"#)?;
/// assert_eq!(serde_json::to_string(&schema)?, r#"{"z":1,"a":[true]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText(Box<str>);

impl JsonText {
    /// What a value is written as.
    ///
    /// # Errors
    /// Where the value can't be written as JSON, such as a map whose keys are no strings.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(text.into()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reader = serde_json::Deserializer::from_str(&self.0);
        serde_transcode::transcode(&mut reader, serializer).map_err(ser::Error::custom)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut text = Vec::new();
        serde_transcode::transcode(deserializer, &mut serde_json::Serializer::new(&mut text))
            .map_err(D::Error::custom)?;
        let text = String::from_utf8(text).map_err(D::Error::custom)?;
        Ok(Self(text.into()))
    }
}

/// Reads one JSON text.
///
/// # Errors
/// Where it is none, or nested deeper than 127 levels.
pub fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).map(|Plain(value)| value)
}

/// A [`Value`] that is safe to read from a hostile text; in a struct, `#[serde(deserialize_with = "…::plain")]` reads a field so.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain(pub Value);

/// Reads a field as [`Plain`].
///
/// # Errors
/// Where the deserializer fails.
pub fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Plain::deserialize(deserializer).map(|Plain(value)| value)
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor).map(Self)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Plain(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Plain(field))) = fields.next_entry::<String, Plain>()? {
            object.insert(key, field);
        }
        Ok(Value::Object(object))
    }
}
