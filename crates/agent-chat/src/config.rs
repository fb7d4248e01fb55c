//! The settings of a conversation as plain values: no code is reached by them that a page did not name.

use crate::details::Details;
use crate::memory::Memory;
use crate::tools::Toolset;
use crate::transport::Endpoint;
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::RunDefaults;
use ag_ui_stream::input::Tool;
use ask_user_question::{Limits, tool};
use std::sync::Arc;

/// The part of [`ChatOptions`](crate::ChatOptions) that a conversation goes by.
#[derive(Clone)]
pub(crate) struct ChatConfig {
    pub(crate) endpoint: Endpoint,
    pub(crate) setup: RunDefaults,
    /// The limits of the ask tool that is sent; `None` if the agent has it.
    pub(crate) limits: Option<Limits>,
    pub(crate) tools: Option<Arc<dyn Toolset>>,
    /// The most runs in a row that results alone start.
    pub(crate) tool_rounds: u32,
    pub(crate) approvals: Vec<String>,
    /// The maker of details, for a page that shows them.
    pub(crate) details: Option<fn() -> Box<dyn Details>>,
    pub(crate) memory: Option<&'static Memory>,
    pub(crate) words: fn(&Trouble) -> String,
}

impl ChatConfig {
    /// The setup of a run. The ask tool is described for each run, so that the start of a page costs nothing. It comes without the guidance, which is
    /// for the agent's own prompt.
    pub(crate) fn run_setup(&self) -> RunDefaults {
        let ask = |limits: &Limits| {
            let (name, description) = (limits.tool_name(), tool::description(limits));
            Tool { parameters: Some(tool::parameters(limits)), ..Tool::new(name, description) }
        };
        let own = self.tools.iter().flat_map(|tools| tools.definitions());
        RunDefaults { tools: self.limits.iter().map(ask).chain(own).collect(), ..self.setup.clone() }
    }
}
