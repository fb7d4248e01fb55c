//! How wire types are declared: once, with the description that enforcement walks.
//!
//! A frame becomes a [`Json`]. The walk along its [`Shape`] finds what is wrong with it. Then the types are built from it without further
//! checks. The other way, they give [`Item`]s. Names and rules stand in the shapes alone, so that little code is made for each type.

mod enforce;
mod item;
mod members;

use json_tree::{Json, JsonText};
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::{Map, Number, Value};

pub(crate) use enforce::{enforce, enforce_event, refusal};
pub(crate) use item::{Item, Items};
pub(crate) use json_tree::Members;
pub(crate) use members::{Fields, last, list, members_of, set, take, text};

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
    /// A string of a set that may grow: another one is removed, as a member of an unknown kind is.
    OpenChoice(&'static [&'static str]),
    List {
        item: &'static Self,
        min: usize,
    },
    Object(&'static [Field]),
    Union(&'static Union),
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
    /// The name on the wire.
    pub(crate) name: &'static str,
    pub(crate) presence: Presence,
    pub(crate) shape: &'static Shape,
}

/// A member that must be there.
pub(crate) const fn must(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, presence: Presence::Required, shape }
}

/// A member that may be there.
pub(crate) const fn may(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, presence: Presence::Optional, shape }
}

/// A member that may be there, and that retired producers write as `null` where it is absent.
pub(crate) const fn or_null(name: &'static str, shape: &'static Shape) -> Field {
    Field { name, presence: Presence::Nullable, shape }
}

/// Whether a member must be there. Absent means absent: only a retired form writes `null` instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
    /// Optional, and retired producers write `null` where it is absent.
    Nullable,
}

/// Several kinds of object, told apart by a string member.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) tag: &'static str,
    /// What the tag can say, with the other members that the object has then.
    pub(crate) kinds: &'static [(&'static str, &'static [Field])],
    /// Turns a retired kind of object into one that is described; others stay.
    pub(crate) translate_retired: fn(&mut Members<'_>),
}

impl Union {
    /// Which kind of object it is; `None` where it tells nothing, or a kind that is not described.
    pub(crate) fn kind(&self, members: &Members<'_>) -> Option<usize> {
        let kind = text(members, self.tag)?;
        self.kinds.iter().position(|(name, _)| *name == kind)
    }
}

/// A type that knows what the protocol says about it.
pub(crate) trait Wire: Sized {
    const SHAPE: &'static Shape;

    /// Makes it of what the walk along the shape has passed, where `null` stands for what is absent; anything else gives something empty.
    fn build(tree: Json<'_>) -> Self;

    /// What is written for it.
    fn item(&self) -> Item<'_>;
}

/// A type that is an object.
pub(crate) trait Record: Sized {
    const FIELDS: &'static [Field];

    fn build_of(fields: &mut Fields<'_>) -> Self;
}

/// A whole number that survives a JavaScript number. The schema's integers include 1.0.
pub(crate) fn whole(number: &Number) -> Option<i64> {
    let of_float = || {
        let number = number.as_f64()?;
        (number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER as f64).then_some(number as i64)
    };
    let is_safe = |it: &i64| (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(it);
    number.as_i64().or_else(of_float).filter(is_safe)
}

/// Reads what others than a stream hold, such as a store: only what 1.0 describes.
pub(crate) fn read<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut tree = Json::deserialize(deserializer)?;
    enforce::check_strictly(&mut tree, T::SHAPE).map_err(D::Error::custom)?;
    Ok(T::build(tree))
}

impl Wire for String {
    const SHAPE: &'static Shape = &Shape::Text;

    fn build(tree: Json<'_>) -> Self {
        match tree {
            Json::Text(text) => text.into_owned(),
            _ => Self::new(),
        }
    }

    fn item(&self) -> Item<'_> {
        Item::Text(self)
    }
}

impl Wire for bool {
    const SHAPE: &'static Shape = &Shape::Flag;

    fn build(tree: Json<'_>) -> Self {
        tree == Json::Bool(true)
    }

    fn item(&self) -> Item<'_> {
        Item::Flag(*self)
    }
}

impl Wire for i64 {
    const SHAPE: &'static Shape = &Shape::Integer { min: -MAX_SAFE_INTEGER };

    fn build(tree: Json<'_>) -> Self {
        match tree {
            Json::Number(number) => whole(&number).unwrap_or_default(),
            _ => 0,
        }
    }

    fn item(&self) -> Item<'_> {
        Item::Integer(*self)
    }
}

impl Wire for u64 {
    const SHAPE: &'static Shape = &Shape::Integer { min: 0 };

    fn build(tree: Json<'_>) -> Self {
        i64::build(tree).unsigned_abs()
    }

    fn item(&self) -> Item<'_> {
        Item::Natural(*self)
    }
}

