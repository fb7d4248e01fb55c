//! One conversation in one object: takes bytes, returns updates and requests.

use crate::asks::reply::{NextRun, Refusal, RunDefaults, UserTurn, next_run};
use crate::asks::{AskDelta, Asks};
use crate::event::{Event, EventRef};
use crate::history::History;
use crate::message::Message;
use crate::notice::Notice;
use crate::outcome::Interrupt;
use crate::reader::{End, EventReader};
use crate::thread::{Change, RunState, Thread};
use std::collections::VecDeque;
use std::mem;

/// A conversation as a chat page needs it: combines reader, thread and asks.
///
/// - [`feed`](Self::feed), [`finish`](Self::finish) and [`handle_event`](Self::handle_event) take the agent's response,
///   [`push_message`](Self::push_message) takes other messages, and [`handle_timeout`](Self::handle_timeout) the time,
/// - [`next_update`](Self::next_update) returns the changes; call it after each of them until it returns `None`,
/// - [`request`](Self::request) writes the next body to post, and [`start_response`](Self::start_response) takes it as sent,
/// - [`thread`](Self::thread) and [`asks`](Self::asks) are the present state.
///
/// `now` is in milliseconds since the Unix epoch.
///
/// ```
/// use ag_ui_stream::asks::reply::{RunDefaults, UserTurn};
/// use ag_ui_stream::conversation::Update;
/// use ag_ui_stream::{Conversation, Event};
/// let mut conversation = Conversation::default();
/// let arguments = r#"{"questions":[{"question":"Where to?","options":[{"label":"Rome"},{"label":"Oslo"}]}]}"#;
/// for event in [
///     Event::run_started("t", "r1"),
///     Event::tool_call_start("c1", "ask_user_question"),
///     Event::tool_call_args("c1", arguments),
///     Event::tool_call_end("c1"),
///     Event::run_finished("t", "r1"),
/// ] {
///     conversation.feed_json(&event.to_string());
/// }
/// conversation.finish();
/// while let Some(update) = conversation.next_update(0) {
///     if let Update::Warning(warning) = update {
///         println!("{warning}");
///     }
/// }
/// let ask = conversation.asks().ask("c1").expect("it was asked");
/// assert!(ask.phase.takes_answer());
/// // The question waits for its card, so a turn that says nothing about it is not sent.
/// let ids = || "r2".to_owned();
/// assert!(conversation.request(0, &RunDefaults::default(), &UserTurn::default(), ids).is_err());
/// ```
#[derive(Debug, Default)]
pub struct Conversation {
    reader: EventReader,
    /// The end of the response, until all of its events were taken.
    end: Option<End>,
    /// The whole response was taken, so the next bytes need a new reader.
    is_over: bool,
    talk: ConversationState,
}

/// Thread and asks. They are separate from the reader, so that an event can be borrowed from the reader.
#[derive(Debug, Default)]
struct ConversationState {
    thread: Thread,
    asks: Asks,
    /// The updates of the thread. They are returned before the changes of the asks.
    updates: VecDeque<Update<'static>>,
}

/// One change of a [`Conversation`]. Updates are returned one at a time, so that the positions in each are still valid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Update<'a> {
    /// An event of the response.
    Event {
        /// The event, possibly borrowed from the input.
        event: EventRef<'a>,
        /// Its effect on messages, run and state.
        change: Change,
        /// The ask that grew, if that is the event's only effect on asks. Other changes follow as [`Ask`](Self::Ask).
        ask: Option<AskDelta>,
    },
    /// A change by a message that came in no event.
    Thread(Change),
    /// A question changed.
    Ask(AskDelta),
    /// The response violates the protocol, and its rest is not read. The events before it stay applied. The [`End`](Self::End) has the same notice.
    Refused(Notice),
    /// The response ended.
    End(End),
    /// A fault in the response that was tolerated.
    Warning(Notice),
}

