//! The agents that the page may talk to: those at its own origin, and those that its operator allows. It is here, and not in a page, since it comes
//! before anything else is sent, and since [`Trouble`](crate::Trouble) names the origin.

use crate::json;
use crate::transport::{self, TransportError};
use leptos::prelude::window;
use web_sys::Url;

/// How the page may talk to an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It is the page's own origin.
    Own,
    /// It is this origin.
    Other(String),
    /// It is no address that one can talk to.
    None,
}

/// Where an agent's address leads from the page.
pub(crate) fn reach(agent: &str) -> Reach {
    let location = window().location();
    let base = location.href().unwrap_or_default();
    let Ok(url) = Url::new_with_base(agent, &base) else {
        return Reach::None;
    };
    let origin = url.origin();
    if location.origin().is_ok_and(|own| own == origin) {
        Reach::Own
    } else if matches!(url.protocol().as_str(), "http:" | "https:") {
        Reach::Other(origin)
    } else {
        Reach::None
    }
}

/// Whether a list of allowed agents names an origin; `None` where the list can't be had just now. A page that has none allows nobody.
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
