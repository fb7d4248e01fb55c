//! Steps that depend on one another. They run concurrently, and each is reported in a line.

mod log;

pub(crate) use log::{PageWatch, StepLog};

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow, bail};

use crate::console::{Screen, row};
use crate::{children, files, workspace};

pub(crate) struct StepSpec<'a> {
    pub(crate) name: &'a str,
    /// The steps that have to pass first.
    pub(crate) needs: &'a [&'a str],
    kind: StepKind,
    work: StepFn<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepKind {
    /// Builds in cargo's folder for development, which cargo locks for each call.
    Builds,
    Works,
    /// Mostly waits for timers and pages.
    Waits,
}

/// The most concurrent steps: more would only wait for the processor. One that waits may run in addition. With two of those, a slow machine had six
/// browsers on two processors, whose drivers then gave up.
const WORKING: usize = 2;
const WAITING: usize = 1;

type StepFn<'a> = Box<dyn Fn(&StepLog) -> Result<()> + Sync + 'a>;

impl<'a> StepSpec<'a> {
    /// A step that does not build for development.
    pub(crate) fn runs(name: &'a str, needs: &'a [&'a str], work: impl Fn(&StepLog) -> Result<()> + Sync + 'a) -> Self {
        Self { name, needs, kind: StepKind::Works, work: Box::new(work) }
    }

    /// A step that builds for development.
    pub(crate) fn builds(
        name: &'a str,
        needs: &'a [&'a str],
        work: impl Fn(&StepLog) -> Result<()> + Sync + 'a,
    ) -> Self {
        Self { kind: StepKind::Builds, ..Self::runs(name, needs, work) }
    }

    /// A step that builds nothing for development and mostly waits.
    pub(crate) fn waits(
        name: &'a str,
        needs: &'a [&'a str],
        work: impl Fn(&StepLog) -> Result<()> + Sync + 'a,
    ) -> Self {
        Self { kind: StepKind::Waits, ..Self::runs(name, needs, work) }
    }
}

/// A step that has ended.
pub(crate) struct StepReport<'a> {
    pub(crate) name: &'a str,
    pub(crate) outcome: StepOutcome,
    /// The parts that the step skipped, with reasons.
    pub(crate) without: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StepOutcome {
    Passed,
    Failed(String),
    /// A step that it needs has not passed.
    LeftOut(String),
}

/// Runs `steps` concurrently, each once the steps that it needs have passed. Of steps that could start, the first in the list does.
pub(crate) fn run_all<'a>(steps: &'a [StepSpec<'_>]) -> Result<Vec<StepReport<'a>>> {
    files::make(&workspace::scratch(""))?;
    let logs: Vec<StepLog> = steps.iter().map(|step| StepLog::new(step.name)).collect();
    let mut board = Board { steps, logs: &logs, states: steps.iter().map(|_| StepState::Waits).collect() };
    let mut screen = Screen::new();
    let (sender, ends) = mpsc::channel();
    thread::scope(|scope| {
        while !board.is_done() {
            board.leave_out_hopeless(&screen);
            while let Some(place) = board.begin_next() {
                screen.begin(steps[place].name);
                let (sender, step, log) = (sender.clone(), &steps[place], &logs[place]);
                scope.spawn(move || {
                    let result = panic::catch_unwind(AssertUnwindSafe(|| (step.work)(log)));
                    let _ = sender.send((place, result.unwrap_or_else(|_| Err(anyhow!("panicked")))));
                });
            }
            // Wakes up without a message, too, so that the time on the screen advances.
            if let Ok((place, result)) = ends.recv_timeout(Duration::from_millis(200)) {
                let failed = |problem: Error| StepOutcome::Failed(format!("{problem:#}"));
                board.end(place, result.map_or_else(failed, |()| StepOutcome::Passed), &screen);
            }
            screen.show(&board.under_way());
        }
    });
    children::ensure_not_interrupted()?;
    let states = board.states;
    let ended = steps.iter().zip(logs).zip(states).filter_map(|((step, log), state)| match state {
        StepState::Ended(outcome) => {
            Some(StepReport { name: step.name, outcome, without: log.notes().without.clone() })
        }
        StepState::Waits | StepState::Runs(_) => None,
    });
    Ok(ended.collect())
}

/// Runs `steps`, and fails if one of them does not pass.
pub(crate) fn run_or_fail(steps: &[StepSpec<'_>]) -> Result<()> {
    match run_all(steps)?.iter().find(|ended| ended.outcome != StepOutcome::Passed) {
        Some(ended) => bail!("`{}` did not pass; its lines above say why", ended.name),
        None => Ok(()),
    }
}

/// The progress of each step.
struct Board<'a> {
    steps: &'a [StepSpec<'a>],
    logs: &'a [StepLog],
    states: Vec<StepState>,
}

enum StepState {
    Waits,
    Runs(Instant),
    Ended(StepOutcome),
}