impl Wire for Value {
    const SHAPE: &'static Shape = &Shape::Any;

    fn build(tree: Json<'_>) -> Self {
        tree.into_value()
    }

    fn item(&self) -> Item<'_> {
        Item::Any(self)
    }
}

impl Wire for JsonText {
    const SHAPE: &'static Shape = &Shape::Any;

    fn build(tree: Json<'_>) -> Self {
        tree.into()
    }

    fn item(&self) -> Item<'_> {
        Item::Json(self)
    }
}

impl Wire for Map<String, Value> {
    const SHAPE: &'static Shape = &Shape::OpenObject;

    fn build(tree: Json<'_>) -> Self {
        match tree.into_value() {
            Value::Object(members) => members,
            _ => Self::new(),
        }
    }

    fn item(&self) -> Item<'_> {
        Item::Open(self)
    }
}

impl<T: Wire> Wire for Vec<T> {
    const SHAPE: &'static Shape = &Shape::List { item: T::SHAPE, min: 0 };

    fn build(tree: Json<'_>) -> Self {
        match tree {
            Json::List(items) => items.into_iter().map(T::build).collect(),
            _ => Self::new(),
        }
    }

    fn item(&self) -> Item<'_> {
        Item::List(self)
    }
}

impl<T: Wire> Wire for Option<T> {
    const SHAPE: &'static Shape = T::SHAPE;

    fn build(tree: Json<'_>) -> Self {
        match tree {
            Json::Null => None,
            tree => Some(T::build(tree)),
        }
    }

    fn item(&self) -> Item<'_> {
        self.as_ref().map_or(Item::Absent, T::item)
    }
}

impl<T: Wire> Wire for Box<T> {
    const SHAPE: &'static Shape = T::SHAPE;

    fn build(tree: Json<'_>) -> Self {
        Self::new(T::build(tree))
    }

    fn item(&self) -> Item<'_> {
        T::item(self)
    }
}

