//! What the clients of a conversation are told.

use crate::histories::{History, Parts};
use crate::input::{Edition, RunInput};
use crate::live::{Live, Run, Talk, TextFor};
use crate::log::Entry;
use crate::sse::{Client, RunStream, event_frame};
use crate::step::{News, Step, Work};
use crate::wire;
use ag_ui_stream::event::EventType;
use ag_ui_stream::outcome::RunOutcome;
use json_tree::Json;
use question_agent::Event;
use question_agent::message::Message;
use std::sync::Arc;

/// The end of a run.
#[derive(Clone, Debug)]
pub(super) enum RunEnd {
    Finished(RunOutcome),
    Failed { code: &'static str, message: String },
}

/// The end of a run that does not fail, if there is nothing left to do in it.
pub(super) fn end_of(talk: &Talk, run: &Run) -> RunEnd {
    RunEnd::Finished(wire::outcome(talk, run.pending))
}

/// What tells the clients that a run has ended.
pub(super) fn end_entry(live: &Live, run: &Run, end: RunEnd) -> Entry {
    Entry::event(&match end {
        RunEnd::Finished(outcome) => wire::run_finished(Edition::Current, &live.id, &run.id, outcome),
        RunEnd::Failed { code, message } => wire::run_error(code, &message),
    })
}

/// What tells the clients what happened. A result that the client brought itself is not told again. Calls that were held back are looked up in the
/// conversation; `None` where the clients are just given all of it.
pub(super) fn news(talk: Option<&Talk>, step: &Step, brought: Option<&str>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let show = |entries: &mut Vec<Entry>, tool_use_id: &str| {
        let events = talk.map(|talk| wire::held_back(talk, tool_use_id));
        entries.extend(events.iter().flatten().map(Entry::event));
    };
    for news in &step.news {
        match news {
            News::Result { result, .. } if brought == Some(&result.message_id) => {}
            News::Result { result, has_been_shown } => {
                if !has_been_shown {
                    show(&mut entries, &result.tool_use_id);
                }
                entries.push(Entry::event(&wire::result_event(result)));
            }
            News::State(change) => entries.push(Entry::state(change)),
        }
    }
    if let Some(Work::Execute(call)) = &step.work {
        show(&mut entries, &call.id);
    }
    entries
}

/// The id of the tool message by which a client delivered its reply, or the result of a tool that it runs.
pub(super) fn brought_message(event: &Event) -> Option<&str> {
    match event {
        Event::UserQuestionResponse(response) => response.tool_message_id.as_deref(),
        Event::ToolComplete { result } => Some(&result.message_id),
        _ => None,
    }
}

/// What a run was started with, for the clients that did not start it.
pub(super) fn taken_messages(step: &Step, brought: Option<&str>) -> Vec<ag_ui_stream::Message> {
    let taken = step.messages.iter().filter_map(|message| match message {
        Message::User(user) => Some(wire::user_message(user)),
        Message::Tool(result) if brought == Some(&result.message_id) => Some(wire::result_message(result)),
        Message::Tool(_) | Message::Assistant(_) => None,
    });
    taken.collect()
}

/// The history, for clients that may hold something else.
pub(crate) fn snapshot(talk: &Talk) -> ag_ui_stream::Event {
    let messages: Vec<_> = wire::messages(talk).iter().map(Json::from).collect();
    ag_ui_stream::Event::new(EventType::MessagesSnapshot, [("messages", messages.into())])
}

/// What has become of an input that was taken before and whose run has ended.
pub(super) fn catch_up(live: &Arc<Live>, talk: &Talk, input: &RunInput, make: impl Make) -> RunStream {
    let outcome = wire::outcome(talk, input.pending());
    let finished = wire::run_finished(input.edition(), &live.id, &input.run_id, outcome);
    RunStream::once(so_far(live, talk, input, make).text(event_frame(&finished)))
}

/// The same while its run goes on, here or elsewhere: the rest of that run, under the new run's id.
pub(super) fn attach(live: &Arc<Live>, talk: &Talk, input: &RunInput, make: impl Make) -> RunStream {
    let reader = live.log.reader(live.settled(talk).told.frames);
    let follower = talk.run.as_ref().map(Run::follow);
    RunStream::following(Arc::clone(live), reader, follower, Client::of(input)).behind(so_far(live, talk, input, make))
}

/// The client's run begins, with the history, which is there once for all who read it.
fn so_far(live: &Arc<Live>, talk: &Talk, input: &RunInput, make: impl Make) -> Parts {
    let started = event_frame(&wire::run_started(&live.id, &input.run_id, Vec::new()));
    let place = live.settled(talk);
    let history = live.text(TextFor::Snapshot, talk, place.told, || make(event_frame(&snapshot(talk))));
    Parts::default().text(started).history(history)
}

/// Makes a history of its text.
pub(super) trait Make: FnOnce(String) -> Arc<History> {}

impl<F: FnOnce(String) -> Arc<History>> Make for F {}

pub(super) fn failed(code: &'static str, message: &str) -> RunEnd {
    RunEnd::Failed { code, message: message.to_owned() }
}
