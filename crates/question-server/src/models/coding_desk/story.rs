//! What the desk does next, derived from the history: one question for each kind of request, then the work as the user wants it.

use super::tools::EXIT_PLAN_MODE;
use crate::models::SPAWN_AGENTS;
use crate::models::own_words::begins;
use ask_user_question::examples;
use ask_user_question::validate::check_text;
use ask_user_question::{AskUserQuestion, Limits, Outcome};
use question_agent::call::{ToolCall, ToolInput, ToolResult};
use question_agent::message::Message;
use question_agent::registry::{PermissionMode, ToolContext};
use serde_json::json;

/// What the desk says, and the tool that it calls with which arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) text: String,
    pub(super) call: Option<(String, String)>,
}

/// What a user can ask the desk for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Story {
    /// "Refactor this function": which way?
    Refactor,
    /// "Add authentication": which kind?
    Authentication,
    /// "Set up a new service": four questions at once.
    NewService,
    /// "Add an export": requirements are missing.
    Export,
    /// "Have sub-agents look at it".
    SubAgents,
    /// Anything else.
    Unknown,
}

pub(super) fn next(history: &[Message], context: &ToolContext) -> Step {
    let Some(begin) = (0..history.len()).rev().find(|&index| begins(history, index)) else {
        return say("What shall I do?");
    };
    let story = match &history[begin] {
        Message::User(request) => Story::of(&request.text, context),
        Message::Assistant(_) | Message::Tool(_) => Story::Unknown,
    };
    let since = &history[begin + 1..];
    let Some(result) = last_result(since) else {
        return story.begin(context);
    };
    match call_of(since, result) {
        Some(call) => story.go_on(context, call, result),
        None => story.begin(context),
    }
}

fn last_result(messages: &[Message]) -> Option<&ToolResult> {
    messages.iter().rev().find_map(|message| match message {
        Message::Tool(result) => Some(result),
        Message::User(_) | Message::Assistant(_) => None,
    })
}

fn call_of<'a>(messages: &'a [Message], result: &ToolResult) -> Option<&'a ToolCall> {
    let calls = messages.iter().filter_map(|message| match message {
        Message::Assistant(message) => Some(&message.tool_calls),
        Message::User(_) | Message::Tool(_) => None,
    });
    calls.flatten().find(|call| call.id == result.tool_use_id)
}

impl Story {
    fn of(text: &str, context: &ToolContext) -> Self {
        const WORDS: [(&str, Story); 8] = [
            ("sub-agent", Story::SubAgents),
            ("subagent", Story::SubAgents),
            ("refactor", Story::Refactor),
            ("auth", Story::Authentication),
            ("sign in", Story::Authentication),
            ("log in", Story::Authentication),
            ("service", Story::NewService),
            ("export", Story::Export),
        ];
        let text = text.to_lowercase();
        let named = WORDS.iter().find(|(word, _)| text.contains(word));
        match named {
            Some((_, story)) => *story,
            // A plan needs requirements whatever it is for.
            None if context.plan_mode => Self::Export,
            None => Self::Unknown,
        }
    }

    fn begin(self, context: &ToolContext) -> Step {
        let (lead, example) = match self {
            Self::Refactor => ("I have read `load_config`; there is more than one way to tidy it.", "coding-refactor"),
            Self::Authentication => ("There are three ways to do that.", "coding-auth"),
            Self::NewService => ("Four things decide how I set it up.", "coding-four-questions"),
            Self::Export => ("Before I go on I need to know two things.", "coding-plan"),
            Self::SubAgents => return spawn(),
            Self::Unknown => {
                return say(
                    "I can refactor a function, add authentication or an export, set up a service, or have sub-agents do so.",
                );
            }
        };
        // A sub-agent asks like any model that was trained on the tool; the executor tells it off.
        if context.permission_mode == PermissionMode::BypassPermissions && !context.is_sub_agent {
            return say(&format!("Nobody is there to ask. {}", self.assumption()));
        }
        let ask = examples::by_name(example).and_then(|example| example.check().ask);
        let ask = ask.expect("a test plays every story");
        Step { text: lead.to_owned(), call: Some((context.asking_tool(&Limits::CODING).to_owned(), text_of(&ask))) }
    }

    fn go_on(self, context: &ToolContext, call: &ToolCall, result: &ToolResult) -> Step {
        match &call.input {
            ToolInput::Other { name, .. } if name == EXIT_PLAN_MODE => {
                say("The plan is yours to approve; I start when you have.")
            }
            ToolInput::Other { name, .. } if name == SPAWN_AGENTS => {
                say(&format!("My sub-agents report:\n\n{}", result.content))
            }
            ToolInput::Other { .. } => say(&result.content),
            ToolInput::AskUserQuestion { arguments, .. } => {
                let ask = check_text(&Limits::CODING, arguments).ask;
                let outcome = ask.and_then(|ask| Outcome::parse(&ask, &result.content));
                let decided = self.decide(outcome);
                if context.plan_mode && !context.is_sub_agent { hand_over(&decided) } else { say(&decided) }
            }
        }
    }

    fn decide(self, outcome: Option<Outcome>) -> String {
        match outcome {
            Some(Outcome::Answered(reply)) => {
                let chosen = reply.message().replace('\n', "; ");
                format!("{chosen}: done as you wish.")
            }
            Some(Outcome::RepliedInChat { text, .. }) => format!("I go by what you wrote: {text}"),
            Some(Outcome::Declined) => format!("As you like. {}", self.assumption()),
            Some(Outcome::Expired | Outcome::Superseded | Outcome::Cancelled) | None => {
                format!("Without an answer: {}", self.assumption())
            }
        }
    }

    /// What the desk takes for granted where nobody answers.
    fn assumption(self) -> &'static str {
        match self {
            Self::Refactor => "I assume that extracting functions is what you want, and go on with that.",
            Self::Authentication => "I assume JWT, since it fits the mobile client, and go on with that.",
            Self::NewService => "I assume PostgreSQL, login, problem JSON and unit tests, and go on with that.",
            Self::Export => "I assume that everybody signed in may export up to 10,000 rows, and go on with that.",
            Self::SubAgents | Self::Unknown => "I assume nothing and stop here.",
        }
    }
}

fn say(text: &str) -> Step {
    Step { text: text.to_owned(), call: None }
}

fn spawn() -> Step {
    let tasks = ["Refactor load_config", "Add authentication"];
    Step {
        text: "I have two sub-agents look at it.".to_owned(),
        call: Some((SPAWN_AGENTS.to_owned(), json!({"tasks": tasks}).to_string())),
    }
}

/// A plan is approved through its own tool, never by a question.
fn hand_over(decided: &str) -> Step {
    let plan = format!("1. {decided}\n2. Write the tests.\n3. Write the code.");
    Step {
        text: "The plan is ready.".to_owned(),
        call: Some((EXIT_PLAN_MODE.to_owned(), json!({"plan": plan}).to_string())),
    }
}

fn text_of(ask: &AskUserQuestion) -> String {
    serde_json::to_string(ask).expect("an ask has only strings for keys")
}
