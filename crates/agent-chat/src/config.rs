//! The settings of a conversation, as plain values: a page links no code of features that it did not set up.

use crate::details::Details;
use crate::page_tool::Tools;
use crate::persistence::Persistence;
use crate::transport::AgentEndpoint;
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::RunDefaults;
use ag_ui_stream::input::Tool;
use ask_user_question::{Limits, tool};

/// The part of [`ChatOptions`](crate::ChatOptions) for a conversation.
#[derive(Clone)]
pub(crate) struct ChatConfig {
    pub(crate) endpoint: AgentEndpoint,
    pub(crate) defaults: RunDefaults,
    /// The limits of the ask tool in requests; `None` if the agent registers the tool itself.
    pub(crate) limits: Option<Limits>,
    pub(crate) tools: Tools,
    /// The maximum number of runs in a row that only results start.
    pub(crate) tool_rounds: u32,
    pub(crate) approvals: Vec<String>,
    /// The constructor of details, for a page that shows them.
    pub(crate) details: Option<fn() -> Box<dyn Details>>,
    pub(crate) persistence: Option<&'static Persistence>,
    pub(crate) words: fn(&Trouble) -> String,
}

impl ChatConfig {
    /// Describes the ask tool anew for each run, so that it costs nothing when the page starts. The description comes without the guidance,
    /// which belongs in the agent's own prompt.
    pub(crate) fn run_defaults(&self) -> RunDefaults {
        let ask = |limits: &Limits| {
            let (name, description) = (limits.tool_name(), tool::description(limits));
            Tool { parameters: Some(tool::parameters(limits)), ..Tool::new(name, description) }
        };
        let own = self.tools.iter().map(|(tool, _)| tool.definition.clone());
        RunDefaults { tools: self.limits.iter().map(ask).chain(own).collect(), ..self.defaults.clone() }
    }
}
