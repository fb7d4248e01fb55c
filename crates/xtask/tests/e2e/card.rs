//! The card in the gallery, used with trusted keys, clicks and an input method, under the page's strict policy.
//!
//! A test that checks a case of the card's contract begins with the case's id; `question-card`'s README lists them all.

mod arriving;
mod barriers;
mod choosing;
mod keys;
mod looks;
mod many;
mod spoken;
mod walk;
