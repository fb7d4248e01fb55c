//! A model that follows a script, without a network or an account.

use crate::engine::models::{Delta, Model, ModelError, ModelRequest};
use crate::engine::tools::{Call, SpawnAgents, Tool, ToolOutput};
use ask_user_question::Limits;
use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use question_agent::registry::{ToolContext, ToolSpec};
use scripted_agent::{Script, ScriptTool};
use std::sync::Arc;
use std::time::Duration;

/// An agent of a script. Its answers depend on the history and its context alone.
#[derive(Clone, Debug)]
pub struct Scripted {
    script: Arc<Script>,
    pace: Duration,
}

impl Scripted {
    /// The agent of a script, with the pause `pace` before each delta, as a model and a network would have.
    #[must_use]
    pub fn new(script: Script, pace: Duration) -> Self {
        Self { script: Arc::new(script), pace }
    }

    /// The front desk of a car workshop.
    #[must_use]
    pub fn front_desk(pace: Duration) -> Self {
        Self::new(Script::front_desk(), pace)
    }

    /// A coding agent that asks before it guesses.
    #[must_use]
    pub fn coding_desk(pace: Duration) -> Self {
        Self::new(Script::coding_desk(), pace)
    }

    /// The tools that the script gives its agent.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let own =
            self.script.tools().iter().filter_map(|tool| Some(Arc::new(ScriptedTool::new(tool)?) as Arc<dyn Tool>));
        let others = self.script.spawns_agents().then(|| Arc::new(SpawnAgents::default()) as Arc<dyn Tool>);
        own.chain(others).collect()
    }
}

impl Model for Scripted {
    fn name(&self) -> Option<&str> {
        self.script.name()
    }

    fn limits(&self) -> Limits {
        self.script.limits()
    }

    fn respond(&self, request: ModelRequest) -> BoxStream<'static, Result<Delta, ModelError>> {
        let (deltas, pace) = (self.script.next(&request.messages, &request.context), self.pace);
        let paced = stream::iter(deltas).then(move |delta| async move {
            if !pace.is_zero() {
                // Streams at the pace of a model; tests set none.
                tokio::time::sleep(pace).await;
            }
            Ok(delta)
        });
        paced.boxed()
    }
}

/// A tool with a fixed result in the script.
#[derive(Debug)]
struct ScriptedTool {
    tool: ScriptTool,
    spec: ToolSpec,
    result: String,
}

impl ScriptedTool {
    fn new(tool: &ScriptTool) -> Option<Self> {
        let result = tool.result()?.to_owned();
        Some(Self { spec: tool.spec(), tool: tool.clone(), result })
    }
}

#[async_trait]
impl Tool for ScriptedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_offered(&self, context: &ToolContext) -> bool {
        self.tool.is_offered(context)
    }

    async fn run(&self, _call: Call<'_>) -> ToolOutput {
        Ok(self.result.clone())
    }
}
