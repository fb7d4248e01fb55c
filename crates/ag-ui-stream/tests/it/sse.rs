//! Frames: what WHATWG says beyond the lines of `properties/oracle.rs`, one rule a test.

use ag_ui_stream::sse::{Decoder, EncodeError, Frame, OutFrame, SseError, write_comment, write_frame};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Checks the frames of a stream, fed whole, byte by byte and split at each index.
#[track_caller]
fn check(stream: impl AsRef<[u8]>, expected: &[(&str, &str, &str)]) {
    let stream = stream.as_ref();
    let expected: Vec<Frame> = expected
        .iter()
        .map(|(event, data, id)| Frame { event: (*event).into(), data: (*data).into(), id: (*id).into() })
        .collect();
    assert_eq!(frames([stream]), expected, "whole");
    assert_eq!(frames(stream.chunks(1)), expected, "byte by byte");
    for index in 0..=stream.len() {
        let (first, second) = stream.split_at(index);
        assert_eq!(frames([first, second]), expected, "split at {index}");
    }
}

pub(crate) fn frames<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut decoder = Decoder::new();
    let mut frames = Vec::new();
    for chunk in chunks {
        decoder.feed(chunk);
        frames.extend(std::iter::from_fn(|| decoder.next_frame()).map(Result::unwrap));
    }
    frames
}

#[test]
fn a_line_ends_where_it_does_however_long_it_is_and_whatever_it_holds() {
    for length in 0..20 {
        // Neighbours of the line ends, and what has the high bit set.
        for filling in ["a", "\t", "\u{b}", "\u{c}", "\u{e}", "\0", "\u{8a}", "\u{8d}"] {
            let data = filling.repeat(length);
            for end in ["\n", "\r", "\r\n"] {
                check(
                    format!("data:-{data}{end}{end}data: b{end}{end}"),
                    &[("message", &format!("-{data}"), ""), ("message", "b", "")],
                );
            }
        }
    }
}

#[test]
fn a_frame_that_carriage_returns_end_is_not_held_back() {
    let mut decoder = Decoder::new();
    decoder.feed(b"data: a\r\r");
    assert_eq!(decoder.next_frame().unwrap().unwrap().data, "a");
    decoder.feed(b"\ndata: b\n\n");
    assert_eq!(decoder.next_frame().unwrap().unwrap().data, "b");
    assert!(decoder.next_frame().is_none());
}

#[test]
fn one_byte_order_mark_is_dropped() {
    check("\u{feff}data: a\n\n", &[("message", "a", "")]);
    check("\u{feff}\u{feff}data: a\n\ndata: b\n\n", &[("message", "b", "")]);
    check("\n\u{feff}data: a\n\ndata: b\n\n", &[("message", "b", "")]);
    check(b"\xEF\xBBdata: a\n\ndata: b\n\n", &[("message", "b", "")]);
}

#[test]
fn an_id_lives_on() {
    check(
        "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
        &[("message", "a", "1"), ("message", "b", "1"), ("message", "c", "")],
    );
    check("id: 1\n\ndata: a\n\n", &[("message", "a", "1")]);
    check("id: 1\0\ndata: a\n\n", &[("message", "a", "")]);
    check("id:  2 \ndata: a\n\n", &[("message", "a", " 2 ")]);
}

#[test]
fn retry_takes_digits_only() {
    let retry = |value: &str| {
        let mut decoder = Decoder::new();
        decoder.feed(format!("retry: {value}\n\n").as_bytes());
        assert!(decoder.next_frame().is_none());
        decoder.retry()
    };
    assert_eq!(retry("0120"), Some(120));
    assert_eq!(retry("99999999999999999999999"), Some(u64::MAX));
    for value in ["", "+1", "-1", "1.0", "1 ", "١", "1e3"] {
        assert_eq!(retry(value), None, "{value:?}");
    }
}

