//! What a chat is set up with.

use ag_ui_stream::asks::reply::{Delivery, Setup};
use ag_ui_stream::input::Tool;
use ask_user_question::Limits;
use ask_user_question::tool::tool_definition;
use serde_json::{Map, Value};

/// What a chat is set up with.
#[derive(Clone, Debug)]
pub struct ChatOptions {
    pub(crate) url: String,
    pub(crate) delivery: Delivery,
    pub(crate) setup: Setup,
}

impl ChatOptions {
    /// A new conversation with the agent at `url` (absolute, or relative to the page), which is told of the ask tool with the limits
    /// [`Limits::RUNTIME`]. The conversation's id is random.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        let setup = Setup {
            thread_id: crate::ids::new_id(),
            ..Setup::default()
        };
        Self {
            url: url.into(),
            delivery: Delivery::default(),
            setup,
        }
        .with_limits(&Limits::RUNTIME)
    }

    /// The same, with the ask tool announced to the agent under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.setup.tools = vec![ask_tool(limits)];
        self
    }

    /// The same, with properties for the agent's own use in every run, such as `{"interrupts": true}` for one that asks by interrupts.
    #[must_use]
    pub fn with_forwarded_props(mut self, properties: Map<String, Value>) -> Self {
        self.setup.forwarded_props = properties;
        self
    }

    /// The same, with replies travelling another way.
    #[must_use]
    pub fn with_delivery(self, delivery: Delivery) -> Self {
        Self { delivery, ..self }
    }
}

fn ask_tool(limits: &Limits) -> Tool {
    let definition = tool_definition(limits);
    Tool {
        parameters: Some(definition.parameters),
        ..Tool::new(definition.name, definition.description)
    }
}
