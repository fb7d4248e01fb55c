//! Properties over random sequences of events, fitting and not.

use crate::dice::Dice;
use crate::samples::{ask_call, database_ask, other_call, picks, replies, responds, says};
use crate::stored::stored;
use ask_user_question::Outcome;
use question_agent::call::ToolResult;
use question_agent::event::Event;
use question_agent::message::{AssistantMessage, Message};
use question_agent::{ConvState, Conversation, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

pub(crate) const SEQUENCES: u64 = 200;
const EVENTS: usize = 60;
const DEADLINE: Timestamp = Timestamp(1_795_176_000_000);

#[test]
fn no_call_is_left_without_exactly_one_result() {
    for seed in 0..SEQUENCES {
        walk(seed, |conversation, _, _| check_results(conversation));
    }
}

#[test]
fn an_answer_is_delivered_exactly_once() {
    let mut delivered_in_all = 0;
    for seed in 0..SEQUENCES {
        let mut accepted: BTreeSet<String> = BTreeSet::new();
        let conversation = walk(seed, |_, event, taken| {
            if let (Event::UserQuestionResponse(response), true) = (event, taken) {
                assert!(accepted.insert(response.reply_id.clone()), "{} was taken twice", response.reply_id);
            }
        });
        let mut delivered: BTreeMap<String, usize> = BTreeMap::new();
        for message in conversation.messages() {
            if let Message::Tool(ToolResult { ask: Some(ask), .. }) = message {
                *delivered.entry(ask.reply_id.clone()).or_default() += 1;
            }
        }
        for reply_id in &accepted {
            assert_eq!(delivered.get(reply_id), Some(&1), "{reply_id}");
        }
        delivered_in_all += accepted.len();
    }
    assert!(delivered_in_all > 250, "the walks hardly ever answer: {delivered_in_all}");
}

#[test]
fn a_rejected_event_changes_nothing() {
    for seed in 0..SEQUENCES {
        let mut before = Conversation::new();
        walk(seed, |conversation, event, taken| {
            if !taken {
                assert_eq!(*conversation, before, "{}", event.name());
            }
            before = conversation.clone();
        });
    }
}

#[test]
fn what_is_stored_at_any_point_goes_on_to_the_same_end() {
    for seed in 0..SEQUENCES / 10 {
        let mut events = Vec::new();
        let end = walk(seed, |_, event, _| events.push(event.clone()));
        for cut in 0..events.len() {
            let mut conversation = Conversation::new();
            for (index, event) in events.iter().enumerate() {
                if index == cut {
                    conversation = stored(&conversation);
                }
                // The walk has judged each event already; the same ones are rejected again.
                let _ = conversation.handle(event.clone());
            }
            assert_eq!(conversation, end, "seed {seed}, cut before event {cut}");
        }
    }
}

#[test]
fn the_walks_reach_every_state() {
    let mut reached = BTreeSet::new();
    for seed in 0..SEQUENCES {
        walk(seed, |conversation, _, _| {
            reached.insert(conversation.state().name());
        });
    }
    assert_eq!(reached.len(), 5, "{reached:?}");
}

/// Every call has one result, except those that the state still answers for; they have none.
fn check_results(conversation: &Conversation) {
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    let mut calls = BTreeSet::new();
    for message in conversation.messages() {
        match message {
            Message::Assistant(message) => {
                calls.extend(message.tool_calls.iter().map(|call| call.id.as_str()));
            }
            Message::Tool(result) => *results.entry(&result.tool_use_id).or_default() += 1,
            Message::User(_) => {}
        }
    }
    let open: BTreeSet<&str> = conversation.state().open_calls().into_iter().collect();
    for call in &calls {
        let expected = usize::from(!open.contains(call));
        assert_eq!(results.get(call).copied().unwrap_or(0), expected, "{call} in {:?}", conversation.state());
    }
    assert!(open.is_subset(&calls) && results.keys().all(|call| calls.contains(call)));
}

/// Feeds random events and shows each one with what became of it.
pub(crate) fn walk(seed: u64, mut visit: impl FnMut(&Conversation, &Event, bool)) -> Conversation {
    let mut dice = Dice::new(seed);
    let mut conversation = Conversation::new();
    for step in 0..EVENTS {
        // Mostly what fits, so that the walks get somewhere; at times anything at all.
        let event = if dice.roll(4) == 0 {
            any_event(&mut dice, step)
        } else {
            fitting_event(&mut dice, step, conversation.state())
        };
        let taken = conversation.handle(event.clone()).is_ok();
        visit(&conversation, &event, taken);
    }
    conversation
}

fn fitting_event(dice: &mut Dice, step: usize, state: &ConvState) -> Event {
    match state {
        ConvState::Idle => says(&format!("u{step}"), "go on"),
        ConvState::Failed { .. } => Event::Retry,
        ConvState::LlmRequesting { .. } => any_model_event(dice, step),
        ConvState::ToolExecuting(executing) => {
            let id = executing.current_tool.id.clone();
            match (executing.pending_sub_agents.first(), executing.current_tool == ask_call(&id)) {
                (Some(sub_agent_id), _) => Event::SubAgentFinished { sub_agent_id: sub_agent_id.clone() },
                (None, true) => Event::AskUserQuestionPending {
                    tool_use_id: id,
                    questions: database_ask(),
                    expires_at: dice.flip().then_some(DEADLINE),
                },
                (None, false) => Event::ToolComplete { result: ToolResult::success(id, "done") },
            }
        }
        ConvState::AwaitingUserResponse(waiting) => match dice.roll(8) {
            0 | 1 => says(&format!("u{step}"), "SQLite"),
            2 => Event::QuestionExpired { now: DEADLINE },
            _ => replies(&waiting.tool_use_id, &format!("r{step}"), any_outcome(dice)),
        },
    }
}

/// Ids are drawn from a small pool, so that late, foreign and repeated ones occur.
fn any_event(dice: &mut Dice, step: usize) -> Event {
    let earlier = dice.roll(step + 1);
    let tool_use_id = format!("call-{earlier}-{}", dice.roll(3));
    let sub_agent_id = format!("helper-{}", dice.roll(2));
    match dice.roll(10) {
        0 => says(&format!("u{earlier}"), "Postgres"),
        1 => any_model_event(dice, step),
        2 => Event::ToolComplete { result: ToolResult::error(tool_use_id, "failed") },
        3 => Event::AskUserQuestionPending {
            tool_use_id,
            questions: database_ask(),
            expires_at: dice.flip().then_some(DEADLINE),
        },
        4 => replies(&tool_use_id, &format!("r{earlier}"), any_outcome(dice)),
        5 => Event::UserCancel { proceed: dice.flip() },
        6 => Event::Retry,
        7 => Event::SubAgentStarted { tool_use_id, sub_agent_id },
        8 => Event::QuestionExpired { now: Timestamp(DEADLINE.0 - u64::from(dice.flip())) },
        _ => Event::SubAgentFinished { sub_agent_id },
    }
}

fn any_model_event(dice: &mut Dice, step: usize) -> Event {
    let calls = (0..dice.roll(4)).map(|index| {
        let id = format!("call-{step}-{index}");
        if dice.flip() { ask_call(&id) } else { other_call(&id) }
    });
    let tool_calls = calls.collect();
    match dice.roll(8) {
        0 => Event::LlmFailed { reason: "503".to_owned(), retryable: dice.flip() },
        1 => Event::LlmStopped {
            partial: AssistantMessage { id: format!("a{step}"), text: "so far".to_owned(), tool_calls, origin: None },
        },
        _ => responds(&format!("a{step}"), "text", tool_calls),
    }
}

fn any_outcome(dice: &mut Dice) -> Outcome {
    match dice.roll(6) {
        0 => Outcome::Declined,
        1 => Outcome::Expired,
        2 => Outcome::Superseded,
        3 => Outcome::RepliedInChat { text: "why?".to_owned(), partial: Vec::new() },
        option => picks(option % 2),
    }
}
