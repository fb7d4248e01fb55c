//! From bytes to verified events.

mod chunks;
mod compat;
mod decode;
mod enforce;
mod error;
mod halves;
mod verify;

use crate::event::Event;
use crate::sse::{Decoder, FrameRef, SseError};
use crate::warning::{Warning, WarningCode, Warnings};
use chunks::Lanes;
use compat::Retired;
use halves::Joiner;
use json_tree::{Halves, Json};
use serde_json::Value;
use std::collections::VecDeque;
use verify::Verifier;

pub(crate) use compat::translate_part;
pub(crate) use decode::alone as decode_alone;
pub(crate) use enforce::check_strictly;
use error::Verdict;
pub use error::{End, EndError, EndOutcome, ErrorCode, StreamError};

/// Reads one response of an agent.
///
/// - [`feed`](Self::feed) takes bytes of any length (or [`feed_json`](Self::feed_json) and [`feed_value`](Self::feed_value) single events),
/// - [`next_event`](Self::next_event) gives what they hold, in order, and [`next_warning`](Self::next_warning) what was tolerated,
/// - [`finish`](Self::finish) says how the stream ended.
///
/// After each `feed` and after `finish`, call `next_event` until it gives `None`. Events come out expanded (no `*_CHUNK`), without anything
/// that 1.0 does not describe, and in an order that the protocol allows. A character whose halves came in two deltas is whole in the
/// second. The first violation is given once as an error, after the events before it; nothing follows.
#[derive(Debug, Default)]
pub struct EventReader {
    decoder: Decoder,
    done_marker: DoneMarker,
    pipeline: Pipeline,
}

/// What a frame `[DONE]` means, which the protocol does not have and some gateways add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoneMarker {
    /// An error, as every frame that is no JSON object.
    #[default]
    Reject,
    /// Ignored with a warning where the run has ended; an error before.
    IgnoreAfterRun,
}

/// What lies behind the frames, apart from the decoder so that a frame can be borrowed from it.
#[derive(Debug, Default)]
struct Pipeline {
    /// How many events came in, the dropped ones too.
    count: u64,
    retired: Retired,
    lanes: Lanes,
    verifier: Verifier,
    joiner: Joiner,
    events: VecDeque<Event>,
    warnings: Warnings,
    error: Option<StreamError>,
    error_given: bool,
}

impl EventReader {
    /// At the start of a response.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same reader with another cap on one frame's length, in bytes; [`Decoder::DEFAULT_LIMIT`] otherwise.
    #[must_use]
    pub fn with_frame_limit(self, limit: usize) -> Self {
        Self { decoder: Decoder::with_limit(limit), ..self }
    }

    /// The same reader with another reading of `[DONE]`.
    #[must_use]
    pub fn with_done_marker(self, done_marker: DoneMarker) -> Self {
        Self { done_marker, ..self }
    }

    /// Takes the next bytes of the response.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.pipeline.error.is_none() {
            self.decoder.feed(bytes);
        }
    }

    /// Takes one event as JSON text, as if it had come in a frame.
    pub fn feed_json(&mut self, text: &str) {
        let taken = self.pipeline.take(|| decode::parse(text));
        self.pipeline.queue(taken);
    }

    /// Takes one event as a JSON value, as if it had come in a frame.
    pub fn feed_value(&mut self, value: Value) {
        let taken = self.pipeline.take(|| Ok((value.into(), Halves::default())));
        self.pipeline.queue(taken);
    }

    /// The next event, or once the error that ends the stream.
    pub fn next_event(&mut self) -> Option<Result<Event, StreamError>> {
        loop {
            if let Some(event) = self.pipeline.events.pop_front() {
                return Some(Ok(event));
            }
            if self.pipeline.error.is_some() {
                return self.pipeline.give_error();
            }
            let frame = self.decoder.next_ref()?;
            let taken = self.pipeline.take_frame(frame, self.done_marker);
            if taken.is_some() {
                return taken;
            }
        }
    }

    /// The next thing that was tolerated.
    pub fn next_warning(&mut self) -> Option<Warning> {
        self.pipeline.warnings.take()
    }

    /// How many warnings were dropped, because [`Warning::MAX_WAITING`] had not been taken.
    #[must_use]
    pub fn dropped_warnings(&self) -> u64 {
        self.pipeline.warnings.dropped()
    }

    /// Ends the stream and says how it ended. A last frame without a blank line counts; what it and frames not yet taken hold is still to be
    /// taken by [`next_event`](Self::next_event).
    pub fn finish(&mut self) -> End {
        while self.pipeline.error.is_none()
            && let Some(frame) = self.decoder.next_ref()
        {
            let taken = self.pipeline.take_frame(frame, self.done_marker);
            self.pipeline.queue(taken);
        }
        if self.pipeline.error.is_none()
            && let Some(frame) = self.decoder.finish()
        {
            let taken = self.pipeline.take_last_frame(frame, self.done_marker);
            self.pipeline.queue(taken);
        }
        self.pipeline.end()
    }
}

