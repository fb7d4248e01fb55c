//! Parses a complete text.

use crate::escape::{self, Fault};
use crate::number::{NumberState, Step, number};
use crate::{Error, ErrorKind, Json, Members};
use std::borrow::Cow;

/// The maximum depth of nesting, as in `serde_json`.
pub(crate) const DEPTH: usize = 127;

/// Objects deeper than this are shrunk to fit. An outermost object is usually an event, which is soon dropped.
const SHRUNK_FROM: usize = 1;

/// A larger list or object gets an exact allocation: while a doubling one is moved, it needs three times its memory.
const MANY: usize = 1024;

const ALONE: char = char::REPLACEMENT_CHARACTER;

type Read<T> = Result<T, ErrorKind>;

/// Surrogate halves at the ends of a string, where the string itself has U+FFFD.
///
/// JSON may escape a character by two UTF-16 units: `\ud83d\ude00`. A producer that cuts its text between UTF-16 units sends the halves in two
/// strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Halves {
    /// The second half of a pair, at the start of the string.
    pub second: Option<u16>,
    /// The first half of a pair, at the end of the string.
    pub first: Option<u16>,
}

impl<'a> Json<'a> {
    /// Parses one JSON text.
    ///
    /// # Errors
    /// If the text is not JSON, is nested deeper than 127 levels, or has a number that no double can hold.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        Reader::new(text, None).whole()
    }

    /// As [`parse`](Self::parse), but a surrogate half may stand alone: it becomes U+FFFD. Also returns the halves at the ends of one member of the
    /// outermost object, if the member is a string.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with_halves(text: &'a str, member: &str) -> Result<(Self, Halves), Error> {
        let mut reader = Reader::new(text, Some(member));
        let json = reader.whole()?;
        Ok((json, reader.halves))
    }
}

struct Reader<'a, 'm> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// How many more bytes may be read twice.
    ahead: usize,
    /// The member whose halves are returned. If `None`, a lone half is an error.
    member: Option<&'m str>,
    halves: Halves,
    /// The halves at the ends of the last string.
    last: Halves,
}

