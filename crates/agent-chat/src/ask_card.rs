//! The [`AskCard`] component, which connects the card of an ask to its conversation.

use crate::cards::Cards;
use crate::chat::AgentChat;
use crate::entry::Ask;
use crate::status::Status;
use leptos::prelude::*;
use question_card::{CardOptions, FocusHandle, QuestionCard};

impl Cards {
    /// Registers a focus handle for the card of a call until the current owner is cleaned up.
    fn handle(self, tool_call_id: &str) -> FocusHandle {
        let (id, handle) = (tool_call_id.to_owned(), FocusHandle::new());
        self.handles.update_untracked(|handles| handles.push((id.clone(), handle)));
        on_cleanup(move || {
            let is_shown = self.handles.try_update_untracked(|handles| {
                handles.retain(|(_, its)| *its != handle);
                handles.iter().any(|(its, _)| *its == id)
            });
            // Another card may show the same ask.
            if is_shown == Some(false) {
                self.set_picks(&id, Vec::new());
            }
        });
        handle
    }
}

impl AgentChat {
    /// Moves the focus to the first waiting question without a pending reply, or else to the first waiting one. Returns false if no [`AskCard`]
    /// shows it.
    pub fn focus_waiting(&self) -> bool {
        let waiting = self.waiting.with_untracked(|waiting| {
            let is_free = |ask: &&Ask| !untrack(|| ask.is_pending());
            let free = waiting.iter().find(is_free).or(waiting.first());
            free.map(|ask| ask.tool_call_id.clone())
        });
        waiting.is_some_and(|waiting| self.focus_ask(&waiting))
    }

    /// Moves the focus to the question of this call. Returns false if no [`AskCard`] shows it.
    pub fn focus_ask(&self, tool_call_id: &str) -> bool {
        let handle = self.cards.handles.with_untracked(|handles| {
            let (_, handle) = handles.iter().find(|(id, _)| id == tool_call_id)?;
            Some(*handle)
        });
        handle.is_some_and(|handle| handle.focus())
    }
}

/// The card of an ask, connected to its conversation. It announces a question that has just come, sends the answer, and shows what became of it.
/// While an answer is held, the card can change it and move the focus to the next question that waits. After it was sent, the card can change it
/// while [`AgentChat::can_change`] returns true. An answer that came too late can be sent as a message. The card's picks are sent along with
/// what the user types elsewhere.
///
/// ```
/// use agent_chat::{AgentChat, Ask, AskCard};
/// use leptos::prelude::*;
/// use question_card::{CardOptions, Persist};
///
/// #[component]
/// fn Question(chat: AgentChat, ask: Ask) -> impl IntoView {
///     view! { <AskCard chat ask options=CardOptions::new().notes().persist(Persist::session()) /> }
/// }
/// ```
#[component]
pub fn AskCard(
    /// The conversation.
    chat: AgentChat,
    /// The ask.
    ask: Ask,
    /// All other options of the card.
    #[prop(optional)]
    options: CardOptions,
) -> impl IntoView {
    let Ask { tool_call_id, snapshot } = ask;
    let is_running = chat.status.with_untracked(|status| *status == Status::Running);
    let handle = chat.cards.handle(&tool_call_id);
    let id = StoredValue::new(tool_call_id);
    let can_change = Memo::new(move |_| {
        let is_free = chat.status.with(|status| *status != Status::Running) && chat.waiting.with(Vec::is_empty);
        is_free && id.with_value(|id| chat.can_change(id))
    });
    let options = options
        .scope(chat.conversation_id())
        .fresh(is_running)
        .handle(handle)
        .on_change(move || {
            id.with_value(|id| chat.take_back(id));
        })
        .on_next(move || {
            chat.focus_waiting();
        })
        .on_update(move |reply| id.with_value(|id| chat.change_answer(id, &reply)))
        .following(move |options| options.offers.update = can_change.get())
        .on_picks(move |picked| id.with_value(|id| chat.set_picks(id, picked)))
        .on_late_message(move |text| chat.send_alone(&text));
    let on_reply = Callback::new(move |reply| {
        id.with_value(|id| chat.reply(id, reply));
    });
    let on_cancel = move |()| {
        id.with_value(|id| chat.cancel(id));
    };
    view! { <QuestionCard ask=ReadSignal::from(snapshot) on_reply on_cancel options /> }
}
