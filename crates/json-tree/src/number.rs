//! Numbers: their value, and a state machine for their grammar.

mod decimal;

pub use decimal::natural;

use decimal::Decimal;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A number, stored as its decimal text. It is converted only on request, so that a page without such requests has no code to convert doubles.
///
/// Numbers are equal if their values are, as those of `1`, `1.0` and `10e-1`.
#[derive(Clone)]
pub struct Number<'a>(Cow<'a, str>);

impl Number<'_> {
    /// The JSON text, in the digits that were read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_f64(double: f64) -> Option<Number<'static>> {
        double.is_finite().then(|| Number(format!("{double:?}").into()))
    }

    /// The value, if it was written as an integer that fits in 64 bits. `None` for `-0`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.0.strip_prefix('-') {
            Some(digits) => 0_i64.checked_sub_unsigned(natural(digits).filter(|size| *size > 0)?),
            None => i64::try_from(natural(&self.0)?).ok(),
        }
    }

    /// The value, if it was written as a natural number that fits in 64 bits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        natural(&self.0)
    }

    /// The nearest double. (The standard library parses it with 10 KB of tables, which only callers of this method pay for.)
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or_default()
    }

    /// The integer value, if it fits in 64 bits, also if it was written like `1.0` or `1e3`.
    #[must_use]
    pub fn as_whole(&self) -> Option<i64> {
        self.as_i64().or_else(|| Decimal::of(&self.0).as_whole())
    }

    /// Copies the text if it is borrowed.
    #[must_use]
    pub fn into_static(self) -> Number<'static> {
        Number(self.0.into_owned().into())
    }
}

impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || Decimal::of(&self.0) == Decimal::of(&other.0)
    }
}

impl Eq for Number<'_> {}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        Decimal::of(&self.0).order(&Decimal::of(&other.0))
    }
}

macro_rules! from_whole {
    ($($whole:ty),*) => {
        $( impl From<$whole> for Number<'_> {
            fn from(number: $whole) -> Self {
                Self(number.to_string().into())
            }
        } )*
    };
}

from_whole!(u64, usize, i64);

#[cfg(feature = "serde_json")]
impl From<serde_json::Number> for Number<'_> {
    fn from(number: serde_json::Number) -> Self {
        Self(number.to_string().into())
    }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberState {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

pub(crate) enum Step {
    Goes(NumberState),
    /// The number ended before this byte.
    Ends,
    Fails,
}

impl NumberState {
    /// The state after the first byte; `None` if no number starts with it.
    pub(crate) fn begin(byte: u8) -> Option<Self> {
        match byte {
            b'-' => Some(Self::Minus),
            b'0' => Some(Self::Zero),
            b'1'..=b'9' => Some(Self::Integer),
            _ => None,
        }
    }

    pub(crate) fn step(self, byte: u8) -> Step {
        let next = match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => Self::ExponentDigits,
            (Self::Zero, b'0'..=b'9') => return Step::Fails,
            (state, _) if state.is_complete() => return Step::Ends,
            _ => return Step::Fails,
        };
        Step::Goes(next)
    }

    pub(crate) fn takes_digits(self) -> bool {
        matches!(self, Self::Integer | Self::Fraction | Self::ExponentDigits)
    }

    pub(crate) fn is_complete(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigits)
    }
}

/// Creates a number from a text that was scanned to this state; `None` if it exceeds the largest double. Only texts with an exponent or with at
/// least `SHORT` bytes can exceed it.
pub(crate) fn number(text: &str, end: NumberState) -> Option<Number<'_>> {
    const SHORT: usize = 300;
    let is_a_double = end != NumberState::ExponentDigits && text.len() < SHORT || Decimal::of(text).is_a_double();
    is_a_double.then(|| Number(text.into()))
}
