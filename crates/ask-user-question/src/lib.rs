//! Every rule about a legal question and a legal answer, shared by card, stream parser, agent and server.
//!
//! An agent asks its user by calling a tool. This crate says what the tool looks like, what a legal call is, what an answer is, and
//! what the agent reads of it. It does no I/O, reads no clock and makes no ids; it builds for native targets and for wasm32.
//!
//! ```
//! use ask_user_question::{AskSnapshot, Limits, Outcome, Phase, Reply};
//! use ask_user_question::{reply::Selection, tool::tool_definition};
//!
//! // The agent registers the tool under a profile: RUNTIME, CODING, CHAT, or limits of its own.
//! let limits = Limits::CHAT;
//! assert_eq!(tool_definition(&limits).name, "ask_user_question");
//!
//! // The model calls it, in its own way: the list is missing around the question, and it adds an "Other".
//! let arguments = r#"{"questions": {"question": "Standard or rush scheduling?", "header": "Scheduling",
//!     "options": ["Standard", "Rush", "Other (please specify)"]}}"#;
//! let checked = question_compat::check_text(&limits, arguments);
//! assert!(checked.is_valid());
//! let repairs: Vec<&str> = checked.repairs.iter().map(|repair| repair.code.as_str()).collect();
//! assert_eq!(repairs, ["single_question", "plain_option", "plain_option", "plain_option", "other_merged"]);
//!
//! // A card shows the repaired ask …
//! let ask = checked.ask.expect("a valid ask can be shown");
//! let snapshot = AskSnapshot::complete("call_1", ask.clone(), Phase::Answerable);
//! assert_eq!(snapshot.questions[0].options[1].label.text, "Rush");
//!
//! // … and builds the reply from what the user picks. What breaks a rule is refused with a path.
//! let pick = |option| vec![Selection::picked(0, [option])];
//! let reply = Reply::check(&ask, pick(1)).expect("the second option is there");
//! assert_eq!(reply.message(), "Rush");
//! assert_eq!(Reply::check(&ask, pick(2)).unwrap_err()[0].path, "selections[0].selected[0]");
//!
//! // The agent reads the result of the call, whatever the outcome was.
//! let outcome = Outcome::Answered(reply);
//! assert_eq!(outcome.tool_content(&ask), r#"{"answers":{"Standard or rush scheduling?":"Rush"}}"#);
//! assert_eq!(Outcome::Declined.tool_content(&ask), "User cancelled the question. This is no answer and no consent.");
//! ```
//!
//! # The way of an ask
//!
//! | step | who | here |
//! |---|---|---|
//! | tell the model | agent | [`tool::tool_definition`], [`guidance`] |
//! | judge the call | agent, stream parser | `check` of the crate `question-compat`: repair, then [`validate::validate`] |
//! | show it | card | [`AskSnapshot`], [`Phase`] |
//! | answer it | card, composer, server | [`Reply::check`], [`Reply::parse`]; for typed texts the crate `question-compat` |
//! | read the answer | agent, reloaded page | [`Outcome::tool_content`], [`Outcome::parse`], [`outcome::AskMetadata`] |
//!
//! An agent takes only what is valid and tells the model [all that is not](validate::describe). A card shows
//! whatever survived repair, even where the agent will reject it.
#![warn(clippy::unwrap_used)]

pub mod arriving;
pub mod attachment;
pub mod condition;
#[cfg(feature = "examples")]
pub mod examples;
pub mod guidance;
pub mod input;
pub mod limits;
mod members;
pub mod outcome;
mod parts;
pub mod picture;
pub mod repairs;
pub mod reply;
pub mod snapshot;
pub mod text;
pub mod tool;
pub mod validate;
pub mod wire;

pub use limits::Limits;
pub use outcome::Outcome;
pub use reply::Reply;
pub use snapshot::{AskSnapshot, Phase};
pub use wire::{AskUserQuestion, Question, QuestionOption};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