/// Declares an object of the protocol: its struct and its fields. `| null` marks what a retired producer may write as `null`, `where` another
/// shape than the type's own.
macro_rules! object {
    (
        $(#[$meta:meta])*
        $name:ident {
            required { $( $(#[$required_meta:meta])* $required:ident: $required_type:ty $(where $required_shape:expr)?, )* }
            optional { $( $(#[$optional_meta:meta])* $optional:ident: $optional_type:ty $(| $null:tt)?, )* }
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $( $(#[$required_meta])* pub $required: $required_type, )*
            $( $(#[$optional_meta])* pub $optional: Option<$optional_type>, )*
        }

        impl $name {
            /// With the required fields; the optional ones are absent.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "some objects have no required field; an empty one is not a sensible default")]
            pub fn new($( $required: impl Into<$required_type> ),*) -> Self {
                Self { $( $required: $required.into(), )* $( $optional: None, )* }
            }
        }

        impl $crate::wire::Record for $name {
            const FIELDS: &'static [$crate::wire::Field] = &[
                $( $crate::wire::Field {
                    name: $crate::wire::wire_name!($required),
                    presence: $crate::wire::Presence::Required,
                    shape: $crate::wire::shape!($required_type $(where $required_shape)?),
                }, )*
                $( $crate::wire::Field {
                    name: $crate::wire::wire_name!($optional),
                    presence: $crate::wire::presence!($($null)?),
                    shape: <$optional_type as $crate::wire::Wire>::SHAPE,
                }, )*
            ];

            #[allow(unused_variables, reason = "some objects have no members")]
            fn build_of(fields: &mut $crate::wire::Fields<'_>) -> Self {
                Self { $( $required: fields.build_next(), )* $( $optional: fields.build_next(), )* }
            }
        }

        impl $crate::wire::Items for $name {
            #[allow(unused_variables, reason = "some objects have no members")]
            fn each<'a>(&'a self, tell: &mut dyn FnMut($crate::wire::Item<'a>)) {
                $( tell($crate::wire::Wire::item(&self.$required)); )*
                $( tell($crate::wire::Wire::item(&self.$optional)); )*
            }
        }

        impl $crate::wire::Wire for $name {
            const SHAPE: &'static $crate::wire::Shape = &$crate::wire::Shape::Object(<Self as $crate::wire::Record>::FIELDS);

            fn build(tree: json_tree::Json<'_>) -> Self {
                $crate::wire::Record::build_of(&mut $crate::wire::Fields::new(tree, <Self as $crate::wire::Record>::FIELDS))
            }

            fn item(&self) -> $crate::wire::Item<'_> {
                $crate::wire::Item::Record { tag: None, fields: <Self as $crate::wire::Record>::FIELDS, members: self }
            }
        }

        $crate::wire::serde_form!($name);
    };
}
pub(crate) use object;

/// Declares a discriminated union: an enum over objects, told apart by a string member.
macro_rules! union {
    (
        $(#[$meta:meta])*
        $name:ident by $tag:literal $(retired $translate:path)? {
            $( $(#[$variant_meta:meta])* $variant:ident($type:ty) = $wire:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $( $(#[$variant_meta])* $variant($type), )*
        }

        impl $name {
            pub(crate) const UNION: &'static $crate::wire::Union = &$crate::wire::Union {
                tag: $tag,
                kinds: &[ $( ($wire, <$type as $crate::wire::Record>::FIELDS), )* ],
                translate_retired: $crate::wire::translate_retired!($($translate)?),
            };

            /// Makes it of the members of an object of which the kind is known.
            pub(crate) fn build_kind(kind: usize, members: json_tree::Members<'_>) -> Self {
                const KINDS: &[fn(&mut $crate::wire::Fields<'_>) -> $name] = &[
                    $( |fields| $name::$variant($crate::wire::Record::build_of(fields)), )*
                ];
                KINDS[kind](&mut $crate::wire::Fields::behind_tag(members, Self::UNION.kinds[kind].1))
            }
        }

        impl $crate::wire::Wire for $name {
            const SHAPE: &'static $crate::wire::Shape = &$crate::wire::Shape::Union(Self::UNION);

            fn build(tree: json_tree::Json<'_>) -> Self {
                let json_tree::Json::Object(members) = tree else {
                    return Self::build_kind(0, Vec::new());
                };
                Self::build_kind(Self::UNION.kind(&members).unwrap_or_default(), members)
            }

            fn item(&self) -> $crate::wire::Item<'_> {
                match self {
                    $( Self::$variant(it) => $crate::wire::Wire::item(it).tagged($tag, $wire), )*
                }
            }
        }

        $crate::wire::serde_form!($name);
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
            const ALL: &'static [Self] = &[$( Self::$variant, )*];
            pub(crate) const NAMES: &'static [&'static str] = &[$( $wire, )*];

            /// As the wire spells it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }

        impl $crate::wire::Wire for $name {
            const SHAPE: &'static $crate::wire::Shape = &$crate::wire::Shape::Choice(Self::NAMES);

            fn build(tree: json_tree::Json<'_>) -> Self {
                let name = String::build(tree);
                let choice = Self::NAMES.iter().position(|it| *it == name);
                Self::ALL[choice.unwrap_or_default()]
            }

            fn item(&self) -> $crate::wire::Item<'_> {
                $crate::wire::Item::Text(self.as_str())
            }
        }

        $crate::wire::serde_form!($name);
    };
}
pub(crate) use choice;

/// Gives a wire type its serde traits.
macro_rules! serde_form {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&$crate::wire::Wire::item(self), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::read(deserializer)
            }
        }
    };
}
pub(crate) use serde_form;

macro_rules! shape {
    ($type:ty) => {
        <$type as $crate::wire::Wire>::SHAPE
    };
    ($type:ty where $shape:expr) => {
        &$shape
    };
}
pub(crate) use shape;

macro_rules! presence {
    () => {
        $crate::wire::Presence::Optional
    };
    (null) => {
        $crate::wire::Presence::Nullable
    };
}
pub(crate) use presence;

macro_rules! translate_retired {
    () => {
        |_| {}
    };
    ($translate:path) => {
        $translate
    };
}
pub(crate) use translate_retired;

/// A field's name as the wire spells it.
macro_rules! wire_name {
    ($field:ident) => {{
        const NAME: [u8; $crate::wire::camel_length(stringify!($field))] = $crate::wire::camel(stringify!($field));
        match std::str::from_utf8(&NAME) {
            Ok(name) => name,
            Err(_) => panic!("a field has an ASCII name"),
        }
    }};
}
pub(crate) use wire_name;

pub(crate) const fn camel_length(name: &str) -> usize {
    let bytes = name.as_bytes();
    let mut length = 0;
    let mut at = raw_prefix(bytes);
    while at < bytes.len() {
        if bytes[at] != b'_' {
            length += 1;
        }
        at += 1;
    }
    length
}

/// A name in camel case, of one in snake case.
pub(crate) const fn camel<const LENGTH: usize>(name: &str) -> [u8; LENGTH] {
    let bytes = name.as_bytes();
    let mut camel = [0; LENGTH];
    let (mut at, mut length) = (raw_prefix(bytes), 0);
    while at < bytes.len() {
        if bytes[at] == b'_' {
            at += 1;
            camel[length] = bytes[at].to_ascii_uppercase();
        } else {
            camel[length] = bytes[at];
        }
        at += 1;
        length += 1;
    }
    camel
}

/// How long the `r#` before the name is.
const fn raw_prefix(name: &[u8]) -> usize {
    if name.len() > 2 && name[1] == b'#' { 2 } else { 0 }
}
