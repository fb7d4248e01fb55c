//! RFC 6902 as events carry it: well formed, and open to members that the RFC does not name.

use crate::wire::{Item, Shape, Wire, last, serde_form};
use ask_user_question::json::Tree;
use json_patch::jsonptr::{Pointer, PointerBuf};
use json_patch::{
    AddOperation, CopyOperation, MoveOperation, PatchOperation, RemoveOperation, ReplaceOperation,
    TestOperation,
};
use serde_json::Value;

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

    /// Applies all operations, or none where one does not apply.
    ///
    /// # Errors
    /// Which operation does not apply, and why.
    pub fn apply(&self, target: &mut Value) -> Result<(), String> {
        let operations: Result<Vec<_>, _> = self.operations.iter().map(applicable).collect();
        let operations = operations?;
        check_growth(&operations, target)?;
        json_patch::patch(target, &operations).map_err(|error| error.to_string())
    }
}

impl TryFrom<Vec<Value>> for JsonPatch {
    type Error = String;

    /// Takes operations that are well formed; says what is wrong with the first that is not.
    fn try_from(operations: Vec<Value>) -> Result<Self, String> {
        let trees = operations.into_iter().enumerate();
        let checked = trees.map(|(index, operation)| {
            let operation = Tree::from(operation);
            match check(&operation) {
                Ok(()) => Ok(operation.into_value()),
                Err(fault) => Err(format!("/{index}/{}: {}", fault.member, fault.message)),
            }
        });
        let operations = checked.collect::<Result<_, _>>()?;
        Ok(Self { operations })
    }
}

impl Wire for JsonPatch {
    const SHAPE: &'static Shape = &Shape::List {
        item: &Shape::Operation,
        min: 0,
    };

    fn build(tree: Tree<'_>) -> Self {
        Self {
            operations: Vec::build(tree),
        }
    }

    fn item(&self) -> Item<'_> {
        self.operations.item()
    }
}

serde_form!(JsonPatch);

/// How deep a document may become: as deep as JSON may be that is read at once.
const MAX_DEPTH: usize = 127;
/// How large a document may become by copying, in values and bytes of text.
const MAX_COPIED: usize = 1024 * 1024;

/// Refuses operations that make a document too deep or too large. Each copy of a document into itself can double both.
fn check_growth(operations: &[PatchOperation], target: &Value) -> Result<(), String> {
    let moves =
        |it: &PatchOperation| matches!(it, PatchOperation::Copy(_) | PatchOperation::Move(_));
    if !operations.iter().any(moves) {
        return operations
            .iter()
            .try_for_each(|operation| check_step(operation, target));
    }
    // What is copied depends on the operations before it, so they are tried.
    let mut tried = target.clone();
    for operation in operations {
        check_step(operation, &tried)?;
        if json_patch::patch(&mut tried, std::slice::from_ref(operation)).is_err() {
            break;
        }
    }
    Ok(())
}

fn check_step(operation: &PatchOperation, document: &Value) -> Result<(), String> {
    let (path, value) = match operation {
        PatchOperation::Add(it) => (&it.path, Some(&it.value)),
        PatchOperation::Replace(it) => (&it.path, Some(&it.value)),
        PatchOperation::Move(it) => (&it.path, document.pointer(it.from.as_str())),
        PatchOperation::Copy(it) => (&it.path, document.pointer(it.from.as_str())),
        PatchOperation::Remove(_) | PatchOperation::Test(_) => return Ok(()),
    };
    let Some(value) = value else {
        return Ok(());
    };
    if path.count() + depth(value) > MAX_DEPTH {
        return Err(format!("it makes more than {MAX_DEPTH} levels"));
    }
    if matches!(operation, PatchOperation::Copy(_)) && size(document) + size(value) > MAX_COPIED {
        return Err("it makes the document too large".to_owned());
    }
    Ok(())
}

/// How many containers are inside each other.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| key.len() + size(value))
            .sum(),
        Value::String(text) => text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// An operation as `json-patch` has it. Made by hand, because its own reading of a value is not safe with hostile JSON.
fn applicable(operation: &Value) -> Result<PatchOperation, String> {
    let pointer = |member: &str| -> Result<PointerBuf, String> {
        let text = operation[member].as_str().unwrap_or_default();
        Pointer::parse(text)
            .map(Pointer::to_buf)
            .map_err(|error| error.to_string())
    };
    let (path, value) = (pointer("path")?, || operation["value"].clone());
    Ok(match operation["op"].as_str() {
        Some("add") => PatchOperation::Add(AddOperation {
            path,
            value: value(),
        }),
        Some("remove") => PatchOperation::Remove(RemoveOperation { path }),
        Some("replace") => PatchOperation::Replace(ReplaceOperation {
            path,
            value: value(),
        }),
        Some("move") => PatchOperation::Move(MoveOperation {
            path,
            from: pointer("from")?,
        }),
        Some("copy") => PatchOperation::Copy(CopyOperation {
            path,
            from: pointer("from")?,
        }),
        Some("test") => PatchOperation::Test(TestOperation {
            path,
            value: value(),
        }),
        _ => return Err("unknown operation".to_owned()),
    })
}

/// What is wrong with one operation.
pub(crate) struct Fault {
    /// The member that is wrong, or nothing for the whole.
    pub(crate) member: &'static str,
    pub(crate) message: &'static str,
    /// Whether the operation itself is of a kind that the RFC does not have.
    pub(crate) unknown: bool,
}

/// Checks one operation.
pub(crate) fn check(operation: &Tree<'_>) -> Result<(), Fault> {
    let fault = |member, message| {
        Err(Fault {
            member,
            message,
            unknown: false,
        })
    };
    let Tree::Object(members) = operation else {
        return fault("", "expected a JSON Patch operation");
    };
    let member = |name: &str| last(members, name);
    let Some(Tree::Text(op)) = member("op") else {
        return fault("op", "expected a string");
    };
    let (needs_value, needs_from) = match &**op {
        "add" | "replace" | "test" => (true, false),
        "move" | "copy" => (false, true),
        "remove" => (false, false),
        _ => {
            return Err(Fault {
                member: "",
                message: "unknown operation",
                unknown: true,
            });
        }
    };
    if !member("path").is_some_and(is_pointer) {
        return fault("path", "expected a JSON pointer");
    }
    if needs_value && member("value").is_none() {
        return fault("value", "required");
    }
    if needs_from && !member("from").is_some_and(is_pointer) {
        return fault("from", "expected a JSON pointer");
    }
    Ok(())
}

/// Whether it is a string of the form `^(/([^/~]|~[01])*)*$`.
fn is_pointer(tree: &Tree<'_>) -> bool {
    let Tree::Text(pointer) = tree else {
        return false;
    };
    let starts_well = pointer.is_empty() || pointer.starts_with('/');
    starts_well
        && pointer
            .split('~')
            .skip(1)
            .all(|rest| rest.starts_with(['0', '1']))
}
