//! Events for clients about commits of another host: complete messages, in runs.

use super::input::{Edition, Pending};
use super::step::Outgoing;
use super::view::View;
use super::wire;
use crate::effect::StateChange;
use crate::message::Message;
use crate::{ConvState, Conversation, call};
use ag_ui_stream::event::{Event, EventType};
use ag_ui_stream::outcome::RunOutcome;
use std::sync::Arc;

/// The known messages of a conversation at some time: its first results, and its first other messages. They are counted separately, since a
/// result is inserted behind its call, before later messages of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownMessages {
    results: usize,
    others: usize,
}

impl KnownMessages {
    /// All present messages.
    #[must_use]
    pub fn all(conversation: &Conversation) -> Self {
        let messages = conversation.messages();
        let results = messages.iter().filter(|message| matches!(message, Message::Tool(_))).count();
        Self { results, others: messages.len() - results }
    }

    /// The messages that came later.
    fn rest(mut self, messages: &[Message]) -> Vec<&Message> {
        let is_new = |message: &&Message| {
            let known = match message {
                Message::Tool(_) => &mut self.results,
                Message::User(_) | Message::Assistant(_) => &mut self.others,
            };
            let is_known = *known > 0;
            *known = known.saturating_sub(1);
            !is_known
        };
        messages.iter().filter(is_new).collect()
    }
}

/// Returns the events about commits for clients, with each message as a whole. They end with the present state, or with the end of the run
/// if there is no work left. Clients know some messages, and the start of a run that is still `open` for them. `run` is the run in which a
/// host works now; unknown runs in between get new ids.
#[must_use]
pub fn catch_up(
    view: View<'_>,
    thread_id: &str,
    known: KnownMessages,
    open: Option<Arc<str>>,
    run: Option<&str>,
    mut new_id: impl FnMut() -> String,
) -> Vec<Outgoing> {
    let conversation = view.conversation;
    let new = known.rest(conversation.messages());
    let is_new = |id: &str| new.iter().any(|message| makes(message, id));
    let mut runs = Runs { thread_id, open, outgoing: Vec::new() };
    let (mut rest, mut has_old_result) = (new.as_slice(), false);
    while !rest.is_empty() {
        let length = rest.iter().position(|message| matches!(message, Message::Assistant(_))).unwrap_or(rest.len());
        let (said, behind) = rest.split_at(length);
        let mut id = || match run.filter(|_| !behind.iter().any(|message| matches!(message, Message::User(_)))) {
            Some(run) => run.to_owned(),
            None => new_id(),
        };
        // A user's message begins a run, also if it answers a call.
        let taken: Vec<_> = said.iter().filter_map(|message| taken(message)).collect();
        if !taken.is_empty() || runs.open.is_none() {
            runs.begin(id(), taken);
        }
        for message in said {
            let Message::Tool(result) = message else {
                continue;
            };
            // The first call of an earlier message ran or waited before. Those behind it did so since, or never.
            if !is_new(&result.tool_use_id) && std::mem::replace(&mut has_old_result, true) {
                runs.tell(wire::held_back(view, &result.tool_use_id));
            }
            runs.tell([wire::result_event(result)]);
        }
        rest = behind;
        if let Some((Message::Assistant(assistant), behind)) = rest.split_first() {
            runs.tell(text(&assistant.id, &assistant.text));
            let calls = wire::shown_calls(view, assistant);
            runs.tell(calls.flat_map(|call| wire::whole_call(call, &assistant.id)));
            rest = behind;
        }
    }
    let open_calls = conversation.state().open_calls();
    if let Some(call) = open_calls.first().filter(|call| has_old_result && !is_new(call)) {
        runs.tell(wire::held_back(view, call));
    }
    if let Some(run) = run.filter(|run| view.is_at_work() && runs.open.as_deref() != Some(*run)) {
        runs.begin(run.to_owned(), Vec::new());
    }
    runs.outgoing.push(Outgoing::State(StateChange::from(conversation.state())));
    if !view.is_at_work() {
        runs.end(|thread_id, run_id| match conversation.state() {
            ConvState::Failed { reason } => wire::run_error("model_failed", reason),
            _ => finished(thread_id, run_id, wire::outcome(view, Pending::of(view.context))),
        });
    }
    runs.outgoing
}

fn taken(message: &Message) -> Option<ag_ui_stream::Message> {
    match message {
        Message::User(user) => Some(wire::user_message(user)),
        Message::Assistant(_) | Message::Tool(_) => None,
    }
}

/// Returns true if a message made this call.
fn makes(message: &Message, call_id: &str) -> bool {
    let calls: &[call::ToolCall] = match message {
        Message::Assistant(assistant) => &assistant.tool_calls,
        Message::User(_) | Message::Tool(_) => &[],
    };
    calls.iter().any(|call| call.id == call_id)
}

/// The events of a whole text; none for an empty one.
fn text(id: &str, text: &str) -> Vec<Event> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![
        Event::new(EventType::TextMessageStart, [("messageId", id.into()), ("role", "assistant".into())]),
        Event::new(EventType::TextMessageContent, [("messageId", id.into()), ("delta", text.into())]),
        Event::new(EventType::TextMessageEnd, [("messageId", id.into())]),
    ]
}

fn finished(thread_id: &str, run_id: &str, outcome: RunOutcome) -> Event {
    wire::run_finished(Edition::Current, thread_id, run_id, outcome)
}

/// The events for clients, each inside a run.
struct Runs<'a> {
    thread_id: &'a str,
    open: Option<Arc<str>>,
    outgoing: Vec<Outgoing>,
}

impl Runs<'_> {
    fn tell(&mut self, events: impl IntoIterator<Item = Event>) {
        self.outgoing.extend(events.into_iter().map(Outgoing::Event));
    }

    /// Begins a run. An open one has ended before, in an unknown way.
    fn begin(&mut self, id: String, taken: Vec<ag_ui_stream::Message>) {
        self.end(|thread_id, run_id| {
            finished(thread_id, run_id, RunOutcome::Success { pending_tool_call_ids: Vec::new() })
        });
        self.tell([wire::run_started(self.thread_id, &id, taken)]);
        self.open = Some(id.into());
    }

    fn end(&mut self, event: impl FnOnce(&str, &str) -> Event) {
        if let Some(run) = self.open.take() {
            self.tell([event(self.thread_id, &run)]);
        }
    }
}
