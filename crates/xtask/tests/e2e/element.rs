//! The custom element in plain pages: no framework, no bundler, and the policy under which `question-server` gives pages.

mod arriving;
mod barriers;
mod calls;
mod keys;
mod living;
mod memory;
mod own_page;
pub(crate) mod page;
mod properties;
mod readme;
pub(crate) mod view;
