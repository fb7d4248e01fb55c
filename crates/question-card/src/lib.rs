//! A card for a question that an AI agent asks with the tool `ask_user_question`.
//!
//! [`QuestionCard`] shows one ask from the first byte of its streamed arguments to its [`Receipt`]. The host keeps an
//! [`AskSnapshot`](ask_user_question::AskSnapshot) in a signal, applies patches to it, and is told once what the user answered.
//!
//! The components are those of Leptos, behind the feature `leptos`, which is on by default. Without it there is the same card for any page:
//! [`MountedCard`](card::MountedCard).
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
mod browser;
pub mod card;
mod clipboard;
#[cfg(feature = "leptos")]
pub mod copy;
pub mod dom;
mod draft;
pub mod drafts;
#[cfg(feature = "leptos")]
mod drawn;
#[cfg(feature = "leptos")]
mod effect;
mod keyboard;
pub mod labels;
pub mod receipt;
pub mod stylesheet;
mod writer;

pub use ask_user_question::snapshot::Sending;
pub use card::{ClaimFocus, Layout, SubmitMode};
pub use labels::Labels;
pub use receipt::receipt_text;
pub use stylesheet::{STYLESHEET, adopt_styles, adopt_styles_in};
#[cfg(feature = "leptos")]
pub use {
    card::{FocusHandle, QuestionCard},
    copy::CopyReceipt,
    receipt::Receipt,
};
