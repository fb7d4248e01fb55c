//! Which agent the page talks to, and how: as its address says, `?agent=URL&delivery=WAY`.

use agent_chat::{ChatOptions, Delivery, Limits, kept_headers};
use leptos::prelude::window;
use web_sys::UrlSearchParams;

/// Where the agent is unless the address names another: at the page's own origin.
const OWN_AGENT: &str = "agent";

/// The agents of other origins that the operator allows.
const ALLOW_LIST: &str = "settings.json";

/// What the page's address asks for; what it asks for in vain is as if it were not there.
pub(crate) fn options(limits: &Limits) -> ChatOptions {
    let query = window().location().search().unwrap_or_default();
    let query = UrlSearchParams::new_with_str(&query).ok();
    let asked = |name: &str| query.as_ref()?.get(name).filter(|value| !value.is_empty());
    let agent = asked("agent");
    let delivery = asked("delivery").and_then(|name| Delivery::named(&name));
    let options = match agent {
        // Any AG-UI endpoint may be behind it.
        Some(agent) => {
            let headers = kept_headers(&agent);
            ChatOptions::new(agent)
                .with_headers(headers)
                .with_allow_list(ALLOW_LIST)
        }
        None => ChatOptions::new(OWN_AGENT).with_conversations(),
    };
    options
        .with_limits(limits)
        .with_delivery(delivery.unwrap_or_default())
        .kept_in_address()
}
