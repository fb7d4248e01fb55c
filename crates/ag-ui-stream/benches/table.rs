//! Every part beside its peers in one run. The parts take turns, so that other work on the machine disturbs all of them alike. The fastest round
//! counts, since other work only slows down. Prints the table of the README.

mod floats;
mod growth;
mod input;
mod ours;
mod parts;
mod patches;
mod peers;

use growth::GROWING;
use input::SIZES;
use parts::{Case, Part};
use std::time::Duration;

const ROUNDS: usize = 15;
/// The least that is timed at once.
const SAMPLE: Duration = Duration::from_millis(10);
/// A part that takes longer for one stream reads it once only.
const PATIENCE: Duration = Duration::from_secs(1);

fn main() {
    let table = Table(SIZES.map(|(_, size)| Column::measure(&Case::of(size))));
    table.print();
    table.print_goals();
}

struct Table([Column; SIZES.len()]);

/// One size.
struct Column {
    events: f64,
    /// For each part the time for one stream, in microseconds.
    times: [f64; Part::ALL.len()],
}

impl Column {
    fn measure(case: &Case) -> Self {
        // It also warms up.
        let mut times = Part::ALL.map(|part| case.time(part));
        for _ in 0..ROUNDS {
            for (part, least) in Part::ALL.into_iter().zip(&mut times) {
                if *least < PATIENCE {
                    *least = sample(case, part).min(*least);
                }
            }
        }
        Self { events: case.input.events as f64, times: times.map(|time| time.as_secs_f64() * 1e6) }
    }
}

fn sample(case: &Case, part: Part) -> Duration {
    let (mut time, mut streams) = (Duration::ZERO, 0);
    while time < SAMPLE {
        time += case.time(part);
        streams += 1;
    }
    time / streams
}

impl Table {
    /// Microseconds an event of a part, for each size.
    fn costs(&self, part: Part) -> [f64; SIZES.len()] {
        self.0.each_ref().map(|column| column.times[part as usize] / column.events)
    }

    fn print(&self) {
        println!("| µs an event | {} |", SIZES.map(|(name, _)| name).join(" | "));
        println!("|---|{}", "---|".repeat(SIZES.len()));
        for part in Part::ALL {
            let costs = self.costs(part).map(|cost| format!("{cost:.2}"));
            println!("| {} | {} |", part.name(), costs.join(" | "));
        }
    }

    fn print_goals(&self) {
        let whole = self.costs(Part::Whole);
        let (frames, json) = (self.costs(Part::SseStream), self.costs(Part::TaggedEnum));
        let floor = std::array::from_fn(|size| frames[size] + json[size]);
        let [.., hundred_kb, mb] = &self.0;
        let growth = mb.times[Part::Whole as usize] / hundred_kb.times[Part::Whole as usize];
        println!("\n| goal, at the worst size | at most | measured | |");
        println!("|---|---|---|---|");
        print_goal("whole, µs an event", 1.0, greatest(whole));
        print_goal("whole over sse-stream and tagged enum together", 4.0, greatest(ratios(whole, floor)));
        print_goal("whole, time for 1 MB over time for 100 KB", 11.0, growth);
        print_goal(
            "whole, after 400 messages over after none",
            1.5,
            greatest(ratios(self.costs(Part::WholeAfter400), whole)),
        );
        print_goal(
            "1,000 copies over 1,000 adds, in a state of 100,000 values",
            2.0,
            patches::copies_over_adds(ROUNDS),
        );
        let [tree, doubles] = floats::ours_over_serde_json(ROUNDS);
        print_goal("an array of floats: over serde_json", 1.5, tree);
        print_goal("an array of floats and their sum as doubles: over serde_json", 2.0, doubles);
        for growing in GROWING {
            print_goal(&format!("{}: time for ten times as many", growing.name), 12.0, growing.tenfold(ROUNDS));
        }
    }
}

fn print_goal(what: &str, at_most: f64, measured: f64) {
    let verdict = if measured <= at_most { "met" } else { "missed" };
    println!("| {what} | {at_most} | {measured:.2} | {verdict} |");
}

fn ratios(above: [f64; SIZES.len()], below: [f64; SIZES.len()]) -> [f64; SIZES.len()] {
    std::array::from_fn(|size| above[size] / below[size])
}

fn greatest(values: [f64; SIZES.len()]) -> f64 {
    values.into_iter().fold(0.0, f64::max)
}
