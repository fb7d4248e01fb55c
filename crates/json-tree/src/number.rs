//! Numbers: their value, and the grammar of their text, byte by byte.

mod decimal;

pub use decimal::natural;

use decimal::Decimal;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A number: whole if 64 bits hold it, otherwise the decimal that was written. So no page carries the code that converts between doubles
/// and texts.
///
/// Numbers are equal if they are so numerically, as `1`, `1.0` and `10e-1` are.
#[derive(Clone)]
pub struct Number<'a>(Kind<'a>);

/// 64 bits are two `u32`, so that a [`Json`](crate::Json) needs no alignment to 8 bytes and WebAssembly moves it in registers.
#[derive(Clone)]
enum Kind<'a> {
    Natural([u32; 2]),
    Negative([u32; 2]),
    Written(Cow<'a, str>),
}

fn halves(bits: u64) -> [u32; 2] {
    [(bits >> 32) as u32, bits as u32]
}

fn whole([high, low]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

impl Number<'_> {
    /// As JSON, in the digits that were read. (`Display` would do, by more code.)
    #[must_use]
    pub fn text(&self) -> String {
        match &self.0 {
            Kind::Natural(bits) => whole(*bits).to_string(),
            Kind::Negative(bits) => (whole(*bits) as i64).to_string(),
            Kind::Written(text) => text.clone().into_owned(),
        }
    }

    /// A double; `None` if it is not finite.
    pub(crate) fn from_f64(double: f64) -> Option<Number<'static>> {
        double.is_finite().then(|| Self::written(format!("{double:?}")))
    }

    /// The number of a text that no 64 bits hold.
    pub(crate) fn written(text: String) -> Number<'static> {
        Number(Kind::Written(text.into()))
    }

    /// The number, if it was written as a whole one and 64 bits hold it.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Kind::Natural(bits) => i64::try_from(whole(*bits)).ok(),
            Kind::Negative(bits) => Some(whole(*bits) as i64),
            Kind::Written(_) => None,
        }
    }

    /// The number, if it is whole and not negative.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Kind::Natural(bits) => Some(whole(*bits)),
            Kind::Negative(_) | Kind::Written(_) => None,
        }
    }

    /// The nearest double. (The standard library reads it with tables of 10 KB, which a page carries if it asks for doubles.)
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        match &self.0 {
            Kind::Natural(bits) => whole(*bits) as f64,
            Kind::Negative(bits) => whole(*bits) as i64 as f64,
            Kind::Written(text) => text.parse().unwrap_or_default(),
        }
    }

    /// The whole number that it equals, as `1.0` and `1e3` equal one, if 64 bits hold it.
    #[must_use]
    pub fn as_whole(&self) -> Option<i64> {
        match &self.0 {
            Kind::Written(text) => Decimal::of(text).as_whole(),
            Kind::Natural(_) | Kind::Negative(_) => self.as_i64(),
        }
    }

    /// A copy that borrows nothing.
    #[must_use]
    pub fn into_static(self) -> Number<'static> {
        Number(match self.0 {
            Kind::Natural(bits) => Kind::Natural(bits),
            Kind::Negative(bits) => Kind::Negative(bits),
            Kind::Written(text) => Kind::Written(text.into_owned().into()),
        })
    }
}

impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Natural(one), Kind::Natural(other)) | (Kind::Negative(one), Kind::Negative(other)) => one == other,
            (Kind::Written(one), Kind::Written(other)) if one == other => true,
            (Kind::Written(_), _) | (_, Kind::Written(_)) => Decimal::of(&self.text()) == Decimal::of(&other.text()),
            _ => false,
        }
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
        Decimal::of(&self.text()).order(&Decimal::of(&other.text()))
    }
}

impl From<u64> for Number<'_> {
    fn from(number: u64) -> Self {
        Self(Kind::Natural(halves(number)))
    }
}

impl From<usize> for Number<'_> {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl From<i64> for Number<'_> {
    fn from(number: i64) -> Self {
        let bits = halves(number as u64);
        Self(if number < 0 { Kind::Negative(bits) } else { Kind::Natural(bits) })
    }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
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
    /// The number is complete, and the byte is not part of it.
    Ends,
    Fails,
}

impl NumberState {
    /// The state after the first byte; `None` if no number begins with it.
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

/// The number of a text that was read to this state; `None` if it exceeds the largest double, which no text without an exponent does that has fewer
/// digits.
pub(crate) fn number(text: &str, end: NumberState) -> Option<Number<'_>> {
    const SHORT: usize = 300;
    if let NumberState::Zero | NumberState::Integer = end {
        let digits = text.strip_prefix('-');
        match (natural(digits.unwrap_or(text)), digits) {
            (Some(natural), None) => return Some(natural.into()),
            // Zero below zero is none.
            (Some(negative @ 1..), Some(_)) if let Some(number) = 0_i64.checked_sub_unsigned(negative) => {
                return Some(number.into());
            }
            _ => {}
        }
    }
    let is_a_double = end != NumberState::ExponentDigits && text.len() < SHORT || Decimal::of(text).is_a_double();
    is_a_double.then(|| Number(Kind::Written(text.into())))
}
