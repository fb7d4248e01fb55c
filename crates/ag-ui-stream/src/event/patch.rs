//! RFC 6902 as events carry it: well formed, and open to members that the RFC does not name.

use crate::wire::{Described, Shape};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

/// A list of RFC 6902 operations. Members that the RFC does not name are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct JsonPatch {
    operations: Vec<Value>,
}

impl JsonPatch {
    /// The operations, each a well-formed object.
    #[must_use]
    pub fn operations(&self) -> &[Value] {
        &self.operations
    }

    /// Applies all operations, or none where one does not apply.
    ///
    /// # Errors
    /// Which operation does not apply, and why.
    pub fn apply(&self, target: &mut Value) -> Result<(), String> {
        let operations: Result<Vec<json_patch::PatchOperation>, _> = self
            .operations
            .iter()
            .map(Deserialize::deserialize)
            .collect();
        let operations = operations.map_err(|error| error.to_string())?;
        json_patch::patch(target, &operations).map_err(|error| error.to_string())
    }
}

impl TryFrom<Vec<Value>> for JsonPatch {
    type Error = String;

    /// Takes operations that are well formed; says what is wrong with the first that is not.
    fn try_from(operations: Vec<Value>) -> Result<Self, String> {
        for (index, operation) in operations.iter().enumerate() {
            check(operation)
                .map_err(|fault| format!("/{index}{}: {}", fault.path, fault.message))?;
        }
        Ok(Self { operations })
    }
}

impl<'de> Deserialize<'de> for JsonPatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer)
            .and_then(|operations| Self::try_from(operations).map_err(D::Error::custom))
    }
}

impl Described for JsonPatch {
    const SHAPE: &'static Shape = &Shape::List {
        item: &Shape::Operation,
        min: 0,
    };
}

/// What is wrong with one operation.
pub(crate) struct Fault {
    /// A member of the operation as a JSON pointer, or nothing for the whole.
    pub(crate) path: &'static str,
    pub(crate) message: &'static str,
    /// Whether the operation itself is of a kind that the RFC does not have.
    pub(crate) unknown: bool,
}

/// Checks one operation.
pub(crate) fn check(operation: &Value) -> Result<(), Fault> {
    let fault = |path, message| {
        Err(Fault {
            path,
            message,
            unknown: false,
        })
    };
    let Some(members) = operation.as_object() else {
        return fault("", "expected a JSON Patch operation");
    };
    let Some(op) = members.get("op").and_then(Value::as_str) else {
        return fault("/op", "expected a string");
    };
    if !["add", "remove", "replace", "move", "copy", "test"].contains(&op) {
        return Err(Fault {
            path: "",
            message: "unknown operation",
            unknown: true,
        });
    }
    if !members.get("path").is_some_and(is_pointer) {
        return fault("/path", "expected a JSON pointer");
    }
    if ["add", "replace", "test"].contains(&op) && !members.contains_key("value") {
        return fault("/value", "required");
    }
    if ["move", "copy"].contains(&op) && !members.get("from").is_some_and(is_pointer) {
        return fault("/from", "expected a JSON pointer");
    }
    Ok(())
}

/// Whether it is a string of the form `^(/([^/~]|~[01])*)*$`.
fn is_pointer(value: &Value) -> bool {
    let Some(pointer) = value.as_str() else {
        return false;
    };
    let starts_well = pointer.is_empty() || pointer.starts_with('/');
    starts_well
        && pointer
            .split('~')
            .skip(1)
            .all(|rest| rest.starts_with(['0', '1']))
}
