//! One card, brought into its state by the host's props and, if these are not enough, by actions of a user.

use crate::acts;
use crate::address::{Address, ON};
use crate::live;
use crate::state::CardState;
use crate::stream::arguments;
use ask_user_question::examples::{Example, FILES};
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use leptos::html::Div;
use leptos::prelude::*;
use question_card::{CardOptions, LANGUAGES, Labels, Layout, Persist, QuestionCard, SubmitMode};

/// The limit of typed texts, in characters, if the host sets one.
const LIMIT: usize = 40;
const TEN_MINUTES: u64 = 10 * 60 * 1000;

/// The state and the handlers of a card's host.
#[derive(Clone)]
pub(crate) struct GalleryHost {
    pub(crate) ask: RwSignal<AskSnapshot>,
    pub(crate) on_reply: Callback<Reply>,
    pub(crate) on_cancel: Callback<()>,
    pub(crate) on_reply_in_chat: Callback<Vec<Selection>>,
    pub(crate) on_late_message: Callback<String, bool>,
    pub(crate) persist: Persist,
}

impl GalleryHost {
    pub(crate) fn deaf(ask: AskSnapshot) -> Self {
        Self {
            ask: RwSignal::new(ask),
            on_reply: Callback::new(|_| {}),
            on_cancel: Callback::new(|()| {}),
            on_reply_in_chat: Callback::new(|_| {}),
            on_late_message: Callback::new(|_| true),
            persist: Persist::default(),
        }
    }
}

/// The host's input to the card of this example in this state; `None` if the example never comes to the state.
pub(crate) fn staged(example: &str, state: CardState) -> Option<AskSnapshot> {
    staged_as(example, state, &call(example, state))
}

/// As [`staged`], for the call with this id.
pub(crate) fn staged_as(example: &str, state: CardState, id: &str) -> Option<AskSnapshot> {
    state.stage(arguments(file(example)), id)
}

/// The card of an example.
pub(crate) fn example_card(
    address: &Address,
    example: &Example,
    state: CardState,
    host: GalleryHost,
) -> impl IntoView + use<> {
    if state == CardState::Live {
        let arguments = arguments(file(&example.name));
        live::play(host.ask, &call(&example.name, state), arguments);
    }
    let frame = NodeRef::<Div>::new();
    let is_staged = RwSignal::new(!state.needs_acts());
    Effect::new(move |_| {
        if let Some(frame) = frame.get()
            && !is_staged.get_untracked()
        {
            // In the next frame, the card has drawn its ask.
            request_animation_frame(move || {
                act(state, &frame, host.ask);
                is_staged.set(true);
            });
        }
    });
    let options = options(address, state, &host);
    view! {
        <div class="gallery-card" node_ref=frame data-staged=move || is_staged.get().then_some("")>
            <QuestionCard ask=host.ask on_reply=host.on_reply on_cancel=host.on_cancel options />
        </div>
    }
}

fn options(address: &Address, state: CardState, host: &GalleryHost) -> CardOptions {
    let (on_reply_in_chat, on_late_message) = (host.on_reply_in_chat, host.on_late_message);
    let deadline = (address.get("deadline") == ON).then(|| now() + TEN_MINUTES);
    let mut options = CardOptions::new()
        .mode(if address.get("mode") == "on-pick" { SubmitMode::OnPick } else { SubmitMode::Explicit })
        .layout(if address.get("layout") == "stepped" { Layout::Stepped } else { Layout::Stacked })
        .notes()
        .readonly(state == CardState::Readonly)
        .persist(host.persist)
        .expires_at(Signal::stored(deadline))
        .on_reply_in_chat(move |picks| on_reply_in_chat.run(picks))
        .on_late_message(move |text| on_late_message.run(text))
        .on_change(|| {})
        .on_extend(|| {});
    if state == CardState::Changed {
        options = options.on_update(|_| true);
    }
    // A card without labels has English words, and the direction of the page.
    if address.get("lang") != LANGUAGES[0].0 {
        options = options.labels(Labels::for_lang(address.get("lang")));
    }
    if address.get("skip") == ON {
        options = options.skip();
    }
    if address.get("limit") == ON {
        options = options.max_length(LIMIT);
    }
    options
}

/// Performs the actions of the user, and then of the host, that lead to this state.
fn act(state: CardState, frame: &web_sys::Element, ask: RwSignal<AskSnapshot>) {
    match state {
        CardState::Invalid => acts::submit(frame),
        CardState::Dirty => acts::fill(frame),
        CardState::Late => {
            acts::fill(frame);
            ask.update(|ask| {
                ask.outcome = Some(Outcome::Superseded);
                ask.set_phase(Phase::Superseded);
            });
        }
        _ => {}
    }
}

fn now() -> u64 {
    // Whole milliseconds since the epoch: a positive number far below what a float can count.
    js_sys::Date::now() as u64
}

fn call(example: &str, state: CardState) -> String {
    format!("{example}-{}", state.name())
}

fn file(example: &str) -> &'static str {
    let mut files = FILES.iter();
    files.find(|(name, _)| *name == example).map_or("", |(_, file)| *file)
}
