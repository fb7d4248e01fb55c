//! The time left, in words.

use super::Word;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The time left to answer, in the unit in which it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// The number of units; at least one.
    pub(crate) count: usize,
    /// The sentence for this unit.
    pub(crate) word: Word,
}

impl TimeLeft {
    /// The words for a time in milliseconds, rounded down; only a started second counts as a whole one.
    pub(crate) fn of(milliseconds: u64) -> Self {
        let (word, unit) = word_and_unit(milliseconds);
        let count = match word {
            Word::SecondsLeft => milliseconds.div_ceil(unit).max(1),
            _ => milliseconds / unit,
        };
        Self { count: usize::try_from(count).unwrap_or(usize::MAX), word }
    }

    /// Returns true in the last minute.
    #[must_use]
    pub fn is_urgent(self) -> bool {
        self.word == Word::SecondsLeft
    }

    /// The milliseconds until the words change, or no time is left.
    pub(crate) fn changes_in(milliseconds: u64) -> u64 {
        match word_and_unit(milliseconds) {
            (Word::SecondsLeft, unit) => milliseconds.saturating_sub(1) % unit + 1,
            (_, unit) => milliseconds % unit + 1,
        }
    }
}

/// The sentence for a time, and its unit, both in milliseconds.
fn word_and_unit(milliseconds: u64) -> (Word, u64) {
    match milliseconds {
        _ if milliseconds >= 2 * DAY => (Word::DaysLeft, DAY),
        _ if milliseconds >= 2 * HOUR => (Word::HoursLeft, HOUR),
        _ if milliseconds >= MINUTE => (Word::MinutesLeft, MINUTE),
        _ => (Word::SecondsLeft, SECOND),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_said_in_the_unit_that_suits_it() {
        let cases = [
            (1, 1, Word::SecondsLeft),
            (SECOND, 1, Word::SecondsLeft),
            (SECOND + 1, 2, Word::SecondsLeft),
            (MINUTE - 1, 60, Word::SecondsLeft),
            (MINUTE, 1, Word::MinutesLeft),
            (2 * MINUTE - 1, 1, Word::MinutesLeft),
            (2 * HOUR - 1, 119, Word::MinutesLeft),
            (2 * HOUR, 2, Word::HoursLeft),
            (2 * DAY - 1, 47, Word::HoursLeft),
            (3 * DAY, 3, Word::DaysLeft),
        ];
        for (milliseconds, count, word) in cases {
            let said = TimeLeft { count, word };
            assert_eq!(TimeLeft::of(milliseconds), said, "{milliseconds}");
        }
        assert_eq!(TimeLeft::of(u64::MAX).word, Word::DaysLeft);
    }

    #[test]
    fn something_else_is_said_then_and_not_before() {
        let around = |time: u64| [time - 1, time, time + 1];
        let times = [2, SECOND, 9 * SECOND, MINUTE, 2 * MINUTE, HOUR, 2 * HOUR, DAY, 2 * DAY, 9 * DAY];
        for left in times.into_iter().flat_map(around) {
            let wait = TimeLeft::changes_in(left);
            assert!((1..=left).contains(&wait), "{left}");
            assert_eq!(TimeLeft::of(left), TimeLeft::of(left - wait + 1), "{left}");
            let later = left - wait;
            assert!(later == 0 || TimeLeft::of(left) != TimeLeft::of(later), "{left}");
        }
    }
}
