//! The state of one conversation: run state, asks and the page's entries. It does no I/O.

use crate::details::Details;
use crate::ids::{by_device, by_server};
use crate::transcript::Transcript;
use ag_ui_stream::asks::AskDelta;
use ag_ui_stream::asks::reply::{AskedBy, NextRun, Refusal, RunDefaults, UserTurn};
use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::{EventRef, EventType};
use ag_ui_stream::notice::Notice;
use ag_ui_stream::outcome::Interrupt;
use ag_ui_stream::reader::End;
use ag_ui_stream::thread::{Change, RunState};
use ag_ui_stream::{Asks, Event, History, Message, Thread};
use ask_user_question::outcome::CANCELLED_TEXT;
use ask_user_question::{AskSnapshot, Outcome, Phase, tool};
use json_tree::Json;
use leptos::prelude::*;
use question_compat::READERS;

/// The time without an event after which an agent counts as silent, in milliseconds.
const SILENCE_LIMIT: u64 = 8_000;

/// One conversation. A response's bytes go through the reader and the run state into the transcript's signals.
pub(crate) struct ChatState {
    conversation: ag_ui_stream::Conversation,
    pub(crate) transcript: Transcript,
    ask_tools: AskTools,
    /// The time of the last event or request.
    last_activity: u64,
    /// True if the response has had an event.
    pub(crate) has_heard: bool,
    /// True if a run is open and the last activity was [`SILENCE_LIMIT`] ago or earlier.
    pub(crate) silent: RwSignal<bool>,
    /// An ask and its deadline, from a server message outside of the events.
    deadline: Option<(String, String)>,
}

impl ChatState {
    pub(crate) fn new(ask_tools: AskTools, details: Option<fn() -> Box<dyn Details>>) -> Self {
        Self {
            conversation: ask_tools.restored(History::default()),
            transcript: Transcript::new(details.map(|make| make())),
            ask_tools,
            last_activity: 0,
            has_heard: false,
            silent: RwSignal::new(false),
            deadline: None,
        }
    }

    pub(crate) fn thread(&self) -> &Thread {
        self.conversation.thread()
    }

    pub(crate) fn asks(&self) -> &Asks {
        self.conversation.asks()
    }

    /// The request for the next run, with this turn of the user.
    ///
    /// # Errors
    /// If it must not be sent.
    pub(crate) fn request(
        &self,
        now: u64,
        defaults: &RunDefaults,
        turn: &UserTurn,
        next_id: impl FnMut() -> String,
    ) -> Result<NextRun, Refusal> {
        self.conversation.request(by_server(now), defaults, turn, next_id)
    }

