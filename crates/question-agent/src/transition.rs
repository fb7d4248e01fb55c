//! The table of all transitions.

use crate::background;
use crate::call::{ToolCall, ToolResult};
use crate::effect::Effect;
use crate::event::{Event, Response};
use crate::message::{AssistantMessage, Message, UserMessage};
use crate::rejected::Rejected;
use crate::state::{AwaitingUserResponse, ConvState, ToolExecuting};
use crate::time::Timestamp;
use ask_user_question::outcome::{ASKED_TEXT, AnsweredBy, OutcomeKind};
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use question_compat::match_message;
use std::collections::BTreeSet;

/// The number of requests to a model in one turn before the turn fails.
pub const MAX_LLM_ATTEMPTS: u32 = 3;

/// The result of every call that waited behind a cancelled question.
pub const NOT_RUN_CANCELLED: &str = "not run: the user cancelled the question";
/// The result of every call that waited behind a question that got no answer.
pub const NOT_RUN_UNANSWERED: &str = "not run: the question was not answered";
/// The result of every call that was running or waiting when the user stopped the run.
pub const NOT_RUN_STOPPED: &str = "not run: the user stopped the run";

/// The new state of a conversation, and its effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The new state.
    pub state: ConvState,
    /// The effects for the adapter, in this order.
    pub effects: Vec<Effect>,
}

impl Transition {
    /// A transition to this state. Its own effects come first; then the state is stored, clients are notified, and its work starts.
    fn to(state: ConvState, mut effects: Vec<Effect>) -> Self {
        effects.push(Effect::PersistState);
        effects.extend(entered(&state));
        Self { state, effects }
    }
}

/// The effects of entering a state: clients are notified, and its work starts.
pub(crate) fn entered(state: &ConvState) -> Vec<Effect> {
    let told = Effect::NotifyStateChange(state.into());
    match state {
        ConvState::LlmRequesting { attempt } => {
            vec![Effect::NotifyLlmRequesting { attempt: *attempt }, Effect::RequestLlm]
        }
        ConvState::ToolExecuting(executing) => vec![told, Effect::ExecuteTool(executing.current_tool.clone())],
        ConvState::AwaitingUserResponse(_) => vec![told],
        ConvState::Idle | ConvState::Failed { .. } => vec![told, Effect::NotifyAgentDone],
    }
}

