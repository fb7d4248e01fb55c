//! A sheet: the texts of a language for a table of words.

use super::plural::{self, Plural, of_language};
use super::{Direction, concat};
use json_tree::Json;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A table of words, which [`words!`](crate::words) makes.
pub trait Words: Copy + 'static {
    /// All words.
    const ALL: &'static [Self];
    /// The name of each word in a sheet, followed by its placeholders, of which `count` chooses the plural form. One text, because a list
    /// would be a table of addresses.
    const KEYS: &'static str;
    /// The English text of each word. A text that depends on a number has the form for 1 first.
    const ENGLISH: &'static [&'static str];

    /// The place of a word in the table.
    fn index(self) -> usize;

    /// The English text of a word.
    fn english(self) -> &'static str {
        english(Self::ENGLISH, self.index(), Plural::Other)
    }
}

/// Ends a row of the keys.
const ROW: u8 = b';';
/// Separates the plural forms of an English text.
const OR: u8 = b'|';

/// Splits a text at these bytes of ASCII. Own code, because the standard library's searchers are ten times as large.
fn cut(text: &str, at: u8) -> impl Iterator<Item = &str> {
    pieces(text, [at, at])
}

fn pieces(text: &str, at: [u8; 2]) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| at.contains(&byte));
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// An English text in one of its forms.
fn english(texts: &[&'static str], at: usize, plural: Plural) -> &'static str {
    let mut forms = cut(texts[at], OR);
    let one = forms.next().unwrap_or_default();
    match plural {
        Plural::One => one,
        _ => forms.next().unwrap_or(one),
    }
}

/// Makes the enum of a table of words. Each row has a name in Rust, a name in sheets, the placeholders, and the English text. A text that
/// depends on a number has two forms.
///
/// ```
/// use json_tree::Json;
/// use question_card::Sheet;
///
/// question_card::words! {
///     /// The words of a page.
///     pub enum Say {
///         /// Its name.
///         Title "title" [] "Front desk",
///         /// The number of messages.
///         Unread "unread" [count] one "{count} message" other "{count} messages",
///     }
/// }
/// let (german, problems) = Sheet::<Say>::ENGLISH.with(&Json::parse(r#"{"title": "Empfang"}"#)?);
/// assert!(problems.is_empty());
/// assert_eq!(german.text(Say::Title), "Empfang");
/// assert_eq!(german.plural(Say::Unread, 2, &[]), "2 messages");
/// # Ok::<(), json_tree::Error>(())
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* $vis:vis enum $name:ident { $(
        $(#[$doc:meta])* $word:ident $key:literal [$($placeholder:ident)*] $(one $one:literal other)? $other:literal,
    )* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $name { $($(#[$doc])* $word,)* }

        impl $crate::Words for $name {
            const ALL: &'static [Self] = &[$(Self::$word,)*];
            const KEYS: &'static str = concat!($($key, $(" ", stringify!($placeholder),)* ";",)*);
            const ENGLISH: &'static [&'static str] = &[$(concat!($($one, "|",)? $other),)*];

            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

/// The texts of a language for a table of words. A word that a sheet lacks is in English. A clone is the same sheet.
pub struct Sheet<W> {
    /// `None` for English.
    read: Option<Arc<SheetTexts>>,
    words: PhantomData<fn() -> W>,
}

#[derive(Clone)]
struct SheetTexts {
    lang: String,
    dir: Direction,
    /// The texts that are not English, by their place in the table.
    texts: Vec<Option<Arc<Forms>>>,
    plural: fn(&str, usize) -> Plural,
}

/// The forms of a text for numbers.
struct Forms {
    other: String,
    others: Vec<(Plural, String)>,
}

/// A part of a sheet that was ignored. Its word keeps the earlier text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetProblem {
    /// The place in the sheet, such as `charsLeft.one`; empty for the sheet itself.
    pub path: String,
    /// The reason why it was ignored.
    pub reason: String,
}

impl fmt::Display for SheetProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&concat(&[&self.path, ": ", &self.reason]))
    }
}

impl<W: Words> Sheet<W> {
    /// English, which is built in.
    pub const ENGLISH: Self = Self { read: None, words: PhantomData };

    /// Reads a sheet: an object of JSON with `lang`, `dir` (`ltr` or `rtl`) and a text for each word, or an object of its plural forms.
    /// Also returns the parts that it does not use.
    #[must_use]
    pub fn read(json: &str) -> (Self, Vec<SheetProblem>) {
        match Json::parse(json) {
            Ok(json) => Self::ENGLISH.with(&json),
            Err(_) => (Self::ENGLISH, vec![problem("", "it is no JSON")]),
        }
    }

    /// A copy with the texts of a sheet, and the problems of that. Texts that the sheet lacks stay as they are.
    #[must_use]
    pub fn with(&self, sheet: &Json<'_>) -> (Self, Vec<SheetProblem>) {
        let mut read = self.to_read();
        let problems = take::<true>(&mut read, W::KEYS, W::ENGLISH, sheet);
        (Self::of(read), problems)
    }

    /// As [`with`](Self::with), without checks, for a sheet that tests have read. This makes a program smaller.
    #[must_use]
    pub fn with_tested(&self, sheet: &Json<'_>) -> Self {
        let mut read = self.to_read();
        take::<false>(&mut read, W::KEYS, W::ENGLISH, sheet);
        Self::of(read)
    }

    /// A copy with another text for a word.
    #[must_use]
    pub fn with_text(&self, word: W, text: &str) -> Self {
        let mut read = self.to_read();
        let forms = Forms { other: text.to_owned(), others: Vec::new() };
        read.texts[word.index()] = Some(Arc::new(forms));
        Self::of(read)
    }

    /// Sets another rule for plural forms. By default, a browser has the rule of each language, and any other program that of English: a
    /// server that renders another language sets its own.
    #[must_use]
    pub fn with_plurals(&self, rule: fn(lang: &str, count: usize) -> Plural) -> Self {
        let mut read = self.to_read();
        read.plural = rule;
        Self::of(read)
    }

    /// The language, as a BCP 47 tag.
    #[must_use]
    pub fn lang(&self) -> &str {
        self.read.as_ref().map_or("en", |read| &read.lang)
    }

    /// The direction in which the language is written.
    #[must_use]
    pub fn dir(&self) -> Direction {
        self.read.as_ref().map_or(Direction::LeftToRight, |read| read.dir)
    }

    /// The text of a word.
    #[must_use]
    pub fn text(&self, word: W) -> &str {
        self.form(word.index(), Plural::Other)
    }

    /// The text of a word with these values for its `{placeholders}`.
    #[must_use]
    pub fn filled(&self, word: W, values: &[(&str, &str)]) -> String {
        filled(self.text(word), values)
    }

    /// The form of a word for a number, with the number for `{count}` and other values for the other placeholders.
    #[must_use]
    pub fn plural(&self, word: W, count: usize, values: &[(&str, &str)]) -> String {
        let plural = self.read.as_ref().map_or(Plural::english(count), |read| (read.plural)(&read.lang, count));
        let number = self.number(count);
        let mut all = vec![(COUNT, number.as_str())];
        all.extend(values);
        filled(self.form(word.index(), plural), &all)
    }

    /// A number in the digits of the language; outside a browser, in those of English.
    #[must_use]
    pub fn number(&self, number: usize) -> String {
        self.read.as_ref().map_or_else(|| number.to_string(), |read| plural::number(&read.lang, number))
    }

    /// A percentage as the language writes it.
    #[must_use]
    pub fn percent(&self, percent: usize) -> String {
        self.read.as_ref().map_or_else(|| format!("{percent}%"), |read| plural::percent(&read.lang, percent))
    }

    /// The plural forms that the text of a word has.
    pub fn forms(&self, word: W) -> impl Iterator<Item = Plural> {
        let read = self.read.as_ref().and_then(|read| read.texts[word.index()].as_ref());
        let has_one = read.is_none() && cut(W::ENGLISH[word.index()], OR).count() > 1;
        let others = read.map_or(&[][..], |forms| &forms.others[..]).iter().map(|(form, _)| *form);
        others.chain(has_one.then_some(Plural::One)).chain([Plural::Other])
    }

    /// The words that a sheet lacked.
    pub fn missing(&self) -> impl Iterator<Item = W> {
        let lacks = |word: &W| self.read.as_ref().is_some_and(|read| read.texts[word.index()].is_none());
        W::ALL.iter().copied().filter(move |word| lacks(word))
    }

    fn form(&self, at: usize, plural: Plural) -> &str {
        match self.read.as_ref().and_then(|read| read.texts[at].as_ref()) {
            Some(forms) => forms.others.iter().find(|(form, _)| *form == plural).map_or(&forms.other, |(_, text)| text),
            None => english(W::ENGLISH, at, plural),
        }
    }

    fn to_read(&self) -> SheetTexts {
        match &self.read {
            Some(read) => SheetTexts::clone(read),
            None => SheetTexts {
                lang: self.lang().to_owned(),
                dir: self.dir(),
                texts: vec![None; W::ENGLISH.len()],
                plural: of_language,
            },
        }
    }

    fn of(read: SheetTexts) -> Self {
        Self { read: Some(Arc::new(read)), words: PhantomData }
    }
}

impl<W> Clone for Sheet<W> {
    fn clone(&self) -> Self {
        Self { read: self.read.clone(), words: PhantomData }
    }
}

impl<W: Words> Default for Sheet<W> {
    fn default() -> Self {
        Self::ENGLISH
    }
}

impl<W: Words> fmt::Debug for Sheet<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sheet").field(&self.lang()).finish()
    }
}

/// True for clones of one sheet.
impl<W> PartialEq for Sheet<W> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.read, &other.read) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl<W> Eq for Sheet<W> {}

