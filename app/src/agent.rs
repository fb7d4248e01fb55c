//! Which agent the page talks to, and how.

use crate::settings::{Setting, Settings};
use crate::words::Words;
use agent_chat::{ChatOptions, Delivery, kept_headers};

/// Where the agent is unless another is set: at the page's own origin.
const OWN_AGENT: &str = "agent";

/// The agents of other origins that the operator allows.
const ALLOW_LIST: &str = "settings.json";

/// Where an agent is and what it takes to talk to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agent {
    /// Empty for the page's own.
    address: String,
    headers: Vec<(String, String)>,
    delivery: Delivery,
}

impl Agent {
    /// The one that is set.
    pub(crate) fn set(settings: &Settings) -> Self {
        let address = settings.get(Setting::Agent);
        let headers = match address {
            "" => Vec::new(),
            address => kept_headers(address),
        };
        // Beside the conversation only the page's own agent takes answers.
        let delivery = match (address, settings.delivery()) {
            ("", delivery) => delivery,
            (_, Delivery::Rest) => Delivery::default(),
            (_, delivery) => delivery,
        };
        Self { headers, address: address.to_owned(), delivery }
    }

    /// Whether it is the page's own.
    pub(crate) fn is_own(&self) -> bool {
        self.address.is_empty()
    }

    /// What a conversation with it is set up with.
    pub(crate) fn options(self) -> ChatOptions {
        let options = match self.address.as_str() {
            "" => ChatOptions::new(OWN_AGENT).with_conversations(),
            // Any AG-UI endpoint may be behind it.
            address => ChatOptions::new(address).with_headers(self.headers).with_allow_list(ALLOW_LIST),
        };
        options
            .with_delivery(self.delivery)
            .with_words(|trouble| Words::of_the_document().explain(trouble))
            .kept_in_address()
    }
}
