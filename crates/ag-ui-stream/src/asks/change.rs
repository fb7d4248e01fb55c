use ask_user_question::snapshot::AskPatch;
use std::collections::VecDeque;
use std::sync::Arc;

pub(super) type Changes = VecDeque<AskChange>;

/// One change to the asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskChange {
    /// An ask began; its snapshot is empty so far and `Streaming`.
    Opened {
        /// The id of the call, or of the interrupt if there is no call.
        tool_call_id: Arc<str>,
    },
    /// An ask changed. The patch was applied to the snapshot here and fits any copy of it.
    Patched {
        /// The id of the call, or of the interrupt if there is no call.
        tool_call_id: Arc<str>,
        /// The change, no longer than the delta that caused it.
        patch: AskPatch,
    },
}

impl AskChange {
    /// The ask that changed.
    #[must_use]
    pub fn tool_call_id(&self) -> &str {
        match self {
            Self::Opened { tool_call_id } | Self::Patched { tool_call_id, .. } => tool_call_id,
        }
    }
}
