//! The position of a conversation in its script, from its history alone.

use crate::own_words::begins;
use crate::script::{ANSWER, ANSWERS, AskEnding, RESULT, SPAWN_AGENTS, Script, ScriptRule, ScriptStep, Variable};
use crate::template::{self, NumberFormat};
use ask_user_question::{AskUserQuestion, Outcome, Reply};
use question_agent::background::is_asked;
use question_agent::call::{ToolCall, ToolInput, ToolResult};
use question_agent::message::{Message, UserMessage};
use question_agent::registry::{PermissionMode, ToolContext};
use question_compat::{check_text, match_message};
use std::collections::BTreeMap;

/// The text of the agent, and its call with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptTurn {
    pub(crate) text: String,
    pub(crate) call: Option<(String, String)>,
}

/// The next turn after this history.
pub(crate) fn next(script: &Script, history: &[Message], context: &ToolContext) -> ScriptTurn {
    let mut story = Story::new(script, context);
    for (index, message) in history.iter().enumerate() {
        match message {
            Message::User(message) if begins(history, index) => story.begin(&message.text),
            Message::User(UserMessage { text, ask: Some(ask), .. }) => story.take_later(&ask.tool_call_id, text),
            // The message beside an answer repeats the tool result.
            Message::User(_) => {}
            Message::Assistant(message) => {
                story.calls.extend(message.tool_calls.iter().map(|call| (call.id.as_str(), call)));
            }
            Message::Tool(result) => story.read(result),
        }
    }
    story.turn()
}

/// The words of the user, by which rules are chosen.
#[derive(Debug, Default)]
struct UserInput {
    /// How this input ended a question, if it did.
    ended: Option<AskEnding>,
    text: String,
    picked: Vec<String>,
    /// The common result of the answers to several questions.
    all: String,
}

struct Story<'a> {
    script: &'a Script,
    context: &'a ToolContext,
    step: &'a str,
    /// The text that replaces the step's own.
    say: Option<&'a str>,
    set: BTreeMap<&'a str, Variable>,
    /// Calls without a result, by their id.
    calls: BTreeMap<&'a str, &'a ToolCall>,
    /// The asks whose answers come as messages, each with its step, by their call.
    later: BTreeMap<&'a str, (&'a str, AskUserQuestion)>,
}

impl<'a> Story<'a> {
    fn new(script: &'a Script, context: &'a ToolContext) -> Self {
        let mut story = Self {
            script,
            context,
            step: "",
            say: None,
            set: BTreeMap::new(),
            calls: BTreeMap::new(),
            later: BTreeMap::new(),
        };
        story.follow(&script.opening, &UserInput::default());
        story
    }

    fn begin(&mut self, text: &str) {
        self.set.clear();
        self.calls.clear();
        let said = UserInput { text: text.to_owned(), ..UserInput::default() };
        self.take(&self.script.begin, &[], &said);
    }

    /// Reads the result of a call of the agent.
    fn read(&mut self, result: &'a ToolResult) {
        let Some(call) = self.calls.remove(result.tool_use_id.as_str()) else {
            return;
        };
        match &call.input {
            ToolInput::AskUserQuestion { arguments, .. } => {
                let asked = check_text(&self.script.limits(), arguments).ask;
                // Another agent may have asked, before this script replaced it.
                if let Some(asked) = asked
                    && let Some(step) = self.step_that_asks(&asked)
                {
                    let said = match is_asked(result) {
                        true => UserInput { ended: Some(AskEnding::Asked), ..UserInput::default() },
                        false => UserInput::of(Outcome::parse(&asked, &result.content)),
                    };
                    self.take_answer(step, &said);
                    if is_asked(result) {
                        self.later.insert(&result.tool_use_id, (step, asked));
                    }
                }
            }
            ToolInput::Other { name, .. } => {
                let of_tools = self.script.tools.iter().find(|tool| tool.name == *name).map(|tool| &tool.go);
                let of_spawning = self.script.sub_agents.as_ref().filter(|_| name == SPAWN_AGENTS);
                if let Some(step) = of_tools.or(of_spawning.map(|next| &next.go)) {
                    self.set.insert(RESULT, Variable::Text(result.content.clone()));
                    self.say = None;
                    self.go(step);
                }
            }
        }
    }

    /// Reads a message that answers an ask for whose answer the agent did not wait.
    fn take_later(&mut self, call: &str, text: &str) {
        if let Some((step, asked)) = self.later.remove(call) {
            let outcome = Outcome::parse(&asked, text).unwrap_or_else(|| match_message(&asked, text, Vec::new()));
            self.take_answer(step, &UserInput::of(Some(outcome)));
        }
    }

    fn take_answer(&mut self, step: &'a str, said: &UserInput) {
        self.step = step;
        self.take(&self.script.steps[step].answers, &self.script.answers, said);
    }

