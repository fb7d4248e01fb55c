//! Other people's readers and patches do the same.

use super::{cuts, json, law, patch, patched, pieces, stream};
use crate::sse::frames;
use ag_ui_stream::sse::Frame;
use futures_util::{FutureExt, StreamExt, stream as chunks};
use json_patch::patch_unsafe;
use proptest::prelude::*;
use serde_json::Value;
use sse_stream::{Sse, SseByteStream};
use std::convert::Infallible;

/// The frames that another reader of the same bytes gives. It tells blocks as they are written, so ids are carried on here.
fn of_sse_stream(pieces: Vec<&[u8]>) -> Vec<Frame> {
    let pieces = chunks::iter(pieces.into_iter().map(Ok::<_, Infallible>));
    let blocks: Vec<Sse> = SseByteStream::new(pieces).map(Result::unwrap).collect().now_or_never().unwrap();
    let mut last_id = String::new();
    let mut frames = Vec::new();
    for block in blocks {
        last_id = block.id.unwrap_or(last_id);
        if let Some(data) = block.data {
            let event = block.event.filter(|event| !event.is_empty()).unwrap_or_else(|| "message".to_owned());
            frames.push(Frame { event, data, id: last_id.clone() });
        }
    }
    frames
}

#[test]
fn frames_are_those_of_sse_stream() {
    law(1000, &(stream(), cuts()), |(stream, cuts)| {
        let ours = frames([stream.as_bytes()]);
        prop_assert_eq!(ours, of_sse_stream(pieces(stream.as_bytes(), &cuts)));
        Ok(())
    });
}

#[test]
fn patches_do_what_json_patch_makes_of_them() {
    law(2000, &(json(), patch()), |(document, operations)| {
        // It refuses to move the root to itself, which the RFC allows.
        let moves_root = |it: &Value| it["op"] == "move" && it["from"] == "" && it["path"] == "";
        prop_assume!(!operations.iter().any(moves_root));
        let mut theirs = document.clone();
        let theirs_applied =
            patch_unsafe(&mut theirs, &serde_json::from_value::<json_patch::Patch>(operations.clone().into()).unwrap());
        let (applied, ours) = patched(&document, operations);
        prop_assert_eq!(applied, theirs_applied.is_ok(), "{:?}", theirs_applied);
        prop_assert_eq!(ours, if applied { theirs } else { document });
        Ok(())
    });
}
