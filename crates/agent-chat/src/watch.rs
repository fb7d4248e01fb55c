//! Staying in step with a conversation that its server has: one tab holds the stream of its events and tells them to the others.

use crate::browser;
use crate::core::{Core, Handle, Stop};
use crate::following::Following;
use crate::ids::now;
use crate::status::Status;
use crate::tabs::{Channel, TabLock, TabMessage};
use crate::transport::{Abort, Endpoint, TransportError, conversation_path};
use ag_ui_stream::sse::Decoder;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;
use std::time::Duration;

/// How long the first pause is after a failure, in milliseconds; each further one is twice as long.
const FIRST_PAUSE: u64 = 1_000;

/// How long a pause is at most, in milliseconds.
const LONGEST_PAUSE: u64 = 30_000;

/// How long a stream that flows may be silent, in milliseconds: the server says every 15 seconds that it is alive.
const LONGEST_SILENCE: u64 = 20_000;

/// What there is to do to stay in step.
enum Step {
    /// Nothing until something changes.
    Pause,
    /// To ask for the history.
    Ask(Request),
    /// To hold the stream, from an event id on.
    Listen(Request, Option<String>),
}

struct Request {
    endpoint: Endpoint,
    path: String,
    abort: Abort,
}

impl Handle {
    pub(crate) fn follow(self) {
        spawn_local(self.keep_in_step());
    }

    /// Asks the server to end the run that is open. False where there is none.
    pub(crate) fn stop_by_server(self) -> bool {
        let Some(Stop { endpoint, path, body, request }) = self.with(Core::stop).flatten() else {
            return false;
        };
        spawn_local(async move {
            let stopped = endpoint.post(Some(&path), body, &Abort::new()).await;
            // Meanwhile the run may be over, and the next one under way.
            if let Some(request) = request.filter(|_| stopped.is_err()) {
                request.abort();
            }
            self.with(Core::handle_cancelled);
            self.reconsider();
        });
        true
    }

    /// Stays in step for as long as the conversation is shown.
    async fn keep_in_step(self) {
        let mut failures = 0;
        while let Some((step, pause)) =
            self.join().and_then(|()| self.with(|core| (core.next_step(), core.pause.clone())))
        {
            let began = now();
            let done = match step {
                Step::Pause => {
                    pause.take(None).await;
                    continue;
                }
                Step::Ask(request) => self.ask(request).await,
                Step::Listen(request, last_id) => self.listen(request, last_id).await,
            };
            let flows = match done {
                Ok(()) | Err(TransportError::Aborted) => true,
                Err(TransportError::Status { status: 404, .. }) => {
                    self.with(Core::lose_conversation);
                    self.send_next();
                    true
                }
                Err(_) => false,
            };
            self.with(|core| core.show_flow(flows));
            // A stream that ended at once will probably do so again.
            let lasted = now().saturating_sub(began) >= FIRST_PAUSE;
            failures = if flows && lasted { 0 } else { failures + 1 };
            if !flows || failures > 3 {
                pause.take(Some(length_of_pause(failures))).await;
            }
        }
    }

    /// Opens the line to the other tabs, as soon as there is something to tell.
    fn join(self) -> Option<()> {
        self.with(|core| {
            let has_begun = core.following().is_some_and(Following::has_begun);
            if has_begun && core.channel.is_none() {
                core.channel = Channel::open(&core.name_among_tabs(), move |word| self.hear(word));
            }
        })
    }

    /// Asks for the history and takes it over.
    async fn ask(self, request: Request) -> Result<(), TransportError> {
        let Request { endpoint, path, abort } = request;
        let description = endpoint.text(&path, &abort).await?;
        if self.with(|core| core.take_description(&description)) == Some(false) {
            // Asked again, as where nobody answers.
            return Err(TransportError::Network);
        }
        self.send_next();
        self.await_deadline();
        self.with(|core| core.tell(&TabMessage::Hello));
        Ok(())
    }

    /// Holds the stream for all tabs, until it ends, breaks, is not wanted any more, or misses something.
    async fn listen(self, request: Request, last_id: Option<String>) -> Result<(), TransportError> {
        let Request { endpoint, path, abort } = request;
        let mut stream = endpoint.events(&path, last_id.as_deref(), &abort).await?;
        self.with(|core| {
            core.heard = now();
            core.show_flow(true);
        });
        self.send_next();
        let mut decoder = Decoder::new();
        // One that breaks is like one that ends: whether the server is still there the next one will tell.
        while let Ok(Some(bytes)) = stream.next_chunk(&abort).await {
            self.with(|core| core.heard = now());
            decoder.feed(&bytes);
            while let Some(Ok(frame)) = decoder.next_frame() {
                self.with(|core| {
                    core.tell(&TabMessage::Told(frame.clone()));
                    core.take_frame(frame);
                });
            }
            self.follow_up();
            if self.with(|core| core.wants_stream() && !core.has_missed()) != Some(true) {
                abort.abort();
            }
        }
        Ok(())
    }

