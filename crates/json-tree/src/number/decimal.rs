//! Exact decimals and integers, computed from digits.

use std::cmp::Ordering;

pub(super) struct Decimal {
    is_negative: bool,
    /// The digits without zeros at either end; empty for zero.
    digits: String,
    /// The value is 0.DIGITS × 10^point.
    point: i64,
}

/// The digits of the smallest number that rounds to infinity as a double.
const TOO_LARGE: &str = concat!(
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286",
    "416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571",
    "366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
);

/// The sign of zero is ignored.
impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        let has_same_sign = self.is_negative == other.is_negative || self.digits.is_empty();
        has_same_sign && self.point == other.point && self.digits == other.digits
    }
}

impl Decimal {
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.digits.is_empty(), decimal.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = || self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| if self.is_negative { size().reverse() } else { size() })
    }

    #[cold]
    pub(super) fn of(text: &str) -> Self {
        let (mut digits, mut point, mut exponent) = (String::new(), 0, 0);
        let (mut is_fraction, mut is_exponent, mut is_small) = (false, false, false);
        for byte in text.bytes() {
            match byte {
                b'.' => is_fraction = true,
                b'e' | b'E' => is_exponent = true,
                b'0'..=b'9' if is_exponent => {
                    // The limit prevents overflow of the sum below. No text is long enough to compensate for such an exponent.
                    exponent = (exponent * 10 + i64::from(byte - b'0')).min(i64::MAX / 100);
                }
                b'0' if digits.is_empty() => point -= i64::from(is_fraction),
                b'0'..=b'9' => {
                    digits.push(char::from(byte));
                    point += i64::from(!is_fraction);
                }
                b'-' => is_small = is_exponent,
                _ => {}
            }
        }
        while digits.ends_with('0') {
            digits.pop();
        }
        point += if is_small { -exponent } else { exponent };
        Self { is_negative: text.starts_with('-'), point: if digits.is_empty() { 0 } else { point }, digits }
    }

    pub(super) fn is_a_double(&self) -> bool {
        let length = TOO_LARGE.len() as i64;
        self.point < length || self.point == length && *self.digits < *TOO_LARGE
    }

    pub(super) fn as_whole(&self) -> Option<i64> {
        let zeros = usize::try_from(self.point).ok()?.checked_sub(self.digits.len())?;
        // Numbers with more digits do not fit in 64 bits.
        let whole = String::from("0") + &self.digits + "00000000000000000000".get(..zeros)?;
        let whole = i64::try_from(natural(&whole)?).ok()?;
        Some(if self.is_negative { -whole } else { whole })
    }
}

/// Parses a natural number; `None` if the text is empty, has a non-digit, or does not fit in 64 bits.
#[must_use]
pub fn natural(digits: &str) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.bytes().try_fold(0_u64, |sum, byte| {
        let digit = u64::from(byte).checked_sub(u64::from(b'0')).filter(|digit| *digit < 10)?;
        // `checked_mul` would need 128-bit arithmetic.
        if sum > u64::MAX / 10 { None } else { (sum * 10).checked_add(digit) }
    })
}
