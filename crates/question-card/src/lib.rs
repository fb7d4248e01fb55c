#![doc = include_str!("../README.md")]

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
pub use clipboard::write_to_clipboard;
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
