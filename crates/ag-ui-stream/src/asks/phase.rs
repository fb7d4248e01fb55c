//! The phase of an ask as a function of its facts. The table is in the crate's documentation.

use ask_user_question::Phase;
use ask_user_question::outcome::OutcomeKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) arguments: Arguments,
    /// The run that began the call is open, so that replies are held until it ends.
    pub(super) is_running: bool,
    /// How the ended ask was ended; reset if the agent asks again.
    pub(super) end: Option<EndedBy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    Partial,
    Unreadable,
    Readable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndedBy {
    Outcome(OutcomeKind),
    /// A user message that names no ask. A later result of the agent overrides it.
    Words(OutcomeKind),
    /// A result that is no readable answer, after which the agent spoke on.
    Result,
    Refusal,
    /// The deadline. A later result or message still counts.
    Deadline,
}

pub(super) fn phase(facts: Facts) -> Phase {
    match (facts.end, facts.arguments, facts.is_running) {
        (Some(EndedBy::Outcome(kind) | EndedBy::Words(kind)), _, _) => kind.phase(),
        (Some(EndedBy::Result), _, _) => Phase::Settled,
        (Some(EndedBy::Refusal), _, _) | (None, Arguments::Unreadable, _) => Phase::Malformed,
        (Some(EndedBy::Deadline), _, _) => Phase::Expired,
        (None, Arguments::Partial, true) => Phase::Streaming,
        (None, Arguments::Partial, false) => Phase::Interrupted,
        (None, Arguments::Readable, true) => Phase::Ready,
        (None, Arguments::Readable, false) => Phase::Answerable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(facts: Facts) -> [&'static str; 3] {
        let arguments = match facts.arguments {
            Arguments::Partial => "partial",
            Arguments::Unreadable => "unreadable",
            Arguments::Readable => "readable",
        };
        let end = match facts.end {
            None => "none",
            Some(EndedBy::Outcome(kind) | EndedBy::Words(kind)) => kind.as_str(),
            Some(EndedBy::Result) => "other words",
            Some(EndedBy::Refusal) => "refusal",
            Some(EndedBy::Deadline) => "deadline",
        };
        [arguments, if facts.is_running { "open" } else { "over" }, end]
    }

    #[test]
    fn each_combination_of_facts_has_the_phase_of_its_one_row() {
        let docs = include_str!("../lib.rs");
        let rows = docs.lines().filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"));
        let rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).skip(1).collect();
        let mut used = vec![false; rows.len()];
        let ends = OutcomeKind::ALL.iter().flat_map(|kind| [EndedBy::Outcome(*kind), EndedBy::Words(*kind)].map(Some));
        let ends = ends.chain([None, Some(EndedBy::Result), Some(EndedBy::Refusal), Some(EndedBy::Deadline)]);
        for end in ends {
            for arguments in [Arguments::Partial, Arguments::Unreadable, Arguments::Readable] {
                for is_running in [true, false] {
                    let facts = Facts { arguments, is_running, end };
                    let is_of = |(cell, word): (&&str, &str)| {
                        *cell == "any" || cell.split(", ").any(|it| it.trim_matches('`') == word)
                    };
                    let matches = |row: &Vec<&str>| row.iter().zip(words(facts)).all(is_of);
                    let found: Vec<usize> = (0..rows.len()).filter(|row| matches(&rows[*row])).collect();
                    let [row] = found[..] else { panic!("{facts:?} is in the rows {found:?}") };
                    assert_eq!(rows[row].last(), Some(&&*format!("`{}`", phase(facts).as_str())), "{facts:?}");
                    used[row] = true;
                }
            }
        }
        assert!(used.len() > 8 && used.iter().all(|used| *used), "{used:?}");
    }
}
