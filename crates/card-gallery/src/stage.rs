//! One card with a host that shows what it hears and does what it is told.

use crate::address::Address;
use crate::card::{Host, example_card};
use crate::state::{Staged, State, answers};
use crate::words;
use ask_user_question::examples::Example;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::{AskPatch, Sending};
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use leptos::ev::KeyboardEvent;
use leptos::html::{Section, Textarea};
use leptos::prelude::*;
use question_card::Persist;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{CustomEvent, HtmlElement, ResizeObserver};

/// A card, what its host hears, and a panel that stays in sight as a chat's composer does.
pub(crate) fn stage(address: &Address, example: &Example, state: State, staged: Staged) -> impl IntoView + use<> {
    let desk = Desk::new(staged);
    let on_keydown = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.default_prevented() {
            desk.hear("escape".to_owned());
        }
    };
    view! {
        <div
            on:qc-waiting=move |_: CustomEvent| desk.hear("waiting".to_owned())
            on:qc-resolved=move |_: CustomEvent| desk.hear("resolved".to_owned())
            on:keydown=on_keydown
        >
            {example_card(address, example, state, desk.host())}
        </div>
        {desk.heard_view()}
        {desk.panel()}
    }
}

/// What the host of a single card knows.
#[derive(Clone, Copy)]
struct Desk {
    ask: RwSignal<AskSnapshot>,
    sending: RwSignal<Sending>,
    held: RwSignal<bool>,
    heard: RwSignal<Vec<String>>,
    /// What is on its way to the agent.
    ending: StoredValue<Outcome>,
    composer: NodeRef<Textarea>,
}

impl Desk {
    fn new(staged: Staged) -> Self {
        Self {
            ask: RwSignal::new(staged.ask),
            sending: RwSignal::new(staged.sending),
            held: RwSignal::new(false),
            heard: RwSignal::new(Vec::new()),
            ending: StoredValue::new(Outcome::Declined),
            composer: NodeRef::new(),
        }
    }

    fn hear(self, what: String) {
        self.heard.update(|heard| heard.push(what));
    }

    fn host(self) -> Host {
        let send = move |outcome| {
            self.ending.set_value(outcome);
            self.sending.set(Sending::Pending);
        };
        Host {
            ask: self.ask,
            sending: self.sending,
            held: self.held,
            on_reply: Callback::new(move |reply: Reply| {
                self.hear(format!("reply {}", reply.to_json()));
                send(Outcome::Answered(reply));
            }),
            on_cancel: Callback::new(move |()| {
                self.hear("cancel".to_owned());
                send(Outcome::Declined);
            }),
            on_reply_in_chat: Callback::new(move |picks: Vec<Selection>| {
                self.hear(format!("in chat {}", serde_json::json!(picks)));
                if let Some(composer) = self.composer.get_untracked() {
                    // It has no way to fail.
                    let _ = composer.focus();
                }
            }),
            on_late_message: Callback::new(move |text: String| {
                self.hear(format!("message {text}"));
                true
            }),
            persist: Persist::session(),
        }
    }

    fn heard_view(self) -> impl IntoView {
        let line = |what| view! { <li dir="auto">{what}</li> };
        view! {
            <section class="gallery-heard" aria-labelledby="heard">
                <h2 id="heard">{words::HEARD}</h2>
                <ol>{move || self.heard.get().into_iter().map(line).collect_view()}</ol>
            </section>
        }
    }

    fn panel(self) -> impl IntoView {
        let button = |act: Act| {
            view! {
                <button type="button" on:click=move |_| self.act(act)>
                    {act.name()}
                </button>
            }
        };
        let panel = NodeRef::<Section>::new();
        panel.on_load(keep_clear);
        view! {
            <section class="gallery-host" aria-label=words::HOST node_ref=panel>
                <div class="gallery-acts">{Act::ALL.map(button).into_iter().collect_view()}</div>
                <label for="composer">{words::COMPOSER}</label>
                <textarea id="composer" rows="1" dir="auto" node_ref=self.composer></textarea>
            </section>
        }
    }

    fn act(self, act: Act) {
        match act {
            Act::Accept => match self.ending.get_value() {
                outcome @ Outcome::Declined => self.end(Some(outcome), Phase::Declined),
                outcome => self.end(Some(outcome), Phase::Answered),
            },
            Act::Refuse => {
                let reason = words::NETWORK_DOWN.to_owned();
                self.sending.set(Sending::Failed(reason));
            }
            Act::Keep => self.held.set(true),
            Act::GiveBack => self.sending.set(Sending::Idle),
            Act::AnswerElsewhere => {
                let winner = self.ask.with_untracked(|ask| answers(ask.ask.as_ref()?));
                self.end(winner.map(Outcome::Answered), Phase::Answered);
            }
            Act::Supersede => self.end(Some(Outcome::Superseded), Phase::Superseded),
            Act::Expire => self.end(Some(Outcome::Expired), Phase::Expired),
        }
    }

    /// Tells the card that its ask is over: the phase first, then that nothing is on its way.
    fn end(self, outcome: Option<Outcome>, phase: Phase) {
        self.ask.update(|ask| {
            if let Some(outcome) = outcome {
                ask.apply(AskPatch::Outcome(outcome));
            }
            ask.apply(AskPatch::Phase(phase));
        });
        self.sending.set(Sending::Idle);
    }
}

/// Tells the card how much of the window's lower edge the panel covers, whatever its size.
fn keep_clear(panel: HtmlElement) {
    let measured = panel.clone();
    let on_resize = Closure::<dyn FnMut()>::new(move || {
        if let Ok(Some(gallery)) = measured.closest(".gallery") {
            let style = gallery.unchecked_into::<HtmlElement>().style();
            let height = format!("{}px", measured.offset_height());
            for property in ["--qc-dock", "--qc-scroll-margin"] {
                // Refused only for names that are none.
                let _ = style.set_property(property, &height);
            }
        }
    });
    let Ok(observer) = ResizeObserver::new(on_resize.as_ref().unchecked_ref()) else {
        return;
    };
    observer.observe(&panel);
    let kept = StoredValue::new_local((observer, on_resize));
    on_cleanup(move || {
        kept.try_with_value(|(observer, _)| observer.disconnect());
    });
}

/// What a host may come to tell a card.
#[derive(Clone, Copy, Debug)]
enum Act {
    Accept,
    Refuse,
    Keep,
    GiveBack,
    AnswerElsewhere,
    Supersede,
    Expire,
}

impl Act {
    const ALL: [Self; 7] =
        [Self::Accept, Self::Refuse, Self::Keep, Self::GiveBack, Self::AnswerElsewhere, Self::Supersede, Self::Expire];

    fn name(self) -> &'static str {
        match self {
            Self::Accept => words::ACCEPT,
            Self::Refuse => words::REFUSE,
            Self::Keep => words::KEEP,
            Self::GiveBack => words::GIVE_BACK,
            Self::AnswerElsewhere => words::ANSWER_ELSEWHERE,
            Self::Supersede => words::SUPERSEDE,
            Self::Expire => words::EXPIRE,
        }
    }
}
