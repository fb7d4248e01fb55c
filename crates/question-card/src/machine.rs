//! The card without a page: its state machine, for a host that draws with nodes of its own.
//!
//! It is independent of the browser. The host keeps the ask, and passes to the [`Card`] what the user, the stream and itself do. It draws
//! what `Card::connect` describes (feature `headless`), and carries out the effects that [`Card::take`] returns, in order. Time comes in
//! with each [`Input`]: the machine reads no clock.
//!
//! ```
//! use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question};
//! use question_card::dom::Control;
//! use question_card::machine::{Card, Do, Input, Now};
//! use question_card::{CardEvent, Options};
//!
//! let ask = AskUserQuestion::new([Question::new("Which database?", ["Postgres", "SQLite"]).with_multi_select(false)]);
//! let ask = AskSnapshot::complete("call-1", ask, Phase::Answerable);
//! let mut card = Card::new(&ask, Options::default());
//! card.take(Now::default(), &ask, Input::Begin);
//! card.take(Now::default(), &ask, Input::Choose(Control::Option { question: 0, option: 1 }));
//! let acts = card.take(Now::default(), &ask, Input::Submit);
//! let is_reply = |act: &Do| matches!(act, Do::Emit(CardEvent::Reply(reply)) if reply.message() == "SQLite");
//! assert!(acts.iter().any(is_reply));
//! ```
//!
//! The example `plain_view` draws it with plain elements of Leptos, and `cargo run -p question-card --features headless --example terminal` with plain lines.

pub use crate::card::machine::{
    Card, Click, Do, FileInput, Filter, Input, Manner, Now, RowKind, Settled, Submission, has_pictures, has_previews,
    is_long, is_whole, name, take_file, takes_files,
};
#[cfg(feature = "headless")]
pub use crate::connect::Part;
pub use crate::draft::{AnswerDraft, ChoiceKind, DraftFile, Field, FileState, Problem, Remaining};
pub use crate::drafts::Remembered;
pub use crate::keyboard::KeyPress;
pub use crate::labels::TimeLeft;
