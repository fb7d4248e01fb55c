//! Objects that cross the wire as structs: a table of members, by which they are read and written.

use json_tree::Json;

pub(crate) trait WireValue: Sized {
    /// Reads a value that the walk has passed.
    fn read(json: Option<&Json<'_>>) -> Self;
    fn write(&self) -> Option<Json<'static>>;
}

impl WireValue for String {
    fn read(json: Option<&Json<'_>>) -> Self {
        json.and_then(Json::as_str).unwrap_or_default().to_owned()
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(self.as_str().into())
    }
}

impl WireValue for Json<'static> {
    fn read(json: Option<&Json<'_>>) -> Self {
        json.map_or(Self::Null, |json| json.clone().into_unique())
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(self.clone())
    }
}

impl<T: WireValue> WireValue for Option<T> {
    fn read(json: Option<&Json<'_>>) -> Self {
        json.is_some().then(|| T::read(json))
    }

    fn write(&self) -> Option<Json<'static>> {
        self.as_ref()?.write()
    }
}

impl<T: WireValue> WireValue for Vec<T> {
    fn read(json: Option<&Json<'_>>) -> Self {
        json.and_then(Json::as_list).unwrap_or_default().iter().map(|item| T::read(Some(item))).collect()
    }

    fn write(&self) -> Option<Json<'static>> {
        Some(Json::List(self.iter().filter_map(T::write).collect()))
    }
}

/// Declares a struct with the names of its members, in written order.
macro_rules! object {
    ($(#[$attribute:meta])* pub struct $name:ident {
        $( $(#[$doc:meta])* pub $field:ident: $kind:ty = $member:literal, )*
    }) => {
        $(#[$attribute])*
        pub struct $name {
            $( $(#[$doc])* pub $field: $kind, )*
        }

        impl $crate::wire::WireValue for $name {
            fn read(json: Option<&json_tree::Json<'_>>) -> Self {
                let member = |name: &str| json?.get(name);
                Self { $( $field: $crate::wire::WireValue::read(member($member)), )* }
            }

            fn write(&self) -> Option<json_tree::Json<'static>> {
                let mut members = [ $( ($member, $crate::wire::WireValue::write(&self.$field)), )* ];
                Some(json_tree::Json::object_of(&mut members))
            }
        }

        impl From<&$name> for json_tree::Json<'static> {
            fn from(object: &$name) -> Self {
                $crate::wire::WireValue::write(object).unwrap_or_default()
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                json_tree::Json::from(self).serialize(serializer)
            }
        }
    };
}
pub(crate) use object;