    /// Returns true if the response has the end of its run.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_heard && matches!(self.thread().run(), RunState::Ended { .. })
    }

    /// Updates the `silent` signal. While a run is open, returns the time until the next check, in milliseconds.
    pub(crate) fn update_silence(&mut self, now: u64, is_open: bool) -> Option<u64> {
        let silence = now.saturating_sub(self.last_activity);
        let is_long = is_open && silence >= SILENCE_LIMIT;
        self.set_silent(is_long);
        is_open.then(|| SILENCE_LIMIT - if is_long { 0 } else { silence })
    }

    pub(crate) fn note_activity(&mut self, now: u64) {
        self.last_activity = now;
        self.set_silent(false);
    }

    fn set_silent(&self, silent: bool) {
        if self.silent.get_untracked() != silent {
            self.silent.set(silent);
        }
    }

    /// Reads the next bytes of the response.
    ///
    /// # Errors
    /// If they break the protocol. Everything before the error is shown.
    pub(crate) fn feed(&mut self, now: u64, chunk: &[u8]) -> Result<(), Notice> {
        self.conversation.feed(chunk);
        let response = self.apply_updates(now);
        self.flush();
        response.refused.map_or(Ok(()), Err)
    }

    /// Reads the end of the response and returns its outcome.
    pub(crate) fn finish(&mut self, now: u64) -> End {
        self.conversation.finish();
        let response = self.apply_updates(now);
        self.transcript.end_arriving();
        self.flush();
        response.end.expect("a finished response has an end")
    }

    /// Adds the new messages of a run's input to the conversation.
    pub(crate) fn start_run(&mut self, now: u64, run: &NextRun) {
        self.has_heard = false;
        self.conversation.start_response(run);
        self.apply_updates(now);
        run.messages.iter().for_each(|message| self.transcript.touch_added(message, self.conversation.thread()));
        self.flush();
    }

    /// Adds a message that settles an ask.
    pub(crate) fn push_message(&mut self, now: u64, message: Message) {
        self.conversation.push_message(message);
        self.apply_updates(now);
        self.flush();
    }

    /// Replaces the conversation by the JSON of a [`History`]. Returns false and changes nothing if the JSON is no history.
    pub(crate) fn restore(&mut self, now: u64, history: Json<'_>) -> bool {
        let Ok((history, _)) = History::from_json(history) else { return false };
        self.conversation = self.ask_tools.restored(history);
        self.transcript.start_replay();
        self.conversation.handle_timeout(by_server(now));
        self.apply_updates(now);
        self.finish_replay();
        true
    }

    pub(crate) fn history(&self) -> History {
        self.conversation.history()
    }

    /// Starts a replay from the beginning. Entries stay until its end.
    pub(crate) fn start_replay(&mut self) {
        self.conversation = self.ask_tools.restored(History::default());
        self.transcript.start_replay();
    }

    /// Ends a replay: drops each entry that it did not have.
    pub(crate) fn finish_replay(&mut self) {
        self.transcript.forget_others(self.conversation.thread(), self.conversation.asks());
        self.flush();
    }

    /// Shows a message that the agent does not have yet, or none.
    pub(crate) fn set_unsent(&mut self, message: Option<Message>) {
        self.transcript.set_unsent(message);
        self.flush();
    }

    /// Shows the outcome of an ask that another endpoint than the agent's has accepted. The agent's event for it follows.
    pub(crate) fn settle(&mut self, now: u64, tool_call_id: &str, outcome: &Outcome) {
        let Some(ask) = self.conversation.asks().ask(tool_call_id).and_then(|ask| ask.ask.as_deref()) else { return };
        let message = Message::tool("", tool_call_id, outcome.tool_content(ask));
        self.conversation.settle_asks(&message);
        self.apply_updates(now);
        self.flush();
    }

    /// Closes all waiting asks, since the agent does not have the conversation any more.
    pub(crate) fn abandon_asks(&mut self, now: u64) {
        let open = self.conversation.asks().asks().filter(|ask| ask.phase == Phase::Answerable);
        let waiting: Vec<String> = open.map(|ask| ask.tool_call_id.clone()).collect();
        for id in waiting {
            self.push_message(now, Message::tool(format!("abandoned-{id}"), id, CANCELLED_TEXT));
        }
    }

    /// Opens an interrupt under the ask's own id, as if the last run had ended in it.
    pub(crate) fn open_interrupt(&mut self, now: u64, tool_call_id: &str) {
        let mut interrupt = Interrupt::new(tool_call_id, "tool_call");
        interrupt.tool_call_id = Some(tool_call_id.to_owned());
        self.conversation.interrupt(interrupt);
        self.apply_updates(now);
        self.flush();
    }

    /// Publishes the changes since the last flush.
    pub(crate) fn flush(&mut self) {
        self.transcript.flush(self.conversation.thread());
    }

    /// Sets the deadline of an ask from the server's description, since neither events nor a history have it. The ask may still arrive, or
    /// arrive again.
    pub(crate) fn set_deadline(&mut self, now: u64, tool_call_id: &str, deadline: &str) {
        self.deadline = Some((tool_call_id.to_owned(), deadline.to_owned()));
        self.apply_deadline();
        self.apply_updates(now);
        self.flush();
    }

    fn apply_deadline(&mut self) {
        if let Some((tool_call_id, deadline)) = &self.deadline {
            self.conversation.set_deadline(tool_call_id, deadline);
        }
    }

    /// Applies the changes that are due at this time.
    pub(crate) fn handle_timeout(&mut self, now: u64) {
        self.conversation.handle_timeout(by_server(now));
        self.apply_updates(now);
        self.flush();
    }

    /// The asks for whose replies the agent waits, in the order in which they began.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &AskSnapshot> {
        let asks = self.conversation.asks().asks();
        asks.filter(|ask| ask.phase == Phase::Answerable && !self.is_background(&ask.tool_call_id))
    }

    /// Returns true if the agent goes on without the answer to this ask.
    pub(crate) fn is_background(&self, tool_call_id: &str) -> bool {
        self.conversation.asks().asked_by(tool_call_id) == Some(AskedBy::Background)
    }

    /// The unreadable asks for which the agent waits. They can only be cancelled.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = &AskSnapshot> {
        let waits = |id: &str| self.conversation.asks().asked_by(id) == Some(AskedBy::Interrupt);
        self.conversation.asks().asks().filter(move |ask| ask.phase == Phase::Malformed && waits(&ask.tool_call_id))
    }

    /// Applies a verified event. [`flush`](Self::flush) publishes the changes.
    pub(crate) fn handle_event(&mut self, now: u64, event: Event) {
        self.conversation.handle_event(by_server(now), event);
        self.apply_updates(now);
    }

    fn apply_updates(&mut self, now: u64) -> ResponseEnd {
        let mut response = ResponseEnd::default();
        while let Some(update) = self.conversation.next_update(by_server(now)) {
            match update {
                Update::Event { event, change, ask } => {
                    track_text(&mut self.transcript, &event);
                    self.has_heard = true;
                    self.note_activity(now);
                    self.apply_change(change);
                    ask.into_iter().for_each(|delta| self.apply_ask_delta(delta));
                }
                Update::Thread(change) => self.apply_change(change),
                Update::Ask(delta) => self.apply_ask_delta(delta),
                Update::Refused(error) => response.refused = Some(error),
                Update::End(end) => response.end = Some(end),
                _ => {}
            }
        }
        response
    }

    /// Applies a change in place if possible, and otherwise marks its message as changed.
    fn apply_change(&mut self, change: Change) {
        match change {
            Change::TextAppended { message, from } => {
                let it = &self.conversation.thread().messages()[message];
                if self.transcript.text_item(it.role()).is_some() {
                    let text = it.text();
                    if !text.is_empty() && !self.transcript.append(it.id(), text.get(from..).unwrap_or_default()) {
                        self.transcript.touch(message);
                    }
                }
            }
            Change::RunStarted { added: 0 } | Change::Nothing | Change::RunEnded | Change::StateChanged => {}
            Change::ArgumentsAppended { message, call, from } => {
                if let Some(call) = self.conversation.thread().messages()[message].tool_calls().get(call) {
                    self.transcript.grow_arguments(&call.id, self.conversation.thread(), from);
                }
            }
            Change::RunStarted { added } => {
                self.transcript.touch(self.conversation.thread().messages().len().saturating_sub(added));
            }
            Change::MessageAdded { message }
            | Change::MessageChanged { message }
            | Change::ToolCallChanged { message, .. } => self.transcript.touch(message),
            Change::ToolCallAdded { message, call } => {
                let its = self.conversation.thread().messages()[message].tool_calls();
                if let Some(call) = its.get(call).filter(|call| resembles_ask(&call.name))
                    && self.conversation.asks().ask(&call.id).is_none()
                {
                    let (name, [known, _]) = (&call.name, tool::NAMES);
                    leptos::logging::warn!("agent-chat: the tool `{name}` asks nothing here; `{known}` does");
                }
                let has_result = its
                    .get(call)
                    .and_then(|call| self.conversation.thread().call(&call.id))
                    .is_some_and(|it| it.is_answered());
                // A result that came before its call has moved behind it.
                self.transcript.touch(if has_result { 0 } else { message });
            }
            // `Change` is non-exhaustive: an unknown change may affect any message.
            _ => self.transcript.touch(0),
        }
    }

    fn apply_ask_delta(&mut self, delta: AskDelta) {
        let (asks, thread) = (self.conversation.asks(), self.conversation.thread());
        let Some(ask) = asks.at(delta.slot) else { return };
        let id = &ask.tool_call_id;
        if delta.begins {
            self.transcript.open_ask(id, asks.after(id), thread);
        }
        let was_malformed = self.transcript.update_ask(id, |shown| {
            let was_malformed = shown.phase == Phase::Malformed;
            shown.follow(ask);
            // The card compares it with the device's clock.
            shown.expires_at = ask.expires_at.map(by_device);
            was_malformed
        });
        if delta.member.is_some() {
            return;
        }
        if ask.phase == Phase::Malformed
            && was_malformed == Some(false)
            && let Some(arguments) = thread.arguments(id)
        {
            let start: String = arguments.chars().take(500).collect();
            leptos::logging::warn!("agent-chat: call {id} is no question: {start}");
        }
        self.transcript.show_waiting(asks);
        if delta.begins {
            self.apply_deadline();
        }
    }
}

