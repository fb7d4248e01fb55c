//! Numbers: what one is, the grammar of its text, byte by byte, and what a text says.

use std::fmt;

/// A number: whole where 64 bits hold it, else a double.
///
/// In halves, because a [`Json`](crate::Json) is then so small that WebAssembly moves one in registers.
#[derive(Clone, Copy, PartialEq)]
pub struct Number {
    kind: Kind,
    bits: [u32; 2],
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Natural,
    Negative,
    Double,
}

impl Number {
    fn new(kind: Kind, bits: u64) -> Self {
        Self { kind, bits: [(bits >> 32) as u32, bits as u32] }
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
        match self.kind {
            Kind::Natural => self.bits().fmt(f),
            Kind::Negative => (self.bits() as i64).fmt(f),
            Kind::Double => serde_json::Number::from(*self).fmt(f),
        }
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
    whole.or_else(|| Number::from_f64(nearest(text)?))
}

/// More digits than these decide nothing but on which side of them a number lies.
const DIGITS: usize = 800;
/// Powers of ten beyond all doubles, on either side.
const FAR: i64 = 400;

/// The nearest double, by whole numbers of any length. (`str::parse` does it with tables of 10 KB, which no page needs.)
fn nearest(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
    let mut digits: Vec<u8> = digits.map(|digit| digit - b'0').collect();
    let sign = u64::from(text.starts_with('-')) << 63;
    // Digits that do not fit into the exponent make it far away, whatever the fraction's length.
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 });
    let kept = digits.len().min(DIGITS);
    let mut inexact = digits[kept..].iter().any(|digit| *digit != 0);
    let mut scale = exponent.checked_sub(i64::try_from(fraction).ok()?)?;
    scale += i64::try_from(digits.len() - kept).ok()?;
    digits.truncate(kept);
    let magnitude = scale.saturating_add(i64::try_from(kept).ok()?);
    if digits.is_empty() || magnitude < -FAR {
        return Some(f64::from_bits(sign));
    }
    if magnitude > FAR {
        return None;
    }
    let mut big = Big::default();
    for chunk in digits.chunks(NINE) {
        big.multiply(
            TEN.pow(u32::try_from(chunk.len()).ok()?),
            chunk.iter().fold(0, |sum, digit| sum * 10 + u32::from(*digit)),
        );
    }
    // Room for 53 bits and more behind what a division takes away.
    let tens = usize::try_from(scale.unsigned_abs()).ok()?;
    let shifted = if scale < 0 { tens * 10 / 3 / 32 + 3 } else { 2 };
    big.0.splice(0..0, std::iter::repeat_n(0, shifted));
    for tens in (0..tens).step_by(NINE).map(|done| NINE.min(tens - done)) {
        let power = TEN.pow(u32::try_from(tens).ok()?);
        match scale < 0 {
            true => inexact |= big.divide(power) != 0,
            false => big.multiply(power, 0),
        }
    }
    let exponent = i64::try_from(big.bits()).ok()? - 1 - 32 * i64::try_from(shifted).ok()?;
    if exponent > 1023 {
        return None;
    }
    // Below 2^-1022, a double has a bit less for each power of two.
    let precision = (exponent + 1075).clamp(0, 53);
    let dropped = big.bits() - usize::try_from(precision).ok()?;
    let half = big.bit(dropped - 1);
    let mantissa = big.from(dropped);
    let rest = inexact || (0..dropped - 1).any(|bit| big.bit(bit));
    let up = exponent + 1075 >= 0 && half && (rest || mantissa % 2 == 1);
    let above = u64::try_from(exponent + 1022).unwrap_or(0) << 52;
    let double = f64::from_bits(sign | (above + mantissa + u64::from(up)));
    double.is_finite().then_some(double)
}

const TEN: u32 = 10;
/// The most digits whose number 32 bits hold.
const NINE: usize = 9;

/// A whole number of any length, the lowest 32 bits first.
#[derive(Default)]
struct Big(Vec<u32>);

impl Big {
    fn multiply(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for part in &mut self.0 {
            carry += u64::from(*part) * u64::from(factor);
            *part = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides and returns the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut rest = 0;
        for part in self.0.iter_mut().rev() {
            rest = rest << 32 | u64::from(*part);
            *part = (rest / u64::from(divisor)) as u32;
            rest %= u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest as u32
    }

    fn bits(&self) -> usize {
        self.0.len() * 32 - self.0.last().map_or(0, |part| part.leading_zeros() as usize)
    }

    fn bit(&self, place: usize) -> bool {
        self.0.get(place / 32).is_some_and(|part| part >> (place % 32) & 1 == 1)
    }

    /// The bits from a place on, which are 53 at most.
    fn from(&self, place: usize) -> u64 {
        (place..self.bits()).rev().fold(0, |bits, place| bits << 1 | u64::from(self.bit(place)))
    }
}