impl Conversation {
    /// Restores a conversation from a history or from a list of messages. `asks` defines what it watches for.
    #[must_use]
    pub fn new(asks: Asks, history: impl Into<History>) -> Self {
        let (mut asks, (thread, records)) = (asks, Thread::restored(history.into()));
        asks.handle_history(&records, &thread);
        let talk = ConversationState { asks, thread, updates: VecDeque::new() };
        Self { reader: EventReader::new(), end: None, is_over: false, talk }
    }

    /// The value from which [`new`](Self::new) restores the conversation.
    #[must_use]
    pub fn history(&self) -> History {
        let mut history = self.thread().history();
        history.records.extend(self.asks().records(self.thread()));
        history
    }

    /// Messages, state, tool calls and the state of the run.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.talk.thread
    }

    /// The snapshots of all asks.
    #[must_use]
    pub fn asks(&self) -> &Asks {
        &self.talk.asks
    }

    /// Takes the next bytes of the response. After an [`Update::End`] they begin the next response.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.reader().feed(bytes);
    }

    /// Takes one event as JSON text, as if it had come in a frame.
    pub fn feed_json(&mut self, text: &str) {
        self.reader().feed_json(text);
    }

    /// Ends the response. One [`Update::End`] follows its last event.
    pub fn finish(&mut self) {
        // An open run breaks off, too, if its events came by `handle_event`.
        if !self.is_over || matches!(self.thread().run(), RunState::Running { .. }) {
            self.end = Some(self.reader().end());
        }
    }

    /// Takes an event that another reader has verified, such as one of another tab.
    pub fn handle_event(&mut self, now: u64, event: Event) {
        self.talk.queue(now, event);
    }

    /// Adds a message of the client, or one that was received by another way.
    pub fn push_message(&mut self, message: Message) {
        let talk = &mut self.talk;
        let change = talk.thread.push_message(message);
        talk.push(Update::Thread(change));
        talk.asks.handle_message(change, &talk.thread);
        talk.push_warnings();
    }

    /// Ends the asks whose deadline has passed.
    pub fn handle_timeout(&mut self, now: u64) {
        self.talk.asks.handle_timeout(now);
    }

    /// Sets the deadline of an ask whose events carry none, such as one from a server's description. `deadline` is in RFC 3339, as `expiresAt` of an
    /// interrupt. Ignored if it can't be parsed or if the ask is over.
    #[doc(hidden)] // For agent-chat, whose server tells this beside the events.
    pub fn set_deadline(&mut self, tool_call_id: &str, deadline: &str) {
        self.talk.asks.set_deadline(tool_call_id, deadline);
    }

    /// Opens an interrupt that the host received by another way, as if the last run had ended with it.
    #[doc(hidden)] // For agent-chat, whose server tells this beside the events.
    pub fn interrupt(&mut self, interrupt: Interrupt) {
        self.talk.thread.interrupt(interrupt);
        self.talk.asks.handle_interrupts(&self.talk.thread);
    }

    /// Applies a tool message to the asks but not to the thread, for an answer that an endpoint other than the agent's has taken.
    #[doc(hidden)] // For agent-chat, whose server tells this beside the events.
    pub fn settle_asks(&mut self, message: &Message) {
        self.talk.asks.settle(message, &self.talk.thread);
    }

    /// The time at which [`handle_timeout`](Self::handle_timeout) is due, if an ask waits until then.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        self.talk.asks.poll_timeout()
    }

    /// The next update; `None` if there is none at present.
    pub fn next_update(&mut self, now: u64) -> Option<Update<'_>> {
        let Self { reader, end, is_over, talk } = self;
        if let Some(update) = talk.next() {
            return Some(update);
        }
        let (bytes, lines, pipeline) = reader.parts();
        let event = pipeline.next(bytes, lines);
        while let Some(warning) = pipeline.next_warning() {
            talk.updates.push_back(Update::Warning(warning));
        }
        match event {
            Some(Ok(event)) if talk.updates.is_empty() => {
                let (change, ask) = talk.apply(now, &event);
                talk.push_warnings();
                return Some(Update::Event { event, change, ask });
            }
            Some(Ok(event)) => talk.queue(now, event.into_owned()),
            Some(Err(error)) => talk.push(Update::Refused(error)),
            None if talk.updates.is_empty() => {
                talk.take_end(now, end.take()?);
                *is_over = true;
            }
            None => {}
        }
        talk.next()
    }

    fn reader(&mut self) -> &mut EventReader {
        if mem::take(&mut self.is_over) {
            self.reader = EventReader::new();
        }
        &mut self.reader
    }

    /// Writes the request that carries the user's turn. `next_id` returns a new id at each call: first the run's, then one for each new
    /// message.
    ///
    /// Closes every call that would stay open. Calls of the tool that are malformed, interrupted, expired or superseded get a tool message that says
    /// so; answered calls without a result get the answer. Calls of the agent's own tools that its run left open get an error, unless the run ended
    /// in interrupts: then the agent still keeps them. Incomplete arguments are sent as `{}`, since some agents parse them.
    ///
    /// # Errors
    /// The reason why the request must not be sent, such as an unanswered question or interrupt, or a call for this page without a result.
    pub fn request(
        &self,
        now: u64,
        setup: &RunDefaults,
        said: &UserTurn,
        next_id: impl FnMut() -> String,
    ) -> Result<NextRun, Refusal> {
        next_run(now, &self.talk.thread, &self.talk.asks, setup, said, next_id)
    }

    /// Call this once the agent accepts the request: its response begins, and its messages join the conversation. Until then everything stays
    /// answerable, so that a request that failed can be written again.
    pub fn start_response(&mut self, request: &NextRun) {
        // Updates of the last response that were not taken are dropped, including its end.
        (self.reader, self.end, self.is_over) = (EventReader::new(), None, false);
        self.talk.asks.take_resume(&request.answers);
        // A few messages are pushed one by one, so that a page re-renders only what changed.
        const MOST: usize = 16;
        if request.messages.len() <= MOST {
            return request.messages.iter().for_each(|message| self.push_message(message.clone()));
        }
        let talk = &mut self.talk;
        talk.thread.push_messages(request.messages.clone());
        talk.push(Update::Thread(Change::MessagesReplaced));
        for message in &request.messages {
            if let Some(message) = talk.thread.position_of(message.id()) {
                talk.asks.handle_message(Change::MessageAdded { message }, &talk.thread);
            }
        }
        talk.push_warnings();
    }
}

