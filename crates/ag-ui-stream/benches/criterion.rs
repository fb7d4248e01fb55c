//! The cost of a stream for each part, by the length of its arguments. Criterion's throughput is events a second; it also reports changes
//! since its last run.

#[cfg(not(target_arch = "wasm32"))]
mod input;
#[cfg(not(target_arch = "wasm32"))]
mod ours;
#[cfg(not(target_arch = "wasm32"))]
mod parts;
#[cfg(not(target_arch = "wasm32"))]
mod peers;

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    use criterion::{Criterion, Throughput};
    use input::SIZES;
    use parts::{Case, Part};

    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for (name, size) in SIZES {
        let case = Case::of(size);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(case.input.events as u64));
        for part in Part::ALL {
            // Minutes would say no more of it than seconds.
            if part == Part::AgUi && size > 10_000 {
                continue;
            }
            group.bench_function(part.name(), |bencher| {
                bencher.iter_custom(|times| (0..times).map(|_| case.time(part)).sum());
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

#[cfg(target_arch = "wasm32")]
fn main() {}
