//! The native measurements, and their inputs.

use crate::input::{CHUNK, Input, history};
use crate::{ours, peers};
use ag_ui_stream::Message;
use ask_user_question::Phase;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One reader of a stream, as far as it reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Frames,
    SseStream,
    TaggedEnum,
    Events,
    AgUi,
    Whole,
    WholeAfter400,
}

impl Part {
    /// Every part, in the table's order.
    pub(crate) const ALL: [Self; 7] =
        [Self::Frames, Self::SseStream, Self::TaggedEnum, Self::Events, Self::AgUi, Self::Whole, Self::WholeAfter400];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Frames => "frames",
            Self::SseStream => "frames by sse-stream",
            Self::TaggedEnum => "serde_json's tagged enum, without frames",
            Self::Events => "decoded and verified",
            Self::AgUi => "decoded and verified by ag-ui",
            Self::Whole => "whole, with thread and asks",
            Self::WholeAfter400 => "whole, after 400 earlier messages",
        }
    }
}

/// A stream, and what some parts need beside it.
pub(crate) struct Case {
    pub(crate) input: Input,
    floor: peers::TaggedEnum,
    history: Vec<Message>,
}

impl Case {
    /// With this number of bytes of arguments. Every part reads all of it, or nothing is worth measuring.
    pub(crate) fn of(size: usize) -> Self {
        let input = Input::of(size);
        let case = Self { floor: peers::TaggedEnum::of(&input.bytes), history: history(400), input };
        case.check();
        case
    }

    /// The time that a part takes to read the stream once.
    pub(crate) fn time(&self, part: Part) -> Duration {
        let bytes = &self.input.bytes;
        let whole = |history: &[Message]| {
            timed(ours::Whole::after(history.to_vec()), |whole| {
                self.chunks().for_each(|chunk| whole.feed(0, chunk));
            })
        };
        match part {
            Part::Frames => timed(ours::Frames::default(), |frames| {
                self.chunks().for_each(|chunk| frames.feed(chunk));
            }),
            Part::SseStream => timed((), |()| {
                black_box(peers::sse_stream(bytes));
            }),
            Part::TaggedEnum => timed((), |()| {
                black_box(self.floor.decode());
            }),
            Part::Events => timed(ours::Events::default(), |events| {
                self.chunks().for_each(|chunk| events.feed(chunk));
            }),
            Part::AgUi => timed((), |()| {
                black_box(peers::ag_ui(bytes));
            }),
            Part::Whole => whole(&[]),
            Part::WholeAfter400 => whole(&self.history),
        }
    }

    fn check(&self) {
        let arguments = &self.input.arguments;
        let mut frames = ours::Frames::default();
        self.chunks().for_each(|chunk| frames.feed(chunk));
        assert_eq!(frames.length, peers::sse_stream(&self.input.bytes));
        assert_eq!(self.floor.decode(), self.input.events);
        let mut events = ours::Events::default();
        self.chunks().for_each(|chunk| events.feed(chunk));
        assert_eq!(events.length, arguments.len());
        let mut whole = ours::Whole::after(self.history.clone());
        self.chunks().for_each(|chunk| whole.feed(0, chunk));
        assert_eq!(whole.arguments(), Some(arguments.as_str()));
        let ask = whole.ask().expect("the stream asks");
        assert_eq!(ask.phase, Phase::Answerable);
        let sent = serde_json::from_str(arguments).expect("the arguments are an ask");
        assert_eq!(ask.ask.as_deref(), Some(&sent));
    }

    fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        self.input.bytes.chunks(CHUNK)
    }
}

/// The time of `read`; making its state and dropping it is not counted.
fn timed<S>(mut state: S, read: impl FnOnce(&mut S)) -> Duration {
    let start = Instant::now();
    read(&mut state);
    let time = start.elapsed();
    black_box(state);
    time
}
