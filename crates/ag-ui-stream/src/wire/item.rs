use super::{Field, Wire};
use json_tree::JsonText;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};

/// What is written for a value.
#[derive(Clone, Copy)]
pub(crate) enum Item<'a> {
    /// Nothing: a member that is not there.
    Absent,
    Text(&'a str),
    Flag(bool),
    Integer(i64),
    Natural(u64),
    Any(&'a Value),
    Json(&'a JsonText),
    Open(&'a Map<String, Value>),
    List(&'a dyn Items),
    Record {
        /// Name and value of the member that tells of which kind it is.
        tag: Option<(&'static str, &'static str)>,
        fields: &'static [Field],
        members: &'a dyn Items,
    },
}

impl Item<'_> {
    /// As a member of a union.
    pub(crate) fn tagged(self, name: &'static str, kind: &'static str) -> Self {
        match self {
            Self::Record { fields, members, .. } => Self::Record { tag: Some((name, kind)), fields, members },
            other => other,
        }
    }
}

/// Several values, one after the other.
pub(crate) trait Items {
    fn each<'a>(&'a self, tell: &mut dyn FnMut(Item<'a>));
}

impl<T: Wire> Items for Vec<T> {
    fn each<'a>(&'a self, tell: &mut dyn FnMut(Item<'a>)) {
        for it in self {
            tell(it.item());
        }
    }
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Absent => serializer.serialize_unit(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Flag(flag) => serializer.serialize_bool(flag),
            Self::Integer(integer) => serializer.serialize_i64(integer),
            Self::Natural(natural) => serializer.serialize_u64(natural),
            Self::Any(value) => value.serialize(serializer),
            Self::Json(text) => text.serialize(serializer),
            Self::Open(members) => members.serialize(serializer),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(None)?;
                let mut written = Ok(());
                items.each(&mut |item| {
                    if written.is_ok() {
                        written = list.serialize_element(&item);
                    }
                });
                written?;
                list.end()
            }
            Self::Record { tag, fields, members } => {
                let mut object = serializer.serialize_map(None)?;
                if let Some((name, kind)) = tag {
                    object.serialize_entry(name, kind)?;
                }
                let mut written = Ok(());
                let mut fields = fields.iter();
                members.each(&mut |item| {
                    let name = fields.next().map_or("", |field| field.name);
                    if written.is_ok() && !matches!(item, Item::Absent) {
                        written = object.serialize_entry(name, &item);
                    }
                });
                written?;
                object.end()
            }
        }
    }
}