    /// The step that asks this: the present one or, if plan mode has changed since and another rule holds for the user's beginning,
    /// another.
    fn step_that_asks(&self, asked: &AskUserQuestion) -> Option<&'a str> {
        let question = |ask: &AskUserQuestion| ask.questions.first().map(|first| first.question.clone());
        let mut steps = std::iter::once(self.step).chain(self.script.steps.keys().map(String::as_str));
        steps.find(|step| self.ask(&self.script.steps[*step]).is_some_and(|ask| question(&ask) == question(asked)))
    }

    /// Follows the first rule that takes this.
    fn take(&mut self, rules: &'a [ScriptRule], common: &'a [ScriptRule], said: &UserInput) {
        let mut rules = rules.iter().chain(common);
        if let Some(rule) = rules.find(|rule| said.fits(rule, self.context)) {
            self.follow(rule, said);
        }
    }

    fn follow(&mut self, rule: &'a ScriptRule, said: &UserInput) {
        self.set.insert(ANSWER, Variable::Text(said.text.clone()));
        self.set.insert(ANSWERS, Variable::Text(said.all.clone()));
        self.put(&rule.set);
        for (name, more) in &rule.add {
            if let Variable::Number(number) = self.set.entry(name).or_insert(Variable::Number(0.0)) {
                *number += more;
            }
        }
        self.say = rule.say.as_deref();
        if let Some(step) = &rule.go {
            self.go(step);
        }
    }

    fn go(&mut self, step: &'a str) {
        self.step = step;
        self.put(&self.script.steps[step].set);
    }

    fn put(&mut self, set: &'a BTreeMap<String, Variable>) {
        for (name, setting) in set {
            let setting = match setting {
                Variable::Text(text) => Variable::Text(self.filled(text)),
                Variable::Number(number) => Variable::Number(*number),
            };
            self.set.insert(name, setting);
        }
    }

    /// The turn of the step, or of the step that replaces it.
    fn turn(mut self) -> ScriptTurn {
        let of_parent = !self.context.is_sub_agent;
        let step = &self.script.steps[self.step];
        let unasked = self.context.permission_mode == PermissionMode::BypassPermissions && of_parent;
        let planning = self.context.plan_mode && of_parent;
        let instead = step.unasked.as_ref().filter(|_| unasked).or(step.planning.as_ref().filter(|_| planning));
        if let Some(step) = instead {
            self.say = None;
            self.go(step);
        }
        let step = &self.script.steps[self.step];
        let call = match (self.ask(step), &step.call) {
            (Some(ask), _) => {
                let arguments = serde_json::to_string(&ask).expect("an ask has only strings for keys");
                Some((self.context.asking_tool(&self.script.limits()).to_owned(), arguments))
            }
            (None, Some(call)) => {
                let arguments = template::fill_json(&call.arguments, &mut |name, form| self.written(name, form));
                Some((call.tool.clone(), arguments.expect(CHECKED).to_string()))
            }
            (None, None) => None,
        };
        ScriptTurn { text: self.filled(self.say.unwrap_or(&step.say)), call }
    }

    fn ask(&self, step: &ScriptStep) -> Option<AskUserQuestion> {
        let ask = step.ask.as_ref()?;
        Some(template::fill_ask(ask, &mut |name, form| self.written(name, form)).expect(CHECKED))
    }

    fn filled(&self, text: &str) -> String {
        template::fill(text, &mut |name, form| self.written(name, form)).expect(CHECKED)
    }

    /// The value of a name; `None` if it was not set on the way here.
    fn written(&self, name: &str, form: NumberFormat) -> Option<String> {
        Some(match (self.set.get(name), form) {
            (Some(Variable::Text(text)), _) => text.clone(),
            (Some(Variable::Number(number)), NumberFormat::Plain) => number.to_string(),
            (Some(Variable::Number(number)), NumberFormat::Money) => format!("${number:.2}"),
            (None, _) => String::new(),
        })
    }
}

const CHECKED: &str = "every text of a script is checked when it is read";

impl UserInput {
    fn of(outcome: Option<Outcome>) -> Self {
        let ended = |ended| Self { ended: Some(ended), ..Self::default() };
        match outcome {
            Some(Outcome::Answered(reply)) => Self::answered(&reply),
            Some(Outcome::RepliedInChat { text, .. }) => {
                Self { text: text.trim().to_owned(), ..ended(AskEnding::Chat) }
            }
            Some(Outcome::Declined) => ended(AskEnding::Declined),
            _ => ended(AskEnding::Unanswered),
        }
    }

    fn answered(reply: &Reply) -> Self {
        let given = || reply.answers().iter().filter(|answer| !answer.given.is_skipped());
        let Some(first) = given().next() else {
            return Self { ended: Some(AskEnding::Declined), ..Self::default() };
        };
        let picked: Vec<String> =
            given().flat_map(|answer| answer.given.options()).map(|selected| selected.label.clone()).collect();
        // A picture alone is the user's own answer, too.
        let is_typed = given().any(|answer| answer.given.typed().is_some() || answer.given.options().is_empty());
        let text = match first.given.typed() {
            Some(own) => own.trim().to_owned(),
            None => first.text().unwrap_or_default(),
        };
        let ended = if is_typed { AskEnding::Typed } else { AskEnding::Picked };
        Self { ended: Some(ended), text, picked, all: reply.message().replace('\n', "; ") }
    }

    fn fits(&self, rule: &ScriptRule, context: &ToolContext) -> bool {
        let text = self.text.to_lowercase();
        let has_word = |word: &String| mentions(&text, word);
        // An ask that is still open is taken only by a rule for it.
        (rule.on.is_empty() && self.ended != Some(AskEnding::Asked)
            || self.ended.is_some_and(|ended| rule.on.contains(&ended)))
            && (rule.picks.is_empty() || self.ended == Some(AskEnding::Picked))
            && fits_one(&rule.picks, |label| self.picked.contains(label))
            && fits_one(&rule.is, |whole| plain(&text) == *whole)
            && fits_one(&rule.words, has_word)
            && fits_one(&rule.has, |part| text.contains(part))
            && !rule.unless.iter().any(has_word)
            && rule.ends.as_ref().is_none_or(|ending| text.trim_end().ends_with(ending))
            && (!rule.planning || context.plan_mode)
    }
}

fn fits_one(wanted: &[String], fits: impl Fn(&String) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(fits)
}

/// A text in lower case without its punctuation.
fn plain(text: &str) -> String {
    let plain: String = text.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    plain.trim().to_owned()
}

/// Returns true if a word of the text begins like this, so that "oil" is not found in "boiling".
fn mentions(text: &str, beginning: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(beginning))
}
