//! Structs and enums with a JSON form: macros that declare them with the names on the wire.

use crate::Json;

/// A value with a JSON form. [`wire_object`](crate::wire_object) implements it for structs.
pub trait WireValue: Sized {
    /// Reads a value; `None` if the JSON is of the wrong kind.
    fn of(json: &Json<'_>) -> Option<Self>;

    /// The value as JSON; `None` if it is to be omitted from its object.
    fn write(&self) -> Option<Json<'static>>;

    /// Reads a member. If it is absent or of the wrong kind, returns the default.
    fn read(json: Option<&Json<'_>>) -> Self
    where
        Self: Default,
    {
        json.and_then(Self::of).unwrap_or_default()
    }
}

impl WireValue for String {
    fn of(json: &Json<'_>) -> Option<Self> {
        json.as_str().map(str::to_owned)
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(self.as_str().into())
    }
}

impl WireValue for bool {
    fn of(json: &Json<'_>) -> Option<Self> {
        json.as_bool()
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(Json::Bool(*self))
    }
}

impl WireValue for Json<'static> {
    fn of(json: &Json<'_>) -> Option<Self> {
        Some(json.clone().into_unique())
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(self.clone())
    }
}

impl<T: WireValue> WireValue for Option<T> {
    fn of(json: &Json<'_>) -> Option<Self> {
        T::of(json).map(Some)
    }

    fn write(&self) -> Option<Json<'static>> {
        self.as_ref()?.write()
    }
}

/// Items of the wrong kind are skipped.
impl<T: WireValue> WireValue for Vec<T> {
    fn of(json: &Json<'_>) -> Option<Self> {
        Some(json.as_list()?.iter().filter_map(T::of).collect())
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(Json::List(self.iter().filter_map(T::write).collect()))
    }
}

/// Declares a struct with the names of its members on the wire, and implements [`WireValue`], `Serialize` and conversion into [`Json`].
///
/// ```
/// json_tree::wire_object! {
///     /// A stay.
///     #[derive(Debug, Default, PartialEq)]
///     pub struct Stay {
///         /// The city.
///         pub city: String = "city",
///         /// The nights' names.
///         pub nights: Option<Vec<String>> = "nightNames",
///     }
/// }
/// use json_tree::{Json, WireValue};
/// let stay = Stay::read(Some(&Json::parse(r#"{"nightNames": ["Mon", 2], "city": "Rome", "more": 1}"#)?));
/// assert_eq!(Json::from(&stay).text(), r#"{"city":"Rome","nightNames":["Mon"]}"#);
/// # Ok::<(), json_tree::Error>(())
/// ```
#[macro_export]
macro_rules! wire_object {
    ($(#[$attribute:meta])* pub struct $name:ident {
        $( $(#[$doc:meta])* pub $field:ident: $kind:ty = $member:literal, )*
    }) => {
        $(#[$attribute])*
        pub struct $name {
            $( $(#[$doc])* pub $field: $kind, )*
        }

        impl $crate::__serde::Serialize for $name {
            fn serialize<S: $crate::__serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::__serde::Serialize::serialize(&$crate::Json::from(self), serializer)
            }
        }

        impl $crate::WireValue for $name {
            fn of(json: &$crate::Json<'_>) -> Option<Self> {
                Some(Self { $( $field: $crate::WireValue::read(json.get($member)), )* })
            }

            fn write(&self) -> Option<$crate::Json<'static>> {
                let mut members = [ $( ($member, $crate::WireValue::write(&self.$field)), )* ];
                Some($crate::Json::object_of(&mut members))
            }
        }

        impl From<&$name> for $crate::Json<'static> {
            fn from(object: &$name) -> Self {
                $crate::WireValue::write(object).unwrap_or_default()
            }
        }
    };
}

/// Declares an enum whose variants are words on the wire, with `ALL`, `as_str`, `Display`, serde and [`WireValue`].
///
/// ```
/// json_tree::codes! {
///     /// The meals of a stay.
///     Meals {
///         /// None.
///         None "none",
///         /// Breakfast.
///         Breakfast "breakfast",
///     }
/// }
/// assert_eq!(Meals::from_word("breakfast"), Some(Meals::Breakfast));
/// assert_eq!(Meals::WORDS, ["none", "breakfast"]);
/// ```
#[macro_export]
macro_rules! codes {
    ($( #[$about:meta] )* $name:ident { $( $( #[$doc:meta] )* $kind:ident $code:literal, )* }) => {
        $( #[$about] )*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, $crate::__serde::Deserialize)]
        #[serde(crate = "json_tree::__serde")]
        pub enum $name {
            $( $( #[$doc] )* #[serde(rename = $code)] $kind, )*
        }

        impl $name {
            /// All variants, in order of declaration.
            pub const ALL: [Self; Self::WORDS.len()] = [$( Self::$kind ),*];

            /// The words of all variants, in the same order.
            pub const WORDS: [&'static str; [$( $code ),*].len()] = [$( $code ),*];

            /// The word on the wire. It is stable; `Display` and JSON use it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$kind => $code, )*
                }
            }

            /// The variant with this word; `None` for any other text.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::__serde::Serialize for $name {
            fn serialize<S: $crate::__serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::WireValue for $name {
            fn of(json: &$crate::Json<'_>) -> Option<Self> {
                Self::from_word(json.as_str()?)
            }

            fn write(&self) -> Option<$crate::Json<'static>> {
                Some(self.as_str().into())
            }
        }
    };
}
