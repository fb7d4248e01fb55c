//! A script as its file has it.

use crate::template;
use ask_user_question::{AskUserQuestion, Limits};
use question_agent::registry::{ToolContext, ToolSpec};
use question_compat::check_text;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

/// The tool by which an agent starts other agents. Its host runs it; a script with `subAgents` may call it.
pub const SPAWN_AGENTS: &str = "spawn_agents";

/// A script. It can be followed whatever its user does.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Script {
    /// The schema that editors use.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    /// The agent's name in the page.
    pub(crate) name: Option<String>,
    #[serde(deserialize_with = "profile")]
    pub(crate) profile: Limits,
    /// The rule for an empty conversation.
    pub(crate) opening: ScriptRule,
    /// The rules for the first words of the user.
    pub(crate) begin: Vec<ScriptRule>,
    pub(crate) steps: BTreeMap<String, ScriptStep>,
    /// The rules for answers that no rule of a step takes.
    #[serde(default)]
    pub(crate) answers: Vec<ScriptRule>,
    #[serde(default)]
    pub(crate) tools: Vec<ScriptTool>,
    /// The step that follows if it spawns sub-agents.
    pub(crate) sub_agents: Option<Continuation>,
}

fn profile<'de, D: Deserializer<'de>>(profile: D) -> Result<Limits, D::Error> {
    let name = String::deserialize(profile)?;
    let unknown = || D::Error::custom(format!("there is no profile {name}, but chat, coding and runtime"));
    Limits::by_name(&name).ok_or_else(unknown)
}

/// A step of a script: the agent's text, and its ask or call.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ScriptStep {
    /// The values that are set when the step begins.
    #[serde(default)]
    pub(crate) set: BTreeMap<String, Variable>,
    pub(crate) say: String,
    pub(crate) ask: Option<AskUserQuestion>,
    #[serde(default)]
    pub(crate) answers: Vec<ScriptRule>,
    pub(crate) call: Option<CallOfScript>,
    /// The step that replaces this one if no user may be asked.
    pub(crate) unasked: Option<String>,
    /// The step that replaces this one in plan mode.
    pub(crate) planning: Option<String>,
}

/// A rule, which takes some words of the user.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ScriptRule {
    /// The ways in which the question may have ended; empty for any but `asked`.
    #[serde(default)]
    pub(crate) on: Vec<AskEnding>,
    /// Labels, of which one was picked.
    #[serde(default)]
    pub(crate) picks: Vec<String>,
    /// The whole text, without case and punctuation.
    #[serde(default)]
    pub(crate) is: Vec<String>,
    /// Beginnings of words.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// Texts at any place, even within a word.
    #[serde(default)]
    pub(crate) has: Vec<String>,
    /// Beginnings that no word may have.
    #[serde(default)]
    pub(crate) unless: Vec<String>,
    pub(crate) ends: Option<String>,
    /// True if the rule holds in plan mode alone.
    #[serde(default)]
    pub(crate) planning: bool,

    #[serde(default)]
    pub(crate) set: BTreeMap<String, Variable>,
    #[serde(default)]
    pub(crate) add: BTreeMap<String, f64>,
    /// The text that replaces the step's own.
    pub(crate) say: Option<String>,
    /// The next step; without it the question is asked again.
    pub(crate) go: Option<String>,
}

