//! A Leptos card for a question that an AI agent asks with the tool `ask_user_question`.
//!
//! [`QuestionCard`] shows one ask from the first byte of its streamed arguments to its [`Receipt`]. The host keeps an
//! [`AskSnapshot`](ask_user_question::AskSnapshot) in a signal, applies patches to it, and is told once what the user answered.
//!
//! ```
//! use ask_user_question::{AskSnapshot, Reply};
//! use leptos::prelude::*;
//! use question_card::{QuestionCard, Sending};
//!
//! #[component]
//! fn Asked(ask: RwSignal<AskSnapshot>) -> impl IntoView {
//!     let sending = RwSignal::new(Sending::Idle);
//!     let on_reply = Callback::new(move |reply: Reply| {
//!         sending.set(Sending::Pending);
//!         leptos::logging::log!("to the agent: {} as {}", reply.message(), reply.to_json());
//!     });
//!     let on_cancel = Callback::new(|()| leptos::logging::log!("cancelled"));
//!     view! { <QuestionCard ask sending on_reply on_cancel /> }
//! }
//! ```
//!
//! Styles: link `style/question-card.css`, or call [`adopt_styles`] once, [`adopt_styles_in`] for each shadow tree. The [`anatomy`] lists what a page's own styles may rely on.

#![cfg_attr(feature = "ssr", allow(dead_code, reason = "nothing happens on a server"))]

pub mod anatomy;
mod announcer;
pub mod card;
pub mod copy;
pub mod dom;
mod draft;
pub mod drafts;
mod drawn;
mod effect;
mod keyboard;
pub mod labels;
pub mod receipt;
pub mod stylesheet;
mod writer;

pub use ask_user_question::snapshot::Sending;
pub use card::{ClaimFocus, FocusHandle, Layout, QuestionCard, SubmitMode};
pub use copy::CopyReceipt;
pub use labels::Labels;
pub use receipt::{Receipt, receipt_text};
pub use stylesheet::{STYLESHEET, adopt_styles, adopt_styles_in};
