//! Doubles from their texts, by whole numbers of any length. The standard library does it with tables of 10 KB, which no page needs that makes a
//! `serde_json` value.

/// More digits than these decide nothing but on which side of them a number lies.
const DIGITS: usize = 800;
/// Powers of ten beyond all doubles, on either side.
const FAR: i64 = 400;

/// The nearest double.
pub(super) fn nearest(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
    let digits: Vec<u8> = digits.map(|digit| digit - b'0').collect();
    let sign = u64::from(text.starts_with('-')) << 63;
    // Digits that do not fit into the exponent make it far away, whatever the fraction's length.
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 });
    let scale = exponent.checked_sub(i64::try_from(fraction).ok()?)?;
    let double = nearest_to(digits, scale)?;
    Some(f64::from_bits(sign | double.to_bits()))
}

/// The double nearest to a whole number, of these digits, times a power of ten.
fn nearest_to(mut digits: Vec<u8>, mut scale: i64) -> Option<f64> {
    let kept = digits.len().min(DIGITS);
    let mut inexact = digits[kept..].iter().any(|digit| *digit != 0);
    scale += i64::try_from(digits.len() - kept).ok()?;
    digits.truncate(kept);
    let magnitude = scale.saturating_add(i64::try_from(kept).ok()?);
    if digits.is_empty() || magnitude < -FAR {
        return Some(0.0);
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
    let double = f64::from_bits(above + mantissa + u64::from(up));
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