    /// Takes what another tab tells.
    fn hear(self, word: TabMessage) {
        match word {
            TabMessage::Told(frame) => {
                self.with(|core| core.take_frame(frame));
                self.follow_up();
                if self.with(|core| core.has_missed()) == Some(true) {
                    self.reconsider();
                }
            }
            TabMessage::Flows(flows) => {
                self.with(|core| core.show_connection(!flows));
            }
            TabMessage::Hello => {
                self.with(|core| core.tell_newcomer());
            }
        }
    }

    /// After events came: what was held for the end of a run may go now, and deadlines may have come.
    fn follow_up(self) {
        self.send_next();
        self.await_deadline();
    }
}

impl Core {
    /// Looks at everything again, because something has changed.
    pub(crate) fn reconsider_stream(&mut self) {
        self.show_flow(!self.broken);
        // After a machine has slept, its connections may be dead without anybody having said so.
        let is_heard = now().saturating_sub(self.heard) < LONGEST_SILENCE;
        let listens_on = self.wants_stream() && browser::is_online() && is_heard && !self.has_missed();
        if let Some(listening) = self.listening.as_ref().filter(|_| !listens_on) {
            listening.abort();
        }
        self.pause.wake();
    }

    fn name_among_tabs(&self) -> String {
        ["agent-chat", &self.config.endpoint.url, &self.config.setup.thread_id].join(" ")
    }

    fn next_step(&mut self) -> Step {
        if self.is_left || !self.following().is_some_and(Following::has_begun) {
            self.turn = None;
            return Step::Pause;
        }
        if self.has_missed() {
            return match self.running {
                // What this tab reads comes first.
                Some(_) => Step::Pause,
                None => Step::Ask(self.request("", Abort::new())),
            };
        }
        if !self.wants_stream() {
            self.turn = None;
            return Step::Pause;
        }
        let pause = self.pause.clone();
        let name = self.name_among_tabs();
        let request = || TabLock::request(&name, Rc::new(move || pause.wake()));
        if !self.turn.get_or_insert_with(request).is_granted() {
            return Step::Pause;
        }
        let last_id = self.following().and_then(|it| it.feed.last_id());
        let last_id = last_id.map(str::to_owned);
        let abort = Abort::new();
        self.heard = now();
        self.listening = Some(abort.clone());
        Step::Listen(self.request("/events", abort), last_id)
    }

    fn request(&self, rest: &str, abort: Abort) -> Request {
        Request {
            endpoint: self.config.endpoint.clone(),
            path: conversation_path(&self.config.setup.thread_id, rest),
            abort,
        }
    }

    /// Whether this tab would hold the stream: as long as somebody can see it, and while the agent is at work. So there are no more streams than
    /// windows, of the six connections that browsers allow to a host.
    fn wants_stream(&self) -> bool {
        !self.is_left && (browser::is_visible() || self.status.get_untracked() == Status::Running)
    }

    fn has_missed(&self) -> bool {
        self.following().is_some_and(Following::has_missed)
    }

    pub(crate) fn holds_stream(&self) -> bool {
        self.turn.as_ref().is_some_and(TabLock::is_granted)
    }

    fn tell(&self, word: &TabMessage) {
        if let Some(channel) = &self.channel {
            channel.tell(word);
        }
    }

    fn tell_newcomer(&self) {
        if !self.holds_stream() {
            return;
        }
        self.tell(&TabMessage::Flows(!self.broken));
        let recent = self.following().into_iter().flat_map(|it| it.feed.recent());
        for frame in recent {
            self.tell(&TabMessage::Told(frame.clone()));
        }
    }

    /// Shows whether the stream flows, here and, if this tab holds it, in all others.
    fn show_flow(&mut self, flows: bool) {
        self.show_connection(!flows);
        if self.holds_stream() {
            self.tell(&TabMessage::Flows(flows));
        }
    }
}

fn length_of_pause(failures: u32) -> Duration {
    let doubled = FIRST_PAUSE << failures.saturating_sub(1).min(5);
    Duration::from_millis(doubled.min(LONGEST_PAUSE))
}
