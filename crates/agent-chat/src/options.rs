//! What a chat is set up with.

use crate::delivery::Delivery;
use crate::ids::new_id;
use crate::transport::{Endpoint, Patience};
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::{Origin, Setup};
use ag_ui_stream::input::Tool;
use ask_user_question::{Limits, tool};
use serde_json::{Map, Value};
use std::time::Duration;

/// `question-server` answers at once, and says every 15 seconds that a silent stream is alive.
const SERVER_PATIENCE: Patience = Patience { answer: Duration::from_secs(20), silence: Duration::from_secs(40) };

/// What a chat is set up with.
#[derive(Clone, Debug)]
pub struct ChatOptions {
    pub(crate) endpoint: Endpoint,
    pub(crate) delivery: Delivery,
    pub(crate) setup: Setup,
    pub(crate) approvals: Vec<String>,
    pub(crate) memory: Memory,
    pub(crate) allow_list: Option<String>,
    pub(crate) words: fn(&Trouble) -> String,
}

/// Where a conversation is found again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Nowhere: it ends with the page.
    #[default]
    None,
    /// Under the id that the host gave.
    Id,
    /// Under the id in the page's address.
    Address,
}

impl ChatOptions {
    /// A new conversation with the agent at `url` (absolute, or relative to the page), any AG-UI endpoint. It is told of the ask tool with the
    /// limits [`Limits::RUNTIME`]. The conversation's id is random, and the conversation ends with the page.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            endpoint: Endpoint { url: url.into(), headers: Vec::new(), patience: None },
            delivery: Delivery::default(),
            setup: Setup { thread_id: new_id(), ..Setup::default() },
            approvals: Vec::new(),
            memory: Memory::None,
            allow_list: None,
            words: ToString::to_string,
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

    /// The same, asking yes or no about calls of these tools of the agent's own that a run leaves open. Agents that ask for approval so, such as
    /// those of `Agno`, do not say that they do.
    #[must_use]
    pub fn with_approvals<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.approvals = tools.into_iter().map(Into::into).collect();
        self
    }

    /// The same, with replies travelling this way, whatever the agent does to ask. [`Delivery::Rest`] goes [with conversations](Self::with_conversations).
    #[must_use]
    pub fn with_delivery(self, delivery: Delivery) -> Self {
        let options = Self { delivery, ..self };
        match delivery {
            Delivery::Rest => options.with_conversations(),
            Delivery::Automatic | Delivery::UserMessage | Delivery::ToolResult | Delivery::Resume => options,
        }
    }

    /// The same, where the agent is behind `question-server`, which has `conversations/{id}` beside the agent: messages of other tabs and
    /// devices show here, and a broken connection is opened again. What may not have arrived is sent again; the server recognises it.
    #[must_use]
    pub fn with_conversations(mut self) -> Self {
        self.endpoint.patience = Some(SERVER_PATIENCE);
        self
    }

    /// The same, coming back to the conversation of this id, where there is one: from the server that has it, or else from what this browser
    /// has kept of it.
    #[must_use]
    pub fn with_conversation(mut self, id: impl Into<String>) -> Self {
        self.setup.thread_id = id.into();
        self.memory = Memory::Id;
        self
    }

    /// The same, with the conversation's id in the page's address (`#c=…`): a reload, a bookmark and a second tab come back to it.
    #[must_use]
    pub fn kept_in_address(mut self) -> Self {
        self.memory = Memory::Address;
        self
    }

    /// The same, with headers for every request, such as `Authorization`. Those that are none are left out.
    #[must_use]
    pub fn with_headers(mut self, headers: Vec<(String, String)>) -> Self {
        self.endpoint.headers = headers;
        self
    }

    /// The same, refusing an agent of another origin unless the list at this address allows it: `{"allowAgents": ["https://agent.example"]}`, which
    /// is `question-server`'s `settings.json`. Nothing is sent to an agent that is refused; [`Trouble::NotAllowed`] says so.
    #[must_use]
    pub fn with_allow_list(mut self, url: impl Into<String>) -> Self {
        self.allow_list = Some(url.into());
        self
    }

    /// The same, with troubles told on cards in other words than English.
    #[must_use]
    pub fn with_words(self, words: fn(&Trouble) -> String) -> Self {
        Self { words, ..self }
    }

    /// Some servers go on only where a tool's result is the last message. `question-server` takes what was said beside it.
    pub(crate) fn agent(&self) -> Origin {
        match self.has_conversations() {
            true => Origin::Own,
            false => Origin::Foreign,
        }
    }

    pub(crate) fn has_conversations(&self) -> bool {
        self.endpoint.patience.is_some()
    }
}

/// Without the guidance, which is for the agent's own prompt.
fn ask_tool(limits: &Limits) -> Tool {
    Tool { parameters: Some(tool::parameters(limits)), ..Tool::new(limits.tool_name(), tool::description(limits)) }
}
