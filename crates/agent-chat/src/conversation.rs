//! One conversation: run state, asks, and what the page shows of them. It knows nothing of the network.

use crate::details::Details;
use crate::receipt::{self, Receipt};
use crate::transcript::Transcript;
use ag_ui_stream::asks::AskChange;
use ag_ui_stream::asks::reply::{AskedBy, NextRun, Refusal, RunDefaults, UserTurn};
use ag_ui_stream::conversation::Update;
use ag_ui_stream::event::{EventRef, EventType};
use ag_ui_stream::notice::Notice;
use ag_ui_stream::outcome::Interrupt;
use ag_ui_stream::reader::End;
use ag_ui_stream::thread::Change;
use ag_ui_stream::{Asks, Event, History, Message, Thread};
use ask_user_question::outcome::CANCELLED_TEXT;
use ask_user_question::snapshot::AskPatch;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use json_tree::Json;
use leptos::prelude::*;

/// After how long without a word an agent is called silent, in milliseconds.
const LONG_SILENCE: u64 = 8_000;

/// Feeds a response's bytes through reader, run state and interceptor into the transcript's signals.
pub(crate) struct Conversation {
    talk: ag_ui_stream::Conversation,
    pub(crate) transcript: Transcript,
    /// The agent's own tools that need approval.
    approvals: Vec<String>,
    /// When the agent was heard last, or asked.
    heard: u64,
    /// Whether that is long ago for a run that is open.
    silent: RwSignal<bool>,
    /// The ask whose deadline the server told beside the events, and the deadline.
    deadline: Option<(String, String)>,
}

impl Conversation {
    pub(crate) fn new(approvals: Vec<String>, details: Option<fn() -> Box<dyn Details>>) -> Self {
        Self {
            talk: restored(&approvals, History::default()),
            transcript: Transcript::new(details.map(|make| make())),
            approvals,
            heard: 0,
            silent: RwSignal::new(false),
            deadline: None,
        }
    }

    /// At the start of a response.
    pub(crate) fn start_response(&mut self, now: u64) {
        self.hear(now);
    }

    pub(crate) fn thread(&self) -> &Thread {
        self.talk.thread()
    }

    pub(crate) fn asks(&self) -> &Asks {
        self.talk.asks()
    }

    /// The request that carries what the user says.
    ///
    /// # Errors
    /// Why it must not be sent.
    pub(crate) fn request(
        &self,
        now: u64,
        setup: &RunDefaults,
        said: &UserTurn,
        next_id: impl FnMut() -> String,
    ) -> Result<NextRun, Refusal> {
        self.talk.request(now, setup, said, next_id)
    }

    /// Whether the agent says nothing for long.
    pub(crate) fn silent(&self) -> RwSignal<bool> {
        self.silent
    }

    /// Learns whether a run is open. If so, gives how long the agent may be silent before it is to be asked again, in milliseconds.
    pub(crate) fn look_at_silence(&mut self, now: u64, is_open: bool) -> Option<u64> {
        let silence = now.saturating_sub(self.heard);
        let is_long = is_open && silence >= LONG_SILENCE;
        self.set_silent(is_long);
        is_open.then(|| LONG_SILENCE - if is_long { 0 } else { silence })
    }

    fn hear(&mut self, now: u64) {
        self.heard = now;
        self.set_silent(false);
    }

    fn set_silent(&self, silent: bool) {
        if self.silent.get_untracked() != silent {
            self.silent.set(silent);
        }
    }

    /// Takes the next bytes of the response.
    ///
    /// # Errors
    /// Where they break the protocol; what came before is kept and shown.
    pub(crate) fn feed(&mut self, now: u64, chunk: &[u8]) -> Result<(), Notice> {
        self.talk.feed(chunk);
        let shown = self.show(now);
        self.lay();
        shown.refused.map_or(Ok(()), Err)
    }

    /// Takes the end of the response and says how it ended.
    pub(crate) fn finish(&mut self, now: u64) -> End {
        self.talk.finish();
        let shown = self.show(now);
        self.transcript.end_arriving();
        self.lay();
        shown.end.expect("what is finished ends")
    }

    /// Takes what a run's input says: its new messages are part of the conversation from here on.
    pub(crate) fn start_run(&mut self, now: u64, run: &NextRun) {
        self.talk.start_response(run);
        self.show(now);
        run.messages.iter().for_each(|message| self.transcript.touch_added(message, self.talk.thread()));
        self.lay();
    }

