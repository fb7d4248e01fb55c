//! Parses deadlines: a subset of ISO 8601. `basic/patterns/interrupt-resume` leaves their format to the consumer.

use json_tree::natural;

/// Milliseconds since the Unix epoch of a date and time such as `2026-11-20T12:00:00.5+01:00`; a time without zone counts as UTC. `None`
/// for any other text, and for a time before 1970.
pub(super) fn parse_deadline(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let (clock, zone) = time.split_at(time.find(['Z', 'z', '+', '-']).unwrap_or(time.len()));
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
    let (date, clock) = (numbers(date, '-')?, numbers(clock, ':')?);
    let (&[year, month, day], &[hour, minute, ref second @ ..]) = (&date[..], &clock[..]) else {
        return None;
    };
    let second = second.first().copied().unwrap_or_default();
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day) && year <= 9999;
    let is_time = clock.len() < 4 && (hour < 24 || (hour, minute, second) == (24, 0, 0)) && minute < 60 && second < 61;
    if !is_date || !is_time || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let milliseconds = fraction.bytes().chain(*b"00").take(3).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let seconds = days_since_epoch(year, month, day) * 86_400 + hour * 3600 + (minute - offset(zone)?) * 60 + second;
    u64::try_from(seconds * 1000 + milliseconds).ok()
}

fn numbers(text: &str, separator: char) -> Option<Vec<i64>> {
    text.split(separator).map(|number| i64::try_from(natural(number)?).ok()).collect()
}

fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "Z" | "z") {
        return Some(0);
    }
    let (sign, digits) = zone.split_at(1);
    let digits = digits.replace(':', "");
    let number = i64::try_from(natural(&digits)?).ok()?;
    let (hours, minutes) = match digits.len() {
        2 => (number, 0),
        4 => (number / 100, number % 100),
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    let minutes = hours * 60 + minutes;
    Some(if sign == "-" { -minutes } else { minutes })
}

/// `days_from_civil` from <https://howardhinnant.github.io/date_algorithms.html>.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}
