//! Texts in, trees out.

mod fixtures;
mod hostile;
mod properties;
mod tree;