    /// Takes what became of an ask elsewhere.
    pub(crate) fn push_message(&mut self, now: u64, message: Message) {
        self.talk.push_message(message);
        self.show(now);
        self.lay();
    }

    /// Takes another's word for everything that has been said so far: the JSON of a [`History`]. False, and nothing has changed, where it is
    /// none.
    pub(crate) fn restore(&mut self, now: u64, history: Json<'_>, receipts: Vec<Receipt>) -> bool {
        let Ok((history, _)) = History::from_json(history) else { return false };
        self.talk = restored(&self.approvals, history);
        self.transcript.start_replay();
        self.talk.handle_timeout(now);
        self.show(now);
        receipts.into_iter().for_each(|receipt| self.restore_receipt(now, receipt));
        self.finish_replay();
        true
    }

    pub(crate) fn history(&self) -> History {
        self.talk.history()
    }

    /// Shows a receipt where it stood, unless what it followed is gone.
    fn restore_receipt(&mut self, now: u64, receipt: Receipt) {
        let Receipt { after, id, ask, outcome } = receipt;
        if after.as_ref().is_none_or(|id| self.talk.thread().message(id).is_some()) {
            self.talk.update_asks(|asks| asks.restore_receipt(&id, ask, outcome));
            self.show(now);
            self.transcript.set_anchor(&id, after);
        }
    }

