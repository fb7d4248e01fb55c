//! An incremental parser for JSON that is still being written.

use crate::number::{Number, NumberState, Step, number};
use crate::parse::{DEPTH, plain_length};
use crate::{Error, ErrorKind, escape};
use std::borrow::Cow;
use std::mem;

/// Parses JSON that arrives in pieces.
///
/// Call [`feed`](Self::feed) for each piece, then [`finish`](Self::finish). Tokens are final: a string is emitted in fragments, every other token
/// once it is complete. After an error, each call returns the same error.
#[derive(Clone, Debug)]
pub struct PartialParser {
    state: State,
    /// The open containers, the outermost first.
    open: Vec<Container>,
    /// The key or number that is being read.
    scratch: String,
    /// The part of a string with escapes that is in the current piece. It is emitted as one token.
    text: String,
    /// An incomplete escape at the end of the last piece.
    held: String,
    /// The number of bytes processed so far, without those in `held`.
    offset: usize,
    limits: Bounds,
    error: Option<Error>,
}

/// The limits of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum number of open containers.
    pub depth: usize,
    /// The maximum number of bytes in the whole text.
    pub bytes: usize,
}

impl Default for Bounds {
    /// A depth of 127, as in `serde_json`, and 16 MiB.
    fn default() -> Self {
        Self { depth: DEPTH, bytes: 16 * 1024 * 1024 }
    }
}

