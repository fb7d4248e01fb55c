//! Refusals and tolerated faults as data: code and position. `Display` adds a sentence.

use std::fmt;

/// A fault in a stream: it was refused, tolerated, dropped or repaired.
///
/// The sentence of `Display` uses the protocol's terms and is meant for logs and for the agent's author. A page chooses its own words by the
/// [`code`](Self::code).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The kind of fault.
    pub code: Code,
    /// A JSON pointer into the event; `None` if no single place is wrong.
    pub path: Option<String>,
    /// The index of the event in the stream, from 0, including dropped events; `None` if the fault is in no single event.
    pub event_index: Option<u64>,
    detail: NoticeDetail,
    names: Vec<String>,
}

/// The result of one step of the reader. The error is boxed since it is large and rare.
pub(crate) type NoticeResult<T = ()> = Result<T, Box<Notice>>;

/// Declares each kind of notice with its spelling, and its details with their sentences. `{0}` and so on are replaced by the detail's names.
macro_rules! notices {
    ($( $(#[$doc:meta])* $code:ident $spelling:literal { $( $detail:ident $text:literal; )* } )*) => {
        /// The kinds of notice. Their spelling is a stable part of the API: programs choose their words by it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $( $(#[$doc])* $code, )*
        }

        impl Code {
            /// The spelling in JSON, such as `frame-too-long`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$code => $spelling, )*
                }
            }
        }

        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum NoticeDetail {
            $( $( $detail, )* )*
        }

        impl NoticeDetail {
            fn code(self) -> Code {
                match self {
                    $( $( Self::$detail )|* => Code::$code, )*
                }
            }

            fn text(self) -> &'static str {
                match self {
                    $( $( Self::$detail => $text, )* )*
                }
            }
        }
    };
}

notices! {
    /// A frame is longer than allowed.
    FrameTooLong "frame-too-long" {
        LongFrame "a frame is longer than {0} bytes";
    }
    /// A frame's data is no JSON, is nested deeper than 127 levels, or has a number that no double holds.
    InvalidJson "invalid-json" {
        NotJson "this is not JSON: {0} at byte {1}";
    }
    /// A frame's data is JSON, but no object with a `type`.
    NotAnEvent "not-an-event" {
        NoEvent "the frame is no object with a string `type`";
    }
    /// A described member is missing or of the wrong kind.
    Malformed "malformed" {
        Missing "required, and missing";
        Unexpected "expected {0}, found {1}";
        Integer "expected an integer from {0} to {1}, found {2}";
        Choice "expected \"{0}\", found \"{1}\"";
        TooFew "expected at least {0} item, found {1}";
        NoTag "expected a string `{0}`";
        Operation "{0}";
    }
    /// A chunk continues no stream, or contradicts the stream that it continues.
    Chunk "chunk" {
        FirstChunkLacks "First {0} must have a {1}";
        ChunkDiffers "{0}: the {1} '{2}' does not match the open stream's {1} '{3}'";
        ChunkOfAnother "{0} for '{1}' names another subagent than the open stream";
        ChunkIsAmbiguous "Ambiguous {0}: several streams are open and it names none";
    }
    /// An event that is not allowed at its place.
    Order "order" {
        NotFirst "First event must be 'RUN_STARTED'";
        RunFinished "Cannot send event type '{0}': The run has already finished with 'RUN_FINISHED'";
        RunIsOpen "Cannot send 'RUN_STARTED' while a run is still active";
        OtherThread "'{0}' names thread '{1}' instead of '{2}'";
        InterruptTwice "'RUN_FINISHED' names interrupt '{0}' twice";
        AlreadyOpen "A {0} with ID '{1}' is already in progress";
        NotOpen "No active {0} found with ID '{1}'";
        OtherOwner "The {0} '{1}' continues for another subagent than it began for";
        OtherParent "Tool call '{0}' of subagent '{1}' names a parent message that the subagent does not own";
        StepIsOpen "Step '{0}' is already active";
        StepIsNotOpen "Cannot send 'STEP_FINISHED' for step '{0}' that was not started";
        SubagentAgain "Subagent '{0}' was already started in this run";
        UnknownParent "Subagent '{0}' names the parent '{1}', which was not started";
        SubagentIsNotOpen "Cannot send '{0}' for subagent '{1}' that is not active";
        StillOpen "Cannot send 'RUN_FINISHED' while {0} are still active: {1}";
    }
    /// An event of a type that 1.0 does not have was dropped.
    UnknownEvent "unknown-event" {
        UnknownEvent "an event of the unknown type {0} was dropped";
    }
    /// A property that 1.0 does not describe was stripped.
    UnknownProperty "unknown-property" {
        UnknownProperty "the property {0} is not described in version 1.0 and was stripped";
    }
    /// A member of a union that 1.0 does not have was removed.
    UnknownMember "unknown-member" {
        UnknownChoice "the unknown {0} was removed";
        UnknownKind "something of the unknown {0} {1} was removed";
        UnknownOperation "a JSON Patch operation of an unknown kind was removed";
    }
    /// A retired event or form was translated.
    Retired "retired" {
        RetiredTitle "the title of a retired THINKING_START has no place in 1.0 and was dropped";
        RetiredForm "a retired form was translated";
    }
    /// The producer speaks a newer version.
    NewerVersion "newer-version" {
        NewerVersion "the producer speaks version {0}, this client {1}";
    }
    /// A state or activity patch does not apply; the value before it was kept.
    PatchFailed "patch-failed" {
        StatePatch "Failed to apply state patch: operation {0}: {1}";
        ActivityPatch "Failed to apply activity patch for '{0}': operation {1}: {2}";
    }
    /// An activity patch names an activity that does not exist; it was skipped.
    MissingActivity "missing-activity" {
        MissingActivity "there is no activity '{0}'; its patch was skipped";
    }
    /// A call started again under another name; the later name holds.
    RenamedToolCall "renamed-tool-call" {
        Renamed "the call '{0}' of {1} started again as {2}";
    }
    /// A call's parent is no assistant message; the call got a message of its own.
    ForeignParent "foreign-parent" {
        ForeignParent "the parent '{0}' of call '{1}' is no assistant message";
    }
    /// An event names a message or call that does not exist; it was skipped.
    MissingEntity "missing-entity" {
        MissingMessage "the message '{0}' is not there; the event was skipped";
        MissingCall "no message holds the call '{0}' any more";
        MissingEncrypted "an encrypted value is for '{0}', which is not there; it was skipped";
    }
    /// A text is for a message that can't have text; it was dropped.
    TextDropped "text-dropped" {
        TextDropped "the message '{0}' takes no text; some was dropped";
    }
    /// A frame holds no event, as heartbeats of proxies do; it was skipped.
    SkippedFrame "skipped-frame" {
        SkippedFrame "a frame without an event was skipped";
    }
    /// An event came after the error that ended its run; it was dropped.
    AfterError "after-error" {
        AfterError "{0} came after RUN_ERROR and was dropped";
    }
    /// A run finished with another run or thread id than it started with.
    OtherId "other-id" {
        OtherId "RUN_FINISHED has the {0} '{1}', RUN_STARTED had '{2}'";
    }
    /// Arguments or another end came after the end of their call; they were dropped.
    LateArguments "late-arguments" {
        LateArguments "an event for the call '{0}' came after its end and was dropped";
    }
    /// Text or another end came after the end of its message; the text was appended.
    LateText "late-text" {
        LateText "{0} for '{1}' came after the end of the message";
    }
    /// A run started twice; the second start was dropped.
    RepeatedRun "repeated-run" {
        RepeatedRun "RUN_STARTED for the run '{0}' came again and was dropped";
    }
    /// A run ended in an interrupt while a call was open; the call ended with it.
    UnendedCall "unended-call" {
        UnendedCall "the call '{0}' had not ended and was interrupted";
    }
    /// A call id was used again; the later call got a key of its own.
    RepeatedCall "repeated-call" {
        RepeatedCall "the call id '{0}' was used again; the later call has the key '{1}'";
    }
    /// The arguments of a call came more than once or after a placeholder; one version was kept.
    SettledArguments "settled-arguments" {
        SettledArguments "the arguments of the call '{0}' came more than once; one form was kept";
    }
    /// A message began under the id of another one; it got an id of its own.
    RepeatedMessage "repeated-message" {
        RepeatedMessage "another message has the id '{0}'; the later one has the id '{1}'";
    }
    /// A message repeated the text of the one before it; it was dropped.
    RepeatedText "repeated-text" {
        RepeatedText "the message '{0}' repeated the one before it and was dropped";
    }
}

