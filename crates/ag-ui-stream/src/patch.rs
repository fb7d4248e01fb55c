//! JSON Patch (RFC 6902), applied atomically (`basic/patterns/snapshots`). Numbers are compared by value, and copies are bounded.

mod apply;
mod operation;
mod place;

pub(crate) use apply::{CopyBudget, apply};
pub(crate) use operation::Operation;
