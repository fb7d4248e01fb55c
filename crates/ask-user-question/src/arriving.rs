//! An ask that is still arriving: from pieces of a call's arguments to what each piece adds to the card.

mod growth;

use crate::snapshot::{AskPatch, AskSnapshot};
use crate::wire::AskUserQuestion;
use growth::Growth;
use json_tree::PartialParser;

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
#[derive(Clone, Debug, Default)]
pub struct Arriving {
    parser: PartialParser,
    growth: Growth,
    arguments: String,
    /// The arguments cannot be read, whatever follows.
    is_broken: bool,
}

impl Arriving {
    /// Takes the next piece of the arguments.
    pub fn feed(&mut self, piece: &str, mut tell: impl FnMut(AskPatch)) {
        if self.is_broken {
            return;
        }
        self.arguments.push_str(piece);
        let Self { parser, growth, .. } = self;
        // What an error means is decided when the arguments end.
        let fed = parser.feed(piece, |token| growth.take(token, &mut tell));
        self.is_broken = fed.is_err();
    }

    /// Ends the arguments: the repaired ask that takes the place of `shown`; `None` where nothing readable came, or something else than what
    /// was shown.
    #[must_use]
    pub fn finish(self, shown: &AskSnapshot) -> Option<AskUserQuestion> {
        AskUserQuestion::from_arguments(&self.arguments).filter(|ask| shown.may_become(ask))
    }
}
