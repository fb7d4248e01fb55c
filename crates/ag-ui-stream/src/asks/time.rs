//! The part of ISO 8601 in which deadlines are written.

/// Milliseconds since the Unix epoch of a date and time such as `2026-11-20T12:00:00.5+01:00`; a time without zone counts as UTC. `None`
/// for any other text, and for a time before 1970.
pub(super) fn parse_deadline(text: &str) -> Option<u64> {
    let mut text = TimeText(text.trim().as_bytes());
    let (year, _) = text.number()?;
    let (month, _) = text.behind(b"-")?.number()?;
    let (day, _) = text.behind(b"-")?.number()?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || year > 9999 {
        return None;
    }
    let (hour, _) = text.behind(b"Tt ")?.number()?;
    let (minute, _) = text.behind(b":")?.number()?;
    let second = if text.skips(b":") { text.number()?.0 } else { 0 };
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let milliseconds = if text.skips(b".,") { text.milliseconds() } else { 0 };
    let offset = text.zone()?;
    let seconds = days_since_epoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60;
    u64::try_from(seconds * 1000 + milliseconds).ok()
}

struct TimeText<'t>(&'t [u8]);

impl TimeText<'_> {
    /// Reads one of these characters. Returns false if another one comes.
    fn skips(&mut self, characters: &[u8]) -> bool {
        let rest = self.0.split_first().filter(|(first, _)| characters.contains(first));
        if let Some((_, rest)) = rest {
            self.0 = rest;
        }
        rest.is_some()
    }

    /// Reads one of these characters and returns the rest; `None` if another one comes.
    fn behind(&mut self, characters: &[u8]) -> Option<&mut Self> {
        self.skips(characters).then_some(self)
    }

    fn digit(&mut self) -> Option<i64> {
        let digit = self.0.first().filter(|byte| byte.is_ascii_digit())?;
        self.0 = &self.0[1..];
        Some(i64::from(digit - b'0'))
    }

    /// A number of at most nine digits, and their count.
    fn number(&mut self) -> Option<(i64, usize)> {
        let (mut number, mut digits) = (0, 0);
        while let Some(digit) = self.digit() {
            number = number * 10 + digit;
            digits += 1;
            if digits > 9 {
                return None;
            }
        }
        (digits > 0).then_some((number, digits))
    }

    fn milliseconds(&mut self) -> i64 {
        let (mut milliseconds, mut worth) = (0, 100);
        while let Some(digit) = self.digit() {
            milliseconds += digit * worth;
            worth /= 10;
        }
        milliseconds
    }

    /// The offset from UTC in minutes. It must be the rest of the text.
    fn zone(&mut self) -> Option<i64> {
        let is_behind = self.0.first() == Some(&b'-');
        let offset = if self.0.is_empty() || self.skips(b"Zz") {
            0
        } else {
            match self.behind(b"+-")?.number()? {
                (hours, 2) if self.skips(b":") => hours * 60 + self.number().filter(|(_, digits)| *digits == 2)?.0,
                (hours, 2) => hours * 60,
                (time, 4) => time / 100 * 60 + time % 100,
                _ => return None,
            }
        };
        self.0.is_empty().then_some(if is_behind { -offset } else { offset })
    }
}

/// Howard Hinnant's `days_from_civil`.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}