/// The table: every state with every event. It has no wildcard, so a new state or event compiles only after each pair is decided.
///
/// # Errors
/// [`Rejected`] says why the event does not apply; `state` is untouched.
pub fn transition(state: &ConvState, event: Event) -> Result<Transition, Rejected> {
    use ConvState::{AwaitingUserResponse as Awaiting, Failed, Idle, LlmRequesting, ToolExecuting as Executing};
    match (state, event) {
        (Idle | Failed { .. }, Event::UserMessage { messages }) => begin(messages),
        (Awaiting(waiting), Event::UserMessage { messages }) => answer_in_chat(waiting, messages),
        (LlmRequesting { .. } | Executing(_), Event::UserMessage { .. }) => Err(Rejected::Busy),

        (Idle | Failed { .. }, Event::ProgramAsked { message, questions, expires_at }) => {
            ask_for_program(message, questions, expires_at)
        }
        (LlmRequesting { .. } | Executing(_), Event::ProgramAsked { .. }) => Err(Rejected::Busy),
        (Awaiting(waiting), Event::ProgramAsked { .. }) => {
            Err(Rejected::AlreadyWaiting { waiting: waiting.tool_use_id.clone() })
        }

        (LlmRequesting { .. }, Event::LlmResponse(message)) => take_response(message),
        (LlmRequesting { attempt }, Event::LlmFailed { reason, retryable }) => Ok(fail(*attempt, reason, retryable)),
        (LlmRequesting { .. }, Event::LlmStopped { partial }) => Ok(stop(partial)),
        (
            Idle | Executing(_) | Awaiting(_) | Failed { .. },
            Event::LlmResponse(_) | Event::LlmFailed { .. } | Event::LlmStopped { .. },
        ) => Err(Rejected::NotRequested),

        (Executing(executing), Event::ToolComplete { result }) => complete(executing, result),
        (Executing(executing), Event::AskUserQuestionPending { tool_use_id, questions, expires_at }) => {
            ask(executing, &tool_use_id, questions, expires_at)
        }
        (Executing(executing), Event::QuestionWithdrawn { tool_use_id, question }) => {
            withdraw(executing, &tool_use_id, question)
        }
        (Executing(executing), Event::SubAgentStarted { tool_use_id, sub_agent_id }) => {
            start_sub_agent(executing, &tool_use_id, sub_agent_id)
        }
        (Executing(executing), Event::SubAgentFinished { sub_agent_id }) => finish_sub_agent(executing, &sub_agent_id),
        (
            Idle | LlmRequesting { .. } | Awaiting(_) | Failed { .. },
            Event::ToolComplete { .. }
            | Event::AskUserQuestionPending { .. }
            | Event::QuestionWithdrawn { .. }
            | Event::SubAgentStarted { .. }
            | Event::SubAgentFinished { .. },
        ) => Err(Rejected::NotExecuting),

        (Awaiting(waiting), Event::UserQuestionResponse(response)) => reply(waiting, response),
        (Awaiting(waiting), Event::QuestionExpired { now }) => expire(waiting, now),
        (
            Idle | LlmRequesting { .. } | Executing(_) | Failed { .. },
            Event::UserQuestionResponse(_) | Event::QuestionExpired { .. },
        ) => Err(Rejected::NotWaiting),

        (Awaiting(waiting), Event::UserCancel { proceed }) => Ok(cancel_question(waiting, proceed)),
        (Executing(executing), Event::UserCancel { proceed }) => Ok(cancel_tools(executing, proceed)),
        (LlmRequesting { .. }, Event::UserCancel { .. }) => Ok(end(Vec::new())),
        (Idle | Failed { .. }, Event::UserCancel { .. }) => Err(Rejected::NothingToCancel),

        (Failed { .. }, Event::Retry) => Ok(request(1, Vec::new())),
        (Idle | LlmRequesting { .. } | Executing(_) | Awaiting(_), Event::Retry) => Err(Rejected::NothingToRetry),
    }
}

fn begin(messages: Vec<UserMessage>) -> Result<Transition, Rejected> {
    if messages.is_empty() {
        return Err(Rejected::EmptyMessage);
    }
    Ok(request(1, persist_messages(messages)))
}

/// A typed message answers the ask that waits, as far as it can be understood without guessing.
fn answer_in_chat(waiting: &AwaitingUserResponse, messages: Vec<UserMessage>) -> Result<Transition, Rejected> {
    let Some(last) = messages.last() else {
        return Err(Rejected::EmptyMessage);
    };
    // An answer to another ask, such as one in the background, does not answer the one that waits.
    let is_foreign =
        |message: &UserMessage| message.ask.as_ref().is_some_and(|ask| ask.tool_call_id != waiting.tool_use_id);
    if is_foreign(last) {
        return Err(Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() });
    }
    let reply_id = last.id.clone();
    let own = messages.iter().filter(|message| !is_foreign(message));
    let texts: Vec<&str> = own.map(|message| message.text.as_str()).collect();
    let outcome = match_message(&waiting.questions, &texts.join("\n"), Vec::new());
    let mut response = Response::new(&waiting.tool_use_id, reply_id, AnsweredBy::Composer, outcome);
    let metadata = response.metadata();
    response.messages = messages;
    for message in response.messages.iter_mut().filter(|message| !is_foreign(message)) {
        message.ask = Some(metadata.clone());
    }
    reply(waiting, response)
}

