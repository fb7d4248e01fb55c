//! Doubles and their texts, by whole numbers of any length. The standard library and `serde_json` do it with tables of 10 KB each, which no
//! page needs.

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

/// The shortest text that says a finite double, as `serde_json` writes it.
pub(super) fn text(double: f64) -> String {
    let mut out = String::new();
    if double.is_sign_negative() {
        out.push('-');
    }
    let (digits, point) = shortest(double.abs());
    let is_plain = digits.is_empty() || (-4..=16).contains(&point);
    // Where the point is in the text; before the digits come zeros, if there are any.
    let shown = if is_plain { point } else { 1 };
    let last = if is_plain { shown.max(0) + 1 } else { 1 };
    for place in shown.min(1) - 1..last.max(digits.len() as i64) {
        if place == shown {
            out.push('.');
        }
        let digit = usize::try_from(place).ok().and_then(|place| digits.get(place));
        out.push(char::from(b'0' + digit.copied().unwrap_or(0)));
    }
    if !is_plain {
        out.push_str(if point > 0 { "e+" } else { "e" });
        out.push_str(&(point - 1).to_string());
    }
    out
}

/// The fewest digits that say a double, and where its point is behind the first of them. Of several of that length, the nearest.
fn shortest(double: f64) -> (Vec<u8>, i64) {
    let (digits, point) = exact(double);
    // Any text of 15 digits reads as a double that says them again, except for the smallest doubles.
    let least = if double < f64::MIN_POSITIVE { 1 } else { 15 };
    for kept in least..digits.len() {
        let (mut down, tail) = (digits.clone(), &digits[kept..]);
        down.truncate(kept);
        let mut up = (down.clone(), point);
        increment(&mut up);
        let half = tail[1..].iter().all(|digit| *digit == 0) && tail[0] == 5;
        let is_up = if half { digits[kept - 1] % 2 == 1 } else { tail[0] >= 5 };
        let candidates = [(down, point), up];
        for (mut digits, point) in if is_up { candidates.into_iter().rev().collect() } else { Vec::from(candidates) } {
            if nearest_to(digits.clone(), point - digits.len() as i64) == Some(double) {
                strip(&mut digits);
                return (digits, point);
            }
        }
    }
    (digits, point)
}

/// All digits of a double, without zeros at either end, and where its point is behind the first of them.
fn exact(double: f64) -> (Vec<u8>, i64) {
    const HIDDEN: u64 = 1 << 52;
    let (bits, exponent) = (double.to_bits() % HIDDEN, (double.to_bits() / HIDDEN) as i64);
    let mantissa = if exponent == 0 { bits } else { bits + HIDDEN };
    if mantissa == 0 {
        return (Vec::new(), 0);
    }
    let spare = mantissa.trailing_zeros();
    let (mantissa, exponent) = (mantissa >> spare, exponent.max(1) - 1075 + i64::from(spare));
    let mut big = Big(vec![mantissa as u32, (mantissa >> 32) as u32]);
    // A half is five tenths.
    let factor = if exponent < 0 { 5 } else { 2 };
    for _ in 0..exponent.unsigned_abs() {
        big.multiply(factor, 0);
    }
    let mut digits = Vec::new();
    big.divide(1);
    while !big.0.is_empty() {
        let mut chunk = big.divide(TEN.pow(NINE as u32));
        for _ in 0..NINE {
            digits.push((chunk % TEN) as u8);
            chunk /= TEN;
        }
    }
    strip(&mut digits);
    digits.reverse();
    let point = digits.len() as i64 + exponent.min(0);
    strip(&mut digits);
    (digits, point)
}

/// Adds one to the last digit.
fn increment((digits, point): &mut (Vec<u8>, i64)) {
    let nines = digits.iter().rev().take_while(|digit| **digit == 9).count();
    digits.truncate(digits.len() - nines);
    match digits.last_mut() {
        Some(last) => *last += 1,
        None => {
            digits.push(1);
            *point += 1;
        }
    }
}

/// Takes zeros off the end.
fn strip(digits: &mut Vec<u8>) {
    while digits.last() == Some(&0) {
        digits.pop();
    }
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