impl ScriptRule {
    /// Returns true if it takes any words.
    fn takes_all(&self) -> bool {
        let lists = [&self.picks, &self.is, &self.words, &self.has, &self.unless];
        self.on.is_empty() && lists.iter().all(|list| list.is_empty()) && self.ends.is_none() && !self.planning
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AskEnding {
    /// By labels alone.
    Picked,
    /// By the user's own words.
    Typed,
    /// By a message that answers something else.
    Chat,
    /// The user did not want to answer.
    Declined,
    /// It expired, was superseded or could not be asked.
    Unanswered,
    /// It has not ended: the agent goes on, and the answer comes as a message.
    Asked,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a number")]
pub(crate) enum Variable {
    Number(f64),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallOfScript {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

/// A tool of an agent. Its result is in the script, or else brought by the client, which has such a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Value,
    /// Its result for the agent; `None` for a tool of the client.
    pub(crate) result: Option<String>,
    /// True if it is there in plan mode alone.
    #[serde(default)]
    pub(crate) planning: bool,
    /// The step that follows.
    pub(crate) go: String,
}

impl ScriptTool {
    /// Its definition for a model.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        ToolSpec::new(&self.name, &self.description, &self.parameters)
    }

    /// Returns true if an agent in this context may call it.
    #[must_use]
    pub fn is_offered(&self, context: &ToolContext) -> bool {
        context.plan_mode || !self.planning
    }

    /// The result of each call; `None` for a tool of the client.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        self.result.as_deref()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Continuation {
    pub(crate) go: String,
}

/// A fault of a script, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    path: String,
    reason: String,
}

impl ScriptError {
    fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "." => f.write_str(&self.reason),
            path => write!(f, "{path}: {}", self.reason),
        }
    }
}

impl Error for ScriptError {}

/// The text of an answer.
pub(crate) const ANSWER: &str = "answer";
/// The text of all answers, if there are several questions.
pub(crate) const ANSWERS: &str = "answers";
/// The result of a tool.
pub(crate) const RESULT: &str = "result";

