//! `test_data/*.sse`: each is read whole, byte by byte and split at each index, and must say what the `.txt` beside it says. After an intended
//! change, write them again with `UPDATE_FIXTURES=1 cargo test -p ag-ui-stream` and read the difference.

use crate::reading::transcript;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

macro_rules! fixtures {
    ($($name:literal,)*) => {
        &[$( Fixture {
            name: $name,
            stream: include_bytes!(concat!("../../test_data/", $name, ".sse")),
            said: include_str!(concat!("../../test_data/", $name, ".txt")),
        }, )*]
    };
}

pub(crate) struct Fixture {
    pub(crate) name: &'static str,
    pub(crate) stream: &'static [u8],
    said: &'static str,
}

pub(crate) const FIXTURES: &[Fixture] = fixtures![
    "activities",
    "activity_metadata",
    "activity_of_another",
    "ask_acknowledged",
    "ask_background",
    "ask_broken_json",
    "ask_chunks",
    "ask_declined",
    "ask_duplicate_key",
    "ask_frontend_tool",
    "ask_halves",
    "ask_interrupt",
    "ask_interrupt_alone",
    "ask_legacy_interrupt",
    "ask_own_other",
    "ask_packed",
    "ask_refused",
    "ask_run_error",
    "ask_snapshot_moves_call",
    "ask_split_escapes",
    "ask_superseded",
    "ask_truncated",
    "done_marker",
    "empty",
    "encrypted",
    "encrypted_unknown",
    "halves",
    "halves_alone",
    "histories_with_taken_ids",
    "ids_disagree",
    "interrupt_twice",
    "lanes",
    "lanes_ambiguous",
    "lanes_other_owner",
    "late_error",
    "lines_cr",
    "lines_crlf",
    "lines_cut",
    "lines_mark_and_comments",
    "lines_multi_data",
    "lines_not_utf8",
    "lines_unended",
    "malformed_nested",
    "malformed_null",
    "malformed_outcome",
    "malformed_timestamp",
    "not_an_event",
    "not_json",
    "other_thread",
    "owner_changed",
    "owner_inherited",
    "owner_kept",
    "owner_told",
    "patches_apply",
    "patches_fail",
    "repeated_members",
    "results_first",
    "results_in_place",
    "results_with_taken_ids",
    "retired_forms",
    "several_runs",
    "thinking",
    "unknown_things",
];

/// The data of the frames of all fixtures, one a line.
pub(crate) fn data() -> impl Iterator<Item = &'static str> {
    let lines = FIXTURES.iter().flat_map(|fixture| str::from_utf8(fixture.stream).unwrap_or_default().lines());
    lines.filter_map(|line| line.strip_prefix("data: "))
}

#[cfg(feature = "legacy")]
#[test]
fn say_what_they_are_written_to_say() {
    for fixture in FIXTURES {
        let said = transcript([fixture.stream]);
        #[cfg(not(target_arch = "wasm32"))]
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            let path = format!("{}/test_data/{}.txt", env!("CARGO_MANIFEST_DIR"), fixture.name);
            std::fs::write(path, &said).unwrap();
            continue;
        }
        assert!(
            said == fixture.said || canonical(&said) == canonical(fixture.said),
            "{} says:\n{said}\ninstead of:\n{}",
            fixture.name,
            fixture.said
        );
    }
}

/// A transcript whose objects compare equal however their members are ordered: that depends on a feature of `serde_json` which any crate in
/// the same build may switch on.
fn canonical(said: &str) -> Vec<(&str, Option<serde_json::Value>)> {
    let line = |line| -> (&str, Option<serde_json::Value>) {
        let (words, json) = str::split_at(line, line.find('{').unwrap_or(line.len()));
        match serde_json::from_str(json) {
            Ok(value) => (words, Some(value)),
            Err(_) => (line, None),
        }
    };
    said.lines().map(line).collect()
}

#[test]
fn say_the_same_byte_by_byte() {
    for fixture in FIXTURES {
        assert_eq!(transcript(fixture.stream.chunks(1)), transcript([fixture.stream]), "{}", fixture.name);
    }
}

#[test]
fn say_the_same_split_anywhere() {
    for fixture in FIXTURES {
        let whole = transcript([fixture.stream]);
        for index in 0..=fixture.stream.len() {
            let (first, second) = fixture.stream.split_at(index);
            assert!(transcript([first, second]) == whole, "{} split at {index}", fixture.name);
        }
    }
}

#[test]
fn never_panic_when_cut_short() {
    for fixture in FIXTURES {
        for length in 0..fixture.stream.len() {
            let said = transcript([&fixture.stream[..length]]);
            assert!(said.contains("\nend ") || said.starts_with("end "), "{} cut at {length}", fixture.name);
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn are_all_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/test_data");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "sse"))
        .map(|file| file.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let listed: Vec<&str> = FIXTURES.iter().map(|fixture| fixture.name).collect();
    assert_eq!(names, listed);
}
