//! The agents that the page may use: those at its own origin, and those that its operator allows. This is part of the hook, and not of a
//! page, since the check comes before any request, and since [`Trouble`](crate::Trouble) names the origin.

use crate::json;
use crate::transport::{self, TransportError};
use leptos::prelude::window;
use web_sys::Url;

/// The origin of an agent, relative to the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AgentOrigin {
    Own,
    Other(String),
    /// No valid address of HTTP or a WebSocket.
    None,
}

pub(crate) fn agent_origin(agent: &str) -> AgentOrigin {
    let location = window().location();
    let base = location.href().unwrap_or_default();
    let Ok(url) = Url::new_with_base(agent, &base) else {
        return AgentOrigin::None;
    };
    let origin = url.origin();
    if location.origin().is_ok_and(|own| own == origin) {
        AgentOrigin::Own
    } else if matches!(url.protocol().as_str(), "http:" | "https:" | "ws:" | "wss:") {
        AgentOrigin::Other(origin)
    } else {
        AgentOrigin::None
    }
}

/// Returns true if a list of allowed agents has an origin, and `None` if the list can't be loaded. A page without a list allows no other
/// origin.
pub(crate) async fn is_allowed(list: &str, origin: &str) -> Option<bool> {
    let list = match transport::own_text(list).await {
        Ok(list) => list,
        Err(TransportError::Status { status: 404, .. }) => String::new(),
        Err(_) => return None,
    };
    let list = json::parse(&list);
    let mut allowed = json::items(&list, "allowAgents").iter();
    Some(allowed.any(|allowed| allowed.as_str() == Some(origin)))
}
