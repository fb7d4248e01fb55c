//! JSON as text.

use crate::Json;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{self, Serialize, Serializer};

/// Any JSON, stored as compact text, with its members in the order in which they came. A `serde_json::Value` sorts them, which matters if a
/// model reads it; `serde_json`'s own raw value needs the feature that makes reading a `Value` unsafe.
///
/// ```
/// use json_tree::JsonText;
/// let schema: JsonText = serde_json::from_str(r#"{ "z": 1, "a": [true] }"#)?;
/// assert_eq!(serde_json::to_string(&schema)?, r#"{"z":1,"a":[true]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText(pub(crate) Box<str>);

impl JsonText {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&Json<'_>> for JsonText {
    fn from(json: &Json<'_>) -> Self {
        Self(json.to_string().into())
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree = Json::parse(&self.0).map_err(ser::Error::custom)?;
        tree.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(|json| Self::from(&json))
    }
}