/// A token of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Token<'a> {
    /// An object began.
    ObjectStart,
    /// A member's key is complete; its value follows.
    Key(&'a str),
    /// The innermost object is complete.
    ObjectEnd,
    /// An array began.
    ArrayStart,
    /// The innermost array is complete.
    ArrayEnd,
    /// A string value began.
    StringStart,
    /// The next fragment of the string, unescaped.
    Text(&'a str),
    /// The string is complete.
    StringEnd,
    /// A number.
    Number(Number<'a>),
    /// A boolean.
    Bool(bool),
    /// Null.
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value is expected.
    Value,
    /// After `[`: a value or `]` is expected.
    FirstItem,
    /// After `{`: a key or `}` is expected.
    FirstKey,
    /// After a comma in an object: a key is expected.
    NextKey,
    Colon,
    /// A value is complete: a comma, a closing bracket or the end is expected.
    AfterValue,
    Text(Role),
    Number(NumberState),
    /// Within `true`, `false` or `null`; `None` stands for `null`.
    Literal {
        rest: &'static [u8],
        value: Option<bool>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Key,
    Value,
}

type Outcome = Result<(), ErrorKind>;

/// A trait object, so that the parser is compiled only once.
type OnToken<'t> = &'t mut dyn FnMut(Token<'_>);

impl Default for PartialParser {
    fn default() -> Self {
        Self::new(Bounds::default())
    }
}

impl PartialParser {
    /// Creates a parser at the start of a text.
    #[must_use]
    pub fn new(limits: Bounds) -> Self {
        let (scratch, text, held) = (String::new(), String::new(), String::new());
        Self { state: State::Value, open: Vec::new(), scratch, text, held, offset: 0, limits, error: None }
    }

    /// Parses the next piece of the text and emits its tokens.
    ///
    /// # Errors
    /// If no continuation can make the text valid JSON. Tokens that were emitted stay valid.
    pub fn feed(&mut self, delta: &str, mut emit: impl FnMut(Token<'_>)) -> Result<(), Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        // Completes the escape that the last piece began.
        let delta = match self.held.is_empty() {
            true => Cow::Borrowed(delta),
            false => Cow::Owned(mem::take(&mut self.held) + delta),
        };
        let allowed = delta.floor_char_boundary(self.limits.bytes - self.offset);
        let allowed = delta.get(..allowed).unwrap_or_default();
        let mut at = 0;
        while at < allowed.len() {
            match self.step(allowed, at, &mut emit) {
                Ok(next) => at = next,
                Err((kind, at)) => {
                    self.emit_text(&mut emit);
                    return self.fail(kind, self.offset + at);
                }
            }
        }
        self.emit_text(&mut emit);
        self.offset += allowed.len() - self.held.len();
        if allowed.len() < delta.len() { self.fail(ErrorKind::TooLong, self.offset) } else { Ok(()) }
    }

    /// Ends the text. A number at the very end is emitted only now, since another digit could have followed.
    ///
    /// # Errors
    /// If the text ends within a value, or if [`feed`](Self::feed) failed before.
    pub fn finish(&mut self, mut emit: impl FnMut(Token<'_>)) -> Result<(), Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if let State::Number(state) = self.state
            && state.is_complete()
            && let Err(kind) = self.end_number(state, &mut emit)
        {
            return self.fail(kind, self.offset);
        }
        if self.state == State::AfterValue && self.open.is_empty() {
            return Ok(());
        }
        self.fail(ErrorKind::Incomplete, self.offset + self.held.len())
    }

    fn fail(&mut self, kind: ErrorKind, offset: usize) -> Result<(), Error> {
        let error = Error { kind, offset };
        self.error = Some(error);
        Err(error)
    }

    /// Reads the token, or part of one, that starts at `at`. Returns the start of the next one, or the kind and position of an error.
    fn step(&mut self, delta: &str, at: usize, emit: OnToken<'_>) -> Result<usize, (ErrorKind, usize)> {
        match self.state {
            State::Text(role) => self.text(delta, at, role, emit),
            _ => match self.byte(delta.as_bytes()[at], emit) {
                Ok(is_taken) => Ok(at + usize::from(is_taken)),
                Err(kind) => Err((kind, at)),
            },
        }
    }

    /// Processes a byte outside of strings. Returns false if the byte belongs to the next token.
    fn byte(&mut self, byte: u8, emit: OnToken<'_>) -> Result<bool, ErrorKind> {
        match self.state {
            State::Number(state) => match state.step(byte) {
                Step::Goes(next) => {
                    self.scratch.push(char::from(byte));
                    self.state = State::Number(next);
                }
                Step::Ends => return self.end_number(state, emit).map(|()| false),
                Step::Fails => return Err(ErrorKind::Unexpected),
            },
            State::Literal { rest, value } => self.literal(byte, rest, value, emit)?,
            _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => {}
            State::Value => self.value(byte, emit)?,
            State::FirstItem if byte == b']' => self.close(Container::Array, emit)?,
            State::FirstItem => self.value(byte, emit)?,
            State::FirstKey if byte == b'}' => self.close(Container::Object, emit)?,
            State::FirstKey | State::NextKey if byte == b'"' => self.state = State::Text(Role::Key),
            State::Colon if byte == b':' => self.state = State::Value,
            State::AfterValue => self.after_value(byte, emit)?,
            State::FirstKey | State::NextKey | State::Colon | State::Text(_) => {
                return Err(ErrorKind::Unexpected);
            }
        }
        Ok(true)
    }

    fn value(&mut self, byte: u8, emit: OnToken<'_>) -> Outcome {
        self.state = match byte {
            b'"' => {
                emit(Token::StringStart);
                State::Text(Role::Value)
            }
            b'{' => {
                self.open_container(Container::Object)?;
                emit(Token::ObjectStart);
                State::FirstKey
            }
            b'[' => {
                self.open_container(Container::Array)?;
                emit(Token::ArrayStart);
                State::FirstItem
            }
            b't' => State::Literal { rest: b"rue", value: Some(true) },
            b'f' => State::Literal { rest: b"alse", value: Some(false) },
            b'n' => State::Literal { rest: b"ull", value: None },
            byte => {
                let state = NumberState::begin(byte).ok_or(ErrorKind::Unexpected)?;
                self.scratch.clear();
                self.scratch.push(char::from(byte));
                State::Number(state)
            }
        };
        Ok(())
    }

    fn open_container(&mut self, container: Container) -> Outcome {
        if self.open.len() >= self.limits.depth {
            return Err(ErrorKind::TooDeep);
        }
        self.open.push(container);
        Ok(())
    }

    fn close(&mut self, container: Container, emit: OnToken<'_>) -> Outcome {
        if self.open.pop() != Some(container) {
            return Err(ErrorKind::Unexpected);
        }
        emit(match container {
            Container::Object => Token::ObjectEnd,
            Container::Array => Token::ArrayEnd,
        });
        self.state = State::AfterValue;
        Ok(())
    }

    fn after_value(&mut self, byte: u8, emit: OnToken<'_>) -> Outcome {
        match (self.open.last(), byte) {
            (None, _) => return Err(ErrorKind::Trailing),
            (Some(Container::Object), b',') => self.state = State::NextKey,
            (Some(Container::Array), b',') => self.state = State::Value,
            (Some(Container::Object), b'}') => self.close(Container::Object, emit)?,
            (Some(Container::Array), b']') => self.close(Container::Array, emit)?,
            _ => return Err(ErrorKind::Unexpected),
        }
        Ok(())
    }

    /// Reads a string up to its end or past the next escape.
    fn text(&mut self, delta: &str, at: usize, role: Role, emit: OnToken<'_>) -> Result<usize, (ErrorKind, usize)> {
        let rest = delta.get(at..).unwrap_or_default();
        let length = plain_length(rest.as_bytes());
        let (plain, behind) = rest.split_at_checked(length).unwrap_or_default();
        let end = behind.as_bytes().split_first();
        if role == Role::Value && self.text.is_empty() && length > 0 && !matches!(end, Some((b'\\', _))) {
            emit(Token::Text(plain));
        } else {
            self.grow(plain, role);
        }
        let next = at + length + 1;
        match end {
            None => return Ok(delta.len()),
            Some((b'"', _)) => self.end_text(role, emit),
            Some((b'\\', escaped)) if let Some(character) = escape::letter(escaped.first()) => {
                self.grow(character.encode_utf8(&mut [0; 4]), role);
                return Ok(next + 1);
            }
            Some((b'\\', escaped)) => match escape::units(escaped) {
                Ok((character, length)) => {
                    self.grow(character.encode_utf8(&mut [0; 4]), role);
                    return Ok(next + length);
                }
                Err(fault) if fault.kind == ErrorKind::Incomplete => {
                    self.held.push_str(behind);
                    return Ok(delta.len());
                }
                Err(fault) => return Err((fault.kind, next + fault.at)),
            },
            Some(_) => return Err((ErrorKind::ControlCharacter, next - 1)),
        }
        Ok(next)
    }

    fn grow(&mut self, text: &str, role: Role) {
        match role {
            Role::Key => self.scratch.push_str(text),
            Role::Value => self.text.push_str(text),
        }
    }

    fn emit_text(&mut self, emit: OnToken<'_>) {
        if !self.text.is_empty() {
            emit(Token::Text(&self.text));
            self.text.clear();
        }
    }

    fn end_text(&mut self, role: Role, emit: OnToken<'_>) {
        match role {
            Role::Key => {
                emit(Token::Key(&self.scratch));
                self.scratch.clear();
                self.state = State::Colon;
            }
            Role::Value => {
                self.emit_text(emit);
                emit(Token::StringEnd);
                self.state = State::AfterValue;
            }
        }
    }

    fn literal(&mut self, byte: u8, rest: &'static [u8], value: Option<bool>, emit: OnToken<'_>) -> Outcome {
        match rest.split_first() {
            Some((expected, rest)) if *expected == byte => {
                if !rest.is_empty() {
                    self.state = State::Literal { rest, value };
                    return Ok(());
                }
                emit(value.map_or(Token::Null, Token::Bool));
                self.state = State::AfterValue;
                Ok(())
            }
            _ => Err(ErrorKind::Unexpected),
        }
    }

    fn end_number(&mut self, state: NumberState, emit: OnToken<'_>) -> Outcome {
        let number = number(&self.scratch, state).ok_or(ErrorKind::NumberOutOfRange)?;
        emit(Token::Number(number));
        self.scratch.clear();
        self.state = State::AfterValue;
        Ok(())
    }
}
