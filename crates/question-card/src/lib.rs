//! A card for a question that an AI agent asks with the tool `ask_user_question`.
//!
//! [`QuestionCard`] shows one ask from the first byte of its streamed arguments to its receipt. The host keeps an
//! [`AskSnapshot`](ask_user_question::AskSnapshot) in a signal, lets it follow the stream, and receives the user's answer once.
//!
//! The components are for Leptos, behind the feature `leptos`, which is on by default. Without it there is the same card for any page:
//! [`MountedCard`].
//!
//! ```
//! use ask_user_question::{AskSnapshot, Reply};
//! use leptos::prelude::*;
//! use question_card::QuestionCard;
//!
//! #[component]
//! fn Asked(ask: RwSignal<AskSnapshot>) -> impl IntoView {
//!     // While it is pending the card says so; its error is shown on the card, which is open again.
//!     let on_reply = Action::new(|reply: &Reply| send(reply.to_json().to_string(), reply.message()));
//!     let on_cancel = |()| leptos::logging::log!("cancelled");
//!     view! { <QuestionCard ask on_reply on_cancel /> }
//! }
//!
//! /// Your way to the agent.
//! async fn send(result: String, message: String) -> Result<(), String> {
//!     leptos::logging::log!("to the agent: {message} as {result}");
//!     Ok(())
//! }
//! ```
//!
//! Styles: link `style/question-card.css`, or call [`adopt_styles`] once, [`adopt_styles_in`] for each shadow tree. The [`anatomy`] lists
//! the names that a page's own styles may rely on.

pub mod anatomy;
mod announcer;
mod browser;
mod card;
mod chip;
mod clipboard;
#[cfg(feature = "headless")]
mod connect;
pub mod dom;
mod draft;
mod drafts;
#[cfg(feature = "leptos")]
mod drawn;
#[cfg(feature = "leptos")]
mod effect;
mod fold;
mod input_method;
mod keyboard;
mod labels;
pub mod machine;
mod receipt;
mod stylesheet;
mod writer;

pub use card::MountedCard;
pub use card::extras::*;
pub use card::files::{FileTray, Files, Upload, about_file, files_of, has_files};
pub use card::{Acceptance, CardEvent, Layout, Offers, Options, SubmitMode};
pub use chip::show_files;
pub use drafts::Persist;
pub use input_method::InputMethod;
pub use labels::{Direction, LANGUAGES, Labels, Plural, Sheet, SheetProblem, Word, Words, isolate, language_of};
pub use receipt::receipt_text;
pub use stylesheet::{STYLESHEET, adopt_styles, adopt_styles_in};
#[cfg(feature = "leptos")]
pub use {
    card::component::*,
    card::{CardOptions, FocusHandle},
};
