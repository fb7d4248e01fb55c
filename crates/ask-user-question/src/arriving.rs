//! An ask that is still arriving: from pieces of a call's arguments to the questions that a card shows.

mod growth;
mod text;

use crate::members::Growth;
use crate::repairs::Repairs;
use crate::snapshot::AskSnapshot;
use crate::validate::{MAX_ARGUMENTS_BYTES, MAX_ASK_BYTES};
use growth::LiveAsk;
use json_tree::{Bounds, PartialParser};

/// Takes the arguments of one call as they stream, in any pieces, and lets an [`AskSnapshot`] grow by them. A piece costs its own length,
/// whatever came before; what was shown is never taken back.
///
/// It keeps no text: what has grown is the ask. What does not stream is [read as a whole](Self::finish) in the end. [`default`](Self::default)
/// reads the tool's own form alone; [`new`](Self::new) takes [`Repairs`] for what models write otherwise.
///
/// ```
/// use ask_user_question::AskSnapshot;
/// use ask_user_question::arriving::Arriving;
///
/// let (mut arriving, mut snapshot, mut arguments) = (Arriving::default(), AskSnapshot::new("call-1"), String::new());
/// let mut feed = |piece: &str| {
///     arguments.push_str(piece);
///     arriving.feed(piece, &mut snapshot);
///     snapshot.questions[0].clone()
/// };
/// assert_eq!(feed(r#"{"questions":[{"question":"Which da"#).question.text, "Which da");
/// assert_eq!(feed(r#"tabase?","options":[{"label":"Post"#).options[0].label.text, "Post");
/// feed(r#"gres"},{"label":"SQLite"}]}]}"#);
/// assert!(arriving.finish(&arguments, &mut snapshot), "it can be read");
/// assert_eq!(snapshot.ask.expect("it is complete").questions[0].options.len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Arriving {
    parser: PartialParser,
    live: LiveAsk,
    /// The number of bytes that came.
    bytes: usize,
}

impl Default for Arriving {
    fn default() -> Self {
        Self::new(Default::default())
    }
}

impl Arriving {
    /// Arguments that these repairs bring into the tool's form.
    #[must_use]
    pub fn new(repairs: &'static Repairs) -> Self {
        let limits = Bounds { bytes: MAX_ARGUMENTS_BYTES, ..Bounds::default() };
        Self { parser: PartialParser::new(limits), live: LiveAsk::new(repairs), bytes: 0 }
    }

    /// Takes the next piece of the arguments. Returns what it made grow in the questions of the snapshot, which no one else changes meanwhile.
    pub fn feed(&mut self, piece: &str, ask: &mut AskSnapshot) -> Option<Growth> {
        let Self { parser, live, bytes } = self;
        *bytes += piece.len();
        // The parser keeps an error until the arguments end, and takes nothing more.
        let _ = parser.feed(piece, |token| live.take(token, &mut ask.questions));
        live.growth.take()
    }

    /// Takes the end of the arguments, given once more as a whole, and completes the snapshot. They are read again only if something in them
    /// was not in the tool's own form, or was not fed. Returns false if no readable part survives repair, or the ask is
    /// [too large](MAX_ASK_BYTES).
    pub fn finish(mut self, arguments: &str, ask: &mut AskSnapshot) -> bool {
        let is_whole = self.bytes == arguments.len() && self.bytes <= MAX_ASK_BYTES;
        if is_whole
            && !ask.questions.is_empty()
            && self.parser.finish(|_| {}).is_ok()
            && !self.live.is_odd
            && !self.live.is_lost
        {
            ask.ask = Some(ask.grown().into());
            return true;
        }
        let read = (self.live.repairs.read_text)(arguments);
        let is_readable = read.is_some();
        read.into_iter().for_each(|read| ask.finish(read));
        is_readable
    }
}
