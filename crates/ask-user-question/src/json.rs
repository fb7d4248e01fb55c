//! Reading JSON that others wrote into a [`Value`].
//!
//! With `serde_json`'s feature `raw_value`, which somebody in a dependency tree always switches on, reading a `Value` treats an object whose
//! first key is `$serde_json::private::RawValue` as JSON inside a string, and reads that with a fresh limit on depth. A few kilobytes of
//! such strings inside each other overflow the stack. [`Plain`] knows no such key, so the limit holds for the whole text.
//!
//! It does not know the key of the feature `arbitrary_precision` either, which nothing here switches on; a test would tell.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

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
