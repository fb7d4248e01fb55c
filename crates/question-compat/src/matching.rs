//! Matches chat messages that users type to a waiting ask.
//!
//! A user may type instead of tapping, in the words of the options or in other words. A certain match becomes a selection. Text that might mean two
//! options stays free text, since a wrong guess is worse than asking again.

use crate::repair::IS_SIGN;
use crate::text::{in_usual_width, plain};
use crate::words::is_among;
use ask_user_question::reply::flat::{self, Behind};
use ask_user_question::reply::{MOST_PARTS, Selection, picked};
use ask_user_question::text::{CharClass, is_blank};
use ask_user_question::{AskUserQuestion, Outcome, Question, Reply};

/// Matches a typed message to a waiting ask, without guessing between options. `partial` are the selections so far: the answer keeps their files and
/// notes and, in a multi-select, their options; [`Outcome::RepliedInChat`] keeps them all. If the text is blank, the files are the answer to a
/// single question.
///
/// One question: a label or its number (from 1) selects that option; in a multi-select, commas separate several. Any other text is "Other", unless
/// it ends in a question mark, since a user who asks back has not answered. A typed input such as a number, date or address must be valid, alone or
/// after the title. Case, character width and surrounding punctuation are ignored. A number at the end of a label may be omitted, as in "Node" for
/// "Node 22", but no word may, since that may change the meaning. `2` is a position if no label has a digit; `#2` and `2)` always are.
///
/// Several questions: one line `Header: answer` for each is a reply; any other text answers none of them. Returns `Answered` or `RepliedInChat`.
#[must_use]
pub fn match_message(ask: &AskUserQuestion, text: &str, partial: Vec<Selection>) -> Outcome {
    let selections = match &ask.questions[..] {
        [only] => one_question(only, text, &partial).map(|selection| vec![selection]),
        questions => lines(questions, text, &partial),
    };
    match selections.and_then(|selections| Reply::of(ask, selections)) {
        Some(reply) => Outcome::Answered(reply),
        None => Outcome::replied_in_chat(ask, text, partial),
    }
}

fn one_question(question: &Question, text: &str, partial: &[Selection]) -> Option<Selection> {
    let named = || picks(question, strip_title(question, text)?);
    // A text that is not valid as a whole may be valid after the title.
    let typed = || {
        question.typed().filter(|input| input.value(text).is_err())?;
        own_words(strip_title(question, text)?)
    };
    let attached = || (is_blank(text) && has_files(partial)).then(Selection::default);
    let selection = picks(question, text).or_else(named).or_else(typed).or_else(|| own_words(text));
    let mut selection = selection.or_else(attached)?;
    keep(&mut selection, question, partial);
    Some(selection)
}

/// Reads one line for each question, in any order; `None` if a line names no question, or more than one.
fn lines(questions: &[Question], text: &str, partial: &[Selection]) -> Option<Vec<Selection>> {
    if questions.len() > MOST_PARTS {
        return None;
    }
    let mut selections: Vec<Selection> = Vec::new();
    for line in text.lines().filter(|line| !is_blank(line)) {
        let mut named = None;
        for (q, question) in questions.iter().enumerate() {
            if let Some(answer) = strip_title(question, line)
                && named.replace((q, answer.trim())).is_some()
            {
                return None;
            }
        }
        let (q, answer) = named?;
        if selections.iter().any(|selection| selection.question == q) {
            return None;
        }
        let mut selection = picks(&questions[q], answer).or_else(|| own_words(answer))?;
        selection.question = q;
        keep(&mut selection, &questions[q], partial);
        selections.push(selection);
    }
    Some(selections)
}

/// The text as "Other", unless it is a question.
fn own_words(text: &str) -> Option<Selection> {
    (!is_blank(text) && !is_question(text)).then(|| Selection::typed(0, text))
}

fn has_files(partial: &[Selection]) -> bool {
    partial.iter().any(|picks| picks.question == 0 && !picks.attachments.is_empty())
}

/// Keeps options, files and notes that the user selected on the card before typing.
fn keep(selection: &mut Selection, question: &Question, partial: &[Selection]) {
    let Some(picks) = partial.iter().find(|picks| picks.question == selection.question) else {
        return;
    };
    if question.multi_select && !selection.skipped {
        selection.selected.extend(&picks.selected);
        selection.selected = question.in_order(&selection.selected);
    }
    if !selection.skipped {
        selection.attachments.clone_from(&picks.attachments);
    }
    if selection.note.is_none() {
        selection.note.clone_from(&picks.note);
    }
}

