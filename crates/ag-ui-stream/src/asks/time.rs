//! The little of ISO 8601 that deadlines are written in.

/// Milliseconds since the Unix epoch of a date and time such as `2026-11-20T12:00:00.5+01:00`; a time without zone counts as UTC. `None`
/// where it is something else or before 1970.
pub(super) fn parse_deadline(text: &str) -> Option<u64> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || year > 9999 {
        return None;
    }
    let (clock, offset) = split_zone(time)?;
    let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    let mut parts = clock.splitn(3, ':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days_since_epoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60;
    u64::try_from(seconds * 1000 + milliseconds(fraction)?).ok()
}

/// The time of day and its distance from UTC in minutes.
fn split_zone(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.find(['+', '-']) else {
        return Some((time, 0));
    };
    let (clock, zone) = time.split_at_checked(at)?;
    let digits: String = zone.chars().skip(1).filter(|c| *c != ':').collect();
    let hours = number(&digits)?;
    let minutes = match digits.len() {
        2 => hours * 60,
        4 => hours / 100 * 60 + hours % 100,
        _ => return None,
    };
    Some((clock, if zone.starts_with('-') { -minutes } else { minutes }))
}

fn milliseconds(fraction: &str) -> Option<i64> {
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    fraction.bytes().all(|byte| byte.is_ascii_digit()).then(|| number(&digits))?
}

fn number(digits: &str) -> Option<i64> {
    let is_number = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.bytes().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// Howard Hinnant's `days_from_civil`.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse_deadline;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn reads_what_agents_write() {
        let noon = Some(1_795_176_000_000);
        assert_eq!(parse_deadline("2026-11-20T12:00:00Z"), noon);
        assert_eq!(parse_deadline("2026-11-20T12:00:00.000Z"), noon);
        assert_eq!(parse_deadline("2026-11-20T13:00:00+01:00"), noon);
        assert_eq!(parse_deadline("2026-11-20T06:30-0530"), noon);
        assert_eq!(parse_deadline("2026-11-20 12:00:00,5"), noon.map(|noon| noon + 500));
        assert_eq!(parse_deadline("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_deadline("2000-02-29T00:00:00Z"), Some(951_782_400_000));
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "soon",
            "2026-13-01T00:00:00Z",
            "2026-11-20",
            "1969-12-31T23:59:59Z",
            "2026-11-20T25:00Z",
            "+026-1-1T1:1Z",
            "2026-11-20T12:00:00.5x",
        ] {
            assert_eq!(parse_deadline(text), None, "{text}");
        }
    }
}
