//! Turns bytes into verified events, by the steps of `basic/processing`.

mod halves;
mod lanes;
mod order;
mod thinking;

pub use crate::end::{BrokeOff, End, EndError, EndOutcome};

use crate::event::{Event, EventRef};
use crate::input::PROTOCOL_VERSION;
use crate::notice::{Code, Notice, NoticeDetail, NoticeResult, Notices};
use crate::protocol::{EntityKind, EventEffect, EventRule};
use crate::sse::{Decoder, Lines, SseError};
use crate::wire::{Members, enforce_members, parse, tag};
use halves::Joiner;
use json_tree::{Halves, Json, natural};
use lanes::Lanes;
use order::Order;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::{iter, mem};
use thinking::Thinking;

/// Reads one response of an agent, as a sequence of events.
///
/// - [`feed`](Self::feed) takes bytes of any length, or [`feed_json`](Self::feed_json) single events,
/// - [`next_event`](Self::next_event) returns the events in order, and [`next_warning`](Self::next_warning) the tolerated faults,
/// - [`finish`](Self::finish) returns the remaining events and the end of the stream.
///
/// After each `feed`, call `next_event` until it returns `None`. Events are expanded (no `*_CHUNK`), have only members that 1.0 describes, and are
/// in an order that the protocol allows. A surrogate pair that was cut in two by deltas is whole in the second delta. The first violation is
/// returned once as an error, after the events before it, and ends the stream.
///
/// ```
/// use ag_ui_stream::EventReader;
/// use ag_ui_stream::reader::EndOutcome;
/// let mut reader = EventReader::new();
/// reader.feed(b"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n");
/// reader.feed(b"data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"Hel\"}\n\n");
/// let mut names = Vec::new();
/// while let Some(event) = reader.next_event() {
///     names.push(event?.name());
/// }
/// assert_eq!(names, ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"]);
/// // The response breaks off within the run, which is never a success.
/// assert_eq!(reader.finish().end.outcome, EndOutcome::Truncated);
/// # Ok::<(), ag_ui_stream::notice::Notice>(())
/// ```
#[derive(Debug, Default)]
pub struct EventReader {
    decoder: Decoder,
    pipeline: Pipeline,
}

/// The steps after framing. It is separate from the decoder so that a frame can be borrowed from the decoder.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    /// The number of events so far, including dropped events.
    count: u64,
    /// The current frame names an SSE event type, which frames of the protocol never do. The data of sse-starlette's `ping` is not JSON
    /// (<https://github.com/sysid/sse-starlette/issues/51>).
    is_named: bool,
    /// True if the present text came in a frame, which may be a heartbeat.
    is_frame: bool,
    /// The rule of the last event, tried first because the next event often has the same type.
    last: Option<&'static EventRule>,
    thinking: Thinking,
    lanes: Lanes,
    order: Order,
    joiner: Joiner,
    events: VecDeque<Event>,
    warnings: Notices,
    error: Option<Notice>,
    error_given: bool,
}

impl EventReader {
    /// Creates a reader at the start of a response.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the response.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.pipeline.error.is_none() {
            self.decoder.feed(bytes);
        }
    }

    /// Takes one event as JSON text, as if it had come in a frame.
    pub fn feed_json(&mut self, text: &str) {
        (self.pipeline.is_frame, self.pipeline.is_named) = (false, false);
        let taken = self.pipeline.take(text);
        self.pipeline.queue(taken);
    }

    /// The next event, or the error that ends the stream (returned once). `None` until more bytes arrive.
    pub fn next_event(&mut self) -> Option<Result<Event, Notice>> {
        self.next_ref().map(|event| event.map(EventRef::into_owned))
    }

    /// As [`next_event`](Self::next_event), but borrows from the input instead of copying.
    pub fn next_ref(&mut self) -> Option<Result<EventRef<'_>, Notice>> {
        let (bytes, lines, pipeline) = self.parts();
        pipeline.next(bytes, lines)
    }

    pub(crate) fn parts(&mut self) -> (&[u8], &mut Lines, &mut Pipeline) {
        let (bytes, lines) = self.decoder.parts();
        (bytes, lines, &mut self.pipeline)
    }

    /// The next tolerated fault. While [`Notice::MAX_WAITING`] faults wait, later ones are dropped.
    pub fn next_warning(&mut self) -> Option<Notice> {
        self.pipeline.next_warning()
    }

    /// Ends the stream. Returns the events that were not taken yet, and the end. A last frame without a blank line is read, too.
    pub fn finish(&mut self) -> Rest {
        let end = self.end();
        Rest { events: iter::from_fn(|| self.next_event()).filter_map(Result::ok).collect(), end }
    }

    /// Queues the events of the last frames, and returns the end of the stream.
    pub(crate) fn end(&mut self) -> End {
        let (bytes, lines) = self.decoder.parts();
        while self.pipeline.error.is_none()
            && let Some(frame) = lines.next(bytes)
        {
            let taken = self.pipeline.take_frame(frame, lines);
            self.pipeline.queue(taken);
        }
        if self.pipeline.error.is_none()
            && let Some(frame) = lines.finish(bytes)
        {
            let taken = self.pipeline.take_last_frame(frame, lines);
            self.pipeline.queue(taken);
        }
        self.pipeline.end()
    }
}

