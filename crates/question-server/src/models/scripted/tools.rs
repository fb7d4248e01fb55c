//! What a script's agent can do beside asking.

use super::script::{Script, ToolOfScript};
use crate::tools::{Call, SpawnAgents, Tool, ToolOutput};
use async_trait::async_trait;
use question_agent::registry::{ToolContext, ToolSpec};
use std::sync::Arc;

pub(super) fn all(script: &Script) -> Vec<Arc<dyn Tool>> {
    let own = script.tools.iter().map(|tool| Arc::new(Told::new(tool)) as Arc<dyn Tool>);
    own.chain(script.sub_agents.as_ref().map(|_| Arc::new(SpawnAgents::default()) as Arc<dyn Tool>)).collect()
}

/// A tool whose result the script has.
#[derive(Debug)]
struct Told {
    spec: ToolSpec,
    result: String,
    planning: bool,
}

impl Told {
    fn new(tool: &ToolOfScript) -> Self {
        let spec = ToolSpec::new(&tool.name, &tool.description, &tool.parameters);
        Self { spec, result: tool.result.clone(), planning: tool.planning }
    }
}

#[async_trait]
impl Tool for Told {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_offered(&self, context: &ToolContext) -> bool {
        context.plan_mode || !self.planning
    }

    async fn run(&self, _call: Call<'_>) -> ToolOutput {
        Ok(self.result.clone())
    }
}
