//! A card in a page that has no framework, or another one.

use super::host::{Host, Options, Told, card_of};
use super::machine::Input;
use super::shell::Shell;
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::Sending;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::{Element, Node};

/// A card in a page. Dropping it removes it; what was chosen and typed is kept for the next card of the call.
///
/// ```
/// use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
/// use question_card::{MountedCard, Options, Told};
///
/// fn show(place: &web_sys::Element, ask: AskUserQuestion) -> MountedCard {
///     let ask = AskSnapshot::complete("call-1", ask, Phase::Answerable);
///     MountedCard::mount(place, ask, &Options::default(), |told| {
///         if let Told::Reply(reply) = told {
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
    shell: Rc<Shell>,
    ask: Rc<RefCell<AskSnapshot>>,
    element: Option<Element>,
    held: Cell<bool>,
    expires_at: Cell<Option<u64>>,
}

impl MountedCard {
    /// Puts the card of this ask at the end of a node. What it tells goes to `hear`, which says whether it took a [`Told::Message`]; of all
    /// else what it says is not looked at.
    #[must_use]
    pub fn mount(parent: &Node, ask: AskSnapshot, options: &Options, hear: impl Fn(Told) -> bool + 'static) -> Self {
        let (card, key) = card_of(&ask, options);
        let ask = Rc::new(RefCell::new(ask));
        let host = Page { ask: ask.clone(), hear: Box::new(hear) };
        let shell = Shell::new(card, key, options, Box::new(host));
        let element = shell.start(None);
        if let Some(element) = &element {
            // Refused only where the parent can have no children.
            let _ = parent.insert_before(element, None);
        }
        let held = Cell::new(false);
        let mounted = Self { shell, ask, element, held, expires_at: Cell::new(options.expires_at) };
        mounted.shell.take(Input::Begin);
        mounted.look();
        mounted
    }

    /// Changes the ask, and shows what has changed. Several patches at once are one walk over the card.
    pub fn update(&self, change: impl FnOnce(&mut AskSnapshot)) {
        // It is read only while this crate's own code runs.
        if let Ok(mut ask) = self.ask.try_borrow_mut() {
            change(&mut ask);
        }
        self.look();
    }

    /// Reads the ask.
    pub fn with<T>(&self, read: impl FnOnce(&AskSnapshot) -> T) -> T {
        read(&self.ask.borrow())
    }

    /// Tells where the host stands with the reply. What `CardOptions::sending` says holds here too.
    pub fn sending(&self, sending: &Sending) {
        self.shell.take(Input::Sending(sending));
    }

    /// Tells whether the host keeps the reply until another ask has its answer too.
    pub fn held(&self, held: bool) {
        if self.held.replace(held) != held {
            self.look();
        }
    }

    /// Tells the host's own deadline, in milliseconds since the Unix epoch.
    pub fn expires_at(&self, expires_at: Option<u64>) {
        if self.expires_at.replace(expires_at) != expires_at {
            self.look();
        }
    }

    /// Moves the focus to where the user would go on. False where there is nothing to go to.
    pub fn focus(&self) -> bool {
        self.shell.focus_next()
    }

    /// Moves the focus into the question of this index, counted from 0. False where nothing of it can be chosen.
    pub fn focus_question(&self, index: usize) -> bool {
        self.shell.enter_question(index)
    }

    fn look(&self) {
        self.shell.take(Input::Host { held: self.held.get(), expires_at: self.expires_at.get() });
    }
}

impl Drop for MountedCard {
    fn drop(&mut self) {
        if let Some(element) = &self.element {
            element.remove();
        }
    }
}

struct Page {
    ask: Rc<RefCell<AskSnapshot>>,
    hear: Box<dyn Fn(Told) -> bool>,
}

impl Host for Page {
    fn read(&self, read: &mut dyn FnMut(&AskSnapshot)) {
        if let Ok(ask) = self.ask.try_borrow() {
            read(&ask);
        }
    }

    fn hear(&self, told: Told) -> bool {
        (self.hear)(told)
    }

    fn wants_picks(&self) -> bool {
        true
    }

    fn now(&self) -> Option<u64> {
        None
    }
}
