//! The contact of the server's operator for push services.

use std::str::FromStr;

/// Whom a push service can write to about the server: `mailto:` and an address, or an `https` URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPushContact(String);

impl FromStr for WebPushContact {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix("mailto:").filter(|rest| rest.contains('@')).or(text.strip_prefix("https://"));
        let is_one = rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic()));
        is_one.then(|| Self(text.to_owned())).ok_or("a contact looks like mailto:admin@example.com")
    }
}

impl WebPushContact {
    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