impl Board<'_> {
    fn is_done(&self) -> bool {
        let waits = self.states.iter().any(|state| matches!(state, StepState::Waits));
        self.running().next().is_none() && (!waits || children::interrupted())
    }

    /// Starts the first step that can run now.
    fn begin_next(&mut self) -> Option<usize> {
        if children::interrupted() {
            return None;
        }
        let running: Vec<_> = self.running().map(|place| self.steps[place].kind).collect();
        let waiting = running.iter().filter(|&&kind| kind == StepKind::Waits).count();
        let can_run = |&place: &usize| {
            let step = &self.steps[place];
            matches!(self.states[place], StepState::Waits)
                && if step.kind == StepKind::Waits { waiting < WAITING } else { running.len() - waiting < WORKING }
                && !(step.kind == StepKind::Builds && running.contains(&StepKind::Builds))
                && step.needs.iter().all(|need| matches!(self.state_of(need), StepState::Ended(StepOutcome::Passed)))
        };
        let place = (0..self.steps.len()).find(can_run)?;
        self.states[place] = StepState::Runs(Instant::now());
        Some(place)
    }

    /// Ends every waiting step that needs a step that did not pass.
    fn leave_out_hopeless(&mut self, screen: &Screen) {
        let lost = |need: &&&str| {
            matches!(self.state_of(need), StepState::Ended(StepOutcome::Failed(_) | StepOutcome::LeftOut(_)))
        };
        let hopeless = (0..self.steps.len()).find_map(|place| match self.states[place] {
            StepState::Waits => Some((place, *self.steps[place].needs.iter().find(lost)?)),
            StepState::Runs(_) | StepState::Ended(_) => None,
        });
        if let Some((place, lost)) = hopeless {
            self.end(place, StepOutcome::LeftOut(format!("it needs `{lost}`, which did not pass")), screen);
            self.leave_out_hopeless(screen);
        }
    }

    fn end(&mut self, place: usize, outcome: StepOutcome, screen: &Screen) {
        let (name, log) = (self.steps[place].name, &self.logs[place]);
        let elapsed = match self.states[place] {
            StepState::Runs(start) => start.elapsed(),
            StepState::Waits | StepState::Ended(_) => Duration::ZERO,
        };
        // After an interrupt every step fails, so no failure is shown.
        if !children::interrupted() {
            let failure = if matches!(outcome, StepOutcome::Failed(_)) { log.failure() } else { String::new() };
            if !failure.is_empty() {
                screen.say(&format!("── {name} ──\n{failure}\n── all of it: {} ──", log.path.display()));
            }
            let tests = match log.notes().tests {
                0 => String::new(),
                count => format!(", {count} tests"),
            };
            let line = match &outcome {
                StepOutcome::Passed => row("ok", elapsed, &format!("{name}{tests}")),
                StepOutcome::Failed(reason) => row("FAILED", elapsed, &format!("{name}{tests}: {reason}")),
                StepOutcome::LeftOut(reason) => row("left out", elapsed, &format!("{name}: {reason}")),
            };
            screen.say(&line);
        }
        self.states[place] = StepState::Ended(outcome);
    }

    fn under_way(&self) -> String {
        let steps = self.running().map(|place| match self.logs[place].notes().doing.as_str() {
            "" => self.steps[place].name.to_owned(),
            doing => format!("{} ({doing})", self.steps[place].name),
        });
        let steps = steps.collect::<Vec<_>>().join(", ");
        match self.states.iter().filter(|state| matches!(state, StepState::Waits)).count() {
            0 => steps,
            count => format!("{steps}; {count} more to go"),
        }
    }

    fn running(&self) -> impl Iterator<Item = usize> {
        (0..self.steps.len()).filter(|&place| matches!(self.states[place], StepState::Runs(_)))
    }

    fn state_of(&self, name: &str) -> &StepState {
        let place = self.steps.iter().position(|step| step.name == name);
        &self.states[place.expect("the needs of a step are steps")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Barrier, Mutex};

    #[test]
    fn a_step_that_waits_runs_beside_two_that_work() {
        let all_are_there = Barrier::new(3);
        let meet = |_: &StepLog| {
            all_are_there.wait();
            Ok(())
        };
        let steps = [
            StepSpec::builds("builds", &[], meet),
            StepSpec::runs("works", &[], meet),
            StepSpec::waits("waits", &[], meet),
        ];
        let ended = run_all(&steps).unwrap();
        assert!(ended.iter().all(|step| step.outcome == StepOutcome::Passed));
    }

    #[test]
    fn a_step_runs_after_what_it_needs_and_not_without_it() {
        let done = Mutex::new(Vec::new());
        let does = |name| {
            let done = &done;
            move |_: &StepLog| {
                done.lock().unwrap().push(name);
                Ok(())
            }
        };
        let steps = [
            StepSpec::builds("test", &["build"], does("test")),
            StepSpec::builds("build", &[], does("build")),
            StepSpec::builds("broken", &[], |_| Err(anyhow!("no such file"))),
            StepSpec::builds("hopeless", &["broken"], does("hopeless")),
            StepSpec::builds("more hopeless", &["hopeless"], does("more hopeless")),
        ];
        let outcomes: Vec<_> = run_all(&steps).unwrap().into_iter().map(|ended| ended.outcome).collect();
        assert_eq!(*done.lock().unwrap(), ["build", "test"]);
        let left_out = |needs| StepOutcome::LeftOut(format!("it needs `{needs}`, which did not pass"));
        let failed = StepOutcome::Failed("no such file".into());
        assert_eq!(
            outcomes,
            [StepOutcome::Passed, StepOutcome::Passed, failed, left_out("broken"), left_out("hopeless")]
        );
    }
}
