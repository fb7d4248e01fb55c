//! An ask that is still arriving: from pieces of a call's arguments to what each piece adds to the card.

mod growth;
mod text;

use crate::snapshot::AskPatch;
use crate::validate::MAX_ARGUMENTS_BYTES;
use growth::LiveAsk;
use json_tree::{Bounds, PartialParser};

/// Takes the arguments of one call as they stream, in any pieces, and returns [patches](AskPatch) to its
/// [`AskSnapshot`](crate::AskSnapshot). A piece costs its own length, whatever came before; what was shown is never taken back.
///
/// It keeps no text. When the arguments have ended, [`from_arguments`](crate::AskUserQuestion::from_arguments) reads the whole.
///
/// ```
/// use ask_user_question::arriving::Arriving;
/// use ask_user_question::{AskSnapshot, AskUserQuestion};
///
/// let (mut arriving, mut snapshot, mut arguments) = (Arriving::default(), AskSnapshot::new("call-1"), String::new());
/// let mut feed = |piece: &str| {
///     arguments.push_str(piece);
///     arriving.feed(piece, |patch| snapshot.apply(&patch));
///     snapshot.questions[0].clone()
/// };
/// assert_eq!(feed(r#"{"questions":[{"question":"Which da"#).question.text, "Which da");
/// assert_eq!(feed(r#"tabase?","options":[{"label":"Post"#).options[0].label.text, "Post");
/// feed(r#"gres"},{"label":"SQLite"}]}]}"#);
/// let ask = AskUserQuestion::from_arguments(&arguments).expect("it can be read");
/// assert_eq!(ask.questions[0].options.len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Arriving {
    parser: PartialParser,
    live: LiveAsk,
}

impl Default for Arriving {
    fn default() -> Self {
        let limits = Bounds { bytes: MAX_ARGUMENTS_BYTES, ..Bounds::default() };
        Self { parser: PartialParser::new(limits), live: LiveAsk::default() }
    }
}

impl Arriving {
    /// Takes the next piece of the arguments.
    pub fn feed(&mut self, piece: &str, mut emit: impl FnMut(AskPatch)) {
        let Self { parser, live } = self;
        // The parser keeps an error until the arguments end, and takes nothing more.
        let _ = parser.feed(piece, |token| live.take(token, &mut emit));
    }
}
