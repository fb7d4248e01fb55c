//! One conversation in one object: bytes in, changes out of one queue, requests written from what it holds.

use crate::asks::reply::{Delivery, NextRun, Refusal, Said, Setup, next_run};
use crate::asks::{AskChange, Asks};
use crate::event::Event;
use crate::message::Message;
use crate::reader::{End, EventReader, StreamError};
use crate::thread::{Change, Thread};
use crate::warning::Warning;
use std::collections::VecDeque;
use std::iter;

/// Everything that a chat page needs to know of a conversation.
///
/// - [`feed`](Self::feed), [`finish`](Self::finish) and [`handle_event`](Self::handle_event) take what an agent says,
///   [`push_message`](Self::push_message) what becomes known elsewhere, [`handle_timeout`](Self::handle_timeout) the time,
/// - [`next_update`](Self::next_update) gives what each of them changed; take it until it gives `None`,
/// - [`request`](Self::request) writes what to post next, and [`start_response`](Self::start_response) tells that the agent took it,
/// - [`thread`](Self::thread) and [`asks`](Self::asks) are how it stands.
///
/// `now` is in milliseconds since the Unix epoch.
#[derive(Debug, Default)]
pub struct Conversation {
    reader: EventReader,
    /// The response is over, but not all of its events were taken.
    end: Option<End>,
    thread: Thread,
    asks: Asks,
    updates: VecDeque<Update>,
}

/// What happened in a [`Conversation`]. When an update is given, nothing later has happened yet, so that its positions hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// An event came.
    Event {
        /// The event.
        event: Event,
        /// What it changed of messages, run and state.
        change: Change,
    },
    /// A message became known otherwise.
    Thread(Change),
    /// A question changed.
    Ask(AskChange),
    /// The response breaks the protocol, and nothing in it is read any more. What came before it holds; the end tells it once more.
    Refused(StreamError),
    /// The response ended.
    End(End),
    /// Something was tolerated.
    Warning(Warning),
}

impl Conversation {
    /// With these messages, watching for these asks.
    #[must_use]
    pub fn new(asks: Asks, messages: Vec<Message>) -> Self {
        let mut conversation = Self { asks, thread: Thread::new(messages), ..Self::default() };
        let changes = conversation.asks.handle_history(conversation.thread.messages());
        conversation.tell(changes);
        conversation
    }

    /// Messages, state, calls and run.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// The questions.
    #[must_use]
    pub fn asks(&self) -> &Asks {
        &self.asks
    }

    /// The questions, for what only they take, such as a deadline. Their changes come back instead of going into the queue.
    pub fn asks_mut(&mut self) -> &mut Asks {
        &mut self.asks
    }

    /// Takes the next bytes of the response.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.reader.feed(bytes);
    }

    /// Takes one event as JSON text, as if it had come in a frame.
    pub fn feed_json(&mut self, text: &str) {
        self.reader.feed_json(text);
    }

    /// Takes the end of the response. Behind the last of its events, an [`Update::End`] says how it ended.
    pub fn finish(&mut self) {
        self.end = Some(self.reader.finish());
    }

    /// Takes an event that another reader has verified, such as one of another tab.
    pub fn handle_event(&mut self, now: u64, event: Event) {
        let change = self.thread.handle_event(&event);
        let changes = self.asks.handle_event(now, &event);
        self.updates.push_back(Update::Event { event, change });
        self.updates.extend(iter::from_fn(|| self.thread.next_warning()).map(Update::Warning));
        self.tell(changes);
    }

    /// Takes a message of the client's own, or one that became known elsewhere.
    pub fn push_message(&mut self, message: Message) {
        let changes = self.asks.handle_message(&message);
        let change = self.thread.push_message(message);
        self.updates.push_back(Update::Thread(change));
        self.tell(changes);
    }

    /// What the time changes.
    pub fn handle_timeout(&mut self, now: u64) {
        let changes = self.asks.handle_timeout(now);
        self.tell(changes);
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due, if it is.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        self.asks.poll_timeout()
    }

    /// The next thing that happened, in order.
    pub fn next_update(&mut self, now: u64) -> Option<Update> {
        while self.updates.is_empty() {
            let event = self.reader.next_event();
            self.updates.extend(iter::from_fn(|| self.reader.next_warning()).map(Update::Warning));
            match event {
                Some(Ok(event)) => self.handle_event(now, event),
                Some(Err(error)) => self.updates.push_back(Update::Refused(error)),
                None if self.updates.is_empty() => self.take_end(now)?,
                None => {}
            }
        }
        self.updates.pop_front()
    }

    fn take_end(&mut self, now: u64) -> Option<()> {
        let end = self.end.take()?;
        self.reader = EventReader::new();
        self.thread.handle_end(&end);
        let changes = self.asks.handle_end(now, &end);
        self.updates.push_back(Update::End(end));
        self.tell(changes);
        Some(())
    }

    /// Writes the request that carries what the user says, as [`next_run`] has it.
    ///
    /// # Errors
    /// Why it must not be sent.
    pub fn request(
        &self,
        now: u64,
        setup: &Setup,
        delivery: Delivery,
        said: &Said,
        next_id: impl FnMut() -> String,
    ) -> Result<NextRun, Refusal> {
        next_run(now, &self.thread, &self.asks, setup, delivery, said, next_id)
    }

    /// The agent took a request: its response begins, and what it said is part of the conversation.
    pub fn start_response(&mut self, request: &NextRun) {
        self.reader = EventReader::new();
        let changes = self.asks.take_answers(request);
        self.tell(changes);
        for message in &request.messages {
            self.push_message(message.clone());
        }
    }

    fn tell(&mut self, changes: Vec<AskChange>) {
        self.updates.extend(changes.into_iter().map(Update::Ask));
    }
}
