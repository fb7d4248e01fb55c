//! An ask whose arguments are still streaming: turns pieces of a call's arguments into questions for a card.

mod growth;
mod text;

use crate::members::Growth;
use crate::repairs::Repairs;
use crate::snapshot::AskSnapshot;
use crate::validate::{MAX_ARGUMENTS_BYTES, MAX_ASK_BYTES};
use growth::LiveAsk;
use json_tree::{Bounds, PartialParser};

/// Processes the streaming arguments of one call and grows an [`AskSnapshot`] by them. The cost of a piece depends only on its own length, and
/// nothing that was shown is taken back.
///
/// It does not store the arguments. Parts in other forms than the tool's own do not stream and are [read as a whole](Self::finish) at the end.
/// [`default`](Self::default) reads only the tool's own form; [`new`](Self::new) takes [`Repairs`] for other forms.
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
    bytes: usize,
}

impl Default for Arriving {
    fn default() -> Self {
        Self::new(Default::default())
    }
}

impl Arriving {
    /// Creates a reader for arguments that these repairs can bring into the tool's form.
    #[must_use]
    pub fn new(repairs: &'static Repairs) -> Self {
        let limits = Bounds { bytes: MAX_ARGUMENTS_BYTES, ..Bounds::default() };
        Self { parser: PartialParser::new(limits), live: LiveAsk::new(repairs), bytes: 0 }
    }

    /// Processes the next piece of the arguments. Returns the first growth of the snapshot's questions, if any. Only this reader may change the
    /// questions while arguments stream.
    pub fn feed(&mut self, piece: &str, ask: &mut AskSnapshot) -> Option<Growth> {
        let Self { parser, live, bytes } = self;
        *bytes += piece.len();
        // Ignored here: the parser repeats the error until the arguments end.
        let _ = parser.feed(piece, |token| live.take(token, &mut ask.questions));
        live.growth.take()
    }

    /// Ends the arguments and completes the snapshot. `arguments` is their whole text; it is parsed again only if part of it was not in the tool's
    /// own form or was not fed. Returns false if no readable part survives repair, or the ask is [too large](MAX_ASK_BYTES).
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
