//! A card of plain `view!`: it draws what `Card::connect` describes with elements of its own, and knows no state of the card.

use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question};
use leptos::attr::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::attr::custom::custom_attribute;
use leptos::leptos_dom::helpers::{TimeoutHandle, set_timeout_with_handle};
use leptos::prelude::*;
use question_card::dom::Control;
use question_card::machine::{Card, Do, Field, Input, Now, Part};
use question_card::{CardEvent, Notes, Offers, Options, Skip};
use std::time::Duration;
use wasm_bindgen::JsCast;

/// The attributes that the description is asked for.
const ATTRIBUTES: [&str; 23] = [
    "id",
    "class",
    "role",
    "lang",
    "dir",
    "hidden",
    "for",
    "name",
    "tabindex",
    "min",
    "max",
    "step",
    "inputmode",
    "aria-label",
    "aria-labelledby",
    "aria-describedby",
    "aria-disabled",
    "aria-invalid",
    "aria-required",
    "aria-busy",
    "aria-pressed",
    "aria-current",
    "data-state",
];

type OnEvent = Box<dyn Fn(&CardEvent) -> bool>;

/// One card, whose events go to the host. The host returns true for a message that it accepts.
#[derive(Clone, Copy)]
struct PlainCard {
    card: StoredValue<Card, LocalStorage>,
    ask: RwSignal<AskSnapshot>,
    drawn: RwSignal<Part>,
    said: RwSignal<String>,
    timer: StoredValue<Option<TimeoutHandle>>,
    on_event: StoredValue<OnEvent, LocalStorage>,
}

/// A card of plain elements.
#[component]
pub(crate) fn PlainView(ask: RwSignal<AskSnapshot>, on_event: impl Fn(&CardEvent) -> bool + 'static) -> impl IntoView {
    let offers = Offers { messages: true, more_time: true, change: true, ..Offers::default() };
    let options = Options { offers, notes: Some(Notes::field()), skip: Some(Skip::button()), ..Options::default() };
    let card = PlainCard {
        card: StoredValue::new_local(ask.with_untracked(|ask| Card::new(ask, options))),
        ask,
        drawn: RwSignal::default(),
        said: RwSignal::default(),
        timer: StoredValue::default(),
        on_event: StoredValue::new_local(Box::new(on_event)),
    };
    Effect::new(move |has_begun: Option<()>| {
        ask.track();
        card.take(if has_begun.is_some() { Input::Ask } else { Input::Begin });
    });
    on_cleanup(move || {
        if let Some(timer) = card.timer.get_value() {
            timer.clear();
        }
    });
    view! {
        {move || card.view(&card.drawn.get())}
        <p role="status">{card.said}</p>
    }
}

impl PlainCard {
    fn view(self, part: &Part) -> AnyView {
        let attributes = ATTRIBUTES.map(|name| {
            let value = if name == "class" { Some(part.class) } else { part.get(name) };
            custom_attribute(name, value.map(str::to_owned)).into_any_attr()
        });
        let attributes: Vec<AnyAttribute> = attributes.into();
        let inside: Vec<AnyView> = part.children.iter().map(|part| self.view(part)).collect();
        let pressed = part.clone();
        let press = move || {
            if let Some(input) = pressed.press() {
                self.take(input);
            }
        };
        match part.tag {
            "" => part.text.clone().into_any(),
            "button" => {
                view! { <button {..attributes} type="button" on:click=move |_| press()>{inside}</button> }.into_any()
            }
            "input" | "textarea" if part.control.is_some_and(|control| Field::of(control).is_some()) => {
                let (control, text) = (part.control, part.words());
                let typed = move |event| {
                    if let Some((question, field)) = control.and_then(Field::of) {
                        self.take(Input::Typed(question, field, &event_target_value(&event)));
                    }
                };
                match part.get("type").map(str::to_owned) {
                    None => view! { <textarea {..attributes} prop:value=text on:input=typed></textarea> }.into_any(),
                    kind => view! { <input {..attributes} type=kind prop:value=text on:input=typed /> }.into_any(),
                }
            }
            "input" => {
                let (kind, is_checked) = (part.get("type").map(str::to_owned), part.get("checked").is_some());
                view! { <input {..attributes} type=kind prop:checked=is_checked on:change=move |_| press() /> }
                    .into_any()
            }
            "label" => view! { <label {..attributes}>{inside}</label> }.into_any(),
            "legend" | "p" | "summary" | "li" => view! { <p {..attributes}>{inside}</p> }.into_any(),
            "span" | "kbd" => view! { <span {..attributes}>{inside}</span> }.into_any(),
            _ => view! { <div {..attributes}>{inside}</div> }.into_any(),
        }
    }

    fn take(self, input: Input<'_>) {
        let now =
            Now { clock: window().performance().map_or(0.0, |clock| clock.now()), date: date(), ..Now::default() };
        let mut acts = Vec::new();
        self.ask.with_untracked(|ask| {
            self.card.update_value(|card| {
                acts = card.take(now, ask, input);
                self.drawn.set(card.connect(ask));
            });
        });
        for act in acts {
            self.act(act);
        }
    }

    fn act(self, act: Do) {
        match act {
            Do::Emit(event) => {
                let is_taken = self.on_event.with_value(|on_event| on_event(&event));
                if matches!(event, CardEvent::Message(_)) {
                    self.take(Input::Taken(is_taken));
                }
            }
            Do::Say(text) | Do::SayOnce(_, text) => self.said.set(text),
            Do::Focus(control) => self.focus(vec![control]),
            Do::Enter(_, ways) => self.focus(ways),
            Do::Wake(wait) => {
                let timer = wait.and_then(|wait| {
                    set_timeout_with_handle(move || self.take(Input::Clock), Duration::from_millis(wait)).ok()
                });
                if let Some(before) = self.timer.get_value() {
                    before.clear();
                }
                self.timer.set_value(timer);
            }
            _ => {}
        }
    }

    /// Focuses the first of these controls that is there, once the page shows it.
    fn focus(self, ways: Vec<Control>) {
        request_animation_frame(move || {
            let id = self
                .drawn
                .with_untracked(|drawn| ways.iter().find_map(|way| Some(drawn.control(*way)?.get("id")?.to_owned())));
            if let Some(found) = id.and_then(|id| document().get_element_by_id(&id)) {
                // Refused only by an element that can have no focus.
                let _ = found.unchecked_into::<web_sys::HtmlElement>().focus();
            }
        });
    }
}

/// Milliseconds since 1970.
fn date() -> u64 {
    js_sys::Date::now() as u64
}

#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "the page is for browsers"))]
fn main() {
    let ask = AskUserQuestion::new([Question::new("Which size?", ["Small", "Large"])]);
    let ask = RwSignal::new(AskSnapshot::complete("call-1", ask, Phase::Answerable));
    mount_to_body(move || {
        let on_event = |event: &CardEvent| {
            leptos::logging::log!("{event:?}");
            true
        };
        view! { <PlainView ask on_event /> }
    });
}
