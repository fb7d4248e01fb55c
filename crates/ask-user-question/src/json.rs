//! JSON that others wrote: read once, by one reader, whatever it is to become.
//!
//! [`Tree`] is a text as it was written, members in their order; [`parse`] and [`Plain`] make a [`Value`] of it, and [`JsonText`] passes it on.
//!
//! With `serde_json`'s feature `raw_value`, which somebody in a dependency tree always switches on, reading a `Value` treats an object whose
//! first key is `$serde_json::private::RawValue` as JSON inside a string, and reads that with a fresh limit on depth. A few kilobytes of
//! such strings inside each other overflow the stack. [`Tree`] knows no such key, so the limit holds for the whole text.
//!
//! It does not know the key of the feature `arbitrary_precision` either, which nothing here switches on; a test would tell.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize, SerializeMap, Serializer};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::fmt;

/// A JSON text as it was written: members stand in their order, and twice where they came twice; strings are borrowed where they hold no
/// escape.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Cow<'a, str>),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Object(Members<'a>),
}

/// What an object holds, in its order.
pub type Members<'a> = Vec<(Cow<'a, str>, Tree<'a>)>;

impl<'a> Tree<'a> {
    /// Reads one JSON text.
    ///
    /// # Errors
    /// Where it is none, or nested deeper than 127 levels.
    #[inline] // Where speed counts, it is built as its caller is.
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// As a [`Value`], in which a key that comes twice holds its last value.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value(&mut None)
    }

    /// As a [`Value`]; notes a key that came twice in one object.
    fn value(self, repeated: &mut Option<String>) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number),
            Self::Text(text) => Value::String(text.into_owned()),
            Self::List(items) => {
                let values = items.into_iter().map(|item| item.value(repeated));
                Value::Array(values.collect())
            }
            Self::Object(members) => {
                let mut object = Map::new();
                for (key, member) in members {
                    let member = member.value(repeated);
                    match object.entry(key) {
                        Entry::Vacant(place) => {
                            place.insert(member);
                        }
                        Entry::Occupied(mut place) => {
                            *repeated = Some(place.key().clone());
                            place.insert(member);
                        }
                    }
                }
                Value::Object(object)
            }
        }
    }
}

/// An object of these members. A map that is collected would be sorted first, by code for each way of listing them.
#[must_use]
pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, member) in members {
        object.insert(name.to_owned(), member);
    }
    object
}

impl From<Value> for Tree<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(object) => {
                let members = object.into_iter();
                Self::Object(members.map(|(key, member)| (key.into(), member.into())).collect())
            }
        }
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut object = serializer.serialize_map(Some(members.len()))?;
                for (key, member) in members {
                    object.serialize_entry(&**key, member)?;
                }
                object.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(value).map_or(Tree::Null, Tree::Number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Tree::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Tree::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        // A key is read as a value is, by the same code.
        while let Some(key) = entries.next_key()? {
            let Tree::Text(key) = key else {
                return Err(A::Error::custom("a key that is no string"));
            };
            members.push((key, entries.next_value()?));
        }
        Ok(Tree::Object(members))
    }
}

/// What a value is written as, compactly. Its `Display` does that too, and the same over many lines, which is code of its own.
#[must_use]
pub fn text(value: &Value) -> String {
    serde_json::to_string(value).expect("every key of a value is a string")
}

/// Reads one JSON text.
///
/// # Errors
/// Where it is none, or nested deeper than 127 levels.
pub fn parse(text: &str) -> serde_json::Result<Value> {
    Tree::parse(text).map(Tree::into_value)
}

/// As [`parse`], for a text in which no object may have a key twice: readers take either the first or the last value of such a key, so
/// that two who read the same ask would see different questions.
///
/// # Errors
/// As [`parse`], and where a key is given twice.
pub fn parse_unique(text: &str) -> serde_json::Result<Value> {
    let mut repeated = None;
    let value = Tree::parse(text)?.value(&mut repeated);
    match repeated {
        None => Ok(value),
        Some(key) => Err(serde_json::Error::custom(format_args!("the key {key:?} is given twice"))),
    }
}

/// A [`Value`] that is safe to read from a hostile text; in a struct, `#[serde(deserialize_with = "…::plain")]` reads a field so.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain(pub Value);

/// Reads a field as [`Plain`].
///
/// # Errors
/// Where the deserializer fails.
pub fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Tree::deserialize(deserializer).map(Tree::into_value)
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        plain(deserializer).map(Self)
    }
}

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

impl From<Tree<'_>> for JsonText {
    fn from(tree: Tree<'_>) -> Self {
        Self::of(&tree).expect("every key of a tree is a string")
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree = Tree::parse(&self.0).map_err(ser::Error::custom)?;
        tree.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Tree::deserialize(deserializer).map(Self::from)
    }
}
