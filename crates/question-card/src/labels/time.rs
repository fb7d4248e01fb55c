//! The time left, in words.

/// The time left to answer, in the unit in which it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TimeLeft {
    /// The number of units; at least one.
    pub(crate) count: usize,
    /// The unit.
    pub(crate) unit: Unit,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// From two days on.
    Days,
    /// From two hours on.
    Hours,
    /// From one minute on.
    Minutes,
    /// The last minute: time is short.
    Seconds,
}

impl Unit {
    const ALL: [Self; 4] = [Self::Days, Self::Hours, Self::Minutes, Self::Seconds];

    fn milliseconds(self) -> u64 {
        match self {
            Self::Days => 24 * 60 * 60 * 1000,
            Self::Hours => 60 * 60 * 1000,
            Self::Minutes => 60 * 1000,
            Self::Seconds => 1000,
        }
    }

    /// The number of milliseconds from which on it is used.
    fn begins(self) -> u64 {
        match self {
            Self::Days | Self::Hours => 2 * self.milliseconds(),
            Self::Minutes => self.milliseconds(),
            Self::Seconds => 0,
        }
    }
}

impl TimeLeft {
    /// The words for a time in milliseconds. They never say more than there is, except that a started second counts as a whole one.
    pub(crate) fn of(milliseconds: u64) -> Self {
        let used = |unit: &Unit| milliseconds >= unit.begins();
        let unit = Unit::ALL.into_iter().find(used).unwrap_or(Unit::Seconds);
        let count = match unit {
            Unit::Days | Unit::Hours | Unit::Minutes => milliseconds / unit.milliseconds(),
            Unit::Seconds => milliseconds.div_ceil(unit.milliseconds()).max(1),
        };
        Self { count: usize::try_from(count).unwrap_or(usize::MAX), unit }
    }

    /// The milliseconds until the words change, or no time is left.
    pub(crate) fn changes_in(milliseconds: u64) -> u64 {
        let Self { count, unit } = Self::of(milliseconds);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        match unit {
            Unit::Days | Unit::Hours | Unit::Minutes => milliseconds - count.saturating_mul(unit.milliseconds()) + 1,
            Unit::Seconds => milliseconds - (count - 1) * unit.milliseconds(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1000;
    const MINUTE: u64 = 60 * SECOND;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;

    #[test]
    fn time_is_said_in_the_unit_that_suits_it() {
        let cases = [
            (1, 1, Unit::Seconds),
            (SECOND, 1, Unit::Seconds),
            (SECOND + 1, 2, Unit::Seconds),
            (MINUTE - 1, 60, Unit::Seconds),
            (MINUTE, 1, Unit::Minutes),
            (2 * MINUTE - 1, 1, Unit::Minutes),
            (2 * HOUR - 1, 119, Unit::Minutes),
            (2 * HOUR, 2, Unit::Hours),
            (2 * DAY - 1, 47, Unit::Hours),
            (3 * DAY, 3, Unit::Days),
        ];
        for (milliseconds, count, unit) in cases {
            let said = TimeLeft { count, unit };
            assert_eq!(TimeLeft::of(milliseconds), said, "{milliseconds}");
        }
        assert_eq!(TimeLeft::of(u64::MAX).unit, Unit::Days);
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