/// What remains of a stream at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// The events that were not taken before, in order.
    pub events: Vec<Event>,
    /// The end of the stream. If the stream was refused, its error has the notice.
    pub end: End,
}

type Data<'t> = Result<Cow<'t, str>, SseError>;

impl Pipeline {
    pub(crate) fn next<'t>(&mut self, bytes: &'t [u8], lines: &mut Lines) -> Option<Result<EventRef<'t>, Notice>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(Ok(event));
            }
            if let Some(error) = &self.error {
                return (!mem::replace(&mut self.error_given, true)).then(|| Err(error.clone()));
            }
            if let Some(event) = self.take_frame(lines.next(bytes)?, lines) {
                return Some(Ok(event));
            }
        }
    }

    fn queue(&mut self, taken: Option<EventRef<'_>>) {
        if let Some(event) = taken {
            self.events.push_back(event.into_owned());
        }
    }

    pub(crate) fn next_warning(&mut self) -> Option<Notice> {
        self.warnings.take()
    }

    /// Processes a frame. Returns its event, unless the event was queued or dropped. An error is kept until the events before it are taken.
    fn take_frame<'t>(&mut self, data: Data<'t>, lines: &Lines) -> Option<EventRef<'t>> {
        (self.is_frame, self.is_named) = (true, lines.is_named());
        match data {
            Ok(Cow::Borrowed(text)) => self.take(text),
            Ok(Cow::Owned(text)) => self.take(&text).map(EventRef::into_owned),
            Err(SseError::FrameTooLong { limit }) => {
                self.error = Some(*Notice::new(NoticeDetail::LongFrame, &[&limit.to_string()]));
                None
            }
        }
    }

    /// Processes the last frame, which no blank line ended. Incomplete JSON in it is a fault of the connection, not of the producer
    /// (`basic/transports#truncation`).
    fn take_last_frame<'t>(&mut self, data: Data<'t>, lines: &Lines) -> Option<EventRef<'t>> {
        let is_cut = |text: &str| Json::parse_with_halves(text, "").is_err_and(|error| error.is_incomplete());
        if data.as_ref().is_ok_and(|text| is_cut(text)) {
            self.order.broken = true;
            return None;
        }
        self.take_frame(data, lines)
    }

    /// Takes an event: translates, strips, expands and verifies it.
    fn take<'t>(&mut self, text: &'t str) -> Option<EventRef<'t>> {
        if self.error.is_some() {
            return None;
        }
        let index = self.begin_event();
        match parse(text).and_then(|(json, halves)| self.walk(json, halves)) {
            Ok(event) => event,
            Err(error)
                if matches!(error.code, Code::InvalidJson | Code::NotAnEvent)
                    && (self.is_named || self.is_frame && is_idle(text)) =>
            {
                self.warnings.push(NoticeDetail::SkippedFrame, &[], None);
                None
            }
            Err(error) if self.order.has_failed() && error.code != Code::Order => {
                self.warnings.push(NoticeDetail::AfterError, &["a frame"], None);
                None
            }
            Err(mut error) => {
                error.event_index = Some(index);
                self.error = Some(*error);
                None
            }
        }
    }

    fn begin_event(&mut self) -> u64 {
        let index = self.count;
        self.count += 1;
        self.warnings.begin_event(index);
        index
    }

    /// As [`take`](Self::take), for parsed text. Returns the event itself if it expands to just itself; otherwise its events are queued.
    fn walk<'t>(&mut self, json: Json<'t>, halves: Halves) -> NoticeResult<Option<EventRef<'t>>> {
        let Json::Object(mut event) = json else {
            return Err(Notice::new(NoticeDetail::NoEvent, &[]));
        };
        self.joiner.begin(halves);
        let Some(rule) = self.strip(&mut event)? else {
            return Ok(None);
        };
        if self.lanes.pass(rule) && self.joiner.is_idle() && rule.effect != EventEffect::FinishRun {
            let event = EventRef { rule, members: event };
            let is_kept = self.order.take(&event, &mut self.warnings)?;
            return Ok(is_kept.then_some(event));
        }
        let Self { order, joiner, events, warnings, lanes, .. } = self;
        lanes.take(rule, event, &mut |rule, event| {
            let event = EventRef { rule, members: event };
            if order.take(&event, warnings)? {
                let mut pass = |rule, members| events.push_back(EventRef { rule, members }.into_owned());
                for call in mem::take(&mut order.unended) {
                    warnings.push(NoticeDetail::UnendedCall, &[&call], None);
                    let (end, event) = EntityKind::Call.end_of(&call);
                    joiner.pass(end, event, &mut pass);
                }
                joiner.pass(rule, event.members, &mut pass);
            }
            Ok(())
        })?;
        Ok(None)
    }

    /// Removes members that 1.0 does not describe, and returns the rule of the event; `None` if the whole event is dropped.
    fn strip(&mut self, event: &mut Members<'_>) -> NoticeResult<Option<&'static EventRule>> {
        let Some(name) = tag(event, "type") else {
            return Err(Notice::new(NoticeDetail::NoEvent, &[]));
        };
        let warnings = &mut self.warnings;
        let same = self.last.filter(|rule| rule.name == name);
        let known = same.or_else(|| EventRule::of(name));
        let Some(rule) = known.or_else(|| self.thinking.translate(event, self.order.run_id(), warnings)) else {
            let name = tag(event, "type").unwrap_or_default();
            warnings.push(NoticeDetail::UnknownEvent, &[name], Some("/type".to_owned()));
            return Ok(None);
        };
        self.last = Some(rule);
        let is_kept = enforce_members(event, rule.own, rule.shared, warnings)?;
        if rule.effect == EventEffect::StartRun
            && let Some(version) = event.string("protocolVersion")
            && !is_served(version)
        {
            warnings.push(
                NoticeDetail::NewerVersion,
                &[version, PROTOCOL_VERSION],
                Some("/protocolVersion".to_owned()),
            );
        }
        Ok(is_kept.then_some(rule))
    }

    fn end(&self) -> End {
        match &self.error {
            Some(error) => End { outcome: EndOutcome::Rejected, error: Some(EndError::Refused(error.clone())) },
            None => self.order.end(),
        }
    }
}

/// Returns true if the data of a frame, which is no event, is a heartbeat: empty (<https://github.com/akka/akka-http/issues/4017>) or with a word of
/// its own. Servers that forward the stream of a model's API end it with `[DONE]`.
fn is_idle(text: &str) -> bool {
    const LONGEST: usize = 64;
    const WORDS: [&str; 6] = ["done", "ping", "pong", "keepalive", "alive", "heartbeat"];
    if text.len() > LONGEST {
        return false;
    }
    let letters = |part: &str| part.replace(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric(), "");
    // Names and values of an object, or all of another text.
    let parts: Vec<String> = text.split(['{', '}', '[', ']', '"', ':', ',']).map(letters).collect();
    let is_any = |words: &[&str]| parts.iter().any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)));
    is_any(&WORDS) || parts.concat().is_empty() || parts.concat() == "null"
}

fn is_served(version: &str) -> bool {
    let Some((major, minor)) = version.split_once('.') else {
        return false;
    };
    matches!((natural(major), natural(minor)), (Some(0), Some(_)) | (Some(1), Some(0)))
}
