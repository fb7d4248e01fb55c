//! One conversation: run state, asks, and what the page shows of them. It knows nothing of the network.

use crate::transcript::Transcript;
use ag_ui_stream::asks::AskChange;
use ag_ui_stream::asks::reply::NextRun;
use ag_ui_stream::reader::{End, StreamError};
use ag_ui_stream::thread::Change;
use ag_ui_stream::{Asks, Event, EventReader, Message, Thread};
use ask_user_question::{AskSnapshot, Phase};

/// Feeds a response's bytes through reader, run state and interceptor into the transcript's signals.
pub(crate) struct Conversation {
    pub(crate) thread: Thread,
    pub(crate) asks: Asks,
    pub(crate) transcript: Transcript,
    reader: EventReader,
}

impl Conversation {
    pub(crate) fn new() -> Self {
        Self {
            thread: Thread::default(),
            asks: Asks::new(),
            transcript: Transcript::new(),
            reader: EventReader::new(),
        }
    }

    /// At the start of a response.
    pub(crate) fn start_response(&mut self) {
        self.reader = EventReader::new();
    }

    /// Takes the next bytes of the response.
    ///
    /// # Errors
    /// Where they break the protocol; what came before is kept and shown.
    pub(crate) fn feed(&mut self, now: u64, chunk: &[u8]) -> Result<(), StreamError> {
        self.reader.feed(chunk);
        self.drain(now)
    }

    /// Takes the end of the response and says how it ended.
    pub(crate) fn finish(&mut self, now: u64) -> End {
        let end = self.reader.finish();
        // A violation in the last frame is part of the end that is returned.
        let _ = self.drain(now);
        self.thread.handle_end(&end);
        let changes = self.asks.handle_end(now, &end);
        self.show_asks(changes);
        end
    }

    /// Takes what a run's input says: its new messages are part of the conversation from here on.
    pub(crate) fn start_run(&mut self, run: &NextRun) {
        let changes = run.start(&mut self.thread, &mut self.asks);
        self.show_asks(changes);
        self.transcript.lay(&self.thread);
    }

    /// Takes what became of an ask elsewhere.
    pub(crate) fn push_message(&mut self, message: Message) {
        let changes = self.asks.handle_message(&message);
        self.thread.push_message(message);
        self.show_asks(changes);
        self.transcript.lay(&self.thread);
    }

    /// What the time changes.
    pub(crate) fn handle_timeout(&mut self, now: u64) {
        let changes = self.asks.handle_timeout(now);
        self.show_asks(changes);
    }

    /// The asks that wait for their replies, in the order in which they began.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &AskSnapshot> {
        self.asks
            .asks()
            .filter(|ask| ask.phase == Phase::Answerable)
    }

    fn drain(&mut self, now: u64) -> Result<(), StreamError> {
        while let Some(event) = self.reader.next_event() {
            self.take(now, &event?);
        }
        Ok(())
    }

    fn take(&mut self, now: u64, event: &Event) {
        let change = self.thread.handle_event(event);
        let asks = self.asks.handle_event(now, event);
        let opened = self.show_asks(asks);
        if opened || self.needs_lay(change) {
            self.transcript.lay(&self.thread);
        }
    }

    /// Shows what can be shown in place; true where the list has to be laid anew.
    fn needs_lay(&self, change: Change) -> bool {
        match change {
            Change::TextAppended { message, from } => match &self.thread.messages()[message] {
                Message::Assistant(assistant) => {
                    let text = assistant.content.as_deref().unwrap_or_default();
                    !text.is_empty() && !self.transcript.append(&assistant.id, &text[from..])
                }
                // Nothing else that streams is shown.
                _ => false,
            },
            Change::RunStarted { added } => added > 0,
            Change::Nothing
            | Change::RunEnded
            | Change::ArgumentsAppended { .. }
            | Change::StateChanged => false,
            Change::MessageAdded { .. }
            | Change::MessageChanged { .. }
            | Change::ToolCallAdded { .. }
            | Change::ToolCallChanged { .. }
            | Change::MessagesReplaced => true,
        }
    }

    /// True where an ask began.
    fn show_asks(&mut self, changes: Vec<AskChange>) -> bool {
        let mut opened = false;
        for change in changes {
            match change {
                AskChange::Opened { tool_call_id } => {
                    opened = true;
                    self.transcript.open_ask(&tool_call_id, &self.thread);
                }
                AskChange::Patched {
                    tool_call_id,
                    patch,
                } => {
                    self.transcript
                        .update_ask(&tool_call_id, |ask| ask.apply(patch));
                }
            }
        }
        opened
    }
}