/// The placeholder that chooses the form.
const COUNT: &str = "count";
/// Members of a sheet that other code reads: the name of the language, and the words of the page or the view around the card.
const FOR_OTHERS: [&str; 4] = ["name", "frame", "page", "view"];

/// Takes over the texts of a sheet, and returns the problems. Without `CHECK`, nothing is checked.
fn take<const CHECK: bool>(
    read: &mut SheetTexts,
    keys: &'static str,
    english_texts: &[&'static str],
    sheet: &Json<'_>,
) -> Vec<SheetProblem> {
    let mut problems = Vec::new();
    let Json::Object(members) = sheet else {
        if CHECK {
            problems.push(problem("", "it is no object"));
        }
        return problems;
    };
    for (name, value) in members {
        let row = cut(keys, ROW).position(|row| cut(row, b' ').next() == Some(name)).filter(|_| !name.is_empty());
        let taken = match (&**name, value, row) {
            (_, value, Some(at)) => {
                let row = if CHECK { cut(keys, ROW).nth(at).unwrap_or_default() } else { "" };
                // A word may choose its form by a number that its text does not contain.
                let tells = CHECK && holes(english(english_texts, at, Plural::Other)).any(|hole| hole == COUNT);
                forms::<CHECK>((row, tells), name, value).map(|forms| read.texts[at] = Some(Arc::new(forms)))
            }
            ("lang", Json::Text(lang), _) => {
                read.lang = lang.to_string();
                Ok(())
            }
            ("dir", Json::Text(dir), _) => {
                let is_rtl = dir == Direction::RightToLeft.as_str();
                read.dir = if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight };
                if CHECK && !is_rtl && dir != read.dir.as_str() {
                    Err(problem(name, "it is ltr or rtl"))
                } else {
                    Ok(())
                }
            }
            _ if CHECK && !FOR_OTHERS.contains(&&**name) => Err(problem(name, "there is no such word")),
            _ => Ok(()),
        };
        if CHECK {
            problems.extend(taken.err());
        }
    }
    problems
}

