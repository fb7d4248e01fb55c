//! How wire types are declared: once, with their serde form and the description that enforcement walks.
//!
//! The fast path decodes a frame straight into its type, which refuses everything the rules would strip, translate or reject. Only what it
//! refuses is decoded a second time as a [`Value`] and walked along its [`Shape`], to say what was stripped or why it is malformed.

pub(crate) mod decode;

use ask_user_question::json::{JsonText, plain};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};

/// The largest integer that survives a JavaScript number.
const MAX_SAFE_INTEGER: i64 = 9_007_199_254_740_991;

/// What the protocol allows at one position.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Any JSON, never looked into.
    Any,
    Text,
    Flag,
    Integer {
        min: i64,
    },
    /// An object whose members are not described.
    OpenObject,
    /// One of a closed set of strings.
    Choice(&'static [&'static str]),
    List {
        item: &'static Self,
        min: usize,
    },
    Object(&'static [Field]),
    Union {
        tag: &'static str,
        members: &'static [(&'static str, &'static Self)],
    },
    /// A string or a list of the item.
    TextOrList(&'static Self),
    /// One RFC 6902 operation, open to further members.
    Operation,
}

impl Shape {
    pub(crate) const MAX_INTEGER: i64 = MAX_SAFE_INTEGER;
}

/// One described member of an object.
#[derive(Debug)]
pub(crate) struct Field {
    /// In snake case, as the Rust field is named; the wire has it in camel case.
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) shape: &'static Shape,
}

impl Field {
    /// The name on the wire.
    pub(crate) fn wire_name(&self) -> String {
        let mut name = String::with_capacity(self.name.len());
        let mut upper = false;
        for c in self.rust_name().chars() {
            match c {
                '_' => upper = true,
                c if upper => {
                    name.push(c.to_ascii_uppercase());
                    upper = false;
                }
                c => name.push(c),
            }
        }
        name
    }

    /// Whether `key` is this field's name on the wire.
    pub(crate) fn is_named(&self, key: &str) -> bool {
        let mut key = key.bytes();
        let mut upper = false;
        for byte in self.rust_name().bytes() {
            if byte == b'_' {
                upper = true;
                continue;
            }
            let expected = if upper {
                byte.to_ascii_uppercase()
            } else {
                byte
            };
            upper = false;
            if key.next() != Some(expected) {
                return false;
            }
        }
        key.next().is_none()
    }

    fn rust_name(&self) -> &'static str {
        self.name.strip_prefix("r#").unwrap_or(self.name)
    }
}

/// A type that knows what the protocol says about it.
pub(crate) trait Described: Sized {
    const SHAPE: &'static Shape;

    /// Decodes a value of a field. Where that is any JSON, it is read as
    /// [`Plain`](ask_user_question::json::Plain), which is safe to read from a hostile text. (No field is a list of such values.)
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>
    where
        Self: Deserialize<'de>,
    {
        Self::deserialize(deserializer)
    }

    /// Whether a decoded value is legal in an optional position, where serde alone would let it pass.
    fn is_legal(&self) -> bool {
        true
    }
}

impl Described for String {
    const SHAPE: &'static Shape = &Shape::Text;
}

impl Described for bool {
    const SHAPE: &'static Shape = &Shape::Flag;
}

impl Described for i64 {
    const SHAPE: &'static Shape = &Shape::Integer {
        min: -MAX_SAFE_INTEGER,
    };

    fn is_legal(&self) -> bool {
        (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(self)
    }
}

impl Described for u64 {
    const SHAPE: &'static Shape = &Shape::Integer { min: 0 };

    fn is_legal(&self) -> bool {
        i64::try_from(*self).is_ok_and(|value| value <= MAX_SAFE_INTEGER)
    }
}

impl Described for Value {
    const SHAPE: &'static Shape = &Shape::Any;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        plain(deserializer)
    }

    fn is_legal(&self) -> bool {
        !self.is_null()
    }
}

impl Described for JsonText {
    const SHAPE: &'static Shape = &Shape::Any;

    fn is_legal(&self) -> bool {
        self.as_str() != "null"
    }
}

impl Described for Map<String, Value> {
    const SHAPE: &'static Shape = &Shape::OpenObject;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match plain(deserializer)? {
            Value::Object(members) => Ok(members),
            _ => Err(D::Error::custom("no object")),
        }
    }
}

