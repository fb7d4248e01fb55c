//! The words of a card: a table in English, and sheets of other languages.

mod languages;
mod plural;
mod sheet;
mod time;
mod words;

pub use self::languages::{LANGUAGES, language_of};
pub use self::plural::Plural;
pub use self::sheet::{Sheet, SheetProblem, Words};
pub use self::time::TimeLeft;
pub use self::words::Word;

use ask_user_question::input::InputKind;
use ask_user_question::text::joined;

/// All built-in words of a card, in one language. To change some words:
///
/// ```
/// use question_card::{Labels, Word};
/// let labels = Labels::ENGLISH.with_text(Word::Submit, "Send");
/// ```
pub type Labels = Sheet<Word>;

/// The direction in which a language is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From left to right.
    LeftToRight,
    /// From right to left.
    RightToLeft,
}

impl Direction {
    /// The value of the attribute `dir`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
        }
    }
}

impl Labels {
    /// The time left to answer, as a sentence.
    #[must_use]
    pub fn time_left(&self, left: TimeLeft) -> String {
        self.plural(left.word, left.count, &[])
    }

    /// The announcement that questions have arrived: their number, and the first one's header, text and number of options.
    pub(crate) fn ready(&self, count: usize, header: &str, question: &str, options: usize) -> String {
        let mut asked = question.to_owned();
        if !header.is_empty() {
            asked = self.filled(Word::Asked, &[("header", header), ("question", &asked)]);
        }
        if options > 0 {
            asked = self.plural(Word::Options, options, &[("question", &asked)]);
        }
        self.plural(Word::Ready, count, &[("question", &asked)])
    }

    /// The sentence that says how many questions still need an answer.
    #[must_use]
    pub fn unanswered(&self, open: usize, count: usize) -> String {
        match count {
            1 => self.text(Word::UnansweredOnly).to_owned(),
            _ => self.plural(Word::Unanswered, open, &[("all", &self.number(count))]),
        }
    }

    /// The label in these words for an option of a yes or no, or of an approval, that came without words of its own.
    #[must_use]
    pub fn own(&self, asks_for: Option<InputKind>, label: &str) -> Option<&str> {
        let words: &[Word] = match asks_for? {
            InputKind::YesNo => &[Word::Yes, Word::No],
            InputKind::Approval => &[Word::Approve, Word::ApproveEdited, Word::Reject],
            _ => return None,
        };
        words.iter().find(|word| word.english() == label).map(|word| self.text(*word))
    }

    /// The label without the suffix by which agents recommend an option, in English or in these words; `None` if it has no such suffix.
    #[must_use]
    pub fn without_badge<'a>(&self, label: &'a str) -> Option<&'a str> {
        let (plain, suffix) = label.strip_suffix([')', '）'])?.rsplit_once(['(', '（'])?;
        let is = |word: &str| suffix.eq_ignore_ascii_case(word);
        let fits = is(Word::Recommended.english()) || is(self.text(Word::Recommended));
        (fits && !plain.is_empty()).then_some(plain)
    }

    /// A number of bytes for people, such as "12 KB".
    #[must_use]
    pub fn size(&self, bytes: usize) -> String {
        let (count, unit) = match bytes {
            0..1024 => (bytes, Word::Bytes),
            1024..0x0010_0000 => (bytes.div_ceil(1024), Word::Kilobytes),
            _ => (bytes.div_ceil(0x0010_0000), Word::Megabytes),
        };
        isolate(&self.plural(unit, count, &[]))
    }

    /// The sentence that says how many questions have their answer.
    #[must_use]
    pub fn progress(&self, answered: usize, count: usize) -> String {
        self.plural(Word::Progress, answered, &[("all", &self.number(count))])
    }
}

/// Puts a text between U+2068 and U+2069, which isolate its direction from the sentence around it. Characters of the text that would end
/// the isolation early, or set a direction, are left out. An empty text stays empty.
#[must_use]
pub fn isolate(text: &str) -> String {
    match text {
        "" => String::new(),
        _ => {
            let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            concat(&["\u{2068}", &text.replace(turns, ""), "\u{2069}"])
        }
    }
}

pub(crate) fn concat(parts: &[&str]) -> String {
    joined(parts, "")
}
