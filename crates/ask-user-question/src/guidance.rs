//! The prompt guidance, as data.

use crate::limits::{ExtraMember, Limits};
use crate::members::Wording;

/// The work of the agent, on which its way of asking depends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It does the work.
    #[default]
    Work,
    /// It plans and may not touch anything yet.
    Plan,
}

/// One rule of good asking.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// A stable name, such as `no_other`.
    pub id: &'static str,
    /// The rule, addressed to the model.
    pub text: String,
}

/// The rules, with the tool named as in the limits.
#[must_use]
pub fn rules(limits: &Limits, mode: Mode) -> Vec<Rule> {
    let tool = limits.tool_name();
    let mut rules = vec![
        rule(
            "when_to_ask",
            format!(
                "Use {tool} when the instruction is ambiguous, a requirement is missing, or several approaches are valid and the user's \
                 preference decides. Do not ask what you can find out yourself, and do not guess what only the user can know."
            ),
        ),
        rule(
            "ask_by_tool",
            format!("Do not ask questions in plain text: call {tool}, so that the user can answer with one tap."),
        ),
        rule(
            "recommended_first",
            "If you recommend an option, make it the first one and end its label with \"(Recommended)\".".to_owned(),
        ),
        rule(
            "no_other",
            "Do not put \"Other\" or \"Something else\" among the options: the user is always offered a text field.".to_owned(),
        ),
        rule(
            "only_call",
            format!(
                "Make {tool} the only tool call of your turn, and wait for the result. Put all your questions into one call where that \
                 many are allowed."
            ),
        ),
        rule(
            "no_answer",
            "A skipped, declined or expired question is no answer and no consent: carry on only with what is safe without it, or ask \
             again differently."
                .to_owned(),
        ),
    ];
    if limits.offers(ExtraMember::Input) {
        rules.push(rule(
            "input",
            "Give a question an `input` and no options if its answer is a number, a date, an address or a text that nobody can list, with \
             the bounds that you would check anyway. Use `rank` with options if their order is the answer, and `boolean` for a plain yes or \
             no. For everything else give options: a tap is easier than typing."
                .to_owned(),
        ));
    }
    if limits.offers(ExtraMember::ShowIf) {
        rules.push(rule(
            "show_if",
            "Give a question that matters only after a certain answer a `showIf` with the earlier question and the label. It is skipped \
             after any other answer; do not ask again then."
                .to_owned(),
        ));
    }
    if limits.offers(ExtraMember::Image) {
        rules.push(rule(
            "image",
            "Give options an `image` only if the choice is between things that one has to see and you know its address; give all options of \
             the question one, each with an `alt` that says what it shows."
                .to_owned(),
        ));
    }
    if limits.offers(ExtraMember::Blocking) {
        rules.push(rule(
            "blocking",
            "Set `blocking` to false only if there is useful work that no answer could make worthless: the call returns at once, you go on, \
             and the answer comes as a later message of the user. Do not ask the same again meanwhile, and never take the missing answer \
             for consent."
                .to_owned(),
        ));
    }
    rules.extend(match mode {
        // The others know no such mode until they are in it.
        Mode::Work if limits.wording() != Wording::Coding => None,
        Mode::Work => Some(rule(
            "plan_mode",
            format!(
                "In plan mode, use {tool} to clarify requirements or choose between approaches before you finalize the plan. Do not use \
                 it to ask for approval of the plan; that is what ExitPlanMode is for."
            ),
        )),
        Mode::Plan => Some(rule(
            "plan_mode",
            format!(
                "You are in plan mode. Where requirements are missing, you MUST gather them with {tool} before you finalize the plan. You \
                 MUST NOT use {tool} to ask for approval of the plan (\"Is the plan okay?\", \"Should I proceed?\"): call ExitPlanMode \
                 for that."
            ),
        )),
    });
    rules
}

/// The rules as one text for a system prompt, a line each.
#[must_use]
pub fn text(limits: &Limits, mode: Mode) -> String {
    let lines: Vec<String> = rules(limits, mode).into_iter().map(|rule| format!("- {}", rule.text)).collect();
    lines.join("\n")
}

fn rule(id: &'static str, text: String) -> Rule {
    Rule { id, text }
}
