//! Kinds that have a stable spelling.

pub(crate) use json_tree::codes;
