//! The options of a chat.

use crate::config::ChatConfig;
use crate::core::{Gate, Handle, OpenTools, ServerHooks};
use crate::details;
use crate::headers::Headers;
use crate::ids::new_id;
use crate::page_tool::{self, PageTool};
use crate::persistence::{BY_ID, IN_ADDRESS};
use crate::server::QUESTION_SERVER;
use crate::tools;
use crate::transport::{AgentEndpoint, OwnTransport, Transport};
use crate::trouble::Trouble;
use ag_ui_stream::asks::reply::{Delivery, Origin, RunDefaults};
use ask_user_question::Limits;
use serde_json::{Map, Value};
use std::fmt;
use std::future;
use web_sys::RequestCredentials;

/// The options of a chat. A page carries the code of the options that it sets, and of no others.
#[derive(Clone)]
pub struct ChatOptions {
    pub(crate) config: ChatConfig,
    pub(crate) server: Option<&'static ServerHooks>,
    pub(crate) gate: Option<Gate>,
    pub(crate) open_tools: Option<OpenTools>,
}

impl fmt::Debug for ChatOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatOptions").field("url", &self.config.endpoint.url).finish_non_exhaustive()
    }
}

impl ChatOptions {
    /// A new conversation with the agent at `url` (absolute, or relative to the page), any AG-UI endpoint. Each run has the ask tool, with
    /// the limits [`Limits::RUNTIME`]. The conversation's id is random, and the conversation ends with the page.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        let config = ChatConfig {
            endpoint: AgentEndpoint { url: url.into(), ..AgentEndpoint::default() },
            defaults: RunDefaults { thread_id: new_id(), ..RunDefaults::default() },
            limits: Some(Limits::RUNTIME),
            tools: Vec::new(),
            tool_rounds: 16,
            approvals: Vec::new(),
            details: None,
            persistence: None,
            words: ToString::to_string,
        };
        Self { config, server: None, gate: None, open_tools: None }
    }

    /// The same, with other limits for the ask tool in requests.
    #[must_use]
    pub fn with_limits(mut self, limits: &Limits) -> Self {
        self.config.limits = Some(limits.clone());
        self
    }

    /// The same, without the ask tool in requests, for an agent that registers it itself and would have it twice.
    #[must_use]
    pub fn without_tool(mut self) -> Self {
        self.config.limits = None;
        self
    }

    /// The same, with a tool of the page's own. After a run that ended well with calls of it, each call is carried out once, by the tab that
    /// started the run. The handler gets the arguments, and returns a value or an error for the model. The next run sends the results. It starts
    /// once all calls have their results and all questions their replies.
    ///
    /// [`stop`](crate::AgentChat::stop) and the user's next message drop the handler's future, and the agent reads that the call was stopped.
    ///
    /// ```
    /// use agent_chat::{ChatOptions, PageTool};
    /// use serde_json::{Value, json};
    ///
    /// let tool = PageTool::new("set_title", "Sets the page's title.")
    ///     .with_parameters(&json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}));
    /// let options = ChatOptions::new("/agent").tool(tool, |arguments: Value| async move {
    ///     let title = arguments["title"].as_str().ok_or("`title` is no text")?;
    ///     leptos::prelude::document().set_title(title);
    ///     Ok(json!({"ok": true}))
    /// });
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn tool<F>(mut self, tool: PageTool, handler: impl Fn(Value) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, String>> + 'static,
    {
        self.config.tools.retain(|(earlier, _)| earlier.definition.name != tool.definition.name);
        self.config.tools.push((tool, page_tool::boxed(handler)));
        self.open_tools = Some(tools::open);
        self
    }

    /// The same, with another limit than 16 on the runs in a row that only results of the page's tools start. After that many runs without
    /// input of the user, results wait with [`Trouble::TooManyRounds`] until [`retry`](crate::AgentChat::retry) or the user's next message.
    #[must_use]
    pub fn with_tool_rounds(mut self, most: u32) -> Self {
        self.config.tool_rounds = most;
        self
    }

    /// The same, with the agent's work in detail: an [`Item::Tool`](crate::Item::Tool) has the arguments and the result of its call, and
    /// reasoning is an [`Item::Reasoning`](crate::Item::Reasoning). A page without it carries none of that code.
    #[must_use]
    pub fn detailed(mut self) -> Self {
        self.config.details = Some(details::empty);
        self
    }

    /// The same, with properties for the agent's own use in each run, such as `{"interrupts": true}` for one that asks by interrupts.
    #[must_use]
    pub fn with_forwarded_props(mut self, properties: Map<String, Value>) -> Self {
        let properties = properties.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.config.defaults.forwarded_props = properties.collect();
        self
    }

    /// The same, with a yes-or-no question for each call of these tools of the agent that a run leaves open. Agents that ask for approval
    /// this way, such as those of `Agno`, do not mark such calls.
    #[must_use]
    pub fn with_approvals<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.config.approvals = tools.into_iter().map(Into::into).collect();
        self
    }

    /// The same, with this delivery for all replies, in place of the one that fits the agent's question. [`Delivery::Endpoint`] is for an
    /// agent [behind `question-server`](Self::behind_question_server).
    #[must_use]
    pub fn with_delivery(mut self, delivery: Delivery) -> Self {
        self.config.defaults.delivery = delivery;
        self
    }

    /// The same, for an agent behind `question-server`, which serves `conversations/{id}` beside the agent. Messages of other tabs and
    /// devices appear, and a broken connection is opened again. Runs are sent to `conversations/{id}/agent`, so a load balancer can tell
    /// conversations apart. A message that may not have arrived is sent again, and the server recognises it.
    #[must_use]
    pub fn behind_question_server(mut self) -> Self {
        self.server = Some(&QUESTION_SERVER);
        self.config.endpoint.timeouts = Some(QUESTION_SERVER.timeouts);
        self.config.defaults.agent = Origin::Own;
        self
    }

    /// The same, resuming the conversation of this id, if there is one: from the server that has it, or else from this browser's storage.
    #[must_use]
    pub fn resume(mut self, id: impl Into<String>) -> Self {
        self.config.defaults.thread_id = id.into();
        self.config.persistence = Some(&BY_ID);
        self
    }

    /// The same, with the conversation's id in the page's address (`#c=…`). A reload, a bookmark and a second tab open the same
    /// conversation.
    #[must_use]
    pub fn kept_in_address(mut self) -> Self {
        self.config.persistence = Some(&IN_ADDRESS);
        self
    }

    /// The same, with headers for every request, such as `Authorization`. Invalid headers are left out.
    #[must_use]
    pub fn with_headers(mut self, headers: Vec<(String, String)>) -> Self {
        let has_headers = !headers.is_empty();
        self.config.endpoint.headers = has_headers.then(|| Headers::new(move || future::ready(headers.clone())));
        self
    }

    /// Like [`with_headers`](Self::with_headers), with a function that is called before each request, such as for a token that expires.
    ///
    /// ```
    /// # async fn fresh_token() -> String { String::new() }
    /// use agent_chat::ChatOptions;
    ///
    /// let options = ChatOptions::new("/agent")
    ///     .with_headers_from(|| async { vec![("Authorization".to_owned(), format!("Bearer {}", fresh_token().await))] });
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn with_headers_from<F>(mut self, headers: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Vec<(String, String)>> + 'static,
    {
        self.config.endpoint.headers = Some(Headers::new(headers));
        self
    }

    /// The same, with cookies for an agent of another origin, too. By default a browser sends them to the page's own origin alone.
    #[must_use]
    pub fn with_credentials(mut self) -> Self {
        self.config.endpoint.credentials = Some(RequestCredentials::Include);
        self
    }

    /// The same, with `transport` in place of `fetch` for the requests of runs. It handles headers, credentials and timeouts itself.
    #[must_use]
    pub fn with_transport(mut self, transport: impl Transport + 'static) -> Self {
        self.config.endpoint.transport = Some(OwnTransport::new(transport));
        self
    }

    /// The same, refusing an agent of another origin unless the list at this address allows it: `{"allowAgents":
    /// ["https://agent.example"]}`, which is `question-server`'s `settings.json`. A refused agent receives no request, and the status is
    /// [`Trouble::NotAllowed`].
    #[must_use]
    pub fn with_allow_list(mut self, url: impl Into<String>) -> Self {
        self.gate = Some(Gate { list: url.into(), ask: Handle::check_permission });
        self
    }

    /// The same, with other words than English for errors on cards.
    #[must_use]
    pub fn with_words(mut self, words: fn(&Trouble) -> String) -> Self {
        self.config.words = words;
        self
    }
}
