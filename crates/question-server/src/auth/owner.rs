//! The owner of a conversation, as it is stored. `caller` finds the owner of a request.

use crate::auth::secret::hide_in_debug;
use crate::hex::sha256_hex;
use std::borrow::Cow;

/// The prefix of owners of asks by MCP, as they are stored.
const MCP: &str = "mcp:";

/// The owner of a conversation: the digest of a cookie or of a program's own token, or a kind and the digest of a name. A digest is
/// hexadecimal, so no token can be taken for a name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Owner(String);

impl Owner {
    /// The owner with this token.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(sha256_hex(token))
    }

    /// The owner of what was made with one of the server's tokens: the token's name, or the one owner of all tokens without a name.
    pub(crate) fn of_admitted(name: Option<&str>) -> Self {
        match name {
            Some(name) => Self(format!("name:{}", sha256_hex(name))),
            None => Self("token:".to_owned()),
        }
    }

    /// The user that a proxy names.
    pub(crate) fn of_user(name: &str) -> Self {
        Self(format!("user:{}", sha256_hex(name)))
    }

    /// The owner of the asks that this owner's MCP clients make. Without an owner, the mark of a client tells it from others.
    #[cfg(feature = "mcp")]
    pub(crate) fn of_mcp(owner: Option<&Self>, mark: &str) -> Self {
        match owner {
            Some(Self(owner)) => Self(format!("{MCP}{owner}")),
            None if mark.is_empty() => Self(MCP.to_owned()),
            None => Self(format!("{MCP}#{mark}")),
        }
    }

    /// True for the owner of asks by MCP.
    pub(crate) fn is_of_mcp(&self) -> bool {
        self.0.starts_with(MCP)
    }

    /// An owner as it was stored.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The text that is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

hide_in_debug!(Owner);

/// The name of a conversation in the log. The log shows a digest of an id that opens something: a conversation without an owner, or the page of an
/// ask by MCP.
pub(crate) fn name_in_log<'a>(id: &'a str, owner: Option<&Owner>) -> Cow<'a, str> {
    match owner {
        Some(owner) if !owner.is_of_mcp() => id.into(),
        _ => format!("#{}", &sha256_hex(id)[..LOG_DIGITS]).into(),
    }
}

/// The digits of a digest in the log: enough to tell conversations apart.
const LOG_DIGITS: usize = 16;
