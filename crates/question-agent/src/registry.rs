//! The tools that a conversation is offered.

use crate::background;
use crate::call::{ToolCall, ToolResult, is_asking_tool};
pub use crate::context::{Callback, ContextItem, PermissionMode, ToolContext, ToolSpec};
use crate::event::Event;
use crate::intercept::{intercept, offers_asking, offers_withdrawing};
use crate::time::Timestamp;
use ask_user_question::Limits;
use ask_user_question::guidance::{self, Mode};
use ask_user_question::tool::tool_definition;
use std::fmt;
use std::sync::Arc;

/// A tool that needs no I/O to run. Others are the host's: see [`ToolRegistry::with_host_tool`].
pub trait Tool: fmt::Debug + Send + Sync {
    /// Its definition for the model.
    fn spec(&self) -> &ToolSpec;

    /// Runs it.
    fn run(&self, call: &ToolCall) -> ToolResult;
}

/// The asking tool. It is there for its definition: an executor that runs it has forgotten to [`intercept()`].
#[derive(Clone, Debug)]
pub struct AskUserQuestionTool {
    spec: ToolSpec,
}

impl AskUserQuestionTool {
    /// The tool of this profile.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let definition = tool_definition(limits);
        Self {
            spec: ToolSpec {
                name: definition.name.to_owned(),
                description: definition.description,
                parameters: (&definition.parameters).into(),
            },
        }
    }
}

impl Tool for AskUserQuestionTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, call: &ToolCall) -> ToolResult {
        unhandled(&self.spec, call)
    }
}

/// A tool of the host; the registry has only its definition.
#[derive(Debug)]
struct HostTool(ToolSpec);

impl Tool for HostTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn run(&self, call: &ToolCall) -> ToolResult {
        unhandled(&self.0, call)
    }
}

fn unhandled(spec: &ToolSpec, call: &ToolCall) -> ToolResult {
    ToolResult::error(&call.id, format!("{} must be handled by the executor", spec.name))
}

#[derive(Debug)]
struct FnTool {
    spec: ToolSpec,
    run: fn(&ToolCall) -> ToolResult,
}

impl Tool for FnTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run(&self, call: &ToolCall) -> ToolResult {
        (self.run)(call)
    }
}

/// The tools that one conversation is offered.
#[derive(Clone, Debug)]
pub struct ToolRegistry {
    limits: Limits,
    context: ToolContext,
    tools: Vec<Arc<dyn Tool>>,
}

impl ToolRegistry {
    /// The tools of a conversation: the asking tool, if a user is there to answer, by the client's name for it.
    #[must_use]
    pub fn new(limits: Limits, context: ToolContext) -> Self {
        let name = context.asking_tool(&limits);
        let limits = limits.with_tool_name(name);
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        if offers_asking(&context) {
            tools.push(Arc::new(AskUserQuestionTool::new(&limits)));
        }
        if offers_withdrawing(&context, &limits) {
            tools.push(Arc::new(HostTool(background::withdrawing_tool())));
        }
        Self { limits, context, tools }
    }

    /// The same with one tool more. A tool with a name of the asking tool is left out: it could never be reached.
    #[must_use]
    pub fn with(mut self, tool: Arc<dyn Tool>) -> Self {
        if !is_asking_tool(&tool.spec().name) {
            self.tools.push(tool);
        }
        self
    }

    /// The same with a function as a tool.
    #[must_use]
    pub fn with_fn(self, spec: ToolSpec, run: fn(&ToolCall) -> ToolResult) -> Self {
        self.with(Arc::new(FnTool { spec, run }))
    }

    /// The same with a tool that the host runs itself, such as one that does I/O.
    #[must_use]
    pub fn with_host_tool(self, spec: ToolSpec) -> Self {
        self.with(Arc::new(HostTool(spec)))
    }

    /// The conversation's context.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        &self.context
    }

    /// The definitions of the tools for the model.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.all().cloned().collect()
    }

    fn all(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().map(|tool| tool.spec()).chain(&self.context.client_tools)
    }

    /// The part of the system prompt about asking; `None` if the tool is not offered.
    #[must_use]
    pub fn guidance(&self) -> Option<String> {
        if !offers_asking(&self.context) {
            return None;
        }
        if self.context.plan_mode {
            return Some(guidance::text(&self.limits, Mode::Plan));
        }
        // The mode is known here, so the rules leave out the other mode, and tools that the model does not have.
        let rules = guidance::rules(&self.limits, Mode::Work).into_iter();
        let rules = rules.filter(|rule| rule.id != "plan_mode");
        let lines: Vec<String> = rules.map(|rule| format!("- {}", rule.text)).collect();
        Some(lines.join("\n"))
    }

    /// Judges a call before it could run: see [`intercept()`].
    #[must_use]
    pub fn intercept(&self, call: &ToolCall, expires_at: Option<Timestamp>) -> Option<Event> {
        intercept(&self.context, &self.limits, call, expires_at)
    }

    /// Returns true if it has a tool of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.all().any(|tool| tool.name == name)
    }

    /// Judges a call, and runs it if it may run. An ask waits until `expires_at`.
    #[must_use]
    pub fn execute(&self, call: &ToolCall, expires_at: Option<Timestamp>) -> Event {
        self.intercept(call, expires_at).unwrap_or_else(|| Event::ToolComplete { result: self.run(call) })
    }

    /// Runs a call that was not intercepted; for a tool that is not offered, returns an error result.
    #[must_use]
    pub fn run(&self, call: &ToolCall) -> ToolResult {
        match self.tools.iter().find(|tool| tool.spec().name == call.name()) {
            Some(tool) => tool.run(call),
            None => ToolResult::error(&call.id, format!("There is no tool named {}.", call.name())),
        }
    }
}