    /// What a history does not tell of: the receipts of questions that no call made, as JSON.
    pub(crate) fn receipts(&self) -> Vec<Json<'static>> {
        let receipts = self.asks().receipts();
        receipts
            .filter_map(|(id, ask, outcome)| Some(receipt::json(self.transcript.anchor(id)?, id, ask, outcome)))
            .collect()
    }

    /// Everything is told again from the beginning. What is shown stays until it was.
    pub(crate) fn start_replay(&mut self) {
        self.talk = restored(&self.approvals, History::default());
        self.transcript.start_replay();
    }

    /// Everything was told again.
    pub(crate) fn finish_replay(&mut self) {
        self.transcript.forget_others(self.talk.thread(), self.talk.asks());
        self.lay();
    }

    /// Shows a message that is still on its way, or none.
    pub(crate) fn show_message(&mut self, message: Option<(String, String)>) {
        self.transcript.set_unsent(message);
        self.lay();
    }

    /// Shows how an ask ended that another endpoint than the agent's has taken. The agent says so itself soon.
    pub(crate) fn settle(&mut self, now: u64, tool_call_id: &str, outcome: &Outcome) {
        let Some(ask) = self.talk.asks().ask(tool_call_id).and_then(|ask| ask.ask.as_deref()) else { return };
        let message = Message::tool("", tool_call_id, outcome.tool_content(ask));
        self.talk.settle_asks(&message);
        self.show(now);
        self.lay();
    }

    /// Nobody waits for an answer any more: the agent does not know the conversation.
    pub(crate) fn abandon_asks(&mut self, now: u64) {
        let waiting: Vec<String> = self.waiting().map(|ask| ask.tool_call_id.clone()).collect();
        for id in waiting {
            self.push_message(now, Message::tool(format!("abandoned-{id}"), id, CANCELLED_TEXT));
        }
    }

    /// Lets an ask be answered by the interrupt of its own name, as the last run would have ended had it been asked for interrupts.
    pub(crate) fn interrupt_by(&mut self, now: u64, tool_call_id: &str) {
        let mut interrupt = Interrupt::new(tool_call_id, "tool_call");
        interrupt.tool_call_id = Some(tool_call_id.to_owned());
        self.talk.interrupt(interrupt);
        self.show(now);
        self.lay();
    }

    /// Shows what changed since it was shown last.
    pub(crate) fn lay(&mut self) {
        self.transcript.lay(self.talk.thread());
    }

    /// Takes the deadline of an ask from what the server says of the conversation: its events and a history do not tell it. The ask may still be to
    /// come, or be told again.
    pub(crate) fn know_deadline(&mut self, now: u64, tool_call_id: &str, deadline: &str) {
        self.deadline = Some((tool_call_id.to_owned(), deadline.to_owned()));
        self.keep_deadline();
        self.show(now);
        self.lay();
    }

    fn keep_deadline(&mut self) {
        if let Some((tool_call_id, deadline)) = &self.deadline {
            self.talk.update_asks(|asks| asks.set_deadline(tool_call_id, deadline));
        }
    }

    /// What the time changes.
    pub(crate) fn handle_timeout(&mut self, now: u64) {
        self.talk.handle_timeout(now);
        self.show(now);
        self.lay();
    }

    /// The asks that wait for their replies, in the order in which they began.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &AskSnapshot> {
        self.talk.asks().asks().filter(|ask| ask.phase == Phase::Answerable)
    }

    /// The asks that the agent waits for and that could not be read. They can only be cancelled.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = &AskSnapshot> {
        let waits = |id: &str| self.talk.asks().asked_by(id) == Some(AskedBy::Interrupt);
        self.talk.asks().asks().filter(move |ask| ask.phase == Phase::Malformed && waits(&ask.tool_call_id))
    }

    /// Takes an event that was verified; [`lay`](Self::lay) shows what came.
    pub(crate) fn take(&mut self, now: u64, event: Event) {
        self.talk.handle_event(now, event);
        self.show(now);
    }

    /// Shows what happened since it was shown last.
    fn show(&mut self, now: u64) -> Shown {
        let mut shown = Shown::default();
        while let Some(update) = self.talk.next_update(now) {
            match update {
                Update::Event { event, change } => {
                    follow_text(&mut self.transcript, &event);
                    self.hear(now);
                    self.show_change(change);
                }
                Update::Thread(change) => self.show_change(change),
                Update::Ask(change) => self.show_ask(change),
                Update::Refused(error) => shown.refused = Some(error),
                Update::End(end) => shown.end = Some(end),
                Update::Warning(_) => {}
            }
        }
        shown
    }

    /// Shows what can be shown in place, and notes what else changed.
    fn show_change(&mut self, change: Change) {
        match change {
            Change::TextAppended { message, from } => {
                let it = &self.talk.thread().messages()[message];
                if self.transcript.text_item(it.role()).is_some() {
                    let text = it.text();
                    if !text.is_empty() && !self.transcript.append(it.id(), text.get(from..).unwrap_or_default()) {
                        self.transcript.touch(message);
                    }
                }
            }
            Change::RunStarted { added: 0 } | Change::Nothing | Change::RunEnded | Change::StateChanged => {}
            Change::ArgumentsAppended { message, call, from } => {
                if let Some(call) = self.talk.thread().messages()[message].tool_calls().get(call) {
                    self.transcript.grow_arguments(&call.id, self.talk.thread(), from);
                }
            }
            Change::RunStarted { added } => {
                self.transcript.touch(self.talk.thread().messages().len().saturating_sub(added));
            }
            Change::MessageAdded { message }
            | Change::MessageChanged { message }
            | Change::ToolCallChanged { message, .. } => self.transcript.touch(message),
            Change::ToolCallAdded { message, call, .. } => {
                let its = self.talk.thread().messages()[message].tool_calls();
                let has_result =
                    its.get(call).and_then(|call| self.talk.thread().call(&call.id)).is_some_and(|it| it.answered);
                // A result that came before its call has moved behind it.
                self.transcript.touch(if has_result { 0 } else { message });
            }
            Change::MessagesReplaced => self.transcript.touch(0),
        }
    }

    fn show_ask(&mut self, change: AskChange) {
        match change {
            AskChange::Opened { tool_call_id } => {
                self.transcript.open_ask(&tool_call_id, self.talk.thread());
                self.keep_deadline();
            }
            AskChange::Patched { tool_call_id, patch } => {
                let moves = matches!(patch, AskPatch::Phase(_));
                if let AskPatch::Phase(Phase::Malformed) = patch
                    && let Some(arguments) = self.talk.thread().arguments(&tool_call_id)
                {
                    let start: String = arguments.chars().take(500).collect();
                    leptos::logging::warn!("agent-chat: call {tool_call_id} is no question: {start}");
                }
                self.transcript.update_ask(&tool_call_id, |ask| ask.apply(patch));
                if moves {
                    self.transcript.show_waiting(self.talk.asks());
                }
            }
        }
    }
}

/// Learns which texts are arriving.
fn follow_text(transcript: &mut Transcript, event: &EventRef<'_>) {
    match event.kind() {
        EventType::TextMessageStart | EventType::TextMessageContent => {
            transcript.set_arriving(event.message_id(), true);
        }
        EventType::TextMessageEnd => transcript.set_arriving(event.message_id(), false),
        EventType::RunFinished | EventType::RunError => transcript.end_arriving(),
        _ => {}
    }
}

/// What became of a response while it was shown.
#[derive(Default)]
struct Shown {
    refused: Option<Notice>,
    end: Option<End>,
}

fn restored(approvals: &[String], history: History) -> ag_ui_stream::Conversation {
    ag_ui_stream::Conversation::new(Asks::new().with_approvals(approvals), history)
}
