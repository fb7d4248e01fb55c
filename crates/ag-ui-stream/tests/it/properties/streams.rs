//! The result of reading does not depend on the cuts, and no input makes the reader panic.

use super::{cuts, law, pieces, stream};
use crate::fixtures::{FIXTURES, data};
use crate::reading::transcript;
use crate::sse::frames;
use proptest::prelude::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_stream_says_the_same_in_any_chunks() {
    law(300, &(0..FIXTURES.len(), cuts()), |(index, cuts)| {
        let fixture = &FIXTURES[index];
        prop_assert_eq!(transcript(pieces(fixture.stream, &cuts)), transcript([fixture.stream]), "{}", fixture.name);
        Ok(())
    });
}

#[test]
fn frames_are_the_same_in_any_chunks() {
    law(500, &(stream(), cuts()), |(stream, cuts)| {
        prop_assert_eq!(frames(pieces(stream.as_bytes(), &cuts)), frames([stream.as_bytes()]));
        Ok(())
    });
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let lines: Vec<&str> = data().filter(|data| data.starts_with('{')).collect();
    let picked = prop::collection::vec((0..lines.len(), any::<bool>()), 1..40);
    law(400, &picked, |picked| {
        let started = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t1\",\"runId\":\"r1\"}\n\n".to_owned();
        let stream: String = picked
            .into_iter()
            .map(|(index, ends)| format!("data: {}{}", lines[index], if ends { "\n\n" } else { "\r\r" }))
            .collect();
        let said = transcript([(started + &stream).as_bytes()]);
        prop_assert!(said.contains("\nend "));
        Ok(())
    });
}
