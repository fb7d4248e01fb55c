//! From what each piece of the arguments adds to what it adds to the card.

use crate::args::{ArgsEvent, ArgsParser};
use crate::index::Index;
use ask_user_question::snapshot::{AskPatch, TextPath};

/// Follows the arguments through the shape of an ask. What is of another shape is passed over: it comes with the repaired ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    /// The open containers, from the outside in.
    frames: Vec<Frame>,
    /// The open string, where it is one to show.
    text: Option<GrowingText>,
    /// The parser within a string that holds JSON, as some models send lists.
    packed: Option<Box<ArgsParser>>,
    /// How many containers were open around that string.
    packed_depth: usize,
    /// Packed text is not unpacked twice: one layer is what models send.
    is_unpacking: bool,
    questions: usize,
    has_duplicate: bool,
}

#[derive(Clone, Debug)]
struct Frame {
    place: Place,
    /// The member whose value comes next.
    key: Key,
    /// The keys so far. One that comes twice makes the ask malformed; what the first one said stays shown.
    seen: Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Arguments,
    Questions,
    Question(usize),
    Options { question: usize, next: usize },
    Option { question: usize, option: usize },
    Elsewhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Questions,
    Question,
    Header,
    MultiSelect,
    Options,
    Label,
    Description,
    Preview,
    Other,
}

/// A text that is being shown. White space at its ends is repaired away in the end, so it is not shown before it is known to be inside.
#[derive(Clone, Debug)]
struct GrowingText {
    path: TextPath,
    /// A plain option is complete with its label.
    closes_option: bool,
    trims: bool,
    begun: bool,
    held: String,
}

type Tell<'a> = &'a mut dyn FnMut(AskPatch);

impl Growth {
    /// Whether a key came twice.
    pub(super) fn has_duplicate(&self) -> bool {
        self.has_duplicate
    }

    pub(super) fn take(&mut self, event: ArgsEvent<'_>, tell: Tell<'_>) {
        match event {
            ArgsEvent::ObjectStart => self.open_object(tell),
            ArgsEvent::ArrayStart => self.open_array(),
            ArgsEvent::ObjectEnd | ArgsEvent::ArrayEnd => {
                if let Some(frame) = self.frames.pop() {
                    frame.place.close(tell);
                }
            }
            ArgsEvent::Key(key) => self.take_key(key, tell),
            ArgsEvent::StringStart => self.open_text(tell),
            ArgsEvent::Text(fragment) => self.grow(fragment, tell),
            ArgsEvent::StringEnd => self.close_text(tell),
            ArgsEvent::Bool(value) => {
                if let (Place::Question(question), Key::MultiSelect) = self.slot() {
                    tell(AskPatch::MultiSelect { question, value });
                }
            }
            ArgsEvent::Number(number) => {
                if let (Place::Options { .. }, _) = self.slot() {
                    self.open_text(tell);
                    self.grow(&number.to_string(), tell);
                    self.close_text(tell);
                }
            }
            ArgsEvent::Null => {}
        }
    }

    /// Where a value that comes now belongs: the innermost container and the member there.
    fn slot(&self) -> (Place, Key) {
        self.frames
            .last()
            .map_or((Place::Elsewhere, Key::Other), |frame| {
                (frame.place, frame.key)
            })
    }

    fn push(&mut self, place: Place) {
        self.frames.push(Frame {
            place,
            key: Key::Other,
            seen: Index::default(),
        });
    }

    fn open_object(&mut self, tell: Tell<'_>) {
        let place = match self.slot() {
            _ if self.frames.is_empty() => Place::Arguments,
            (Place::Arguments, Key::Questions) | (Place::Questions, _) => self.next_question(tell),
            (Place::Options { .. }, _) => {
                let (question, option) = self
                    .next_option()
                    .expect("the innermost container is a list of options");
                tell(AskPatch::OpenOption { question, option });
                Place::Option { question, option }
            }
            _ => Place::Elsewhere,
        };
        self.push(place);
    }

    fn open_array(&mut self) {
        let place = match self.slot() {
            _ if self.frames.is_empty() => Place::Questions,
            (Place::Arguments, Key::Questions) => Place::Questions,
            (Place::Question(question), Key::Options) => Place::Options { question, next: 0 },
            _ => Place::Elsewhere,
        };
        self.push(place);
    }

    fn next_question(&mut self, tell: Tell<'_>) -> Place {
        let question = self.questions;
        self.questions += 1;
        tell(AskPatch::OpenQuestion { question });
        Place::Question(question)
    }

    fn next_option(&mut self) -> Option<(usize, usize)> {
        match self.frames.last_mut()?.place {
            Place::Options {
                question,
                ref mut next,
            } => {
                *next += 1;
                Some((question, *next - 1))
            }
            _ => None,
        }
    }