fn take_response(message: AssistantMessage) -> Result<Transition, Rejected> {
    let mut seen = BTreeSet::new();
    if let Some(twice) = message.tool_calls.iter().find(|call| !seen.insert(call.id.as_str())) {
        return Err(Rejected::DuplicateToolCall { id: twice.id.clone() });
    }
    let calls = message.tool_calls.clone();
    let effects = vec![Effect::PersistMessage(Message::Assistant(message))];
    Ok(go_on(calls, BTreeSet::new(), effects, AfterCalls::End))
}

fn fail(attempt: u32, reason: String, retryable: bool) -> Transition {
    if retryable && attempt < MAX_LLM_ATTEMPTS {
        return request(attempt + 1, Vec::new());
    }
    Transition::to(ConvState::Failed { reason }, Vec::new())
}

fn stop(partial: AssistantMessage) -> Transition {
    if partial.text.is_empty() {
        return end(Vec::new());
    }
    let text_only = AssistantMessage { tool_calls: Vec::new(), origin: None, ..partial };
    end(vec![Effect::PersistMessage(Message::Assistant(text_only))])
}

fn complete(executing: &ToolExecuting, result: ToolResult) -> Result<Transition, Rejected> {
    check_running(executing, &result.tool_use_id)?;
    if !executing.pending_sub_agents.is_empty() {
        return Err(Rejected::SubAgentsPending);
    }
    let mut persisted = executing.persisted_tool_ids.clone();
    let effects = persist_results(&persisted, vec![result]);
    persisted.insert(executing.current_tool.id.clone());
    Ok(go_on(executing.remaining_tools.clone(), persisted, effects, AfterCalls::Request))
}

fn ask(
    executing: &ToolExecuting,
    tool_use_id: &str,
    questions: AskUserQuestion,
    expires_at: Option<Timestamp>,
) -> Result<Transition, Rejected> {
    check_running(executing, tool_use_id)?;
    if !executing.pending_sub_agents.is_empty() {
        return Err(Rejected::SubAgentsPending);
    }
    // The answer comes later, as a message. The history has the call's result and that message, so it says which asks are open.
    if questions.is_background() {
        return complete(executing, ToolResult::success(tool_use_id, ASKED_TEXT));
    }
    let waiting = AwaitingUserResponse {
        remaining_tools: executing.remaining_tools.clone(),
        persisted_tool_ids: executing.persisted_tool_ids.clone(),
        expires_at,
        ..AwaitingUserResponse::new(tool_use_id, questions)
    };
    Ok(Transition::to(ConvState::AwaitingUserResponse(waiting), Vec::new()))
}

fn withdraw(executing: &ToolExecuting, tool_use_id: &str, asked: Option<String>) -> Result<Transition, Rejected> {
    let asked = asked.ok_or(Rejected::NotWaiting)?;
    let mut next = complete(executing, ToolResult::success(tool_use_id, "withdrawn"))?;
    next.effects.insert(0, Effect::PersistToolResults { results: vec![background::withdrawn(&asked)] });
    Ok(next)
}

fn ask_for_program(
    message: AssistantMessage,
    questions: AskUserQuestion,
    expires_at: Option<Timestamp>,
) -> Result<Transition, Rejected> {
    let [call] = message.tool_calls.as_slice() else {
        return Err(Rejected::NotExecuting);
    };
    let waiting =
        AwaitingUserResponse { expires_at, is_programs: true, ..AwaitingUserResponse::new(&call.id, questions) };
    let effects = vec![Effect::PersistMessage(Message::Assistant(message))];
    Ok(Transition::to(ConvState::AwaitingUserResponse(waiting), effects))
}

fn start_sub_agent(executing: &ToolExecuting, tool_use_id: &str, sub_agent_id: String) -> Result<Transition, Rejected> {
    check_running(executing, tool_use_id)?;
    let mut executing = executing.clone();
    if !executing.pending_sub_agents.contains(&sub_agent_id) {
        executing.pending_sub_agents.push(sub_agent_id);
    }
    Ok(Transition { state: ConvState::ToolExecuting(executing), effects: vec![Effect::PersistState] })
}

