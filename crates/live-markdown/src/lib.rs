#![doc = include_str!("../README.md")]

mod address;
mod begin;
mod blocks;
mod inline;
pub mod marks;
mod sink;
mod table;

pub use blocks::Reader;
pub use sink::{Align, Sink, Tag};