/// The rest of a line after `Header:` or the question's text and a colon.
pub(crate) fn strip_title<'a>(question: &Question, line: &'a str) -> Option<&'a str> {
    let header = question.header.as_deref().unwrap_or_default();
    strip(header, line).or_else(|| strip(&question.question, line))
}

fn strip<'a>(title: &str, line: &'a str) -> Option<&'a str> {
    const IS_COLON: CharClass = |c| matches!(c, ':' | '：');
    if is_blank(title) {
        return None;
    }
    // The title may contain colons, so skip as many before the one that ends it.
    let mut behind = line;
    for _ in 0..=title.matches(IS_COLON).count() {
        (_, behind) = behind.split_once(IS_COLON)?;
    }
    let before = line.get(..line.len() - behind.len())?.strip_suffix(IS_COLON)?;
    (plain(before) == plain(title)).then_some(behind)
}

/// The selection for a text; `None` if it is not certain.
fn picks(question: &Question, text: &str) -> Option<Selection> {
    let trimmed = text.trim();
    if let Some(picked) = picked(question, trimmed) {
        return Some(picked);
    }
    let labels = Labels::of(question);
    let selected = match labels.meant(trimmed) {
        Some(option) => vec![option],
        None if question.multi_select => question.in_order(&labels.several(trimmed)?),
        None => return None,
    };
    Some(Selection::picked(0, selected))
}

/// The labels of a question, normalised for comparison.
struct Labels(Vec<String>);

const IS_SEPARATOR: CharClass = |c| matches!(c, ',' | '、' | '،' | ';');

fn ends_at_separator(text: &str) -> Option<Behind<'_>> {
    let text = text.trim_start();
    match text.strip_prefix(IS_SEPARATOR) {
        Some(next) => Some(Some(next.trim_start())),
        None => text.is_empty().then_some(None),
    }
}

impl Labels {
    fn of(question: &Question) -> Self {
        let mut labels = Vec::new();
        for option in &question.options {
            labels.push(plain(&option.label));
        }
        Self(labels)
    }

    /// The only option that a text means: by its label, its position, or its label without the number at the end.
    fn meant(&self, text: &str) -> Option<usize> {
        let typed = plain(text);
        let bare = without_marks(&typed);
        if bare.is_empty() {
            return self.only(&typed, as_it_is);
        }
        self.only(&typed, as_it_is)
            .or_else(|| self.numbered(&typed, bare))
            .or_else(|| self.only(bare, as_it_is))
            .or_else(|| self.only(bare, without_marks))
            .or_else(|| self.only(bare, without_recommended))
            .or_else(|| self.unnumbered(bare))
    }

    /// The only option whose label equals the text after both are mapped by `look`.
    fn only(&self, text: &str, look: fn(&str) -> &str) -> Option<usize> {
        let mut only = None;
        for (option, label) in self.0.iter().enumerate() {
            if look(label) == text && only.replace(option).is_some() {
                return None;
            }
        }
        only
    }

    /// The option at a position. If labels have digits, a bare number counts only if the label at that position starts with it.
    fn numbered(&self, typed: &str, bare: &str) -> Option<usize> {
        let (option, is_marked) = number(typed).filter(|(option, _)| *option < self.0.len())?;
        let begins = |label: &str| match is_marked {
            true => label.starts_with(typed),
            false => label.strip_prefix(bare).is_some_and(|rest| rest.starts_with(' ')),
        };
        let may_be_other =
            self.0.iter().enumerate().any(|(other, label)| (is_marked || other != option) && begins(label));
        let is_sure = is_marked || begins(&self.0[option]) || !self.0.iter().any(|label| is_about_numbers(label));
        (is_sure && !may_be_other).then_some(option)
    }

    /// The option whose label is the text and a number, if no other label starts with the text. Short texts are not matched.
    fn unnumbered(&self, bare: &str) -> Option<usize> {
        const LEAST: usize = 4;
        let mut only = None;
        for (option, label) in self.0.iter().enumerate() {
            if let Some(rest) = label.strip_prefix(bare)
                && only.replace((option, rest)).is_some()
            {
                return None;
            }
        }
        let (option, rest) = only?;
        let number = rest.strip_prefix(' ')?;
        let is_number = number.chars().all(|c| IS_DIGIT(c) || matches!(c, '.' | ','));
        (is_number && bare.chars().count() >= LEAST && !bare.contains(IS_DIGIT)).then_some(option)
    }

