//! RFC 6902: JSON Patch, applied whole or not at all. Numbers are compared numerically, and copies are bounded.

mod apply;
mod operation;
mod place;

pub(crate) use apply::{CopyBudget, apply};
pub(crate) use operation::Operation;
