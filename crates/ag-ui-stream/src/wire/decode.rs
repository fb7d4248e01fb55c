//! How wire types are decoded, more strictly than serde derives it and without buffering where the `type` comes first.

use ask_user_question::json::Plain;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A string, borrowed where it can be.
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                self.visit_string(text.to_owned())
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

/// A union whose member is known.
pub(crate) trait Member<'de>: Sized {
    fn decode<D: Deserializer<'de>>(kind: &str, members: D) -> Result<Self, D::Error>;
}

/// Decodes a union.
pub(crate) struct UnionVisitor<T> {
    tag: &'static str,
    union: PhantomData<T>,
}

impl<T> UnionVisitor<T> {
    pub(crate) fn new(tag: &'static str) -> Self {
        Self {
            tag,
            union: PhantomData,
        }
    }
}

impl<'de, T: Member<'de>> Visitor<'de> for UnionVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a `{}`", self.tag)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<T, A::Error> {
        let mut before = Map::new();
        while let Some(Text(key)) = members.next_key()? {
            if key == self.tag {
                let Text(kind) = members.next_value()?;
                if before.is_empty() {
                    return T::decode(&kind, MapAccessDeserializer::new(members));
                }
                let rest = MapAccessDeserializer::new(members);
                if let Plain(Value::Object(rest)) = Plain::deserialize(rest)? {
                    before.extend(rest);
                }
                return T::decode(&kind, before.into_deserializer()).map_err(A::Error::custom);
            }
            let Plain(value) = members.next_value()?;
            before.insert(key.into_owned(), value);
        }
        Err(A::Error::missing_field(self.tag))
    }
}

/// Takes objects where serde would also take arrays.
pub(crate) struct MapsOnly<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for MapsOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}
