//! The page's own words.
//!
//! Views take them from here as values, never as literals: Leptos makes an element that holds only literals by `innerHTML`, which the
//! page's policy (Trusted Types) refuses, and one place of words is what a translation needs.

pub(crate) const TITLE: &str = "Front desk";
pub(crate) const SUBTITLE: &str = "Auto repair, by appointment";
pub(crate) const CONVERSATION: &str = "Conversation";
pub(crate) const WELCOME: &str = "How can we help?";
pub(crate) const WELCOME_HINT: &str = "Say it in your own words, or start with one of these.";
/// What a newcomer may try.
pub(crate) const SUGGESTIONS: [&str; 3] = [
    "I need my car looked at",
    "My brakes squeak",
    "I'd like an oil change",
];
pub(crate) const MESSAGE: &str = "Message";
pub(crate) const MESSAGE_PLACEHOLDER: &str = "Write a message";
pub(crate) const SEND: &str = "Send";
pub(crate) const STOP: &str = "Stop";
pub(crate) const TRY_AGAIN: &str = "Try again";
pub(crate) const YOU: &str = "You";
pub(crate) const AGENT: &str = "Agent";
pub(crate) const TOOL_RUNNING: &str = "…";
pub(crate) const TOOL_DONE: &str = "✓";
pub(crate) const RECONNECTING: &str =
    "The connection is gone. Trying to get it back; nothing is lost.";
pub(crate) const OFFLINE: &str = "You are offline. What you answer is sent when you are back.";
