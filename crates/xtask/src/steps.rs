//! Steps that need one another, run side by side, with a line for each.

mod log;

pub(crate) use log::Log;

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};

use crate::console::{Screen, clock};
use crate::{children, workspace};
use log::Said;

/// A piece of work.
pub(crate) struct Step<'a> {
    pub(crate) name: &'static str,
    /// The steps that have to pass before.
    pub(crate) needs: &'static [&'static str],
    /// True if it builds in cargo's folder for development, in which cargo lets one call work at a time.
    builds: bool,
    work: Work<'a>,
}

/// What a step does.
type Work<'a> = Box<dyn Fn(&Log) -> Result<()> + Sync + 'a>;

impl<'a> Step<'a> {
    /// A step that builds nothing for development.
    pub(crate) fn runs(
        name: &'static str,
        needs: &'static [&'static str],
        work: impl Fn(&Log) -> Result<()> + Sync + 'a,
    ) -> Self {
        Self { name, needs, builds: false, work: Box::new(work) }
    }

    /// A step that builds for development.
    pub(crate) fn builds(
        name: &'static str,
        needs: &'static [&'static str],
        work: impl Fn(&Log) -> Result<()> + Sync + 'a,
    ) -> Self {
        Self { builds: true, ..Self::runs(name, needs, work) }
    }
}

/// A step that is over.
pub(crate) struct Ended {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    /// What the step did not look at, and why.
    pub(crate) without: Vec<String>,
}

/// How a step ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// This machine lacks something that the step needs, or a step that it needs did not pass.
    LeftOut(String),
}

/// The error of a step that needs what a machine may lack.
#[derive(Debug)]
pub(crate) struct Lacking {
    reason: &'static str,
    /// Whether a machine that promises to check everything may lack it.
    needed: bool,
}

impl Lacking {
    pub(crate) fn needed(reason: &'static str) -> Self {
        Self { reason, needed: true }
    }

    pub(crate) fn never_needed(reason: &'static str) -> Self {
        Self { reason, needed: false }
    }
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)
    }
}

impl std::error::Error for Lacking {}

/// Runs `steps` side by side, each as soon as what it needs has passed; of those that could run, the first goes first. Returns them as
/// they ended.
pub(crate) fn run_all(steps: &[Step<'_>]) -> Result<Vec<Ended>> {
    let (sender, said) = mpsc::channel();
    let mut board = Board::new(steps);
    thread::scope(|scope| {
        while !board.is_done() {
            while let Some(step) = board.begin_next() {
                let log = Log::new(step.name, sender.clone());
                scope.spawn(move || {
                    let result = panic::catch_unwind(AssertUnwindSafe(|| (step.work)(&log)));
                    log.tell(Said::Ended(result.unwrap_or_else(|_| Err(anyhow!("panicked")))));
                });
            }
            // Without a message, the time that is shown goes on.
            if let Ok((name, said)) = said.recv_timeout(Duration::from_millis(200)) {
                board.hear(name, said);
            }
            board.show();
        }
    });
    if children::interrupted() {
        bail!("interrupted");
    }
    Ok(board.ended)
}

/// Runs `steps` and fails with those that do not pass.
pub(crate) fn run_or_fail(steps: &[Step<'_>]) -> Result<()> {
    let ended = run_all(steps)?;
    match ended.iter().find(|ended| ended.outcome != Outcome::Passed) {
        Some(ended) => bail!("`{}` did not pass; its lines above say why", ended.name),
        None => Ok(()),
    }
}

/// Which steps wait, run and have ended.
struct Board<'a> {
    waiting: Vec<&'a Step<'a>>,
    running: Vec<Running<'a>>,
    ended: Vec<Ended>,
    screen: Screen,
}

struct Running<'a> {
    step: &'a Step<'a>,
    start: Instant,
    doing: String,
    tests: u32,
    without: Vec<String>,
}

