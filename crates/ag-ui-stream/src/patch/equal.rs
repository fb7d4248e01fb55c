//! When values are equal.

use serde_json::{Number, Value};

/// Whether two values are equal as RFC 6902 has it: numbers are when they are numerically.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut members = one.iter();
            one.len() == other.len() && members.all(|(key, one)| other.get(key).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

fn same_number(one: &Number, other: &Number) -> bool {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.as_f64() == other.as_f64(),
        _ => false,
    }
}

/// A number that has no fraction, exactly. (Beyond the range of this type, no two numbers are equal but as floats.)
fn integer(number: &Number) -> Option<i128> {
    let whole = |float: f64| {
        let is_exact = float.fract() == 0.0 && float.abs() < 2_f64.powi(126);
        is_exact.then_some(float as i128)
    };
    let plain = number.as_i64().map(i128::from);
    plain.or_else(|| number.as_u64().map(i128::from)).or_else(|| number.as_f64().and_then(whole))
}
