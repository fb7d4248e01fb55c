//! RFC 6902: JSON Patch, applied whole or not at all.

mod apply;
mod place;

use json_tree::Json;

pub(crate) use apply::CopyBudget;
pub use apply::{PatchError, PatchErrorKind};

/// Applies all operations to a document, or none if one does not apply. Numbers are compared numerically, and copies are bounded.
/// Members that the RFC does not name are ignored. The whole document is read first: a name that comes twice in an object [keeps its last value](Json::make_unique).
///
/// ```
/// use ag_ui_stream::patch::{PatchErrorKind, apply};
/// use json_tree::Json;
/// use serde_json::json;
/// let patch = Json::from(json!([
///     {"op": "add", "path": "/b", "value": 2},
///     {"op": "test", "path": "/a", "value": 1.0},
///     {"op": "move", "from": "/a", "path": "/no/where"},
/// ]));
/// let mut state = Json::from(json!({"a": 1}));
/// let error = apply(patch.as_list().unwrap(), &mut state).unwrap_err();
/// assert_eq!((error.operation, error.kind), (2, PatchErrorKind::NoSuchPlace));
/// assert_eq!(state, json!({"a": 1}));
/// ```
///
/// # Errors
/// The operation that does not apply, and its fault.
pub fn apply(operations: &[Json<'_>], document: &mut Json<'static>) -> Result<(), PatchError> {
    document.make_unique();
    apply_counting(operations, document, &mut CopyBudget::default())
}

/// As [`apply`], counting the copies of earlier patches.
pub(crate) fn apply_counting(
    operations: &[Json<'_>],
    document: &mut Json<'static>,
    copied: &mut CopyBudget,
) -> Result<(), PatchError> {
    apply::apply(operations, document, copied, |_| true)
}

/// As [`apply_counting`], to something that must stay an object.
pub(crate) fn apply_to_object(
    operations: &[Json<'_>],
    object: &mut Json<'static>,
    copied: &mut CopyBudget,
) -> Result<(), PatchError> {
    apply::apply(operations, object, copied, |document| document.as_object().is_some())
}
