//! The cost of each stage natively, and how it grows. The stages take turns, so that other work on the machine disturbs all of them alike. The
//! fastest round counts, since other work only slows down. Prints the tables of the README; `cargo xtask bench stream` has other readers of the
//! same bytes beside them.

mod growth;
mod input;
pub mod ours;

use growth::GROWING;
use input::{CHUNK, Input, SIZES};
use ours::{Events, Frames, Whole};
use serde_json::Value;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
/// The least that is timed at once.
const SAMPLE: Duration = Duration::from_millis(10);

/// Reads a stream once. Making the reader is not timed.
type Stage = fn(&Input) -> Duration;

const STAGES: [(&str, Stage); 4] = [
    ("frames", |input| timed(input, Frames::new(), Frames::feed)),
    ("decoded and verified", |input| timed(input, Events::new(), Events::feed)),
    ("whole, with thread and asks", |input| timed(input, Whole::after(0), Whole::feed)),
    ("whole, after 400 earlier messages", |input| timed(input, Whole::after(400), Whole::feed)),
];
const WHOLE: usize = 2;

fn timed<S>(input: &Input, mut stage: S, feed: fn(&mut S, &[u8])) -> Duration {
    let start = Instant::now();
    input.bytes.chunks(CHUNK).for_each(|chunk| feed(&mut stage, chunk));
    let time = start.elapsed();
    black_box(stage);
    time
}

fn main() {
    let inputs = SIZES.map(|(_, size)| Input::of(size));
    inputs.iter().for_each(check);
    let times = inputs.each_ref().map(measure);
    let cost = |size: usize, stage: usize| times[size][stage] * 1e6 / inputs[size].events as f64;
    println!("| µs an event | {} |", SIZES.map(|(name, _)| name).join(" | "));
    println!("|---|{}", "---|".repeat(SIZES.len()));
    for (stage, (name, _)) in STAGES.iter().enumerate() {
        let costs: Vec<_> = (0..SIZES.len()).map(|size| format!("{:.2}", cost(size, stage))).collect();
        println!("| {name} | {} |", costs.join(" | "));
    }
    let greatest = |value: &dyn Fn(usize) -> f64| (0..SIZES.len()).map(value).fold(0.0, f64::max);
    println!("\n| goal, at the worst size | at most | measured | |");
    println!("|---|---|---|---|");
    print_goal("whole, µs an event", 1.0, greatest(&|size| cost(size, WHOLE)));
    print_goal("whole, time for 1 MB over time for 100 KB", 11.0, times[3][WHOLE] / times[2][WHOLE]);
    let later = greatest(&|size| cost(size, WHOLE + 1) / cost(size, WHOLE));
    print_goal("whole, after 400 messages over after none", 1.5, later);
    for growing in GROWING {
        print_goal(&format!("{}: time for ten times as many", growing.name), 12.0, growing.tenfold(ROUNDS));
    }
}

/// Every stage reads all of the stream, or nothing is worth measuring.
fn check(input: &Input) {
    let (mut events, mut whole) = (Events::new(), Whole::after(400));
    events.feed(&input.bytes);
    whole.feed(&input.bytes);
    assert_eq!(events.length, input.arguments.len());
    assert_eq!(whole.arguments().as_ref(), Some(&input.arguments));
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
    assert_eq!(json(&whole.ask().expect("the stream asks")), json(&input.arguments));
}

/// The seconds that each stage takes for one stream. The first round warms up.
fn measure(input: &Input) -> [f64; STAGES.len()] {
    let mut least = [f64::MAX; STAGES.len()];
    for _ in 0..=ROUNDS {
        for ((_, stage), least) in STAGES.iter().zip(&mut least) {
            let (mut time, mut streams) = (Duration::ZERO, 0);
            while time < SAMPLE {
                time += stage(input);
                streams += 1;
            }
            *least = least.min((time / streams).as_secs_f64());
        }
    }
    least
}

fn print_goal(what: &str, at_most: f64, measured: f64) {
    let verdict = if measured <= at_most { "met" } else { "missed" };
    println!("| {what} | {at_most} | {measured:.2} | {verdict} |");
}
