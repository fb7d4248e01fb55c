//! The agent that the page talks to.

use crate::settings::{Setting, Settings};
use crate::words::Words;
use agent_chat::{ChatOptions, Delivery, Limits};

/// The default address of the agent: at the page's own origin.
const OWN_AGENT: &str = "agent";

/// The agents of other origins that the operator allows.
const ALLOW_LIST: &str = "settings.json";

/// The address of an agent, and the settings for talking to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Empty for the page's own.
    pub address: String,
    /// The headers of each request to it.
    pub headers: Vec<(String, String)>,
    /// The delivery of replies to it.
    pub delivery: Delivery,
    /// The limits of its asks, as far as the page knows them.
    pub limits: Limits,
    /// True if the page sends the tool, since the agent has none.
    pub sends_tool: bool,
}

impl Agent {
    /// The agent of the settings, with the headers that are stored for its address.
    #[must_use]
    pub fn set(settings: &Settings, kept: impl Fn(&str) -> Vec<(String, String)>) -> Self {
        let address = settings.get(Setting::Agent);
        let headers = match address {
            "" => Vec::new(),
            address => kept(address),
        };
        // Only the page's own agent takes answers beside the conversation.
        let delivery = match (address, settings.delivery()) {
            ("", delivery) => delivery,
            (_, Delivery::Endpoint) => Delivery::default(),
            (_, delivery) => delivery,
        };
        let limits = match address {
            "" => settings.limits(),
            _ => Limits::RUNTIME,
        };
        Self { headers, address: address.to_owned(), delivery, limits, sends_tool: settings.sends_tool() }
    }

    /// Returns true for the page's own agent.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.address.is_empty()
    }

    /// The options of a conversation with it.
    #[must_use]
    pub fn options(self) -> ChatOptions {
        let options = match self.address.as_str() {
            "" => ChatOptions::new(OWN_AGENT).behind_question_server(),
            // Any AG-UI endpoint may be behind it.
            address => ChatOptions::new(address).with_headers(self.headers).with_allow_list(ALLOW_LIST),
        };
        let options = match self.sends_tool {
            true => options.with_limits(&self.limits),
            false => options.without_tool(),
        };
        options
            .with_delivery(self.delivery)
            .with_words(|trouble| Words::of_the_document().explain(trouble))
            .kept_in_address()
    }
}
