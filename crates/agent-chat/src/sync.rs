//! Synchronisation with a conversation on its server: one tab holds the event stream, and shares it with the others.

use crate::browser::{self, Pause};
use crate::core::{Core, Handle};
use crate::ids::now;
use crate::status::Status;
use crate::subscription::Subscription;
use crate::tabs::{Channel, TabLock, TabMessage};
use crate::transport::{AgentRequest, TransportError};
use crate::trouble::Trouble;
use ag_ui_stream::sse::Decoder;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;
use std::time::Duration;

/// The first pause after a failure, in milliseconds. Each further one is twice as long.
const MIN_BACKOFF: u64 = 1_000;

/// The longest pause, in milliseconds.
const MAX_BACKOFF: u64 = 30_000;

/// The longest silence of a healthy stream, in milliseconds: the server sends a comment every 15 seconds.
const STREAM_TIMEOUT: u64 = 20_000;

enum SyncStep {
    /// To wait until something changes.
    Pause,
    /// To fetch the history.
    Fetch(AgentRequest),
    /// To hold the event stream, from an event id on.
    Listen(AgentRequest, Option<String>),
}

impl Handle {
    pub(crate) fn subscribe(self) {
        spawn_local(self.sync());
    }

    /// Asks the server to stop the open run. Returns false if none is open.
    pub(crate) fn stop_by_server(self) -> bool {
        let Some((request, of_run)) = self.with(Core::stop).flatten() else {
            return false;
        };
        spawn_local(async move {
            let stopped = request.post().await;
            // By now the run may have ended and the next one may be open, so only the request of that run is aborted.
            if let Some(of_run) = of_run.filter(|_| stopped.is_err()) {
                of_run.abort();
            }
            // Only the server's history shows the messages of that run that it kept.
            self.with(|core| core.subscription_mut().map(Subscription::invalidate));
            self.refresh();
        });
        true
    }

    /// Keeps the conversation in sync until its owner is cleaned up.
    async fn sync(self) {
        let mut failures = 0;
        while let Some((step, pause)) =
            self.open_channel().and_then(|()| self.with(|core| (core.next_step(), core.pause.clone())))
        {
            let started = now();
            let done = match step {
                SyncStep::Pause => {
                    pause.take(None).await;
                    continue;
                }
                SyncStep::Fetch(request) => {
                    self.rest_after_losses().await;
                    self.fetch(request).await
                }
                SyncStep::Listen(request, last_id) => self.listen(request, last_id).await,
            };
            let (connected, accepted) = match done {
                Ok(()) | Err(TransportError::Aborted) => (true, true),
                Err(TransportError::Status { status: 404, .. }) => {
                    self.with(Core::handle_gone);
                    self.send_next();
                    (true, true)
                }
                Err(error) if error.is_refusal() => {
                    self.with(|core| core.handle_refusal(error));
                    (true, false)
                }
                Err(_) => (false, false),
            };
            self.with(|core| core.report_stream(connected));
            // A stream that ended at once will probably do so again.
            let lasted = now().saturating_sub(started) >= MIN_BACKOFF;
            failures = if accepted && lasted { 0 } else { failures + 1 };
            if !accepted || failures > 3 {
                pause.take(Some(backoff(failures))).await;
            }
        }
    }

    /// Opens the channel to the other tabs, once the conversation is on the server.
    fn open_channel(self) -> Option<()> {
        self.with(|core| {
            let is_active = !core.is_left && core.subscription().is_some_and(Subscription::is_active);
            if is_active && core.channel.is_none() {
                core.channel = Channel::open(&core.channel_name(), move |message| self.on_tab_message(message));
            }
        })
    }

    /// Waits if one request after the other was lost although the history arrives, such as behind a proxy that limits requests by a 503. Otherwise
    /// each history would send the next one at once.
    async fn rest_after_losses(self) {
        let lost = self.with(|core| core.lost).unwrap_or_default();
        if lost > 1 {
            self.with(|core| core.show_connection(true));
            Pause::default().take(Some(backoff(lost))).await;
        }
    }

    async fn fetch(self, request: AgentRequest) -> Result<(), TransportError> {
        let description = request.text().await?;
        if self.with(|core| core.take_description(&description)) == Some(false) {
            // A text that is no description is handled like a failed connection: it is fetched again.
            return Err(TransportError::Network);
        }
        self.send_next();
        self.watch_deadline();
        self.with(|core| core.post(&TabMessage::Joined));
        Ok(())
    }

    /// Holds the stream for all tabs, until it ends, breaks, is not needed any more, or has a gap.
    async fn listen(self, request: AgentRequest, last_id: Option<String>) -> Result<(), TransportError> {
        let abort = request.abort.clone();
        let mut stream = request.events(last_id.as_deref()).await?;
        self.with(|core| {
            core.last_received = now();
            core.report_stream(true);
        });
        self.send_next();
        let mut decoder = Decoder::new();
        // A broken stream is handled like one that ended: the next request shows if the server is still there.
        while let Ok(Some(bytes)) = stream.next_chunk().await {
            self.with(|core| core.last_received = now());
            decoder.feed(&bytes);
            while let Some(frame) = decoder.next_frame() {
                // A frame that is too long is a gap for every tab. Each fetches the history, which may be longer.
                let message = frame.map_or(TabMessage::Gap, TabMessage::Frame);
                self.with(|core| {
                    core.post(&message);
                    core.take_from_stream(message);
                });
            }
            self.continue_after_events();
            if self.with(|core| core.wants_stream() && !core.is_stale()) != Some(true) {
                abort.abort();
            }
        }
        Ok(())
    }

