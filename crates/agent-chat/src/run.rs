//! Carrying a request out, and keeping deadlines.

use crate::chat::AgentChat;
use crate::core::{Core, Launch, RunEnd};
use crate::ids::now;
use crate::outbox::Post;
use crate::transport::TransportError;
use crate::trouble::Trouble;
use leptos::prelude::set_timeout_with_handle;
use std::time::Duration;

/// The longest time, in milliseconds, that browsers wait for; a later deadline is looked at again then.
const LONGEST_TIMEOUT: u64 = 2_147_483_647;

impl AgentChat {
    pub(crate) async fn run(self, launch: Launch) {
        let end = self.exchange(launch).await;
        self.with(|core| core.settle(end));
        self.start(Core::outgoing_held);
        self.await_deadline();
        self.reconsider();
    }

    /// Sees to it that the next deadline of a waiting ask is kept.
    pub(crate) fn await_deadline(self) {
        let due = self.with(|core| core.conversation.asks.poll_timeout());
        let Some(due) = due.flatten() else { return };
        let wait = Duration::from_millis(due.saturating_sub(now()).min(LONGEST_TIMEOUT));
        let on_timeout = move || {
            self.with(|core| core.conversation.handle_timeout(now()));
            self.start(Core::outgoing_held);
            self.await_deadline();
        };
        let timeout = set_timeout_with_handle(on_timeout, wait).ok();
        let earlier = self.with(|core| std::mem::replace(&mut core.deadline, timeout));
        if let Some(Some(earlier)) = earlier {
            earlier.clear();
        }
    }

    /// One request and its response, as far as it comes. The handle's owner may be gone at any await.
    async fn exchange(self, launch: Launch) -> RunEnd {
        let Launch { endpoint, path, body, abort, outgoing } = launch;
        let mut stream = match endpoint.post(path.as_deref(), body, &abort).await {
            Ok(stream) => stream,
            Err(error) => {
                let outgoing = Box::new(outgoing);
                return RunEnd::Unsent { outgoing, error };
            }
        };
        self.with(|core| core.handle_accepted(&outgoing));
        if let Post::Rest { .. } = outgoing.post {
            return RunEnd::Done;
        }
        loop {
            let chunk = stream.next_chunk(&abort).await;
            let reads_on = match &chunk {
                Ok(Some(bytes)) => self.with(|core| core.conversation.feed(now(), bytes).is_ok()) == Some(true),
                Ok(None) | Err(_) => false,
            };
            if reads_on {
                continue;
            }
            // Nothing more is read, so the agent need not go on writing.
            abort.abort();
            let end = self.with(|core| core.conversation.finish(now()));
            let trouble = match end.and_then(Trouble::from_end) {
                // A sign-in page, or the error of something in between. Where its server can be asked what has become of the run, it is.
                Some(Trouble::BrokeOff) if chunk == Ok(None) && self.has_heard_nothing() => {
                    let other = stream.other_type.take();
                    let unreadable = |it| Trouble::Unreadable(format!("{it} is no stream of events"));
                    Some(other.map_or(Trouble::BrokeOff, unreadable))
                }
                trouble => trouble,
            };
            return match (chunk, trouble) {
                (Err(TransportError::Aborted), _) => RunEnd::Stopped,
                (_, Some(trouble)) => RunEnd::Failed(trouble),
                (_, None) => RunEnd::Done,
            };
        }
    }
    /// Whether an agent whose conversation no server tells has not said anything in its response.
    fn has_heard_nothing(self) -> bool {
        let is_it = |core: &mut Core| core.following.is_none() && !core.conversation.has_begun();
        self.with(is_it) == Some(true)
    }
}