/// An event that needs no place in the queue. Never an error: that waits in its own place until the events before it are taken.
type Taken = Option<Result<Event, StreamError>>;

impl Pipeline {
    fn take_frame(&mut self, frame: Result<FrameRef<'_>, SseError>, done_marker: DoneMarker) -> Taken {
        match frame {
            Ok(frame)
                if done_marker == DoneMarker::IgnoreAfterRun
                    && frame.data == "[DONE]"
                    && self.verifier.is_between_runs() =>
            {
                self.warnings.end_event();
                self.warnings.push(Warning::new(WarningCode::DoneMarker, "`[DONE]` after the run was ignored"));
                None
            }
            Ok(frame) => self.take(|| decode::parse(&frame.data)),
            Err(error) => {
                self.error = Some(*StreamError::frame(error));
                None
            }
        }
    }

    /// Takes the frame at which the stream broke off. Where even its JSON is incomplete, it is not the producer's fault but the break's.
    fn take_last_frame(&mut self, frame: Result<FrameRef<'_>, SseError>, done_marker: DoneMarker) -> Taken {
        let broken = frame.as_ref().is_ok_and(|frame| decode::is_cut(&frame.data));
        if broken {
            self.verifier.handle_break();
            return None;
        }
        self.take_frame(frame, done_marker)
    }

    /// Takes an event. What is given was built in its place: events are large, and copying them costs more than all else.
    fn take<'t>(&mut self, parse: impl FnOnce() -> Verdict<(Json<'t>, Halves)>) -> Taken {
        if self.error.is_some() {
            return None;
        }
        let index = self.count;
        self.count += 1;
        self.warnings.begin_event(index);
        let (retired, run) = (&mut self.retired, self.verifier.run_id());
        let decoded = match parse() {
            Ok((tree, halves)) => {
                self.joiner.begin(halves);
                decode::event(tree, retired, run, &mut self.warnings)
            }
            Err(error) => Some(Err(*error)),
        };
        let verdict = match &decoded {
            Some(Ok(event)) if self.lanes.pass(event) && self.joiner.is_idle() => {
                match self.verifier.handle_event(event) {
                    Ok(()) => return decoded,
                    Err(error) => Err(error),
                }
            }
            _ => decoded.map_or(Ok(()), |event| self.expand(event?)),
        };
        if let Err(error) = verdict {
            self.error = Some(StreamError { event_index: Some(index), ..*error });
        }
        None
    }

    fn expand(&mut self, event: Event) -> Verdict {
        let (verifier, joiner, events) = (&mut self.verifier, &mut self.joiner, &mut self.events);
        self.lanes.handle_event(event, &mut |event| {
            verifier.handle_event(&event)?;
            joiner.pass(event, events);
            Ok(())
        })
    }

    fn queue(&mut self, taken: Taken) {
        self.events.extend(taken.and_then(Result::ok));
    }

    fn give_error(&mut self) -> Taken {
        let error = self.error.as_ref().filter(|_| !self.error_given)?;
        self.error_given = true;
        Some(Err(error.clone()))
    }

    fn end(&self) -> End {
        match &self.error {
            Some(error) => End {
                outcome: EndOutcome::Rejected,
                error: Some(EndError {
                    code: error.code.as_str().to_owned(),
                    message: error.to_string(),
                    event_index: error.event_index,
                }),
            },
            None => self.verifier.end(),
        }
    }
}
