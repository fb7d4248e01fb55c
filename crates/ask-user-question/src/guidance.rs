//! Instructions for the system prompt on when and how to ask.

use crate::limits::{ExtraMember, Limits};
use crate::members::Wording;

/// What the agent is doing, which affects how it should ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The mode is unknown or does not matter.
    #[default]
    Any,
    /// The agent does the work.
    Work,
    /// The agent plans and must not change anything yet.
    Plan,
}

/// The rules of good asking. `{tool}` is replaced by the tool's name.
const RULES: [&str; 6] = [
    "Use {tool} when the instruction is ambiguous, a requirement is missing, or several approaches are valid and the user's \
     preference decides. Do not ask what you can find out yourself, and do not guess what only the user can know.",
    "Do not ask questions in plain text: call {tool}, so that the user can answer with one tap.",
    "If you recommend an option, make it the first one and end its label with \"(Recommended)\".",
    "Do not put \"Other\" or \"Something else\" among the options: the user is always offered a text field.",
    "Make {tool} the only tool call of your turn, and wait for the result. Put all your questions into one call where that \
     many are allowed.",
    "A skipped, declined or expired question is no answer and no consent: carry on only with what is safe without it, or ask \
     again differently.",
];

/// Rules for members, included if the limits offer the member.
const RULES_OF_MEMBERS: [(ExtraMember, &str); 4] = [
    (
        ExtraMember::Input,
        "Give a question an `input` and no options if its answer is a number, a date, an address or a text that nobody can list, with \
         the bounds that you would check anyway. Use `rank` with options if their order is the answer, and `boolean` for a plain yes or \
         no. For everything else give options: a tap is easier than typing.",
    ),
    (
        ExtraMember::ShowIf,
        "Give a question that matters only after a certain answer a `showIf` with the earlier question and the label. It is skipped \
         after any other answer; do not ask again then.",
    ),
    (
        ExtraMember::Image,
        "Give options an `image` only if the choice is between things that one has to see and you know its address; give all options of \
         the question one, each with an `alt` that says what it shows.",
    ),
    (
        ExtraMember::Blocking,
        "Set `blocking` to false only if there is useful work that no answer could make worthless: the call returns at once, you go on, \
         and the answer comes as a later message of the user. Do not ask the same again meanwhile, and never take the missing answer \
         for consent.",
    ),
];

const BEFORE_PLANNING: &str = "In plan mode, use {tool} to clarify requirements or choose between approaches before you finalize the plan. \
     Do not use it to ask for approval of the plan; that is what ExitPlanMode is for.";
const PLANNING: &str = "You are in plan mode. Where requirements are missing, you MUST gather them with {tool} before you finalize the plan. \
     You MUST NOT use {tool} to ask for approval of the plan (\"Is the plan okay?\", \"Should I proceed?\"): call ExitPlanMode for that.";

/// The rules as text for a system prompt, one per line, with the tool's name from the limits.
#[must_use]
pub fn text(limits: &Limits, mode: Mode) -> String {
    let of_members = RULES_OF_MEMBERS.into_iter().filter(|(member, _)| limits.offers(*member)).map(|(_, rule)| rule);
    let of_plans = match mode {
        Mode::Any if limits.wording == Wording::Coding => Some(BEFORE_PLANNING),
        // Other profiles mention planning only while the agent plans.
        Mode::Any | Mode::Work => None,
        Mode::Plan => Some(PLANNING),
    };
    let rules = RULES.into_iter().chain(of_members).chain(of_plans);
    let lines: Vec<String> = rules.map(|rule| "- ".to_owned() + &rule.replace("{tool}", limits.tool_name())).collect();
    lines.join("\n")
}
