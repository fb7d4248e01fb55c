//! The cost of reading an array of floats, beside `serde_json`.

use json_tree::Json;
use serde_json::Value;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The times of this parser over those of the other: up to the tree, and up to the sum of all numbers as doubles. The least time
/// of some rounds counts, taken in turns.
pub(crate) fn ours_over_serde_json(rounds: usize) -> [f64; 2] {
    let text = text();
    // Theirs may be a bit off, without the feature that reads the nearest doubles.
    assert!((sum(&text) - sum_by_serde_json(&text)).abs() < 1e-6, "both read all numbers");
    let mut least = [Duration::MAX; 4];
    for _ in 0..rounds {
        let times =
            [time(&text, tree), time(&text, tree_by_serde_json), time(&text, sum), time(&text, sum_by_serde_json)];
        least = std::array::from_fn(|at| least[at].min(times[at]));
    }
    [least[0].as_secs_f64() / least[1].as_secs_f64(), least[2].as_secs_f64() / least[3].as_secs_f64()]
}

/// Prices, coordinates and shares in turns: two digits after the point, six, and as many as a double has.
fn text() -> String {
    let mut random: u64 = 1;
    let float = |at: u32| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let share = (random >> 11) as f64 / (1_u64 << 53) as f64;
        match at % 3 {
            0 => format!("{:.2}", share * 1000.0),
            1 => format!("{:.6}", share * 360.0 - 180.0),
            _ => share.to_string(),
        }
    };
    format!("[{}]", (0..30_000).map(float).collect::<Vec<_>>().join(","))
}

fn tree(text: &str) -> f64 {
    black_box(Json::parse(text).expect("it is JSON"));
    0.0
}

fn tree_by_serde_json(text: &str) -> f64 {
    black_box(serde_json::from_str::<Value>(text).expect("it is JSON"));
    0.0
}

fn sum(text: &str) -> f64 {
    let json = Json::parse(text).expect("it is JSON");
    let double = |item: &Json<'_>| if let Json::Number(number) = item { number.as_f64() } else { 0.0 };
    json.as_list().unwrap_or_default().iter().map(double).sum()
}

fn sum_by_serde_json(text: &str) -> f64 {
    let json: Value = serde_json::from_str(text).expect("it is JSON");
    json.as_array().into_iter().flatten().filter_map(Value::as_f64).sum()
}

fn time(text: &str, read: fn(&str) -> f64) -> Duration {
    let start = Instant::now();
    black_box(read(black_box(text)));
    start.elapsed()
}
