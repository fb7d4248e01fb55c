//! Numbers: what one is, the grammar of its text, byte by byte, and what a text says.

mod double;

use std::fmt;

/// A number: whole where 64 bits hold it, else a double.
///
/// In halves, because a [`Json`](crate::Json) is then so small that WebAssembly moves one in registers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Number {
    kind: Kind,
    bits: [u32; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Natural,
    Negative,
    Double,
}

impl Number {
    fn new(kind: Kind, bits: u64) -> Self {
        Self { kind, bits: [(bits >> 32) as u32, bits as u32] }
    }

    /// As JSON. (`Display` would do, by more code.)
    #[must_use]
    pub fn text(self) -> String {
        match self.kind {
            Kind::Natural => self.bits().to_string(),
            Kind::Negative => (self.bits() as i64).to_string(),
            Kind::Double => double::text(f64::from_bits(self.bits())),
        }
    }

    fn bits(self) -> u64 {
        u64::from(self.bits[0]) << 32 | u64::from(self.bits[1])
    }

    /// A double; none where it is not finite.
    #[must_use]
    pub fn from_f64(double: f64) -> Option<Self> {
        double.is_finite().then(|| Self::new(Kind::Double, double.to_bits()))
    }

    /// A whole number, where it is one.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.kind {
            Kind::Natural => i64::try_from(self.bits()).ok(),
            Kind::Negative => Some(self.bits() as i64),
            Kind::Double => None,
        }
    }

    /// A whole number that is not negative, where it is one.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        (self.kind == Kind::Natural).then(|| self.bits())
    }

    /// The nearest double.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        match self.kind {
            Kind::Natural => self.bits() as f64,
            Kind::Negative => self.bits() as i64 as f64,
            Kind::Double => f64::from_bits(self.bits()),
        }
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self::new(Kind::Natural, number)
    }
}

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self::new(if number < 0 { Kind::Negative } else { Kind::Natural }, number as u64)
    }
}

impl From<Number> for serde_json::Number {
    fn from(number: Number) -> Self {
        match number.kind {
            Kind::Natural => number.bits().into(),
            Kind::Negative => (number.bits() as i64).into(),
            Kind::Double => Self::from_f64(f64::from_bits(number.bits())).unwrap_or_else(|| 0.into()),
        }
    }
}

impl From<serde_json::Number> for Number {
    fn from(number: serde_json::Number) -> Self {
        if let Some(natural) = number.as_u64() {
            return natural.into();
        }
        match number.as_i64() {
            Some(negative) => negative.into(),
            None => Self::new(Kind::Double, number.as_f64().unwrap_or_default().to_bits()),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Number {
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

/// What a byte does to a number.
pub(crate) enum Step {
    Goes(NumberState),
    /// The number is complete, and the byte is not of it.
    Ends,
    Fails,
}

impl NumberState {
    /// The state after the first byte; `None` where no number begins with it.
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

    pub(crate) fn is_complete(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigits)
    }
}

/// The number that a text of this grammar says: whole where 64 bits hold it, else the nearest double; `None` where no double holds it.
pub(crate) fn number(text: &str) -> Option<Number> {
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let whole = if !is_whole || text == "-0" {
        None
    } else if text.starts_with('-') {
        text.parse::<i64>().ok().map(Number::from)
    } else {
        text.parse::<u64>().ok().map(Number::from)
    };
    whole.or_else(|| Number::from_f64(double::nearest(text)?))
}
