//! The cost of waiting: conversations with an open question, with and without a client each, and their answers. Also the rates of servers that
//! share a Postgres, and the bounds of memory and processor time.
//!
//! `cargo bench --profile server -p question-server` prints the tables of benches/README.md. Arguments behind `--` are the parts (`waits`, `bounds`,
//! `servers`) and the numbers of waiting conversations. `soak 10` alone loads a server for ten minutes and measures its memory.

mod bounds;
mod client;
#[cfg(all(unix, feature = "postgres"))]
#[path = "../tests/it/postgres/own.rs"]
mod postgres;
mod process;
#[cfg(all(unix, feature = "postgres"))]
mod servers;
mod soak;
mod waits;

use std::error::Error;
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The number of clients at a time.
const ABREAST: usize = 32;

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![1_000, 5_000] } else { asked };
    let most = sizes.iter().max().copied().unwrap_or_default();
    process::check_open_files(most + 2 * ABREAST)?;

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    // An earlier run may have left it.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    println!("{}\n", process::machine());
    // On request alone: it takes minutes.
    if arguments.iter().any(|argument| argument == "soak") {
        return soak::measure(sizes[0]).await;
    }
    let parts = ["waits", "bounds", "servers"];
    let named: Vec<&str> = arguments.iter().map(String::as_str).filter(|argument| parts.contains(argument)).collect();
    let is_wanted = |part| named.is_empty() || named.contains(&part);
    if is_wanted("waits") {
        waits::measure(&sizes, &folder).await?;
    }
    if is_wanted("bounds") {
        bounds::measure().await?;
    }
    #[cfg(all(unix, feature = "postgres"))]
    if is_wanted("servers") {
        servers::measure().await?;
    }
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// The median.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The quantile of sorted values for this share.
fn share(sorted: &[f64], share: f64) -> f64 {
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