impl<T: Described> Described for Vec<T> {
    const SHAPE: &'static Shape = &Shape::List {
        item: T::SHAPE,
        min: 0,
    };
}

impl<T: Described> Described for Box<T> {
    const SHAPE: &'static Shape = T::SHAPE;
}

/// Decodes an optional field that is there. Absent means absent: an explicit `null` is refused.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Described,
{
    let value = T::read(deserializer)?;
    if value.is_legal() {
        Ok(Some(value))
    } else {
        Err(D::Error::custom("value out of range"))
    }
}

/// Declares an object of the protocol: its struct, its serde form and its [`Shape`].
macro_rules! object {
    (
        $(#[$meta:meta])*
        $name:ident {
            required { $( $(#[$required_meta:meta])* $required:ident: $required_type:ty, )* }
            optional { $( $(#[$optional_meta:meta])* $optional:ident: $optional_type:ty, )* }
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, remote = "Self")]
        pub struct $name {
            $(
                $(#[$required_meta])*
                #[serde(deserialize_with = "crate::wire::Described::read")]
                pub $required: $required_type,
            )*
            $(
                $(#[$optional_meta])*
                #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::wire::present")]
                pub $optional: Option<$optional_type>,
            )*
        }

        impl $name {
            /// With the required fields; the optional ones are absent.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "some objects have no required field; an empty one is not a sensible default")]
            pub fn new($( $required: impl Into<$required_type> ),*) -> Self {
                Self { $( $required: $required.into(), )* $( $optional: None, )* }
            }
        }

        $crate::wire::from_maps_only!($name);

        impl $crate::wire::Described for $name {
            const SHAPE: &'static $crate::wire::Shape = &$crate::wire::Shape::Object(&[
                $( $crate::wire::Field {
                    name: stringify!($required), required: true, shape: <$required_type as $crate::wire::Described>::SHAPE,
                }, )*
                $( $crate::wire::Field {
                    name: stringify!($optional), required: false, shape: <$optional_type as $crate::wire::Described>::SHAPE,
                }, )*
            ]);
        }
    };
}
pub(crate) use object;

/// Gives a type, whose derived code is its own (`remote = "Self"`), its serde traits. What serde derives takes an array for an object as
/// well, which the protocol does not.
macro_rules! from_maps_only {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::deserialize($crate::wire::decode::MapsOnly(deserializer))
            }
        }
    };
}
pub(crate) use from_maps_only;

/// Declares a discriminated union: an enum over objects, told apart by a string member.
macro_rules! union {
    (
        $(#[$meta:meta])*
        $name:ident by $tag:literal { $( $(#[$variant_meta:meta])* $variant:ident($type:ty) = $wire:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[serde(tag = $tag)]
        pub enum $name {
            $( $(#[$variant_meta])* #[serde(rename = $wire)] $variant($type), )*
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map($crate::wire::decode::UnionVisitor::<Self>::new($tag))
            }
        }

        impl<'de> $crate::wire::decode::Member<'de> for $name {
            fn decode<D: serde::Deserializer<'de>>(kind: &str, members: D) -> Result<Self, D::Error> {
                match kind {
                    $( $wire => serde::Deserialize::deserialize(members).map(Self::$variant), )*
                    _ => Err(serde::de::Error::custom("unknown kind")),
                }
            }
        }

        impl $crate::wire::Described for $name {
            const SHAPE: &'static $crate::wire::Shape = &$crate::wire::Shape::Union {
                tag: $tag,
                members: &[ $( ($wire, <$type as $crate::wire::Described>::SHAPE), )* ],
            };
        }
    };
}
pub(crate) use union;

/// Declares a closed set of strings.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $wire:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[$variant_meta])* $variant, )*
        }

        impl $name {
            /// As the wire spells it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $wire, )* }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = $crate::wire::decode::Text::deserialize(deserializer)?;
                match &*text.0 {
                    $( $wire => Ok(Self::$variant), )*
                    _ => Err(serde::de::Error::custom("not one of the choices")),
                }
            }
        }

        impl $crate::wire::Described for $name {
            const SHAPE: &'static $crate::wire::Shape = &$crate::wire::Shape::Choice(&[$( $wire, )*]);
        }
    };
}
pub(crate) use choice;