impl<'a, 'm> Reader<'a, 'm> {
    fn new(text: &'a str, member: Option<&'m str>) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            ahead: 2 * text.len(),
            member,
            halves: Halves::default(),
            last: Halves::default(),
        }
    }

    fn whole(&mut self) -> Result<Json<'a>, Error> {
        let json = self.value().and_then(|json| match self.next() {
            None => Ok(json),
            Some(_) => Err(ErrorKind::Trailing),
        });
        json.map_err(|kind| Error { kind, offset: self.at })
    }

    /// Skips whitespace and returns the next byte.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn expect(&mut self, byte: u8) -> Read<()> {
        match self.next() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(ErrorKind::Unexpected),
            None => Err(ErrorKind::Incomplete),
        }
    }

    fn value(&mut self) -> Read<Json<'a>> {
        match self.next().ok_or(ErrorKind::Incomplete)? {
            b'"' => {
                self.at += 1;
                self.string().map(Json::Text)
            }
            b'{' => self.within(Self::object),
            b'[' => self.within(Self::list),
            b't' => self.literal("true", Json::Bool(true)),
            b'f' => self.literal("false", Json::Bool(false)),
            b'n' => self.literal("null", Json::Null),
            _ => self.number(),
        }
    }

    fn within(&mut self, inside: fn(&mut Self) -> Read<Json<'a>>) -> Read<Json<'a>> {
        if self.depth == DEPTH {
            return Err(ErrorKind::TooDeep);
        }
        self.at += 1;
        self.depth += 1;
        let value = inside(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Read<Json<'a>> {
        if self.next() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(Members::new()));
        }
        let mut members = Members::with_capacity(4);
        loop {
            self.expect(b'"')?;
            let key = self.string()?;
            self.expect(b':')?;
            // Most members are strings, and inlining them is faster than a call.
            let value = match self.next() {
                Some(b'"') => {
                    self.at += 1;
                    Json::Text(self.string()?)
                }
                _ => self.value()?,
            };
            if self.depth == 1 && self.member == Some(&*key) && matches!(value, Json::Text(_)) {
                self.halves = self.last;
            }
            if members.len() == MANY {
                members.reserve_exact(self.rest());
            }
            members.push((key, value));
            if self.ends(b'}')? {
                // Saves memory in texts with many small objects.
                if self.depth > SHRUNK_FROM {
                    members.shrink_to_fit();
                }
                return Ok(Json::Object(members));
            }
        }
    }

    fn list(&mut self) -> Read<Json<'a>> {
        let mut items = Vec::new();
        if self.next() == Some(b']') {
            self.at += 1;
            return Ok(Json::List(items));
        }
        loop {
            let item = self.value()?;
            if items.len() == MANY {
                items.reserve_exact(self.rest());
            }
            items.push(item);
            if self.ends(b']')? {
                items.shrink_to_fit();
                return Ok(Json::List(items));
            }
        }
    }

    /// Counts the values up to the end of the list or object, including the last one read. Returns 1 if the limit [`ahead`](Self::ahead) is reached.
    #[cold]
    fn rest(&mut self) -> usize {
        let bytes = &self.text.as_bytes()[self.at..];
        if bytes.len() > self.ahead {
            return 1;
        }
        let (mut at, mut values, mut depth) = (0, 1, 0);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' if depth == 0 => break,
                b']' | b'}' => depth -= 1,
                b',' if depth == 0 => values += 1,
                b'"' => at = behind_string(bytes, at + 1),
                _ => {}
            }
            at += 1;
        }
        self.ahead -= at.min(bytes.len());
        // A value and its comma take at least two bytes. A text of only commas fails soon after.
        values.min(at / 2 + 1)
    }

    /// Returns true if the object or list ends here; otherwise consumes a comma.
    fn ends(&mut self, end: u8) -> Read<bool> {
        let ends = match self.next() {
            Some(byte) if byte == end => true,
            Some(b',') => false,
            Some(_) => return Err(ErrorKind::Unexpected),
            None => return Err(ErrorKind::Incomplete),
        };
        self.at += 1;
        Ok(ends)
    }

    fn literal(&mut self, word: &str, value: Json<'a>) -> Read<Json<'a>> {
        let rest = &self.text.as_bytes()[self.at..];
        let same = rest.iter().zip(word.as_bytes()).take_while(|(found, expected)| found == expected).count();
        self.at += same;
        match same == word.len() {
            true => Ok(value),
            false if same == rest.len() => Err(ErrorKind::Incomplete),
            false => Err(ErrorKind::Unexpected),
        }
    }

    fn number(&mut self) -> Read<Json<'a>> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut state = NumberState::begin(bytes[start]).ok_or(ErrorKind::Unexpected)?;
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            match state.step(*byte) {
                Step::Goes(next) => state = next,
                Step::Ends => break,
                Step::Fails => return Err(ErrorKind::Unexpected),
            }
            self.at += 1;
            if state.takes_digits() {
                while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                    self.at += 1;
                }
            }
        }
        if !state.is_complete() {
            return Err(ErrorKind::Incomplete);
        }
        number(self.part(start, self.at), state).map(Json::Number).ok_or(ErrorKind::NumberOutOfRange)
    }

    /// A part of the text. Avoids indexing, whose panic message needs tables of all characters.
    fn part(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Reads the rest of a string after its opening quotation mark.
    #[inline(always)]
    fn string(&mut self) -> Read<Cow<'a, str>> {
        let start = self.at;
        self.at += plain_length(&self.text.as_bytes()[start..]);
        self.last = Halves::default();
        if self.text.as_bytes().get(self.at) == Some(&b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(self.part(start, self.at - 1)));
        }
        self.escaped(start)
    }

    /// Continues a string at an escape or an error.
    #[inline(never)]
    fn escaped(&mut self, start: usize) -> Read<Cow<'a, str>> {
        let end = behind_string(self.text.as_bytes(), self.at).min(self.text.len());
        let mut string = String::with_capacity(end - start);
        string += self.part(start, self.at);
        loop {
            match self.text.as_bytes().get(self.at) {
                None => return Err(ErrorKind::Incomplete),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(string));
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut string)?;
                }
                Some(byte) if *byte < 0x20 => return Err(ErrorKind::ControlCharacter),
                Some(_) => {
                    let plain = self.at;
                    self.at += plain_length(&self.text.as_bytes()[plain..]);
                    string.push_str(self.part(plain, self.at));
                    self.last.first = None;
                }
            }
        }
    }

    /// Reads an escape after its backslash.
    fn escape(&mut self, string: &mut String) -> Read<()> {
        let escaped = &self.text.as_bytes()[self.at..];
        self.last.first = None;
        if let Some(character) = escape::letter(escaped.first()) {
            string.push(character);
            self.at += 1;
            return Ok(());
        }
        match escape::units(escaped) {
            Ok((character, length)) => {
                string.push(character);
                self.at += length;
            }
            Err(Fault { kind: ErrorKind::LoneSurrogate, half, .. }) if self.member.is_some() => {
                if half < 0xDC00 {
                    self.last.first = Some(half);
                } else if string.is_empty() {
                    self.last.second = Some(half);
                }
                string.push(ALONE);
                self.at += escape::UNIT;
            }
            Err(fault) => {
                self.at += fault.at;
                return Err(fault.kind);
            }
        }
        Ok(())
    }
}

/// The index of the quotation mark that ends the string which continues at `at`.
pub(crate) fn behind_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(rest) = bytes.get(at..) {
        at += plain_length(rest);
        match bytes.get(at) {
            Some(b'"') | None => break,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
    at
}

/// The number of bytes up to a quotation mark, backslash or control character. Scans eight bytes at a time.
#[inline]
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    const EACH: u64 = u64::MAX / 255;
    const HIGH: u64 = EACH * 0x80;
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk().copied().map(u64::from_le_bytes) {
        // The subtraction may borrow and falsely mark bytes above the lowest marked one, so the lowest is exact.
        let control = word.wrapping_sub(EACH * 0x20) & !word;
        let is = |byte: u8| {
            let differs = word ^ (EACH * u64::from(byte));
            differs.wrapping_sub(EACH) & !differs
        };
        let marks = (control | is(b'"') | is(b'\\')) & HIGH;
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    bytes[at..].iter().position(special).map_or(bytes.len(), |rest| at + rest)
}
