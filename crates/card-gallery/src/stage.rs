//! One card with a host that lists its events and that the reader controls.

use crate::address::Address;
use crate::card::{GalleryHost, example_card};
use crate::state::{CardState, answers};
use crate::words;
use ask_user_question::examples::Example;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use leptos::ev::KeyboardEvent;
use leptos::html::{Section, Textarea};
use leptos::prelude::*;
use question_card::Persist;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{CustomEvent, HtmlElement, ResizeObserver};

/// A card, the events at its host, and a panel that stays in sight as a chat's composer does.
pub(crate) fn stage(address: &Address, example: &Example, state: CardState, ask: AskSnapshot) -> impl IntoView + use<> {
    let desk = StageHost::new(ask);
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

/// The name of a button, and what the host does at a press.
type Act = (&'static str, fn(StageHost));

/// All actions of the host.
const ACTS: [Act; 7] = [
    ("Accept", |host| match host.ending.get_value() {
        outcome @ Outcome::Declined => host.end(Some(outcome), Phase::Declined),
        outcome => host.end(Some(outcome), Phase::Answered),
    }),
    ("Refuse", |host| host.reports(ReplyState::Failed(words::NETWORK_DOWN.to_owned()))),
    ("Keep", |host| host.reports(ReplyState::Held)),
    ("Give back", |host| host.reports(ReplyState::None)),
    ("Answer elsewhere", |host| {
        let winner = host.ask.with_untracked(|ask| answers(ask.ask.as_ref()?));
        host.end(winner.map(Outcome::Answered), Phase::Answered);
    }),
    ("Supersede", |host| host.end(Some(Outcome::Superseded), Phase::Superseded)),
    ("Expire", |host| host.end(Some(Outcome::Expired), Phase::Expired)),
];

/// The state of the host of a single card.
#[derive(Clone, Copy)]
struct StageHost {
    ask: RwSignal<AskSnapshot>,
    heard: RwSignal<Vec<String>>,
    /// The outcome that is being sent to the agent.
    ending: StoredValue<Outcome>,
    composer: NodeRef<Textarea>,
}

impl StageHost {
    fn new(ask: AskSnapshot) -> Self {
        Self {
            ask: RwSignal::new(ask),
            heard: RwSignal::new(Vec::new()),
            ending: StoredValue::new(Outcome::Declined),
            composer: NodeRef::new(),
        }
    }

    fn hear(self, what: String) {
        self.heard.update(|heard| heard.push(what));
    }

    fn host(self) -> GalleryHost {
        let send = move |outcome| {
            self.ending.set_value(outcome);
            self.reports(ReplyState::Sending);
        };
        GalleryHost {
            ask: self.ask,
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
                    // Focusing can't fail.
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
        let line = |what| view! { <li><bdi>{what}</bdi></li> };
        view! {
            <section class="gallery-heard" aria-labelledby="heard">
                <h2 id="heard">{words::HEARD}</h2>
                <ol>{move || self.heard.get().into_iter().map(line).collect_view()}</ol>
            </section>
        }
    }

    fn panel(self) -> impl IntoView {
        let button = |(name, act): Act| {
            view! {
                <button type="button" on:click=move |_| act(self)>
                    {name}
                </button>
            }
        };
        let panel = NodeRef::<Section>::new();
        panel.on_load(keep_clear);
        view! {
            <section class="gallery-host" aria-label=words::HOST node_ref=panel>
                <div class="gallery-acts">{ACTS.map(button).into_iter().collect_view()}</div>
                <label for="composer">{words::COMPOSER}</label>
                <textarea id="composer" rows="1" dir="auto" node_ref=self.composer></textarea>
            </section>
        }
    }

    fn reports(self, reply: ReplyState) {
        self.ask.update(|ask| ask.reply = reply);
    }

    fn end(self, outcome: Option<Outcome>, phase: Phase) {
        self.ask.update(|ask| {
            (ask.outcome, ask.reply) = (outcome, ReplyState::None);
            ask.set_phase(phase);
        });
    }
}

/// Passes to the card the height that the panel covers at the window's lower edge, whenever it changes.
fn keep_clear(panel: HtmlElement) {
    let measured = panel.clone();
    let on_resize = Closure::<dyn FnMut()>::new(move || {
        if let Ok(Some(gallery)) = measured.closest(".gallery") {
            let style = gallery.unchecked_into::<HtmlElement>().style();
            let height = format!("{}px", measured.offset_height());
            for property in ["--qc-dock", "--qc-scroll-margin"] {
                // Fails only for invalid names.
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