    /// The options that the parts of a text mean; `None` unless each part means one. Labels may contain separators.
    fn several(&self, text: &str) -> Option<Vec<usize>> {
        let typed = plain(&text.replace('\n', ";"));
        let labels: Vec<&str> = self.0.iter().map(String::as_str).collect();
        let (found, rest) = flat::parts(&typed, MOST_PARTS, &mut |_, rest| {
            flat::longest(&labels, 0, rest, ends_at_separator).or_else(|| {
                let (part, behind) = rest.split_at_checked(rest.find(IS_SEPARATOR).unwrap_or(rest.len()))?;
                Some((self.meant(part)?, ends_at_separator(behind)?))
            })
        });
        rest.is_none().then_some(found)
    }
}

/// Returns true if a text ends in a question mark, possibly within other punctuation. Greek uses a semicolon.
fn is_question(text: &str) -> bool {
    const IS_GREEK: CharClass =
        |c| matches!(c, '\u{370}'..='\u{37D}' | '\u{384}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}');
    let is_greek = text.contains(IS_GREEK);
    let mut end = text.chars().rev().skip_while(|&c| {
        let asks = is_question_mark(c) || (c == ';' && is_greek);
        let is_around = || is_mark(in_usual_width(c)) || matches!(c, '~' | '～' | '_') || IS_SIGN(c);
        !asks && (is_around() || c.is_whitespace() || is_blank(c.encode_utf8(&mut [0; 4])))
    });
    end.next().is_some_and(|c| is_question_mark(c) || c == ';')
}

fn is_question_mark(c: char) -> bool {
    matches!(
        c,
        '?' | '؟'
            | '？'
            | '﹖'
            | '︖'
            | '\u{37E}'
            | '՞'
            | '፧'
            | '⁇'
            | '⁈'
            | '⁉'
            | '‽'
            | '⸮'
            | '❓'
            | '❔'
            | '᥅'
            | '꘏'
            | '꛷'
    )
}

/// Punctuation that people add around an answer or omit. Excludes the question mark, since a user who asks back has not answered.
fn is_mark(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '¡' | '…' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '`' | '*')
        || matches!(c, '«' | '»' | '‹' | '›' | '\u{2018}'..='\u{201F}' | '、' | '。' | '〈'..='】' | '،' | '؛')
}

fn as_it_is(label: &str) -> &str {
    label
}

const IS_MARK_OR_SPACE: CharClass = |c| is_mark(c) || c == ' ';

fn without_marks(text: &str) -> &str {
    text.trim_matches(IS_MARK_OR_SPACE)
}

/// As [`without_marks`], and without the suffix "(recommended)".
fn without_recommended(label: &str) -> &str {
    without_marks(label.strip_suffix("(recommended)").unwrap_or(label).trim_end())
}

/// The index for a number such as `2`, `#2`, `2)` or `٢`, and whether it is marked as a position.
fn number(text: &str) -> Option<(usize, bool)> {
    const IS_STRESS: CharClass = |c| matches!(c, '!' | '。');
    const BEGINS: CharClass = |c| matches!(c, '#' | '(' | ' ');
    const ENDS: CharClass = |c| matches!(c, ')' | '.' | ':');
    const MOST_DIGITS: usize = 4;
    let text = text.trim_end_matches(IS_STRESS);
    let counted = ["option ", "opción "].iter().find_map(|word| text.strip_prefix(word));
    let is_marked = counted.is_some() || text.starts_with('#') || text.ends_with(')');
    let digits = counted.unwrap_or(text).trim_start_matches(BEGINS).trim_end_matches(ENDS);
    let mut number = 0;
    for (place, c) in digits.chars().enumerate() {
        if place == MOST_DIGITS {
            return None;
        }
        number = number * 10 + digit(c)?;
    }
    Some((number.checked_sub(1)?, is_marked))
}

/// Returns true if a label has a digit or starts with a numeral word, so that a typed number may mean the label instead of a position.
fn is_about_numbers(label: &str) -> bool {
    const WORDS: &str = "zero|two|three|four|five|six|seven|eight|nine|ten|ii|iii|iv";
    const BEGINS: CharClass =
        |c| matches!(c, '二' | '两' | '兩' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十');
    const ENDS: CharClass = |c| !c.is_ascii_alphanumeric();
    label.contains(IS_DIGIT)
        || label.starts_with(BEGINS)
        || is_among(WORDS, label.split(ENDS).next().unwrap_or_default())
}

const IS_DIGIT: CharClass =
    |c| digit(c).is_some() || matches!(c, '²' | '³' | '¹' | '⁰'..='₉' | '⅐'..='ↈ' | '①'..='⓿' | '❶'..='➓');

/// The value of a decimal digit in any of the supported scripts.
fn digit(c: char) -> Option<usize> {
    const ZEROS: [u16; 21] = [
        0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
        0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10,
    ];
    let code = u32::from(c);
    ZEROS.iter().map(|&zero| code.wrapping_sub(zero.into()) as usize).find(|value| *value < 10)
}
