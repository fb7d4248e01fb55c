//! The everyday part of Markdown, read as it streams in: paragraphs, headings, lists, quotations, fenced code, tables, rules;
//! emphasis, code and links within them. Anything else, markup above all, is text.
//!
//! A [`Reader`] is fed pieces of text and passes elements to a [`Sink`]. It never changes a finished block, and reads no character twice,
//! except for a bounded few: a delta costs its own length. The meaning of a mark is often known only later: is `*` the beginning of an
//! emphasis? The reader takes it for one at once, and [dissolves](Sink::dissolve) the element if its end never comes. At the end the tree
//! is the same, however the text was cut into pieces.
//!
//! It follows `CommonMark` in what models write, and departs from it where that helps a chat: a line break is a line break, and a list
//! nests by any indentation of two. Marks work beside ideographs without spaces; `2*3*4` is no emphasis. Each row of a table begins with
//! its `|`. There is no indented code and no reference link.

mod address;
mod begin;
mod blocks;
mod inline;
mod sink;
mod table;
pub mod view;

pub use blocks::Reader;
pub use sink::{Align, Sink, Tag};
pub use view::MarkdownView;
