//! The card's own words, in one value, and the languages that ship.

mod arabic;
mod english;
mod german;
mod japanese;
mod spanish;
mod time;

pub use self::time::{TimeLeft, Unit};

use ask_user_question::text::joined;

/// Every word that the card says itself. A field that depends on numbers is a function, so that a language can use its own plural rules;
/// `{placeholders}` would leave that to luck. Texts of the model come to these functions isolated ([`isolate`]), so that their direction
/// does not spill over into the sentence.
///
/// A card takes a `&'static Labels`: [`for_lang`](Self::for_lang) gives one, and so does a constant. To change some words:
///
/// ```
/// use question_card::Labels;
/// static WORDS: Labels = Labels { submit: "Send", ..Labels::ENGLISH };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Labels {
    /// The language of these words, as a BCP 47 tag; becomes the `lang` of the card.
    pub lang: &'static str,
    /// The direction in which it is written; becomes the `dir` of the card.
    pub dir: Direction,
    /// Names the form where nothing else does.
    pub title: &'static str,
    /// The hint under a question that takes one option.
    pub select_one: &'static str,
    /// The hint where a tap on an option sends it.
    pub pick_one: &'static str,
    /// The hint under a question that takes several.
    pub select_many: &'static str,
    /// The label of the row for an answer of one's own.
    pub other: &'static str,
    /// Shown in the empty text field of that row; never its name.
    pub other_placeholder: &'static str,
    /// Names the preview of an option, given its label.
    pub preview: fn(label: &str) -> String,
    /// Under a text that is on the screen but not part of the answer.
    pub other_unsent: &'static str,
    /// How many characters may still be typed where a text must not be long.
    pub chars_left: fn(left: usize) -> String,
    /// How many characters are too many.
    pub chars_over: fn(over: usize) -> String,
    /// Opens the field for a note beside the answer.
    pub add_note: &'static str,
    /// Names that field.
    pub note: &'static str,
    /// A note where it can only be read.
    pub noted: fn(note: &str) -> String,
    /// Skips a question.
    pub skip: &'static str,
    /// Under a question that is skipped.
    pub skipping: &'static str,
    /// The main button.
    pub submit: &'static str,
    /// The button beside the text field where a tap on an option answers.
    pub send: &'static str,
    /// Why the buttons do not act yet.
    pub submit_wait: &'static str,
    /// Declines the question.
    pub cancel: &'static str,
    /// What the Cancel button says where answers would be lost.
    pub cancel_confirm: &'static str,
    /// Takes the Cancel back.
    pub keep_answering: &'static str,
    /// Hands the question to the host's composer.
    pub reply_in_chat: &'static str,
    /// Shown before the first question starts.
    pub composing: &'static str,
    /// Shown where the arguments cannot be used.
    pub malformed: &'static str,
    /// Names the text field where the arguments cannot be used.
    pub malformed_answer: &'static str,
    /// Announced once the arguments are complete: how many questions, and the first one's header, text and number of options.
    pub ready: fn(count: usize, header: &str, question: &str, options: usize) -> String,
    /// Enter, with nothing to confirm.
    pub nudge: &'static str,
    /// The error of a question without an answer, given its header or text.
    pub error_select: fn(question: &str) -> String,
    /// The error of an own answer without text.
    pub error_other: &'static str,
    /// The error of a text that is too long, by this number of characters.
    pub error_too_long: fn(over: usize) -> String,
    /// Names a question without a header, given its number, where one is shown at a time.
    pub step: fn(number: usize) -> String,
    /// Shows the question before.
    pub back: &'static str,
    /// Shows the question after.
    pub onward: &'static str,
    /// How many of all questions have their answer.
    pub progress: fn(answered: usize, count: usize) -> String,
    /// How many of all questions still need an answer.
    pub unanswered: fn(open: usize, count: usize) -> String,
    /// How long there is to answer; shown, and announced when it is short.
    pub time_left: fn(left: TimeLeft) -> String,
    /// Asks for more of it.
    pub more_time: &'static str,
    /// While the reply is on its way.
    pub sending: &'static str,
    /// While the reply is kept until another ask has its answer too.
    pub held: &'static str,
    /// Takes a reply back that is kept.
    pub change: &'static str,
    /// Leads from there to the ask that still waits.
    pub next_ask: &'static str,
    /// A reply that had been given is open again.
    pub taken_back: &'static str,
    /// Sends once more what did not go through, where a tap sends.
    pub try_again: &'static str,
    /// The reply went through.
    pub sent: &'static str,
    /// The reply did not go through, with the host's reason.
    pub failed: fn(reason: &str) -> String,
    /// The ask was answered while it was on the screen, and not here.
    pub answered_elsewhere: &'static str,
    /// Between the answers of one question where they stand in one line.
    pub list: &'static str,
    /// Before a chosen answer, for those who do not see its mark.
    pub selected_prefix: &'static str,
    /// A receipt's state: answered.
    pub answered: &'static str,
    /// A receipt's state, and announced: the user would not answer.
    pub cancelled: &'static str,
    /// A receipt's state: answered in the composer.
    pub replied_in_chat: &'static str,
    /// A receipt's state: the user went on with something else.
    pub superseded: &'static str,
    /// A receipt's state: the deadline passed.
    pub expired: &'static str,
    /// A receipt's state: the run or the connection broke off.
    pub interrupted: &'static str,
    /// A receipt's state: the agent went on, and the record has what it says of the answer.
    pub settled: &'static str,
    /// The state of a record that can only be read: nobody answered so far.
    pub not_answered: &'static str,
    /// In a receipt, shows all of a long question.
    pub show_all: &'static str,
    /// In a receipt, shows what could be chosen.
    pub show_options: &'static str,
    /// In a receipt, a question that the user skipped.
    pub skipped: &'static str,
    /// In a receipt, a question without an answer.
    pub no_answer: &'static str,
    /// Before what was typed or chosen and never sent.
    pub late: &'static str,
    /// Copies it.
    pub copy: &'static str,
    /// It was copied.
    pub copied: &'static str,
    /// Copies all questions and answers of a receipt.
    pub copy_answers: &'static str,
    /// The browser would not copy.
    pub copy_failed: &'static str,
    /// Before a question in what is copied.
    pub copy_question: &'static str,
    /// Before its answer there.
    pub copy_answer: &'static str,
    /// Sends it as a message of its own.
    pub send_as_message: &'static str,
    /// Why it cannot be sent as a message at this moment, where the host would not take it.
    pub not_now: &'static str,
    /// Puts it away.
    pub dismiss: &'static str,
    /// Sends a question back whose time ran out, as a message that begins with these words.
    pub ask_again: &'static str,
}

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
    /// English, the language of a card that was told of none.
    pub const ENGLISH: Self = english::LABELS;
    /// German.
    pub const GERMAN: Self = german::LABELS;
    /// Arabic.
    pub const ARABIC: Self = arabic::LABELS;
    /// Japanese.
    pub const JAPANESE: Self = japanese::LABELS;
    /// Spanish.
    pub const SPANISH: Self = spanish::LABELS;

    /// Every language that ships.
    pub const ALL: [&'static Self; 5] = [&Self::ENGLISH, &Self::GERMAN, &Self::ARABIC, &Self::JAPANESE, &Self::SPANISH];

    /// The words in the language of this tag, whatever its region or script (`de-AT`, `es_419`); English where it does not ship.
    ///
    /// Only a page that calls this carries all languages with it.
    ///
    /// ```
    /// use question_card::Labels;
    /// assert_eq!(Labels::for_lang("de-AT").submit, Labels::GERMAN.submit);
    /// assert_eq!(Labels::for_lang("tlh").submit, Labels::ENGLISH.submit);
    /// ```
    #[must_use]
    pub fn for_lang(tag: &str) -> &'static Self {
        let language = tag.split(['-', '_']).next().unwrap_or_default();
        let speaks = |labels: &&'static Self| labels.lang.eq_ignore_ascii_case(language);
        Self::ALL.into_iter().find(speaks).unwrap_or(Self::ALL[0])
    }
}

impl Default for Labels {
    fn default() -> Self {
        Self::ENGLISH
    }
}

/// Puts a text between U+2068 and U+2069, which keep its own direction from spilling over into the sentence around it. Characters of the
/// text that would end that early, or turn the direction by themselves, are left out. Nothing stays nothing.
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

/// What follows "The agent asks 2 questions." where there is a header and where there is none.
fn question_of(header: &str, question: &str, colon: &str) -> String {
    match header {
        "" => question.to_owned(),
        _ => concat(&[header, colon, question]),
    }
}

#[cfg(test)]
mod tests;