    fn on_tab_message(self, message: TabMessage) {
        match message {
            TabMessage::Frame(_) | TabMessage::Gap => {
                self.with(|core| core.take_from_stream(message));
                self.continue_after_events();
                if self.with(|core| core.is_stale()) == Some(true) {
                    self.refresh();
                }
            }
            TabMessage::Connected(connected) => {
                self.with(|core| core.show_connection(!connected));
            }
            TabMessage::Joined => {
                self.with(|core| core.brief_new_tab());
            }
        }
    }

    /// Sends held items after new events, and sets the timer for new deadlines.
    fn continue_after_events(self) {
        self.send_next();
        self.watch_deadline();
    }
}

impl Core {
    /// Checks connection and stream again after a change.
    pub(crate) fn refresh_stream(&mut self) {
        self.report_stream(!self.is_disconnected);
        // After a machine has slept, its connections may be dead without an error.
        let is_recent = now().saturating_sub(self.last_received) < STREAM_TIMEOUT;
        let keeps_stream = self.wants_stream() && browser::is_online() && is_recent && !self.is_stale();
        if let Some(event_stream) = self.event_stream.as_ref().filter(|_| !keeps_stream) {
            event_stream.abort();
        }
        self.pause.wake();
    }

    fn channel_name(&self) -> String {
        ["agent-chat", &self.config.endpoint.url, &self.config.defaults.thread_id].join(" ")
    }

    fn next_step(&mut self) -> SyncStep {
        if self.is_left || !self.subscription().is_some_and(Subscription::is_active) {
            self.tab_lock = None;
            return SyncStep::Pause;
        }
        if self.is_stale() {
            return match self.running {
                // A response of this tab comes first.
                Some(_) => SyncStep::Pause,
                None => SyncStep::Fetch(self.request(Some(""), String::new())),
            };
        }
        if !self.wants_stream() {
            self.tab_lock = None;
            return SyncStep::Pause;
        }
        let pause = self.pause.clone();
        let name = self.channel_name();
        let request = || TabLock::request(&name, Rc::new(move || pause.wake()));
        if !self.tab_lock.get_or_insert_with(request).is_granted() {
            return SyncStep::Pause;
        }
        let last_id = self.subscription().and_then(|it| it.feed.last_id());
        let last_id = last_id.map(str::to_owned);
        let request = self.request(Some("/events"), String::new());
        self.last_received = now();
        self.event_stream = Some(request.abort.clone());
        SyncStep::Listen(request, last_id)
    }

    /// Returns true if this tab needs the stream: while it is visible, or while a run is open. So there are no more streams than windows,
    /// and browsers allow six connections to a host.
    fn wants_stream(&self) -> bool {
        !self.is_left && (browser::is_visible() || self.status.get_untracked() == Status::Running)
    }

    fn is_stale(&self) -> bool {
        self.subscription().is_some_and(Subscription::is_stale)
    }

    pub(crate) fn holds_stream(&self) -> bool {
        self.tab_lock.as_ref().is_some_and(TabLock::is_granted)
    }

    fn post(&self, message: &TabMessage) {
        if let Some(channel) = &self.channel {
            channel.post(message);
        }
    }

    fn take_from_stream(&mut self, message: TabMessage) {
        if let TabMessage::Frame(frame) = message {
            self.take_frame(frame);
        } else if let Some(subscription) = self.subscription_mut() {
            subscription.invalidate();
        }
    }

    /// Shows that the server does not let this page in, such as when its sign-in has ended. After a refused stream, the history is fetched: once
    /// that is accepted again, the error is over.
    fn handle_refusal(&mut self, error: TransportError) {
        if self.is_stale() {
            self.fail(Trouble::from_transport(error, &self.origin));
        } else if let Some(subscription) = self.subscription_mut() {
            subscription.invalidate();
        }
    }

    fn brief_new_tab(&self) {
        if !self.holds_stream() {
            return;
        }
        self.post(&TabMessage::Connected(!self.is_disconnected));
        let recent = self.subscription().into_iter().flat_map(|it| it.feed.recent());
        for frame in recent {
            self.post(&TabMessage::Frame(frame.clone()));
        }
    }

    /// Shows the state of the stream here and, if this tab holds it, in all others.
    fn report_stream(&mut self, connected: bool) {
        self.show_connection(!connected);
        if self.holds_stream() {
            self.post(&TabMessage::Connected(connected));
        }
    }
}

fn backoff(failures: u32) -> Duration {
    let doubled = (MIN_BACKOFF << failures.saturating_sub(1).min(5)).min(MAX_BACKOFF);
    // Jitter: the clients of a restarted server do not all reconnect at once.
    Duration::from_millis(doubled - (js_sys::Math::random() * doubled as f64 / 2.0) as u64)
}
