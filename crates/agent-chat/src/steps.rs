//! The steps that a conversation takes by itself: from its permission to its connection, and from one request to the next.

use crate::core::{Core, Gate, Handle, Link, Next};
use crate::policy::{self, Reach};
use crate::status::Status;
use crate::tools::Enter;
use crate::trouble::Trouble;
use leptos::leptos_dom::helpers::WindowListenerHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::rc::Rc;

impl Handle {
    /// Does what is to be done next. False where what was said can't be sent.
    pub(crate) fn send_next(self) -> bool {
        let desk = self.with(|core| core.desk.clone().filter(|_| core.is_free()));
        if let Some(Some(desk)) = desk {
            let enter: Enter = Rc::new(move |act| {
                self.with(|core| act(core));
            });
            let next = Rc::new(move || {
                self.send_next();
            });
            desk.start(enter, next);
        }
        match self.with(Core::next) {
            Some(Next::Turn) => {
                let on_grant = Rc::new(move || {
                    self.take_turn();
                });
                let is_granted = self.with(|core| core.request_turn(on_grant));
                is_granted != Some(true) || self.take_turn()
            }
            Some(Next::Request(launch)) => {
                spawn_local(self.run(*launch));
                true
            }
            Some(Next::Refused) => false,
            Some(Next::Nothing) | None => true,
        }
    }

    /// It is this tab's turn to talk to the agent, on top of what the others have kept.
    fn take_turn(self) -> bool {
        self.with(Core::read_news);
        self.send_next()
    }

    /// Takes the conversation up as soon as it is known that the page may talk to the agent.
    pub(crate) fn begin(self) {
        let options = self.with(|core| (core.config.endpoint.url.clone(), core.gate.clone()));
        let Some((agent, gate)) = options else {
            return;
        };
        let reach = policy::reach(&agent);
        self.with(|core| core.reach = reach.clone());
        match (reach, gate) {
            (Reach::None, _) => self.refuse(Trouble::NotAllowed { agent }),
            (Reach::Own, _) | (Reach::Other(_), None) => self.connect(),
            (Reach::Other(origin), Some(Gate { list, ask })) => ask(self, list, origin),
        }
    }

    /// Asks the list whether the page may talk to this origin.
    pub(crate) fn ask_leave(self, list: String, origin: String) {
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
            core.link = Link::Refused;
            core.restoring.set(false);
            core.status.set(Status::Failed(trouble));
        });
    }

    fn connect(self) {
        let server = self.with(|core| {
            core.allow();
            core.server
        });
        self.send_next();
        self.await_deadline();
        if let Some(Some(server)) = server {
            (server.follow)(self);
        }
    }

    /// Looks at everything again, because something has changed.
    pub(crate) fn reconsider(self) {
        self.with(|core| match core.server {
            Some(server) => (server.reconsider)(core),
            None => core.show_connection(false),
        });
    }

    /// Listens to what the browser tells its pages.
    pub(crate) fn listen_to_window(self) {
        let listeners = [
            // Another tab has kept the conversation.
            window_event_listener(leptos::ev::storage, move |event| {
                if let Some(key) = event.key() {
                    self.with(|core| core.read_others(&key));
                }
            }),
            window_event_listener_untyped("hashchange", move |_| {
                self.with(|core| core.look_at_address());
            }),
            window_event_listener_untyped("pagehide", move |_| {
                self.with(Core::page_left);
                self.reconsider();
            }),
            window_event_listener_untyped("pageshow", move |_| {
                self.with(|core| core.is_left = false);
                self.reconsider();
            }),
            window_event_listener_untyped("online", move |_| self.reconsider()),
            window_event_listener_untyped("offline", move |_| self.reconsider()),
            window_event_listener_untyped("visibilitychange", move |_| self.reconsider()),
        ];
        on_cleanup(move || {
            listeners.into_iter().for_each(WindowListenerHandle::remove);
        });
    }
}
