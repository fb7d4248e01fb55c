//! When values are equal.

use json_tree::{Json, Number};

/// Whether two sorted values are equal as RFC 6902 has it: numbers are when they are numerically.
pub(super) fn same(one: &Json<'_>, other: &Json<'_>) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => same_number(one, other),
        (Json::List(one), Json::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            let mut members = one.iter().zip(other);
            one.len() == other.len() && members.all(|(one, other)| one.0 == other.0 && same(&one.1, &other.1))
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
    plain.or_else(|| number.as_u64().map(i128::from)).or_else(|| whole(number.as_f64()))
}
