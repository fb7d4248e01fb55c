//! What the clients of a conversation are told.

use super::work::Work;
use crate::input::{Edition, RunInput};
use crate::live::{Live, Run, Talk};
use crate::log::RunEnd;
use crate::sse::{Client, RunStream};
use crate::wire;
use ag_ui_stream::event::MessagesSnapshot;
use question_agent::call::ToolResult;
use question_agent::effect::StateChange;
use question_agent::message::Message;
use question_agent::{Effect, Event};

/// Tells the clients that a run has ended. The conversation is free before they can know, so that what they say next finds it so.
pub(super) fn end_run(live: &Live, talk: &mut Talk, run: &Run, end: RunEnd) {
    talk.run = None;
    let event = match &end {
        RunEnd::Finished(outcome) => wire::run_finished(Edition::Current, &live.id, &run.id, outcome.clone()),
        RunEnd::Failed { code, message } => wire::run_error(code, message),
    };
    live.log.push_end(&event, end);
    run.over.cancel();
}

/// Tells the clients what happened; what is left to do comes back. A result that the client brought itself is not told again. Calls that were
/// held back are looked up in the conversation; `None` where the clients have just been given all of it.
pub(super) fn announce(live: &Live, talk: Option<&Talk>, effects: Vec<Effect>, brought: Option<&str>) -> Option<Work> {
    let show = |tool_use_id: &str| {
        let events = talk.map(|talk| wire::held_back(talk, tool_use_id));
        for event in events.into_iter().flatten() {
            live.log.push_event(&event);
        }
    };
    let mut work = None;
    for effect in effects {
        match effect {
            Effect::PersistToolResults { results } => {
                for (index, result) in results.iter().enumerate() {
                    if brought == Some(&result.message_id) {
                        continue;
                    }
                    // The first is of the call that ran or waited; those behind it never did, and nobody has seen them.
                    if index > 0 {
                        show(&result.tool_use_id);
                    }
                    live.log.push_event(&wire::result_event(result));
                }
            }
            Effect::NotifyStateChange(change) => live.log.push_state(&change),
            Effect::NotifyLlmRequesting { attempt } => {
                live.log.push_state(&StateChange::LlmRequesting { attempt });
            }
            Effect::RequestLlm => work = Some(Work::AskModel),
            Effect::ExecuteTool(call) => {
                show(&call.id);
                work = Some(Work::Execute(call));
            }
            // Stored already; and a run's end says that the agent is done.
            Effect::PersistMessage(_) | Effect::PersistState | Effect::NotifyAgentDone => {}
        }
    }
    work
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
pub(super) fn taken_messages(effects: &[Effect], brought: Option<&str>) -> Vec<ag_ui_stream::Message> {
    let is_brought = |result: &&ToolResult| brought == Some(&result.message_id);
    let mut taken = Vec::new();
    for effect in effects {
        match effect {
            Effect::PersistMessage(Message::User(user)) => taken.push(wire::user_message(user)),
            Effect::PersistToolResults { results } => {
                taken.extend(results.iter().filter(is_brought).map(wire::result_message));
            }
            _ => {}
        }
    }
    taken
}

/// The history, for clients that may hold something else.
pub(crate) fn snapshot(talk: &Talk) -> ag_ui_stream::Event {
    MessagesSnapshot::new(wire::messages(talk)).into()
}

/// What has become of an input that was taken before and whose run has ended.
pub(super) fn catch_up(live: &Live, talk: &Talk, input: &RunInput) -> RunStream {
    let run_id = &input.run_id;
    RunStream::once(vec![
        wire::run_started(&live.id, run_id, Vec::new()),
        snapshot(talk),
        wire::run_finished(input.edition(), &live.id, run_id, wire::outcome(talk, input.pending())),
    ])
}

/// The same while its run goes on: the rest of that run, under the new run's id.
pub(super) fn attach(live: &Live, talk: &Talk, run: &Run, input: &RunInput) -> RunStream {
    let prefix = vec![wire::run_started(&live.id, &input.run_id, Vec::new()), snapshot(talk)];
    let reader = live.log.reader(run.settled);
    RunStream::following(prefix, reader, run.follow(), Client::of(input))
}

pub(super) fn failed(code: &'static str, message: &str) -> RunEnd {
    RunEnd::Failed { code, message: message.to_owned() }
}
