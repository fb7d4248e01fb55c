//! The steps of a conversation: from its permission to its connection, and from one request to the next.

use crate::core::{Core, Gate, Handle, Link, Next};
use crate::policy::{self, AgentOrigin};
use crate::status::Status;
use crate::trouble::Trouble;
use leptos::leptos_dom::helpers::WindowListenerHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;

impl Handle {
    /// Carries out the next action. Returns false if the held items can't be sent.
    pub(crate) fn send_next(self) -> bool {
        let runner = self.with(|core| core.runner.clone().filter(|_| core.is_free()));
        if let Some(Some(runner)) = runner {
            runner.start(self);
        }
        match self.with(Core::next) {
            Some(Next::Lock) => {
                let on_grant = Rc::new(move || {
                    self.on_lock();
                });
                let is_granted = self.with(|core| core.request_lock(on_grant));
                is_granted != Some(true) || self.on_lock()
            }
            Some(Next::Request(launch)) => {
                spawn_local(self.run(*launch));
                true
            }
            Some(Next::Refused) => false,
            Some(Next::Nothing) | None => true,
        }
    }

    /// Takes over changes of other tabs from the store, and sends the held items under the lock.
    fn on_lock(self) -> bool {
        self.with(Core::restore_if_changed);
        self.send_next()
    }

    /// Checks the permission to use the agent, and connects.
    pub(crate) fn begin(self) {
        let options = self.with(|core| (core.config.endpoint.url.clone(), core.gate.clone()));
        let Some((agent, gate)) = options else {
            return;
        };
        let origin = policy::agent_origin(&agent);
        self.with(|core| core.origin = origin.clone());
        match (origin, gate) {
            (AgentOrigin::None, _) => self.refuse(Trouble::NotAllowed { agent }),
            (AgentOrigin::Own, _) | (AgentOrigin::Other(_), None) => self.connect(),
            (AgentOrigin::Other(origin), Some(Gate { list, ask })) => ask(self, list, origin),
        }
    }

    /// Looks the origin up in the list of allowed agents, and connects.
    pub(crate) fn check_permission(self, list: String, origin: String) {
        spawn_local(async move {
            match policy::is_allowed(&list, &origin).await {
                Some(true) => self.connect(),
                Some(false) => self.refuse(Trouble::NotAllowed { agent: origin }),
                None => self.refuse(Trouble::Unreachable),
            }
        });
    }

    fn refuse(self, trouble: Trouble) {
        self.with(|core| {
            core.link = Link::Denied;
            core.restoring.set(false);
            core.status.set(Status::Failed(trouble));
        });
    }

    fn connect(self) {
        let server = self.with(|core| {
            core.on_allowed();
            core.server
        });
        self.send_next();
        self.watch_deadline();
        if let Some(Some(server)) = server {
            (server.subscribe)(self);
        }
    }

    /// Checks connection and stream again after a change.
    pub(crate) fn refresh(self) {
        self.with(|core| match core.server {
            Some(server) => (server.refresh)(core),
            None => core.show_connection(false),
        });
    }

    pub(crate) fn listen_to_window(self) {
        let listeners = [
            // Another tab has stored the conversation.
            window_event_listener(leptos::ev::storage, move |event| {
                if let Some(key) = event.key() {
                    self.with(|core| core.restore_changed_key(&key));
                    self.watch_deadline();
                }
            }),
            window_event_listener_untyped("hashchange", move |_| {
                self.with(|core| core.check_address());
            }),
            window_event_listener_untyped("pagehide", move |_| {
                self.with(Core::page_left);
                self.refresh();
            }),
            window_event_listener_untyped("pageshow", move |_| {
                self.with(Core::page_shown);
                self.watch_deadline();
                self.refresh();
            }),
            window_event_listener_untyped("online", move |_| {
                self.refresh();
                self.send_next();
            }),
            window_event_listener_untyped("offline", move |_| self.refresh()),
            window_event_listener_untyped("visibilitychange", move |_| self.refresh()),
        ];
        on_cleanup(move || {
            listeners.into_iter().for_each(WindowListenerHandle::remove);
        });
    }
}
