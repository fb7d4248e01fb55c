//! An ask that is still arriving: from pieces of a call's arguments to what each piece adds to the card.

mod growth;
mod text;

use crate::snapshot::{AskPatch, AskSnapshot};
use crate::validate::MAX_ARGUMENTS_BYTES;
use crate::wire::AskUserQuestion;
use growth::LiveAsk;
use json_tree::{Bounds, PartialParser, PartialValue};

/// Takes the arguments of one call as they stream, in any pieces, and returns [patches](AskPatch) to its [`AskSnapshot`]. A piece costs its
/// own length, whatever came before; what was shown is never taken back.
///
/// ```
/// use ask_user_question::AskSnapshot;
/// use ask_user_question::arriving::Arriving;
///
/// let (mut arriving, mut snapshot) = (Arriving::default(), AskSnapshot::new("call-1"));
/// for piece in [r#"{"questions":[{"question":"Which da"#, r#"tabase?","options":[{"label":"Post"#] {
///     arriving.feed(piece, |patch| snapshot.apply(&patch));
/// }
/// assert_eq!(snapshot.questions[0].question.text, "Which database?");
/// assert_eq!(snapshot.questions[0].options[0].label.text, "Post");
/// arriving.feed(r#"gres"},{"label":"SQLite"}]}]}"#, |patch| snapshot.apply(&patch));
/// let ask = arriving.finish(&snapshot).expect("it can be read");
/// assert_eq!(ask.questions[0].options.len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Arriving {
    parser: PartialParser,
    live: LiveAsk,
    /// The arguments so far.
    arguments: PartialValue,
    /// Their text, for what is almost JSON.
    text: String,
}

impl Default for Arriving {
    fn default() -> Self {
        let limits = Bounds { bytes: MAX_ARGUMENTS_BYTES, ..Bounds::default() };
        Self {
            parser: PartialParser::new(limits),
            live: LiveAsk::default(),
            arguments: PartialValue::default(),
            text: String::new(),
        }
    }
}

impl Arriving {
    /// Takes the next piece of the arguments.
    pub fn feed(&mut self, piece: &str, mut emit: impl FnMut(AskPatch)) {
        let Self { parser, live, arguments, text } = self;
        let room = (MAX_ARGUMENTS_BYTES + 1).saturating_sub(text.len());
        text.push_str(piece.get(..piece.floor_char_boundary(room)).unwrap_or_default());
        // The parser keeps an error until the arguments end, and takes nothing more.
        let _ = parser.feed(piece, |token| {
            arguments.take(&token);
            live.take(token, &mut emit);
        });
    }

    /// Ends the arguments: the repaired ask that takes the place of `shown`; `None` where nothing readable came, or something else than what
    /// was shown.
    #[must_use]
    pub fn finish(self, shown: &AskSnapshot) -> Option<AskUserQuestion> {
        let Self { mut parser, mut arguments, text, .. } = self;
        let ask = match parser.finish(|token| arguments.take(&token)) {
            Ok(()) => AskUserQuestion::of_arguments(arguments.into_json()?),
            Err(_) => AskUserQuestion::from_arguments(&text),
        };
        ask.filter(|ask| shown.may_become(ask))
    }
}