/// The forms of a word, if all are valid. `row` is the word and its placeholders, and true if the text contains the number.
fn forms<const CHECK: bool>((row, tells): (&str, bool), name: &str, value: &Json<'_>) -> Result<Forms, SheetProblem> {
    let mut forms = Forms { other: String::new(), others: Vec::new() };
    match value {
        Json::Text(text) => forms.other = checked::<CHECK>(row, name, text, tells)?,
        Json::Object(_) if CHECK && cut(row, b' ').skip(1).all(|name| name != COUNT) => {
            return Err(problem(name, "it has one form"));
        }
        Json::Object(members) => {
            for (form, value) in members {
                let path = || concat(&[name, ".", form]);
                match (Plural::named(form), value) {
                    // A form for one number alone may say it in words.
                    (Some(plural), Json::Text(text)) => {
                        let is_other = plural == Plural::Other;
                        let path = if CHECK { path() } else { String::new() };
                        let text = checked::<CHECK>(row, &path, text, is_other && tells)?;
                        match is_other {
                            true => forms.other = text,
                            false => forms.others.push((plural, text)),
                        }
                    }
                    _ if !CHECK => {}
                    (Some(_), _) => return Err(problem(&path(), "it is no text")),
                    (None, _) => return Err(problem(&path(), "there is no such form")),
                }
            }
            if CHECK && forms.other.is_empty() {
                return Err(problem(name, "it lacks the form other"));
            }
        }
        _ if CHECK => return Err(problem(name, "it is no text")),
        _ => {}
    }
    Ok(forms)
}

/// A text, if it has the placeholders of its word and no others.
fn checked<const CHECK: bool>(row: &str, path: &str, text: &str, counts: bool) -> Result<String, SheetProblem> {
    if CHECK {
        let placeholders = || cut(row, b' ').skip(1);
        let found = || holes(text);
        if let Some(unknown) = found().find(|found| placeholders().all(|name| name != *found)) {
            return Err(problem(path, &concat(&["it has no placeholder {", unknown, "}"])));
        }
        let is_lost = |name: &&str| found().all(|found| found != *name) && (counts || *name != COUNT);
        if let Some(lost) = placeholders().find(is_lost) {
            return Err(problem(path, &concat(&["it lacks the placeholder {", lost, "}"])));
        }
    }
    Ok(text.to_owned())
}

/// A text with values for its placeholders.
fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    for (at, piece) in pieces(text, BRACES).enumerate() {
        let value = values.iter().find(|(name, _)| at % 2 == 1 && *name == piece);
        filled += value.map_or(piece, |(_, value)| value);
    }
    filled
}

/// The placeholders in a text.
fn holes(text: &str) -> impl Iterator<Item = &str> {
    pieces(text, BRACES).skip(1).step_by(2)
}

/// The marks of placeholders; every second piece of a text is between braces.
const BRACES: [u8; 2] = *b"{}";

fn problem(path: &str, reason: &str) -> SheetProblem {
    SheetProblem { path: path.to_owned(), reason: reason.to_owned() }
}