fn finish_sub_agent(executing: &ToolExecuting, sub_agent_id: &str) -> Result<Transition, Rejected> {
    if !executing.pending_sub_agents.iter().any(|id| id == sub_agent_id) {
        return Err(Rejected::UnknownSubAgent);
    }
    let mut executing = executing.clone();
    executing.pending_sub_agents.retain(|id| id != sub_agent_id);
    Ok(Transition { state: ConvState::ToolExecuting(executing), effects: vec![Effect::PersistState] })
}

fn check_running(executing: &ToolExecuting, tool_use_id: &str) -> Result<(), Rejected> {
    if executing.current_tool.id == tool_use_id {
        return Ok(());
    }
    Err(Rejected::ForeignTool { running: executing.current_tool.id.clone() })
}

fn reply(waiting: &AwaitingUserResponse, response: Response) -> Result<Transition, Rejected> {
    if response.tool_use_id != waiting.tool_use_id {
        return Err(Rejected::ForeignReply { waiting: waiting.tool_use_id.clone() });
    }
    if let Outcome::Answered(answer) = &response.outcome {
        // A `Reply` was checked against an ask, but not necessarily against this one.
        Reply::parse(&waiting.questions, &answer.to_json()).map_err(Rejected::InvalidReply)?;
    }
    let result = result_of(waiting, &response.outcome);
    let result = ToolResult {
        message_id: response.tool_message_id.clone().unwrap_or(result.message_id),
        ask: Some(response.metadata()),
        ..result
    };
    Ok(close(waiting, Some(response.outcome.kind()), Some(result), response.messages))
}

/// Continues from an ask whose result is stored, while its state still waits.
pub(crate) fn settle(waiting: &AwaitingUserResponse, result: &ToolResult) -> Transition {
    let marked = result.ask.as_ref().map(|ask| ask.outcome);
    let outcome = marked.or_else(|| Some(Outcome::parse(&waiting.questions, &result.content)?.kind()));
    close(waiting, outcome, None, Vec::new())
}

/// Ends the waiting ask: the model reads that it expired, and continues without an answer.
fn expire(waiting: &AwaitingUserResponse, now: Timestamp) -> Result<Transition, Rejected> {
    if !waiting.is_expired(now) {
        return Err(Rejected::NotExpired);
    }
    let result = result_of(waiting, &Outcome::Expired);
    Ok(close(waiting, Some(OutcomeKind::Expired), Some(result), Vec::new()))
}

fn cancel_question(waiting: &AwaitingUserResponse, proceed: bool) -> Transition {
    let result = result_of(waiting, &Outcome::Declined);
    let next = if proceed { AfterCalls::behind(waiting) } else { AfterCalls::End };
    let results = with_not_run(Some(result), &waiting.remaining_tools, NOT_RUN_CANCELLED);
    next.transition(persist_results(&waiting.persisted_tool_ids, results))
}

fn result_of(waiting: &AwaitingUserResponse, outcome: &Outcome) -> ToolResult {
    let content = outcome.tool_content(&waiting.questions);
    let is_error = !matches!(outcome, Outcome::Answered(_) | Outcome::RepliedInChat { .. });
    ToolResult { is_error, ..ToolResult::success(&waiting.tool_use_id, content) }
}