impl ConversationState {
    fn next(&mut self) -> Option<Update<'static>> {
        self.updates.pop_front().or_else(|| self.asks.next_change().map(Update::Ask))
    }

    fn apply(&mut self, now: u64, event: &EventRef<'_>) -> (Change, Option<AskDelta>) {
        let change = self.thread.handle_event(event);
        self.asks.handle_event(now, event, change, &self.thread);
        (change, self.asks.only_growth())
    }

    fn queue(&mut self, now: u64, event: Event) {
        self.push_changes();
        let (change, ask) = self.apply(now, &event);
        self.updates.push_back(Update::Event { event, change, ask });
        self.push_warnings();
    }

    fn take_end(&mut self, now: u64, end: End) {
        self.thread.handle_end(&end);
        self.push_changes();
        self.asks.handle_end(now, &end, &self.thread);
        self.updates.push_back(Update::End(end));
    }

    fn push(&mut self, update: Update<'static>) {
        self.push_changes();
        self.updates.push_back(update);
    }

    fn push_warnings(&mut self) {
        while let Some(warning) = self.thread.next_warning() {
            self.updates.push_back(Update::Warning(warning));
        }
    }

    fn push_changes(&mut self) {
        while let Some(change) = self.asks.next_change() {
            self.updates.push_back(Update::Ask(change));
        }
    }
}