impl<'a> Board<'a> {
    fn new(steps: &'a [Step<'a>]) -> Self {
        let waiting = steps.iter().collect();
        Self { waiting, running: Vec::new(), ended: Vec::new(), screen: Screen::new() }
    }

    fn is_done(&self) -> bool {
        self.running.is_empty() && (self.waiting.is_empty() || children::interrupted())
    }

    /// Takes the first step that can run now.
    fn begin_next(&mut self) -> Option<&'a Step<'a>> {
        if children::interrupted() {
            return None;
        }
        self.leave_out_hopeless();
        if self.running.len() == SIDE_BY_SIDE {
            return None;
        }
        let building = self.running.iter().any(|running| running.step.builds);
        let ready = |step: &&Step<'_>| step.needs.iter().all(|name| self.passed(name)) && !(building && step.builds);
        let step = self.waiting.remove(self.waiting.iter().position(ready)?);
        self.screen.begin(step.name);
        let (doing, without) = (String::new(), Vec::new());
        self.running.push(Running { step, start: Instant::now(), doing, tests: 0, without });
        Some(step)
    }

    /// Ends every waiting step that needs one which did not pass.
    fn leave_out_hopeless(&mut self) {
        while let Some((place, lost)) = self.hopeless() {
            let name = self.waiting.remove(place).name;
            let outcome = Outcome::LeftOut(format!("it needs `{lost}`, which did not pass"));
            self.screen.end(&row(&outcome, Duration::ZERO, name, 0));
            self.ended.push(Ended { name, outcome, without: Vec::new() });
        }
    }

    fn hopeless(&self) -> Option<(usize, &'static str)> {
        let lost =
            |step: &&Step<'_>| step.needs.iter().copied().find(|name| self.has_ended(name) && !self.passed(name));
        self.waiting.iter().enumerate().find_map(|(place, step)| Some((place, lost(step)?)))
    }

    fn has_ended(&self, name: &str) -> bool {
        self.ended.iter().any(|ended| ended.name == name)
    }

    fn passed(&self, name: &str) -> bool {
        self.ended.iter().any(|ended| ended.name == name && ended.outcome == Outcome::Passed)
    }

    fn hear(&mut self, name: &'static str, said: Said) {
        let place = self.running.iter().position(|running| running.step.name == name);
        let place = place.expect("a step that tells something is running");
        let running = &mut self.running[place];
        match said {
            Said::Doing(what) => running.doing = what,
            Said::TestsPassed(count) => running.tests += count,
            Said::Without(what) => running.without.push(what),
            Said::Ended(result) => {
                let Running { start, tests, without, .. } = self.running.remove(place);
                let outcome = Outcome::of(result);
                // Interrupted, every step fails, and none of them is to blame.
                if !children::interrupted() {
                    if matches!(outcome, Outcome::Failed(_)) || workspace::is_ci() {
                        self.screen.quote(name, &log::read(name));
                    }
                    self.screen.end(&row(&outcome, start.elapsed(), name, tests));
                }
                self.ended.push(Ended { name, outcome, without });
            }
        }
    }

    /// Shows what is under way.
    fn show(&mut self) {
        let steps = self.running.iter().map(|Running { step, doing, .. }| match doing.as_str() {
            "" => step.name.to_owned(),
            doing => format!("{} ({doing})", step.name),
        });
        let steps = steps.collect::<Vec<_>>().join(", ");
        self.screen.show(&match self.waiting.len() {
            0 => steps,
            count => format!("{steps}; {count} more to go"),
        });
    }
}

impl Outcome {
    fn of(result: Result<()>) -> Self {
        let Err(problem) = result else {
            return Self::Passed;
        };
        match problem.downcast_ref::<Lacking>() {
            Some(lacking) if !(lacking.needed && workspace::is_ci()) => Self::LeftOut(lacking.to_string()),
            _ => Self::Failed(format!("{problem:#}")),
        }
    }
}

/// A step that is over, in a line.
fn row(outcome: &Outcome, elapsed: Duration, name: &str, tests: u32) -> String {
    let (word, reason) = match outcome {
        Outcome::Passed => ("ok", ""),
        Outcome::Failed(reason) => ("FAILED", reason.as_str()),
        Outcome::LeftOut(reason) => ("left out", reason.as_str()),
    };
    let mut row = format!("{word:<8} {}  {name}", clock(elapsed));
    if tests > 0 {
        row.push_str(&format!(", {tests} tests"));
    }
    if !reason.is_empty() {
        row.push_str(&format!(": {reason}"));
    }
    row
}

/// More would only wait for the processor: each step uses all of it, except for moments.
const SIDE_BY_SIDE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::sync::Mutex;

    #[test]
    fn a_step_runs_after_what_it_needs_and_not_without_it() {
        let done = Mutex::new(Vec::new());
        let does = |name| {
            let done = &done;
            move |_: &Log| {
                done.lock().unwrap().push(name);
                Ok(())
            }
        };
        let steps = [
            Step::builds("test", &["build"], does("test")),
            Step::builds("build", &[], does("build")),
            Step::builds("broken", &[], |_| Err(anyhow!("no such file"))),
            Step::builds("hopeless", &["broken"], does("hopeless")),
            Step::builds("more hopeless", &["hopeless"], does("more hopeless")),
        ];
        let mut ended = run_all(&steps).unwrap();
        ended.sort_by_key(|ended| steps.iter().position(|step| step.name == ended.name));
        assert_eq!(*done.lock().unwrap(), ["build", "test"]);
        let outcomes: Vec<_> = ended.into_iter().map(|ended| ended.outcome).collect();
        let left_out = |needs| Outcome::LeftOut(format!("it needs `{needs}`, which did not pass"));
        let failed = Outcome::Failed("no such file".into());
        assert_eq!(outcomes, [Outcome::Passed, Outcome::Passed, failed, left_out("broken"), left_out("hopeless")]);
    }

    #[test]
    fn what_a_command_prints_is_kept_counted_and_read() {
        let read = Mutex::new(Vec::new());
        let script = "printf 'Building [=> ] 1/2: a\rrunning\n'; echo 'test result: ok. 12 passed; 0 failed' >&2";
        let echo = Step::builds("echo", &[], |log| {
            let mut sh = Command::new("sh");
            sh.args(["-c", script]);
            log.run_reading(sh, |line| read.lock().unwrap().push(line.to_owned()))
        });
        assert_eq!(run_all(&[echo]).unwrap()[0].outcome, Outcome::Passed);
        assert_eq!(*read.lock().unwrap(), ["running", "test result: ok. 12 passed; 0 failed"]);
    }
}