#[test]
fn text_is_utf8_however_it_is_cut() {
    check("data: ä€🛢\n\n", &[("message", "ä€🛢", "")]);
    check(b"data: a\xFFb\xE2\x82\n\n", &[("message", "a\u{fffd}b\u{fffd}", "")]);
    check(b"event: \xC3\x28\nid: \xF0\x9F\ndata:\n\n", &[("\u{fffd}(", "", "\u{fffd}")]);
}

#[test]
fn a_last_frame_without_a_blank_line_is_given_at_the_end_only() {
    for stream in ["data: a\n\nid: 2\ndata: b", "data: a\n\nid: 2\ndata: b\n", "data: a\r\rid: 2\rdata: b\r"] {
        check(stream, &[("message", "a", "")]);
        let mut decoder = Decoder::new();
        decoder.feed(stream.as_bytes());
        assert!(decoder.next_frame().is_some() && decoder.next_frame().is_none());
        assert_eq!(decoder.finish().unwrap().unwrap().data, "b");
        assert!(decoder.finish().is_none());
    }
    let mut decoder = Decoder::new();
    decoder.feed(b"\xEF\xBB");
    assert!(decoder.finish().is_none());
}

#[test]
fn a_frame_has_a_longest_length_whatever_the_chunks() {
    let stream = format!("data: {}\n\nevent: {}\ndata: {}\n\n", "a".repeat(40), "b".repeat(20), "c".repeat(40));
    let read = |bytes: &[u8], size, limit| {
        let (mut decoder, mut given) = (Decoder::with_limit(limit), Vec::new());
        for chunk in bytes.chunks(size) {
            decoder.feed(chunk);
            given.extend(std::iter::from_fn(|| decoder.next_frame()));
        }
        given
    };
    for size in 1..stream.len() {
        let given = read(stream.as_bytes(), size, 50);
        assert_eq!(given.len(), 2, "chunks of {size}");
        assert_eq!(given[0].as_ref().unwrap().data.len(), 40);
        assert_eq!(given[1], Err(SseError::FrameTooLong { limit: 50 }));
    }
    // A byte that is no UTF-8 becomes three, so that an id grows beyond the limit behind its own line.
    let stream = [b"id: ".as_slice(), &[0xFF; 40], b"\n\n"].concat();
    for size in 1..=stream.len() {
        assert_eq!(read(&stream, size, 50), [Err(SseError::FrameTooLong { limit: 50 })], "chunks of {size}");
    }
    let mut decoder = Decoder::with_limit(50);
    for _ in 0..100 {
        decoder.feed(b": keep-alive\n");
        assert!(decoder.next_frame().is_none());
    }
    decoder.feed(b"data: a\n\n");
    assert_eq!(decoder.next_frame().unwrap().unwrap().data, "a");
}

#[test]
fn what_is_written_reads_back() {
    let mut out = String::new();
    write_comment(&mut out, "two\nlines");
    for (event, id, data) in [
        ("message", "", "one"),
        ("state_change", "7", "two\nlines\r\nand\rmore\n"),
        ("message", "7", ""),
        ("message", " 8", " space"),
    ] {
        let frame = OutFrame { event: (event != "message").then_some(event), id: (!id.is_empty()).then_some(id), data };
        write_frame(&mut out, frame).unwrap();
    }
    check(
        &out,
        &[
            ("message", "one", ""),
            ("state_change", "two\nlines\nand\nmore\n", "7"),
            ("message", "", "7"),
            ("message", " space", " 8"),
        ],
    );
}

#[test]
fn what_cannot_be_written_is_refused() {
    let encode = |frame: OutFrame<'_>| {
        let mut out = String::new();
        write_frame(&mut out, frame).map(|()| out)
    };
    assert_eq!(encode(OutFrame { event: Some("a\nb"), ..OutFrame::default() }), Err(EncodeError::Event));
    assert_eq!(encode(OutFrame { id: Some("a\rb"), ..OutFrame::default() }), Err(EncodeError::Id));
    assert_eq!(encode(OutFrame { id: Some("a\0b"), ..OutFrame::default() }), Err(EncodeError::Id));
    assert_eq!(encode(OutFrame { event: Some("a"), id: None, data: "x" }).unwrap(), "event: a\ndata: x\n\n");
}