/// Returns true if a name looks like a variant of the ask tool's name.
fn resembles_ask(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    let letters = letters.to_ascii_lowercase();
    letters.contains("ask") && (letters.contains("question") || letters.contains("user"))
}

/// Tracks the messages whose texts are arriving.
fn track_text(transcript: &mut Transcript, event: &EventRef<'_>) {
    match event.kind() {
        EventType::TextMessageStart | EventType::TextMessageContent => {
            transcript.set_arriving(event.message_id(), true);
        }
        EventType::TextMessageEnd => transcript.set_arriving(event.message_id(), false),
        EventType::RunFinished | EventType::RunError => transcript.end_arriving(),
        _ => {}
    }
}

/// The end of a response: its error and its outcome, once they are known.
#[derive(Default)]
struct ResponseEnd {
    refused: Option<Notice>,
    end: Option<End>,
}

pub(crate) struct AskTools {
    /// The name under which the page offers the ask tool, if it does.
    pub(crate) ask_tool: Option<&'static str>,
    /// The agent's own tools that need approval.
    pub(crate) approvals: Vec<String>,
}

impl AskTools {
    fn restored(&self, history: History) -> ag_ui_stream::Conversation {
        let names = tool::NAMES.into_iter().chain(self.ask_tool);
        let asks = Asks::new(names, READERS).with_forms().with_approvals(&self.approvals);
        ag_ui_stream::Conversation::new(asks, history)
    }
}
