//! The card as a component of Leptos.

use super::host::{Acceptance, CardEvent, CardHost, Options, Read};
#[cfg(feature = "ssr")]
use super::machine::Card;
use super::machine::Input;
use super::options::{CardOptions, Follow};
use super::shell::{Shell, WHOLE};
use crate::drawn::{Drawn, DrawnElement};
use ask_user_question::{AskSnapshot, Reply};
use leptos::prelude::*;
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

/// One ask, from its first streamed byte to its receipt.
///
/// The card never moves the focus by itself while an ask arrives and never sends on a change. It keeps all that was typed: what did not
/// reach the agent stays beside the receipt until the user dismisses it.
///
/// # Events
/// `qc-waiting` bubbles from the root when the arguments are complete, and again if the ask is reopened. `qc-resolved` bubbles when the ask
/// is over. Call `preventDefault()` on `qc-resolved` to place the focus yourself; otherwise it moves to the receipt if the form had it.
///
/// # Styling
/// `data-state` of the root is one of `composing`, `streaming`, `awaiting`, `invalid`, `submitting`, `failed`, `malformed`, `answered`,
/// `declined`, `superseded`, `expired`, `interrupted`, `settled`, `readonly`; [`anatomy`](crate::anatomy) has the rest.
#[component]
pub fn QuestionCard(
    /// The snapshot of the ask. The card reads it by `.with()` and never clones it; the host lets it follow by [`AskSnapshot::follow`]. One
    /// card shows one call: give a keyed list the `tool_call_id` as its key.
    #[prop(into)]
    ask: Signal<AskSnapshot>,
    /// Called once with a reply that was checked against its ask; again only after a reply failed or was returned. A function, a
    /// [`Callback`], or an [`Action`], whose error the card shows. Other hosts write it into the ask's
    /// [`reply`](AskSnapshot::reply).
    #[prop(into)]
    on_reply: OnReply,
    /// Called once when the user cancels the question. If the question could not be read, the card then shows "You chose not to answer" by
    /// itself, until the cancellation failed or is returned.
    #[prop(into)]
    on_cancel: Callback<()>,
    /// All other options.
    #[prop(optional)]
    options: CardOptions,
) -> impl IntoView {
    // A server handles no events.
    #[cfg(feature = "ssr")]
    let drawn = {
        let _ = (in_page, on_reply, on_cancel);
        on_server(ask, &options)
    };
    #[cfg(not(feature = "ssr"))]
    let drawn = in_page(ask, on_reply, on_cancel, options);
    drawn.into_any()
}

#[cfg(feature = "ssr")]
fn on_server(ask: Signal<AskSnapshot>, options: &CardOptions) -> Drawn {
    let card = ask.with_untracked(|ask| Card::new(ask, untrack(|| wanted(&options.plain, &options.follows))));
    Drawn::Html(Box::new(move || {
        let mut html = String::new();
        ask.with_untracked(|ask| card.connect(ask).write_html(&mut html));
        html
    }))
}

fn in_page(ask: Signal<AskSnapshot>, on_reply: OnReply, on_cancel: Callback<()>, options: CardOptions) -> Drawn {
    let CardOptions { plain, follows, handle, handlers } = options;
    let reply = on_reply.reply;
    let on_event = move |event| {
        match event {
            CardEvent::Reply(given) => reply(given),
            CardEvent::Cancel => on_cancel.run(()),
            event => return handlers.iter().rev().find_map(|handle| handle(&event)).unwrap_or(Acceptance::No),
        }
        Acceptance::No
    };
    // The signal may have been disposed of.
    let read = move |read: Read<'_>| ask.try_with_untracked(read).unwrap_or_default();
    let host = CardHost { read: Box::new(read), on_event: Box::new(on_event) };
    let first = untrack(|| wanted(&plain, &follows));
    let shell = ask.with_untracked(|ask| Shell::new(&WHOLE, ask, first, host));
    if let Some(handle) = handle {
        handle.lead_to(&shell);
    }
    let leaves = StoredValue::new_local(Rc::downgrade(&shell));
    on_cleanup(move || {
        if let Some(shell) = leaves.try_get_value().and_then(|shell| shell.upgrade()) {
            shell.leave();
        }
    });
    let mut has_begun = false;
    follow(&shell, move || {
        ask.track();
        Some(if std::mem::replace(&mut has_begun, true) { Input::Ask } else { Input::Begin })
    });
    if !follows.is_empty() {
        follow(&shell, move || Some(Input::Set(wanted(&plain, &follows))));
    }
    if let Some(mut failure) = on_reply.failure {
        follow(&shell, move || failure().map(Input::Failed));
    }
    let shell = StoredValue::new_local(shell);
    Drawn::Page(Box::new(move |adopts| {
        let shell = shell.try_get_value()?;
        let element = match adopts {
            Some(element) => shell.start_on(element),
            None => shell.start(),
        };
        Some(DrawnElement::new(element?, shell))
    }))
}

/// The options, with what the host's signals change in them.
fn wanted(plain: &Options, follows: &[Follow]) -> Options {
    let mut options = plain.clone();
    follows.iter().for_each(|follow| follow(&mut options));
    options
}

/// The handler of replies: a function, a [`Callback`], or an [`Action`].
///
/// The card shows the error of an action. After a success the reply counts as on its way until the host changes the phase of the ask. Several
/// cards can share an action.
pub struct OnReply {
    reply: Box<dyn Fn(Reply)>,
    /// Reads the error of the reply that was given last, once.
    failure: Option<Box<dyn FnMut() -> Option<String>>>,
}

impl<F: Fn(Reply) + 'static> From<F> for OnReply {
    fn from(reply: F) -> Self {
        Self { reply: Box::new(reply), failure: None }
    }
}

impl From<Callback<Reply>> for OnReply {
    fn from(reply: Callback<Reply>) -> Self {
        Self::from(move |given| reply.run(given))
    }
}

impl<T, E> From<Action<Reply, Result<T, E>>> for OnReply
where
    T: Send + Sync + 'static,
    E: fmt::Display + Send + Sync + 'static,
{
    fn from(action: Action<Reply, Result<T, E>>) -> Self {
        let (pending, value) = (action.pending(), action.value());
        // An action that is already running when the card is made has the reply of an earlier card.
        let is_given = Rc::new(Cell::new(pending.get_untracked()));
        let gives = is_given.clone();
        let failure = move || {
            let is_done = !pending.get() && is_given.take();
            let error = |value: &Option<Result<T, E>>| Some(value.as_ref()?.as_ref().err()?.to_string());
            if is_done { value.with_untracked(error) } else { None }
        };
        let reply = Box::new(move |reply| {
            action.dispatch(reply);
            gives.set(true);
        });
        Self { reply, failure: Some(Box::new(failure)) }
    }
}

/// Passes changes at the host to the card: now, and again when a signal that `read` has read changes.
fn follow(shell: &Rc<Shell>, mut read: impl FnMut() -> Option<Input<'static>> + 'static) {
    let me = Rc::downgrade(shell);
    effect(move || {
        let input = read();
        if let (Some(shell), Some(input)) = (me.upgrade(), input) {
            untrack(|| shell.take(input));
        }
    });
}

/// Runs `act` soon, and again when a signal that it has read changes. Boxed, so that all effects share one instantiation, which saves a
/// page more than a kilobyte for each.
fn effect(act: impl FnMut() + 'static) {
    let act: Box<dyn FnMut()> = Box::new(act);
    Effect::new(act);
}