    fn take_key(&mut self, name: &str, tell: Tell<'_>) {
        // A question without the list around it is a question nevertheless.
        let is_bare = matches!(name, "question" | "options" | "header");
        if self.slot().0 == Place::Arguments && is_bare && self.questions == 0 {
            let place = self.next_question(tell);
            if let Some(frame) = self.frames.last_mut() {
                frame.place = place;
            }
        }
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let is_new = frame.seen.insert(name, 0);
        frame.key = if is_new {
            Key::of(frame.place, name)
        } else {
            Key::Other
        };
        self.has_duplicate |= !is_new;
    }

    fn open_text(&mut self, tell: Tell<'_>) {
        let path = match self.slot() {
            (Place::Question(question), Key::Question) => TextPath::Question(question),
            (Place::Question(question), Key::Header) => TextPath::Header(question),
            (Place::Option { question, option }, Key::Label) => TextPath::Label(question, option),
            (Place::Option { question, option }, Key::Description) => {
                TextPath::Description(question, option)
            }
            (Place::Option { question, option }, Key::Preview) => {
                TextPath::Preview(question, option)
            }
            (Place::Options { .. }, _) => {
                let (question, option) = self
                    .next_option()
                    .expect("the innermost container is a list of options");
                tell(AskPatch::OpenOption { question, option });
                self.text = Some(GrowingText::new(TextPath::Label(question, option), true));
                return;
            }
            (Place::Arguments, Key::Questions) | (Place::Question(_), Key::Options)
                if !self.is_unpacking =>
            {
                self.packed = Some(Box::default());
                self.packed_depth = self.frames.len();
                return;
            }
            _ => return,
        };
        self.text = Some(GrowingText::new(path, false));
    }

    /// Takes a fragment of the open string. While the text within a packed string is read, its parser is out of its place, and the
    /// fragments that come are those of the strings in it.
    fn grow(&mut self, fragment: &str, tell: Tell<'_>) {
        if let Some(mut parser) = self.packed.take() {
            self.is_unpacking = true;
            let _ = parser.feed(fragment, |event| self.take(event, tell));
            self.is_unpacking = false;
            self.packed = Some(parser);
        } else if let Some(text) = &mut self.text {
            text.grow(fragment, tell);
        }
    }

    fn close_text(&mut self, tell: Tell<'_>) {
        if self.packed.take().is_some() {
            self.frames.truncate(self.packed_depth);
            self.text = None;
        } else if let Some(text) = self.text.take() {
            text.close(tell);
        }
    }
}

impl Place {
    fn close(self, tell: Tell<'_>) {
        match self {
            Self::Question(question) => tell(AskPatch::CloseQuestion { question }),
            Self::Option { question, option } => tell(AskPatch::CloseOption { question, option }),
            Self::Arguments | Self::Questions | Self::Options { .. } | Self::Elsewhere => {}
        }
    }
}

impl Key {
    fn of(place: Place, name: &str) -> Self {
        match (place, name) {
            (Place::Arguments, "questions") => Self::Questions,
            (Place::Question(_), "question") => Self::Question,
            (Place::Question(_), "header") => Self::Header,
            (Place::Question(_), "multiSelect") => Self::MultiSelect,
            (Place::Question(_), "options") => Self::Options,
            (Place::Option { .. }, "label") => Self::Label,
            (Place::Option { .. }, "description") => Self::Description,
            (Place::Option { .. }, "preview") => Self::Preview,
            _ => Self::Other,
        }
    }
}

impl GrowingText {
    fn new(path: TextPath, closes_option: bool) -> Self {
        let trims = !matches!(path, TextPath::Preview(..));
        Self {
            path,
            closes_option,
            trims,
            begun: false,
            held: String::new(),
        }
    }

    fn grow(&mut self, fragment: &str, tell: Tell<'_>) {
        let text = if self.begun || !self.trims {
            fragment
        } else {
            fragment.trim_start()
        };
        let shown = if self.trims { text.trim_end() } else { text };
        if shown.is_empty() {
            if self.begun {
                self.held.push_str(text);
            }
            return;
        }
        let delta = if self.held.is_empty() {
            shown.to_owned()
        } else {
            std::mem::take(&mut self.held) + shown
        };
        self.held.push_str(&text[shown.len()..]);
        self.begun = true;
        tell(AskPatch::Append {
            text: self.path,
            delta,
        });
    }

    fn close(self, tell: Tell<'_>) {
        // Optional texts that say nothing are repaired away in the end, so they never began.
        let is_required = matches!(
            self.path,
            TextPath::Question(_) | TextPath::Header(_) | TextPath::Label(..)
        );
        if self.begun || is_required {
            tell(AskPatch::CloseText { text: self.path });
        }
        if let (true, TextPath::Label(question, option)) = (self.closes_option, self.path) {
            tell(AskPatch::CloseOption { question, option });
        }
    }
}
