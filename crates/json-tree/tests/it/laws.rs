//! Laws, and the inputs for which they hold.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use serde_json::{Map, Value};

/// Natively each run takes other cases, and a failure prints its seed; wasm32 has no randomness of its own and takes always the same.
pub(crate) fn law<S: Strategy>(cases: u32, strategy: &S, holds: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let rng_seed = if cfg!(target_arch = "wasm32") { RngSeed::Fixed(7) } else { RngSeed::Random };
    let config = Config { cases, rng_seed, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(strategy, holds).unwrap_or_else(|error| panic!("{error}"));
}

/// The places of cuts, from any numbers.
pub(crate) fn cut(length: usize, cuts: &[usize]) -> Vec<usize> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (length + 1)).collect();
    places.extend([0, length]);
    places.sort_unstable();
    places
}

pub(crate) fn text_pieces<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let places = cut(text.len(), cuts);
    let places: Vec<usize> = places.into_iter().map(|place| text.floor_char_boundary(place)).collect();
    places.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

pub(crate) fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<usize>(), 0..20)
}

pub(crate) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~ä€🛢\u{0}-\u{1f}\u{2028}]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-cä\"\\\\]{0,3}", inner, 0..4)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}
