//! Cases of web-platform-tests: bytes in chunks, and the frames that a browser makes of them.

use crate::Verdict;
use ag_ui_stream::sse::{Decoder, Frame};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

pub(crate) fn check(case: &Value) -> Verdict {
    if case.get("transport").is_some() {
        return Verdict::Skipped("is about the transport".to_owned());
    }
    let decode = |chunk: &Value| STANDARD.decode(chunk.as_str()?).ok();
    let chunks: Option<Vec<Vec<u8>>> = case["chunks_b64"].as_array().into_iter().flatten().map(decode).collect();
    let Some(chunks) = chunks else {
        return Verdict::Failed("its chunks are not base64".to_owned());
    };
    let bytes: Vec<Vec<u8>> = chunks.concat().into_iter().map(|byte| vec![byte]).collect();
    for (way, chunks) in [("as given", chunks), ("byte by byte", bytes)] {
        if let Err(message) = check_chunks(case, &chunks) {
            return Verdict::Failed(format!("{way}: {message}"));
        }
    }
    Verdict::Passed
}

fn check_chunks(case: &Value, chunks: &[Vec<u8>]) -> Result<(), String> {
    let mut decoder = Decoder::new();
    let mut frames = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk);
        while let Some(frame) = decoder.next_frame() {
            frames.push(frame.map_err(|error| error.to_string())?);
        }
    }
    let expected: Vec<&Value> = case["events"].as_array().into_iter().flatten().collect();
    if frames.len() != expected.len() {
        return Err(format!("{} frames instead of {}", frames.len(), expected.len()));
    }
    for (frame, expected) in frames.iter().zip(expected) {
        check_frame(frame, expected)?;
    }
    match case.get("retry") {
        Some(retry) if decoder.retry() != retry.as_u64() => Err(format!("retry is {:?}", decoder.retry())),
        _ => Ok(()),
    }
}

fn check_frame(frame: &Frame, expected: &Value) -> Result<(), String> {
    for (name, found) in [("event", &frame.event), ("data", &frame.data), ("lastEventId", &frame.id)] {
        if let Some(value) = expected.get(name).and_then(Value::as_str)
            && value != found
        {
            return Err(format!("{name} is {found:?} instead of {value:?}"));
        }
    }
    Ok(())
}