impl Code {
    /// True if the stream is refused: its rest is not read, and earlier events stay applied. False if the fault was tolerated.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        self <= Self::Order
    }
}

impl Notice {
    /// At most this many notices wait to be taken; later ones are dropped. The first ones show the fault, and a caller may never take any.
    pub const MAX_WAITING: usize = 256;

    #[cold]
    pub(crate) fn new(detail: NoticeDetail, names: &[&str]) -> Box<Self> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Box::new(Self { code: detail.code(), path: None, event_index: None, detail, names })
    }

    pub(crate) fn at(mut self: Box<Self>, path: String) -> Box<Self> {
        self.path = Some(path);
        self
    }

    /// Turns a warning into a refusal, for callers that can't accept a partial value.
    pub(crate) fn refused(self) -> Box<Self> {
        Box::new(Self { code: Code::Malformed, path: None, ..self })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path.as_ref().filter(|_| self.code.is_refusal()) {
            write!(f, "{path}: ")?;
        }
        let mut parts = self.detail.text().split('{');
        f.write_str(parts.next().unwrap_or_default())?;
        for part in parts {
            let (place, rest) = part.split_once('}').unwrap_or_default();
            let name = place.parse().ok().and_then(|at: usize| self.names.get(at)).map_or("", String::as_str);
            write!(f, "{name}{rest}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Notice {}

#[derive(Clone, Debug, Default)]
pub(crate) struct Notices {
    /// Usually holds only a few, so removing the first one is cheap.
    waiting: Vec<Notice>,
    event_index: Option<u64>,
}

impl Notices {
    pub(crate) fn begin_event(&mut self, index: u64) {
        self.event_index = Some(index);
    }

    #[cold]
    pub(crate) fn push(&mut self, detail: NoticeDetail, names: &[&str], path: Option<String>) {
        if self.waiting.len() < Notice::MAX_WAITING {
            self.waiting.push(Notice { path, event_index: self.event_index, ..*Notice::new(detail, names) });
        }
    }

    pub(crate) fn take(&mut self) -> Option<Notice> {
        (!self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }

    pub(crate) fn into_vec(self) -> Vec<Notice> {
        self.waiting
    }
}
