//! The page's own tools, which its host adds to the ask tool.

use ag_ui_stream::input::Tool;
use serde_json::Value;
use std::pin::Pin;
use std::sync::Arc;

/// The future of a call: a value, or an error for the model to read.
pub(crate) type ToolFuture = Pin<Box<dyn Future<Output = Result<Value, String>>>>;

/// A function of the host that carries out a call.
pub(crate) type Handler = Arc<dyn Fn(Value) -> ToolFuture + Send + Sync>;

pub(crate) type Tools = Vec<(PageTool, Handler)>;

/// A tool on the page that the agent may call, for [`ChatOptions::tool`](crate::ChatOptions::tool).
#[derive(Clone, Debug)]
pub struct PageTool {
    pub(crate) definition: Tool,
    pub(crate) is_repeatable: bool,
}

impl PageTool {
    /// A tool with this name and a description for the model. It takes no arguments.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self { definition: Tool::new(name, description), is_repeatable: false }
    }

    /// The same, with a JSON Schema of its arguments.
    #[must_use]
    pub fn with_parameters(mut self, schema: &Value) -> Self {
        self.definition.parameters = Some(schema.into());
        self
    }

    /// The same, with a call that runs again if the page is reloaded during it. Otherwise such a call gets an error as its result.
    #[must_use]
    pub fn repeatable(self) -> Self {
        Self { is_repeatable: true, ..self }
    }
}

pub(crate) fn boxed<F>(handler: impl Fn(Value) -> F + Send + Sync + 'static) -> Handler
where
    F: Future<Output = Result<Value, String>> + 'static,
{
    Arc::new(move |arguments| Box::pin(handler(arguments)))
}
