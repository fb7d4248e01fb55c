//! The exchange of a request and its response, and timers.

use crate::core::{Handle, Launch, Post, RunEnd};
use crate::ids::{by_server, now};
use crate::status::Status;
use crate::transport::{TransportError, first_line};
use crate::trouble::Trouble;
use leptos::prelude::{GetUntracked, set_timeout_with_handle};
use std::time::Duration;

/// The longest timeout of browsers, in milliseconds. A later deadline is checked again then.
const LONGEST_TIMEOUT: u64 = 2_147_483_647;

impl Handle {
    pub(crate) async fn run(self, launch: Launch) {
        let end = self.exchange(launch).await;
        self.with(|core| core.settle(end));
        self.send_next();
        self.watch_deadline();
        self.refresh();
    }

    /// Sets the timer for the next deadline of a waiting ask.
    pub(crate) fn watch_deadline(self) {
        let due = self.with(|core| core.conversation.asks().poll_timeout());
        let Some(due) = due.flatten() else { return };
        let wait = Duration::from_millis(due.saturating_sub(by_server(now())).min(LONGEST_TIMEOUT));
        let on_timeout = move || {
            self.with(|core| core.conversation.handle_timeout(now()));
            self.send_next();
            self.watch_deadline();
        };
        let timeout = set_timeout_with_handle(on_timeout, wait).ok();
        let earlier = self.with(|core| std::mem::replace(&mut core.deadline, timeout));
        if let Some(Some(earlier)) = earlier {
            earlier.clear();
        }
    }

    /// Checks for a silent agent, and sets the timer for the next check while a run is open.
    pub(crate) fn watch_silence(self) {
        self.with(|core| {
            if let Some(earlier) = core.silence.take() {
                earlier.clear();
            }
            let is_open = core.status.get_untracked() == Status::Running;
            let wait = core.conversation.update_silence(now(), is_open);
            let timer = |wait| set_timeout_with_handle(move || self.watch_silence(), Duration::from_millis(wait)).ok();
            core.silence = wait.and_then(timer);
        });
    }

    /// Sends a request and reads its response, as far as it comes. The handle's owner may be gone after any await.
    async fn exchange(self, launch: Launch) -> RunEnd {
        let Launch { request, post } = launch;
        let abort = request.abort.clone();
        let response = match post {
            Post::Run(_) => request.run().await,
            Post::Endpoint { .. } => request.post().await,
        };
        let accepted = match (response, &post) {
            (Ok(response), Post::Endpoint { .. }) => response.check_json().map(|()| None),
            (Ok(mut response), Post::Run(_)) => {
                let first = response.check_events().await;
                first.map(|first| Some((response, first)))
            }
            (Err(error), _) => Err(error),
        };
        let accepted = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // The rest of the response is not read.
                abort.abort();
                return RunEnd::Unsent(error);
            }
        };
        self.with(|core| core.handle_accepted(&post));
        let Some((mut stream, mut first)) = accepted else {
            return RunEnd::Done;
        };
        let mut begins = None;
        loop {
            let chunk = match first.take() {
                Some(first) => Ok(Some(first)),
                None => stream.next_chunk().await,
            };
            let continues = match &chunk {
                Ok(Some(bytes)) => {
                    let is_own = stream.is_own();
                    self.with(|core| {
                        // A body ends with its run, but a socket may stay open.
                        core.conversation.feed(now(), bytes).is_ok() && !(is_own && core.conversation.has_ended())
                    }) == Some(true)
                }
                Ok(None) | Err(_) => false,
            };
            if let Ok(Some(bytes)) = &chunk
                && begins.is_none()
            {
                begins = Some(first_line(bytes));
            }
            if continues {
                continue;
            }
            // The rest of the response is not read, so the agent need not continue.
            abort.abort();
            let end = self.with(|core| {
                if let Some(begins) = begins.filter(|_| !core.conversation.has_heard) {
                    let url = &core.config.endpoint.url;
                    leptos::logging::warn!("agent-chat: {url}: no event in the response, which begins with: {begins}");
                }
                core.conversation.finish(now())
            });
            return match (chunk, end.and_then(Trouble::from_end)) {
                (Err(TransportError::Aborted), _) => RunEnd::Stopped,
                (_, Some(trouble)) => RunEnd::Failed(trouble),
                (_, None) => RunEnd::Done,
            };
        }
    }
}