/// Ends an ask with this result, if it is not stored yet, and with the messages that came with it. Only an answer lets the calls behind the question
/// run: no other outcome counts as consent.
fn close(
    waiting: &AwaitingUserResponse,
    outcome: Option<OutcomeKind>,
    result: Option<ToolResult>,
    messages: Vec<UserMessage>,
) -> Transition {
    let behind = AfterCalls::behind(waiting);
    let (not_run, next) = match outcome {
        Some(OutcomeKind::Answered) => (None, behind),
        Some(OutcomeKind::Declined) => (Some(NOT_RUN_CANCELLED), behind),
        Some(OutcomeKind::Cancelled) | None => (Some(NOT_RUN_STOPPED), AfterCalls::End),
        Some(OutcomeKind::RepliedInChat | OutcomeKind::Expired | OutcomeKind::Superseded | OutcomeKind::Withdrawn) => {
            (Some(NOT_RUN_UNANSWERED), behind)
        }
    };
    let (mut persisted, remaining) = (waiting.persisted_tool_ids.clone(), &waiting.remaining_tools);
    let results = match not_run {
        Some(why) => with_not_run(result, remaining, why),
        None => result.into_iter().collect(),
    };
    let mut effects = persist_results(&persisted, results);
    effects.extend(persist_messages(messages));
    match not_run {
        Some(_) => next.transition(effects),
        None => {
            persisted.insert(waiting.tool_use_id.clone());
            go_on(remaining.clone(), persisted, effects, next)
        }
    }
}

fn cancel_tools(executing: &ToolExecuting, proceed: bool) -> Transition {
    let stopped = ToolResult::error(&executing.current_tool.id, NOT_RUN_STOPPED);
    let results = with_not_run(Some(stopped), &executing.remaining_tools, NOT_RUN_STOPPED);
    let next = if proceed { AfterCalls::Request } else { AfterCalls::End };
    next.transition(persist_results(&executing.persisted_tool_ids, results))
}

fn with_not_run(first: Option<ToolResult>, remaining: &[ToolCall], why: &str) -> Vec<ToolResult> {
    let not_run = remaining.iter().map(|call| ToolResult::error(&call.id, why));
    first.into_iter().chain(not_run).collect()
}

/// Stores results, except for those stored already: the host may have died before it stored their state.
fn persist_results(persisted: &BTreeSet<String>, mut results: Vec<ToolResult>) -> Vec<Effect> {
    results.retain(|result| !persisted.contains(&result.tool_use_id));
    if results.is_empty() { Vec::new() } else { vec![Effect::PersistToolResults { results }] }
}

fn persist_messages(messages: Vec<UserMessage>) -> Vec<Effect> {
    let persist = |message| Effect::PersistMessage(Message::User(message));
    messages.into_iter().map(persist).collect()
}

#[derive(Clone, Copy)]
enum AfterCalls {
    /// The model continues.
    Request,
    /// The user's turn.
    End,
}

impl AfterCalls {
    /// What follows an ask. After a program's ask, the model does not continue: it reads of it when its user writes again.
    fn behind(waiting: &AwaitingUserResponse) -> Self {
        if waiting.is_programs { Self::End } else { Self::Request }
    }

    fn transition(self, effects: Vec<Effect>) -> Transition {
        match self {
            Self::Request => request(1, effects),
            Self::End => end(effects),
        }
    }
}

/// Runs the next call of the turn; without one, `next` follows.
fn go_on(
    mut calls: Vec<ToolCall>,
    persisted_tool_ids: BTreeSet<String>,
    effects: Vec<Effect>,
    next: AfterCalls,
) -> Transition {
    calls.retain(|call| !persisted_tool_ids.contains(&call.id));
    if calls.is_empty() {
        return next.transition(effects);
    }
    let current_tool = calls.remove(0);
    let executing =
        ToolExecuting { current_tool, remaining_tools: calls, persisted_tool_ids, pending_sub_agents: Vec::new() };
    Transition::to(ConvState::ToolExecuting(executing), effects)
}

fn request(attempt: u32, effects: Vec<Effect>) -> Transition {
    Transition::to(ConvState::LlmRequesting { attempt }, effects)
}

fn end(effects: Vec<Effect>) -> Transition {
    Transition::to(ConvState::Idle, effects)
}
