//! From bytes to verified events.

mod halves;
mod lanes;
mod order;
mod thinking;

pub use crate::error::{BrokeOff, End, EndError, EndOutcome, ErrorCode, StreamError};

use crate::error::{Fault, Verdict};
use crate::event::Event;
use crate::protocol::{Does, Rule};
use crate::sse::{Decoder, FrameRef, SseError};
use crate::warning::{Detail, Warning, Warnings};
use crate::wire::{Members, enforce_members, parse, text};
use halves::Joiner;
use json_tree::{Halves, Json};
use lanes::Lanes;
use order::Order;
use serde_json::Value;
use std::collections::VecDeque;
use thinking::Thinking;

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
    thinking: Thinking,
    lanes: Lanes,
    order: Order,
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
        let taken = self.pipeline.take(|| parse(text));
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
                    && self.order.is_between_runs() =>
            {
                self.warnings.end_event();
                self.warnings.push(Detail::DoneMarker, &[], None);
                None
            }
            Ok(frame) => self.take(|| parse(&frame.data)),
            Err(error) => {
                self.error = Some(*StreamError::new(Fault::Frame(error), &[]));
                None
            }
        }
    }

    /// Takes the frame at which the stream broke off. Where even its JSON is incomplete, it is not the producer's fault but the break's.
    fn take_last_frame(&mut self, frame: Result<FrameRef<'_>, SseError>, done_marker: DoneMarker) -> Taken {
        let broken = frame.as_ref().is_ok_and(|frame| is_cut(&frame.data));
        if broken {
            self.order.handle_break();
            return None;
        }
        self.take_frame(frame, done_marker)
    }

    /// Takes an event: translates, strips, expands and checks it, and types what is left.
    fn take<'t>(&mut self, parse: impl FnOnce() -> Verdict<(Json<'t>, Halves)>) -> Taken {
        if self.error.is_some() {
            return None;
        }
        let index = self.count;
        self.count += 1;
        self.warnings.begin_event(index);
        match parse().and_then(|(json, halves)| self.walk(json, halves)) {
            Ok(event) => event.map(Ok),
            Err(error) => {
                let mut error = *error;
                error.event_index = Some(index);
                self.error = Some(error);
                None
            }
        }
    }

    /// Returns an event that needs no place in the queue.
    fn walk(&mut self, json: Json<'_>, halves: Halves) -> Verdict<Option<Event>> {
        let Json::Object(mut event) = json else {
            return Err(StreamError::new(Fault::NotAnEvent, &[]));
        };
        self.joiner.begin(halves);
        let Some(rule) = self.strip(&mut event)? else {
            return Ok(None);
        };
        if self.lanes.pass(rule) && self.joiner.is_idle() {
            self.order.take(rule, &event)?;
            return Ok(Some(Event::of(rule, event)));
        }
        let (order, joiner, events) = (&mut self.order, &mut self.joiner, &mut self.events);
        self.lanes.take(rule, event, &mut |rule, event| {
            order.take(rule, &event)?;
            joiner.pass(rule, event, &mut |rule, event| events.push_back(Event::of(rule, event)));
            Ok(())
        })?;
        Ok(None)
    }

    /// Strips an event of what 1.0 does not describe, and gives its row; `None` where nothing is left of it.
    fn strip(&mut self, event: &mut Members<'_>) -> Verdict<Option<&'static Rule>> {
        let Some(name) = text(event, "type") else {
            return Err(StreamError::new(Fault::NotAnEvent, &[]));
        };
        let (run, warnings) = (self.order.run_id(), &mut self.warnings);
        let Some(rule) = Rule::of(name).or_else(|| self.thinking.translate(event, run, warnings)) else {
            let name = text(event, "type").unwrap_or_default();
            warnings.push(Detail::UnknownEvent, &[name], Some("/type".to_owned()));
            return Ok(None);
        };
        let is_kept = enforce_members(event, rule.own, rule.shared, warnings)?;
        if rule.does == Does::StartRun
            && let Some(version) = text(event, "protocolVersion")
            && !is_served(version)
        {
            warnings.push(Detail::NewerVersion, &[version], Some("/protocolVersion".to_owned()));
        }
        Ok(is_kept.then_some(rule))
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
            Some(error) => End { outcome: EndOutcome::Rejected, error: Some(EndError::Refused(error.clone())) },
            None => self.order.end(),
        }
    }
}

/// Whether the text of a frame would be JSON if it went on.
fn is_cut(text: &str) -> bool {
    Json::parse_with_halves(text, "").is_err_and(|error| error.is_incomplete())
}

/// Whether a version is no newer than this client's.
fn is_served(version: &str) -> bool {
    let number = |digits: &str| -> Option<u64> {
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let parts = version.split_once('.');
    let numbers = parts.and_then(|(major, minor)| number(major).zip(number(minor)));
    numbers.is_some_and(|numbers| numbers <= (1, 0))
}
