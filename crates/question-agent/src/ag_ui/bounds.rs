//! Bounds for input of clients and models.

use crate::branch::ChangedAnswer;
use ask_user_question::attachment::FileLimits;

/// The bounds for the input of clients, in bytes except for the number of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The longest text that a user may send at once: all messages of a request together, or one answer.
    pub message: usize,
    /// The longest result of a tool that the client runs.
    pub tool_result: usize,
    /// The most messages of a conversation.
    pub messages: usize,
    /// The most bytes of all messages of a conversation together.
    pub history: usize,
    /// The bounds of the files of a message; `None` ignores files.
    pub files: Option<FileLimits>,
    /// What a changed answer does.
    pub changed_answer: ChangedAnswer,
}

impl Default for Bounds {
    /// 64 KiB a message, 1 MiB a result, 2,000 messages, 4 MiB in all, and no files.
    fn default() -> Self {
        let changed_answer = ChangedAnswer::Continue;
        Self { message: 64 << 10, tool_result: 1 << 20, messages: 2_000, history: 4 << 20, files: None, changed_answer }
    }
}

/// The longest answer of a model, in bytes: its text, and the names and arguments of its calls.
pub const MAX_ANSWER_BYTES: usize = 1 << 20;

/// The bytes that a call counts for beside its name and arguments, since it has events, a result and a commit of its own.
pub const CALL_WEIGHT: usize = 1 << 10;

/// The number of tools that a client may declare.
pub const MAX_CLIENT_TOOLS: usize = 64;

/// The most bytes of these tools together: they are stored with the conversation.
pub const MAX_CLIENT_TOOLS_BYTES: usize = 64 << 10;

/// The most bytes of a client's context: it is stored with the conversation.
pub const MAX_CONTEXT_BYTES: usize = 64 << 10;

/// The longest id that a client may send, in bytes.
pub const MAX_ID_BYTES: usize = 200;
