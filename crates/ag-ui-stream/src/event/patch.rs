//! RFC 6902 as events carry it: well formed, and open to members that the RFC does not name.

mod apply;
mod equal;
mod place;

use crate::error::OperationFault;
use crate::wire::{Item, Shape, Wire, last, serde_form};
use json_tree::Json;
use serde_json::{Map, Value};
use std::mem;

pub(crate) use apply::Copied;
pub use apply::{PatchError, PatchErrorKind};

/// A list of RFC 6902 operations. Members that the RFC does not name are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonPatch {
    operations: Vec<Value>,
}

impl JsonPatch {
    /// The operations, each a well-formed object.
    #[must_use]
    pub fn operations(&self) -> &[Value] {
        &self.operations
    }

    /// Applies all operations, or none where one does not apply. Numbers are compared numerically; what copies add is bounded.
    ///
    /// ```
    /// use ag_ui_stream::event::{JsonPatch, PatchErrorKind};
    /// use serde_json::json;
    /// let patch = JsonPatch::try_from(vec![
    ///     json!({"op": "add", "path": "/b", "value": 2}),
    ///     json!({"op": "test", "path": "/a", "value": 1.0}),
    ///     json!({"op": "move", "from": "/a", "path": "/no/where"}),
    /// ])?;
    /// let mut state = json!({"a": 1});
    /// let error = patch.apply(&mut state).unwrap_err();
    /// assert_eq!((error.operation, error.kind), (2, PatchErrorKind::NoSuchPlace));
    /// assert_eq!(state, json!({"a": 1}));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Which operation does not apply, and why.
    pub fn apply(&self, target: &mut Value) -> Result<(), PatchError> {
        self.apply_counting(target, &mut Copied::default())
    }

    /// As [`apply`](Self::apply), where copies of earlier patches count.
    pub(crate) fn apply_counting(&self, target: &mut Value, copied: &mut Copied) -> Result<(), PatchError> {
        apply::apply(&self.operations, target, copied, |_| true)
    }

    /// As [`apply_counting`](Self::apply_counting), to something that must stay an object.
    pub(crate) fn apply_to_object(
        &self,
        target: &mut Map<String, Value>,
        copied: &mut Copied,
    ) -> Result<(), PatchError> {
        let mut document = Value::Object(mem::take(target));
        let applied = apply::apply(&self.operations, &mut document, copied, Value::is_object);
        if let Value::Object(members) = document {
            *target = members;
        }
        applied
    }
}

impl TryFrom<Vec<Value>> for JsonPatch {
    type Error = String;

    /// Takes operations that are well formed; says what is wrong with the first that is not.
    fn try_from(operations: Vec<Value>) -> Result<Self, String> {
        let trees = operations.into_iter().enumerate();
        let checked = trees.map(|(index, operation)| {
            let operation = Json::from(operation);
            match check(&operation) {
                Ok(()) => Ok(operation.into_value()),
                Err((member, fault)) => Err(format!("/{index}/{member}: {fault}")),
            }
        });
        let operations = checked.collect::<Result<_, _>>()?;
        Ok(Self { operations })
    }
}

impl Wire for JsonPatch {
    const SHAPE: &'static Shape = &Shape::List { item: &Shape::Operation, min: 0 };

    fn build(tree: Json<'_>) -> Self {
        Self { operations: Vec::build(tree) }
    }

    fn item(&self) -> Item<'_> {
        self.operations.item()
    }
}

serde_form!(JsonPatch);

/// Checks one operation; says which member is wrong, or none for the whole, and why.
pub(crate) fn check(operation: &Json<'_>) -> Result<(), (&'static str, OperationFault)> {
    let Json::Object(members) = operation else {
        return Err(("", OperationFault::NoOperation));
    };
    let member = |name: &str| last(members, name);
    let Some(Json::Text(op)) = member("op") else {
        return Err(("op", OperationFault::NoText));
    };
    let (needs_value, needs_from) = match &**op {
        "add" | "replace" | "test" => (true, false),
        "move" | "copy" => (false, true),
        "remove" => (false, false),
        _ => return Err(("", OperationFault::Unknown)),
    };
    if !member("path").is_some_and(is_pointer) {
        return Err(("path", OperationFault::NoPointer));
    }
    if needs_value && member("value").is_none() {
        return Err(("value", OperationFault::Missing));
    }
    if needs_from && !member("from").is_some_and(is_pointer) {
        return Err(("from", OperationFault::NoPointer));
    }
    Ok(())
}

/// Whether it is a string of the form `^(/([^/~]|~[01])*)*$`.
fn is_pointer(tree: &Json<'_>) -> bool {
    let Json::Text(pointer) = tree else {
        return false;
    };
    let starts_well = pointer.is_empty() || pointer.starts_with('/');
    starts_well && pointer.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}
