//! A card in a page without Leptos.

use super::host::{Acceptance, CardEvent, CardHost, Options, Read};
use super::machine::Input;
use super::shell::{Face, Shell, WHOLE};
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::ReplyState;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Element, Node};

/// A card in a page. Dropping it removes it; choices and text are kept for the next card of the call.
///
/// ```
/// use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
/// use question_card::{MountedCard, Options, CardEvent};
///
/// fn show(place: &web_sys::Element, ask: AskUserQuestion) -> MountedCard {
///     let ask = AskSnapshot::complete("call-1", ask, Phase::Answerable);
///     MountedCard::mount(place, ask, &Options::default(), |told| {
///         if let CardEvent::Reply(reply) = told {
///             web_sys::console::log_1(&reply.to_json().to_string().into());
///         }
///         false
///     })
/// }
///
/// fn is_over(card: &MountedCard) {
///     card.update(|ask| ask.phase = Phase::Superseded);
/// }
/// ```
pub struct MountedCard {
    pub(super) shell: Rc<Shell>,
    ask: Rc<RefCell<AskSnapshot>>,
    element: Option<Element>,
}

impl MountedCard {
    /// Adds the card of this ask at the end of a node. Its events go to `on_event`, whose result counts for [`CardEvent::Message`] alone: an
    /// [`Acceptance`], or true if the host accepts the message.
    #[must_use]
    pub fn mount<A: Into<Acceptance>>(
        parent: &Node,
        ask: AskSnapshot,
        options: &Options,
        on_event: impl Fn(CardEvent) -> A + 'static,
    ) -> Self {
        let mounted = Self::with_face(&WHOLE, (parent, None), ask, options, move |event| on_event(event).into());
        mounted.shell.take(Input::Begin);
        mounted
    }

    /// Adds this part of a card before a child of a node, or at the node's end. The card has not begun yet.
    pub(super) fn with_face(
        face: &'static Face,
        (parent, before): (&Node, Option<Node>),
        ask: AskSnapshot,
        options: &Options,
        on_event: impl Fn(CardEvent) -> Acceptance + 'static,
    ) -> Self {
        let ask = Rc::new(RefCell::new(ask));
        let asked = ask.clone();
        let read = move |read: Read<'_>| {
            if let Ok(ask) = asked.try_borrow() {
                read(&ask);
            }
        };
        let host = CardHost { read: Box::new(read), on_event: Box::new(on_event) };
        let shell = Shell::new(face, &ask.borrow(), options.clone(), host);
        let element = shell.start();
        if let Some(element) = &element {
            // Fails only if the parent cannot have children.
            let _ = parent.insert_before(element, before.as_ref());
        }
        Self { shell, ask, element }
    }

    /// Changes the ask and redraws the card. Make several changes in one call, because each call is one walk over the card.
    pub fn update(&self, change: impl FnOnce(&mut AskSnapshot)) {
        // The ask is borrowed only while this crate's own code runs.
        if let Ok(mut ask) = self.ask.try_borrow_mut() {
            change(&mut ask);
        }
        self.shell.take(Input::Ask);
    }

    /// Changes the settings of the card. No choice, text or reply is lost.
    pub fn set(&self, options: &Options) {
        self.shell.take(Input::Set(options.clone()));
    }

    /// Reads the ask.
    pub fn with<T>(&self, read: impl FnOnce(&AskSnapshot) -> T) -> T {
        read(&self.ask.borrow())
    }

    /// Reports that the reply or cancellation did not go through, or a message that the host accepted for [`Acceptance::Later`].
    pub fn fail(&self, reason: &str) {
        self.shell.take(Input::Failed(reason.to_owned()));
    }

    /// Reports that the reply is held until another ask has its own, or is no longer held. Does nothing if no reply was given.
    pub fn hold(&self, is_held: bool) {
        let is_other = is_held != self.with(|ask| ask.reply == ReplyState::Held);
        if is_other && self.shell.is_latched() {
            self.update(|ask| ask.reply = if is_held { ReplyState::Held } else { ReplyState::Sending });
        }
    }

    /// Reports that a message was sent which the host had accepted with [`Acceptance::Later`].
    pub fn message_sent(&self) {
        self.shell.take(Input::Taken(true));
    }

    /// Gives a decline that the user could still undo to the host at once. Call it before the user's next message is sent.
    pub fn leave(&self) {
        self.shell.leave();
    }

    /// Moves the focus to where the user would go on. Returns false if there is no such control.
    pub fn focus(&self) -> bool {
        self.shell.focus_next()
    }
}

impl Drop for MountedCard {
    fn drop(&mut self) {
        self.leave();
        if let Some(element) = &self.element {
            element.remove();
        }
    }
}