impl Script {
    /// Reads a script, and checks that it can be followed whatever its user does.
    ///
    /// # Errors
    /// The fault, with its place.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut json = serde_json::Deserializer::from_str(text);
        let script: Self = serde_path_to_error::deserialize(&mut json)
            .map_err(|error| ScriptError::new(error.path().to_string(), error.inner().to_string()))?;
        json.end().map_err(|error| ScriptError::new(".", error.to_string()))?;
        script.check()?;
        Ok(script)
    }

    fn check(&self) -> Result<(), ScriptError> {
        let names = self.names();
        self.check_rule("opening", &self.opening, &[], &names)?;
        self.check_rules("begin", &self.begin, None, &names)?;
        if self.opening.go.is_none() || self.begin.iter().any(|rule| rule.go.is_none()) {
            return Err(ScriptError::new("begin", "each rule, and the opening, needs `go`: nothing is asked yet"));
        }
        for (name, step) in &self.steps {
            self.check_step(&format!("steps.{name}"), step, &names)?;
        }
        let asks: Vec<_> = self.steps.values().filter_map(|step| step.ask.as_ref()).collect();
        for (index, rule) in self.answers.iter().enumerate() {
            self.check_rule(&format!("answers[{index}]"), rule, &asks, &names)?;
        }
        for (index, tool) in self.tools.iter().enumerate() {
            self.check_go(&format!("tools[{index}].go"), Some(&tool.go))?;
        }
        self.check_go("subAgents.go", self.sub_agents.as_ref().map(|next| &next.go))
    }

    fn names(&self) -> BTreeSet<&str> {
        let of_steps = self.steps.values().flat_map(|step| &step.answers);
        let rules = [&self.opening].into_iter().chain(&self.begin).chain(&self.answers).chain(of_steps);
        let of_rules = rules.flat_map(|rule| rule.set.keys().chain(rule.add.keys()));
        let of_steps = self.steps.values().flat_map(|step| step.set.keys());
        of_rules.chain(of_steps).map(String::as_str).chain([ANSWER, ANSWERS, RESULT]).collect()
    }

    fn check_step(&self, path: &str, step: &ScriptStep, names: &BTreeSet<&str>) -> Result<(), ScriptError> {
        check_settings(path, &step.set, names)?;
        check_text_of(&format!("{path}.say"), &step.say, names)?;
        self.check_go(&format!("{path}.unasked"), step.unasked.as_ref())?;
        self.check_go(&format!("{path}.planning"), step.planning.as_ref())?;
        if let Some(call) = &step.call {
            let is_there = self.tools.iter().any(|tool| tool.name == call.tool)
                || self.sub_agents.is_some() && call.tool == SPAWN_AGENTS;
            if !is_there {
                return Err(ScriptError::new(format!("{path}.call.tool"), format!("there is no tool {}", call.tool)));
            }
            template::fill_json(&call.arguments, &mut |name, _| known(names, name))
                .map_err(|why| ScriptError::new(format!("{path}.call.arguments"), why))?;
        }
        let Some(ask) = &step.ask else {
            return match step.answers.is_empty() {
                true => Ok(()),
                false => Err(ScriptError::new(format!("{path}.answers"), "this step has no ask to answer")),
            };
        };
        let ask_path = format!("{path}.ask");
        template::fill_ask(ask, &mut |name, _| known(names, name)).map_err(|why| ScriptError::new(&ask_path, why))?;
        let text = serde_json::to_string(ask).expect("an ask has only strings for keys");
        if let Some(violation) = check_text(&self.limits(), &text).violations.into_iter().next() {
            return Err(ScriptError::new(format!("{ask_path}.{}", violation.path), violation.message));
        }
        let goes_on = step.answers.iter().any(|rule| rule.on == [AskEnding::Asked] && rule.go.is_some());
        if ask.is_background() && !goes_on {
            let reason = "a question that does not stop the run needs a rule on \"asked\" alone, with `go`";
            return Err(ScriptError::new(format!("{path}.answers"), reason));
        }
        if step.call.is_some() {
            return Err(ScriptError::new(format!("{path}.call"), "a question is the only call of its turn"));
        }
        self.check_rules(&format!("{path}.answers"), &step.answers, Some(ask), names)
    }

    fn check_rules(
        &self,
        path: &str,
        rules: &[ScriptRule],
        ask: Option<&AskUserQuestion>,
        names: &BTreeSet<&str>,
    ) -> Result<(), ScriptError> {
        for (index, rule) in rules.iter().enumerate() {
            self.check_rule(&format!("{path}[{index}]"), rule, ask.as_slice(), names)?;
        }
        let common = ask.map_or([].as_slice(), |_| &self.answers);
        match rules.iter().chain(common).any(ScriptRule::takes_all) {
            true => Ok(()),
            false => {
                Err(ScriptError::new(path, "a last rule without a condition is missing, for whatever else there is"))
            }
        }
    }

    fn check_rule(
        &self,
        path: &str,
        rule: &ScriptRule,
        asks: &[&AskUserQuestion],
        names: &BTreeSet<&str>,
    ) -> Result<(), ScriptError> {
        let options = || asks.iter().flat_map(|ask| &ask.questions).flat_map(|question| &question.options);
        for picked in &rule.picks {
            if !options().any(|option| option.label == *picked) {
                return Err(ScriptError::new(format!("{path}.picks"), format!("no option is labelled {picked}")));
            }
        }
        check_settings(path, &rule.set, names)?;
        check_text_of(&format!("{path}.say"), rule.say.as_deref().unwrap_or_default(), names)?;
        self.check_go(&format!("{path}.go"), rule.go.as_ref())
    }

    fn check_go(&self, path: &str, step: Option<&String>) -> Result<(), ScriptError> {
        match step.filter(|step| !self.steps.contains_key(*step)) {
            Some(step) => Err(ScriptError::new(path, format!("there is no step {step}"))),
            None => Ok(()),
        }
    }
}

fn check_settings(path: &str, set: &BTreeMap<String, Variable>, names: &BTreeSet<&str>) -> Result<(), ScriptError> {
    for (name, setting) in set {
        if let Variable::Text(text) = setting {
            check_text_of(&format!("{path}.set.{name}"), text, names)?;
        }
    }
    Ok(())
}

fn check_text_of(path: &str, text: &str, names: &BTreeSet<&str>) -> Result<(), ScriptError> {
    let filled = template::fill(text, &mut |name, _| known(names, name));
    filled.map(drop).map_err(|why| ScriptError::new(path, why))
}

/// A stand-in for the later value of a name.
fn known(names: &BTreeSet<&str>, name: &str) -> Option<String> {
    names.contains(name).then(|| name.to_owned())
}
