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

/// The tools that one conversation is offered.
#[derive(Clone, Debug)]
pub struct ToolRegistry {
    limits: Limits,
    context: ToolContext,
    specs: Vec<ToolSpec>,
}

impl ToolRegistry {
    /// The tools of a conversation: the asking tool, if a user is there to answer, by the client's name for it.
    #[must_use]
    pub fn new(limits: Limits, context: ToolContext) -> Self {
        let name = context.asking_tool(&limits);
        let limits = limits.with_tool_name(name);
        let mut specs = Vec::new();
        if offers_asking(&context) {
            let asking = tool_definition(&limits);
            specs.push(ToolSpec {
                name: asking.name.to_owned(),
                description: asking.description,
                parameters: asking.parameters,
            });
        }
        if offers_withdrawing(&context, &limits) {
            specs.push(background::withdrawing_tool());
        }
        Self { limits, context, specs }
    }

    /// The same with one tool more. A tool with a name of the asking tool is left out: it could never be reached.
    #[must_use]
    pub fn with(mut self, tool: ToolSpec) -> Self {
        if !is_asking_tool(&tool.name) {
            self.specs.push(tool);
        }
        self
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
        self.specs.iter().chain(&self.context.client_tools)
    }

    /// The part of the system prompt about asking; `None` if the tool is not offered.
    #[must_use]
    pub fn guidance(&self) -> Option<String> {
        if !offers_asking(&self.context) {
            return None;
        }
        // The mode is known here, so the rules leave out the other mode, and tools that the model does not have.
        Some(guidance::text(&self.limits, if self.context.plan_mode { Mode::Plan } else { Mode::Work }))
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

    /// Judges a call, and runs it by `run` if it may run. If that returns no result, there is no such tool, and the result is an error. An ask
    /// waits until `expires_at`.
    #[must_use]
    pub fn execute(
        &self,
        call: &ToolCall,
        expires_at: Option<Timestamp>,
        run: impl FnOnce(&ToolCall) -> Option<ToolResult>,
    ) -> Event {
        let unknown = || ToolResult::error(&call.id, format!("There is no tool named {}.", call.name()));
        self.intercept(call, expires_at)
            .unwrap_or_else(|| Event::ToolComplete { result: run(call).unwrap_or_else(unknown) })
    }
}
