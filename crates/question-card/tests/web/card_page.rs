//! The card as a user sees it. All selectors are here.

use crate::asks::{AskPatch, Scripted as _};
use crate::wait::{due_timers, now, until};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Reply};
use js_sys::{Object, Reflect};
use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use leptos::task::tick;
use question_card::{
    CardEvent, CardOptions, Files, FocusHandle, Labels, Layout, MountedCard, Options, Persist, QuestionCard, SubmitMode,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, Event, EventInit, EventTarget, HtmlElement, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent,
    KeyboardEventInit, MouseEvent, MouseEventInit, MutationObserver, MutationObserverInit, MutationRecord,
    PointerEvent, PointerEventInit, ShadowRootInit, ShadowRootMode,
};

/// A mounted card, and the events that its host received. Dropping it removes the card from the page.
pub struct CardPage {
    pub root: HtmlElement,
    ask: RwSignal<AskSnapshot>,
    heard: Arc<Mutex<Heard>>,
    agent_is_writing: RwSignal<bool>,
    _card: Option<UnmountHandle<AnyViewState>>,
}

type Mount = fn(HtmlElement, Box<dyn FnOnce() -> AnyView>) -> UnmountHandle<AnyViewState>;

/// The events that the host received.
#[derive(Default)]
pub struct Heard {
    pub replies: Vec<Reply>,
    pub cancels: usize,
    /// The number of times that the user asked for more time.
    pub extensions: usize,
    /// The answers to which the user changed one that was sent.
    pub updates: Vec<Reply>,
    pub handed_over: Vec<Vec<Selection>>,
    pub messages: Vec<String>,
    /// The card's owner was cleaned up.
    pub cleaned_up: bool,
}

/// The way in which a card is put into the page.
#[derive(Clone, Default)]
pub struct Setting {
    pub mode: SubmitMode,
    pub layout: Layout,
    /// The host's name for the conversation.
    pub scope: &'static str,
    pub labels: Option<Labels>,
    pub fresh: bool,
    pub handle: Option<FocusHandle>,
    pub allow_skip: bool,
    pub max_length: Option<usize>,
    pub files: Option<Files>,
    /// The host's own deadline.
    pub expires_at: Signal<Option<u64>>,
    pub persist: Persist,
    pub readonly: bool,
    /// An answer that was sent can be changed.
    pub can_update: bool,
    /// The milliseconds in which a decline can be undone; without them, none.
    pub undo_within: u64,
    /// The host refuses messages.
    pub messages_off: bool,
    /// The action that takes the reply, if the host has one.
    pub action: Option<Action<Reply, Result<(), String>>>,
}

thread_local! { static CARDS: Cell<u32> = const { Cell::new(0) }; }

impl CardPage {
    /// A complete ask that waits for its answer.
    pub async fn waiting(ask: AskUserQuestion) -> Self {
        Self::open(AskSnapshot::complete(fresh_id(), ask, Phase::Answerable), Setting::default()).await
    }

    /// A complete ask where one tap answers.
    pub async fn tap_to_reply(ask: AskUserQuestion) -> Self {
        let page = Self::open(AskSnapshot::complete(fresh_id(), ask, Phase::Answerable), on_pick()).await;
        page.stands_still().await;
        page
    }

    /// An ask before its first byte.
    pub async fn composing() -> Self {
        Self::open(AskSnapshot::new(fresh_id()), Setting::default()).await
    }

    pub async fn open(snapshot: AskSnapshot, setting: Setting) -> Self {
        let host = document().create_element("div").expect("a div");
        let body = document().body().expect("a body");
        body.append_child(&host).expect("it is appended");
        Self::put_into(host.unchecked_into(), snapshot, setting, mount_to).await
    }

    /// As [`open`](Self::open), in a shadow tree.
    pub async fn open_in_shadow(snapshot: AskSnapshot, setting: Setting) -> Self {
        let host = document().create_element("div").expect("a div");
        let body = document().body().expect("a body");
        body.append_child(&host).expect("it is appended");
        let tree = host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)).expect("a div can have one");
        question_card::adopt_styles_in(&tree).expect("this browser has constructed style sheets");
        let root = document().create_element("div").expect("a div");
        tree.append_child(&root).expect("it is appended");
        Self::put_into(root.unchecked_into(), snapshot, setting, mount_to).await
    }

    /// Takes over an element that a server rendered.
    #[cfg(feature = "hydrate")]
    pub async fn hydrate(rendered: HtmlElement, snapshot: AskSnapshot, setting: Setting) -> Self {
        Self::put_into(rendered, snapshot, setting, hydrate_from).await
    }

    async fn put_into(root: HtmlElement, snapshot: AskSnapshot, setting: Setting, mount: Mount) -> Self {
        let ask = RwSignal::new(snapshot);
        let heard = Arc::new(Mutex::new(Heard::default()));
        let agent_is_writing = RwSignal::new(false);
        let view = {
            let heard = heard.clone();
            move || card(ask, heard, agent_is_writing, setting).into_any()
        };
        let page = Self { root: root.clone(), ask, heard, agent_is_writing, _card: Some(mount(root, Box::new(view))) };
        page.settled().await;
        page
    }

    /// A card that belongs to its caller, and to no framework.
    pub fn without_framework(snapshot: AskSnapshot, options: &Options) -> (Self, MountedCard) {
        // Tests wait by Leptos' executor, which this card does not start.
        let _ = any_spawner::Executor::init_wasm_bindgen();
        let root: HtmlElement = document().create_element("div").expect("a div").unchecked_into();
        document().body().expect("a body").append_child(&root).expect("it is appended");
        let heard = Arc::new(Mutex::new(Heard::default()));
        let ask = RwSignal::new(snapshot.clone());
        let page =
            Self { root: root.clone(), ask, heard: heard.clone(), agent_is_writing: RwSignal::new(false), _card: None };
        let hear = move |told| {
            let mut heard = heard.lock().expect("no holder panics");
            match told {
                CardEvent::Reply(reply) => heard.replies.push(reply),
                CardEvent::Cancel => heard.cancels += 1,
                CardEvent::ReplyInChat(picks) => heard.handed_over.push(picks),
                CardEvent::Message(text) => heard.messages.push(text),
                CardEvent::Extend => heard.extensions += 1,
                CardEvent::Update(reply) => heard.updates.push(reply),
                _ => {}
            }
            true
        };
        (page, MountedCard::mount(&root, snapshot, options, hear))
    }

    // Actions of the host.

    /// Applies patches one after the other, each in an update of its own.
    pub fn receives(&self, patches: impl IntoIterator<Item = AskPatch>) {
        for patch in patches {
            self.ask.update(|ask| ask.apply(patch));
        }
    }

    /// The host tells the ask as it is.
    pub fn is_told_the_same(&self) {
        self.ask.update(|_| {});
    }

    pub async fn receives_slowly(&self, patches: impl IntoIterator<Item = AskPatch>) {
        for patch in patches {
            self.ask.update(|ask| ask.apply(patch));
            self.settled().await;
        }
    }

    /// The ask is over.
    pub async fn ends(&self, phase: Phase, outcome: Option<Outcome>) {
        self.receives(outcome.map(AskPatch::Outcome));
        self.receives([AskPatch::Phase(phase)]);
        self.settled().await;
    }

    pub async fn host_says(&self, reply: ReplyState) {
        self.receives([AskPatch::Reply(reply)]);
        self.settled().await;
    }

    /// The host holds the reply until another ask has its own.
    pub async fn host_keeps_the_reply(&self) {
        self.host_says(ReplyState::Held).await;
    }

    /// An accepted reply: the ask ends and no reply is pending any more, both before the card can look.
    pub async fn host_says_at_once(&self, reply: ReplyState, patches: impl IntoIterator<Item = AskPatch>) {
        self.receives(patches);
        self.host_says(reply).await;
    }

    /// From now on the host accepts messages only while the agent is not writing.
    pub fn agent_is_writing(&self, is_writing: bool) {
        self.agent_is_writing.set(is_writing);
    }

    pub fn heard<T>(&self, of: impl FnOnce(&Heard) -> T) -> T {
        of(&self.heard.lock().expect("no holder panics"))
    }

    /// Handles events of the host even after the card is gone.
    pub fn listener(&self) -> Arc<Mutex<Heard>> {
        self.heard.clone()
    }

    #[track_caller]
    pub fn only_reply(&self) -> Reply {
        self.heard(|heard| {
            assert_eq!(heard.replies.len(), 1, "one reply was given");
            heard.replies[0].clone()
        })
    }

    #[track_caller]
    pub fn has_not_replied(&self) {
        self.heard(|heard| assert_eq!(heard.replies, [], "nothing was sent"));
    }

    // Actions of the user.

    /// Clicks the option with this label without a pointer, as a keyboard or an assistive technology does.
    pub async fn choose(&self, label: &str) {
        self.control(label).click();
        self.settled().await;
    }

    /// Taps with a finger, which the card accepts only after it has stood still.
    pub async fn tap(&self, label: &str) {
        tap(&self.control(label));
        self.settled().await;
    }

    /// Puts the pointer down on the option with this label and lifts it this number of pixels to the right.
    pub async fn drag(&self, label: &str, pixels: i32) {
        drag(&self.control(label), pixels);
        self.settled().await;
    }

    pub async fn tap_button(&self, name: &str) {
        tap(&self.button(name).unwrap_or_else(|| panic!("no button {name:?}")));
        self.settled().await;
    }

    pub async fn press_button(&self, name: &str) {
        self.button(name).unwrap_or_else(|| panic!("no button {name:?}")).click();
        self.settled().await;
    }

    pub async fn submit(&self) {
        let of_one = self.button("Submit").is_some();
        self.press_button(if of_one { "Submit" } else { "Submit answers" }).await;
    }

    /// Types into the text field of the nth question: the value and one input event.
    pub async fn type_other(&self, question: usize, text: &str) {
        write(&self.text_field(question), text);
        self.settled().await;
    }

    /// Opens the note of the nth question that has none yet, and writes it.
    pub async fn add_note(&self, nth: usize, text: &str) {
        self.buttons("Add a note")[nth].click();
        self.settled().await;
        let field = focused().expect("the field has the focus");
        write(&field.unchecked_into(), text);
        self.settled().await;
    }

    /// Rewrites the note that was opened first.
    pub async fn rewrite_note(&self, text: &str) {
        write(&self.note_field(0), text);
        self.settled().await;
    }

    /// Skips the nth question, or undoes that.
    pub async fn skip(&self, question: usize) {
        self.buttons("Skip")[question].click();
        self.settled().await;
    }

    /// Presses a key at the focus. Returns true if the card handled it.
    pub async fn press(&self, key: &str) -> bool {
        self.press_with(key, |_| {}).await
    }

    pub async fn press_with(&self, key: &str, with: impl FnOnce(&KeyboardEventInit)) -> bool {
        let init = KeyboardEventInit::new();
        init.set_key(key);
        init.set_bubbles(true);
        init.set_cancelable(true);
        with(&init);
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).expect("an event");
        let target = focused().expect("something has the focus");
        let untouched = target.dispatch_event(&event).expect("it is dispatched");
        self.settled().await;
        !untouched
    }

    /// Waits until the card accepts a tap.
    pub async fn stands_still(&self) {
        let card = self.card();
        let size = Cell::new((0, 0));
        let since = Cell::new(now());
        let stood_still = || {
            if size.replace((card.client_width(), card.client_height())) != size.get() {
                since.set(now());
            }
            now() - since.get() > 500.0
        };
        until("the card stands still", stood_still).await;
    }

    /// Waits until every change of the host is on the screen.
    pub async fn settled(&self) {
        // An effect may wake a second one.
        tick().await;
        tick().await;
    }

    /// Waits until the timers that are due have fired.
    pub async fn timers_passed(&self) {
        due_timers().await;
        self.settled().await;
    }

    // Observations of the user.

    pub fn state(&self) -> String {
        self.card().get_attribute("data-state").unwrap_or_default()
    }

    /// Everything that can be read or heard in the card.
    pub fn words(&self) -> Vec<String> {
        let spoken = ["aria-label", "placeholder", "title", "alt"];
        let of = |element: Element| spoken.map(|name| element.get_attribute(name).unwrap_or_default());
        let attributes = self.all("*").into_iter().flat_map(of);
        attributes.chain([self.text()]).collect()
    }

    /// Every state that the card leaves from now on.
    pub fn watch_states(&self) -> StatesLeft {
        StatesLeft::watch(&self.card())
    }

    pub fn mode(&self) -> String {
        self.card().get_attribute("data-mode").unwrap_or_default()
    }

    pub fn card(&self) -> Element {
        self.find(".qc").expect("the card is in the page")
    }

    pub fn text(&self) -> String {
        self.root.text_content().unwrap_or_default()
    }

    /// The labels of all chosen rows, "Other" among them.
    pub fn chosen(&self) -> Vec<String> {
        let is_checked = |input: &HtmlInputElement| input.checked();
        let inputs = self.all("input").into_iter().map(JsCast::unchecked_into::<HtmlInputElement>);
        inputs.filter(is_checked).map(|input| label_of(&input)).collect()
    }

    /// The names of all steps.
    pub fn steps(&self) -> Vec<String> {
        self.all("ol button").iter().map(text_of).collect()
    }

    /// The name of the step that is the current one.
    pub fn current_step(&self) -> String {
        let current = self.all("[aria-current=step]");
        assert_eq!(current.len(), 1, "one step is the current one");
        text_of(&current[0])
    }

    /// The questions that are shown.
    pub fn questions(&self) -> Vec<String> {
        self.all(".qc-question-text").iter().map(text_of).collect()
    }

    pub fn inputs(&self, kind: &str) -> Vec<Element> {
        self.all(&format!("input[type={kind}]"))
    }

    pub fn errors(&self) -> Vec<String> {
        self.all(".qc-error").iter().map(text_of).collect()
    }

    pub fn previews(&self) -> Vec<String> {
        self.all(".qc-preview-text").iter().map(text_of).collect()
    }

    pub fn alerts(&self) -> Vec<String> {
        self.all("[role=alert]").iter().map(text_of).collect()
    }

    /// The time left to answer.
    pub fn time_left(&self) -> Option<String> {
        self.find("[role=timer]").map(|timer| text_of(&timer))
    }

    pub fn fieldset(&self, question: usize) -> Element {
        self.all("fieldset")[question].clone()
    }

    pub fn receipt(&self) -> Option<Element> {
        self.find(".qc-receipt")
    }

    pub fn answers(&self) -> Vec<String> {
        self.all(".qc-answer").iter().map(text_of).collect()
    }

    /// All announcements from now on.
    pub fn listen(&self) -> Listener {
        Listener::new(&self.find("[role=status]").expect("a live region"))
    }

    /// All events that the card dispatches from now on.
    pub fn hear_events(&self) -> EventsHeard {
        EventsHeard::at(self.root.clone().into(), &["qc-waiting", "qc-resolved"])
    }

    /// Waits for an announcement, and returns it.
    pub async fn announced(&self) -> String {
        until("an announcement", || !self.announcement().is_empty()).await;
        self.announcement()
    }

    pub fn announcement(&self) -> String {
        self.find("[role=status]").map(|region| text_of(&region)).unwrap_or_default()
    }

    pub fn button(&self, name: &str) -> Option<HtmlElement> {
        self.buttons(name).into_iter().next()
    }

    pub fn buttons(&self, name: &str) -> Vec<HtmlElement> {
        let named = self.all("button").into_iter().filter(|button| text_of(button) == name);
        named.map(JsCast::unchecked_into).collect()
    }

    #[track_caller]
    pub fn is_inert(&self, name: &str) -> bool {
        let button = self.button(name).unwrap_or_else(|| panic!("no button {name:?}"));
        button.get_attribute("aria-disabled").as_deref() == Some("true")
    }

    /// The texts that a button's `aria-describedby` refers to.
    pub fn reason(&self, name: &str) -> String {
        let button = self.button(name).unwrap_or_else(|| panic!("no button {name:?}"));
        self.described(&button)
    }

    pub fn described(&self, element: &Element) -> String {
        self.texts_of(element, "aria-describedby")
    }

    fn texts_of(&self, element: &Element, attribute: &str) -> String {
        let ids = element.get_attribute(attribute).unwrap_or_default();
        let texts = ids.split_whitespace().filter_map(|id| self.find(&format!("#{id}")));
        texts.map(|element| text_of(&element)).collect::<Vec<_>>().join(" ")
    }

    /// The input or button that has this label.
    #[track_caller]
    pub fn control(&self, label: &str) -> HtmlElement {
        self.controls(label)
            .into_iter()
            .next()
            .unwrap_or_else(|| panic!("no option {label:?} can be chosen in {:?}", self.text()))
    }

    pub fn controls(&self, label: &str) -> Vec<HtmlElement> {
        let inputs = self.all("input").into_iter().filter(|input| label_of(input) == label);
        let buttons = self.all(".qc-option-button").into_iter().filter(|button| text_of(button) == label);
        inputs.chain(buttons).map(JsCast::unchecked_into).collect()
    }

    pub fn row_text(&self, label: &str) -> Option<Element> {
        self.all(".qc-option-label").into_iter().find(|element| text_of(element) == label)
    }

    /// The free-text field of the nth question.
    pub fn text_field(&self, question: usize) -> HtmlTextAreaElement {
        self.fields("text")[question].clone()
    }

    /// The field of the nth note that was opened.
    pub fn note_field(&self, nth: usize) -> HtmlTextAreaElement {
        self.fields("note")[nth].clone()
    }

    fn fields(&self, kind: &str) -> Vec<HtmlTextAreaElement> {
        self.all(&format!(".qc-other-input[id$=\"-{kind}\"]")).into_iter().map(JsCast::unchecked_into).collect()
    }

    /// The counters below the fields.
    pub fn counters(&self) -> Vec<String> {
        self.all(".qc-counter").iter().map(text_of).collect()
    }

    /// The name that `aria-labelledby` makes.
    pub fn name_of(&self, element: &Element) -> String {
        self.texts_of(element, "aria-labelledby")
    }

    /// The language of the text that is exactly this.
    pub fn language_of(&self, text: &str) -> Option<String> {
        let is_it = |element: &Element| element.child_element_count() == 0 && text_of(element) == text;
        let texts: Vec<Element> = self.all("*").into_iter().filter(is_it).collect();
        assert_eq!(texts.len(), 1, "one {text:?} in {:?}", self.text());
        let with_lang = texts[0].closest("[lang]").expect("the selector is valid");
        with_lang?.get_attribute("lang")
    }

    pub fn find(&self, selector: &str) -> Option<Element> {
        self.root.query_selector(selector).expect("a good selector")
    }

    /// The visible text: parts that are built ahead of time do not count.
    pub fn all(&self, selector: &str) -> Vec<Element> {
        let found = self.root.query_selector_all(selector).expect("a good selector");
        let is_shown = |element: &Element| element.closest("[hidden]").expect("a good selector").is_none();
        (0..found.length()).filter_map(|index| found.item(index)).map(JsCast::unchecked_into).filter(is_shown).collect()
    }

    pub fn has_focus_on(&self, name: &str) -> bool {
        let active = focused();
        self.button(name).is_some_and(|button| active.as_ref() == Some(&button))
    }

    #[track_caller]
    pub fn sees_focus_on(&self, element: &Element) {
        let active = focused();
        assert_eq!(active.as_ref(), Some(element), "the focus is on {:?}", active.as_ref().map(Element::outer_html));
    }
}

/// Every `data-state` that a card had and no longer has, even for less than a frame.
pub struct StatesLeft {
    observer: MutationObserver,
    left: Rc<RefCell<Vec<String>>>,
    _on_change: Closure<dyn FnMut(js_sys::Array)>,
}

impl StatesLeft {
    fn watch(card: &Element) -> Self {
        let left = Rc::new(RefCell::new(Vec::new()));
        let on_change = Closure::<dyn FnMut(js_sys::Array)>::new({
            let left = left.clone();
            move |records: js_sys::Array| {
                let states = records.iter().filter_map(|record| record.unchecked_into::<MutationRecord>().old_value());
                left.borrow_mut().extend(states);
            }
        });
        let observer = MutationObserver::new(on_change.as_ref().unchecked_ref()).expect("an observer");
        let init = MutationObserverInit::new();
        init.set_attribute_old_value(true);
        init.set_attribute_filter(&js_sys::Array::of1(&"data-state".into()));
        observer.observe_with_options(card, &init).expect("it observes");
        Self { observer, left, _on_change: on_change }
    }

    pub fn so_far(&self) -> Vec<String> {
        self.left.borrow().clone()
    }
}

impl Drop for StatesLeft {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// The names of the events that came by a place, until this is dropped.
pub struct EventsHeard {
    place: EventTarget,
    names: &'static [&'static str],
    heard: Rc<RefCell<Vec<String>>>,
    on_event: Closure<dyn Fn(Event)>,
}

impl EventsHeard {
    /// The errors of the page.
    pub fn errors() -> Self {
        Self::at(window().into(), &["error"])
    }

    fn at(place: EventTarget, names: &'static [&'static str]) -> Self {
        let heard = Rc::new(RefCell::new(Vec::new()));
        let on_event = Closure::<dyn Fn(Event)>::new({
            let heard = heard.clone();
            move |event: Event| heard.borrow_mut().push(event.type_())
        });
        for name in names {
            place.add_event_listener_with_callback(name, on_event.as_ref().unchecked_ref()).expect("it listens");
        }
        Self { place, names, heard, on_event }
    }

    pub fn so_far(&self) -> Vec<String> {
        self.heard.borrow().clone()
    }
}

impl Drop for EventsHeard {
    fn drop(&mut self) {
        for name in self.names {
            let listener = self.on_event.as_ref().unchecked_ref();
            self.place.remove_event_listener_with_callback(name, listener).expect("it listened");
        }
    }
}

/// The announcements of a live region, with their times.
pub struct Listener {
    observer: MutationObserver,
    heard: Rc<RefCell<Vec<(f64, String)>>>,
    _on_change: Closure<dyn FnMut()>,
}

impl Listener {
    fn new(region: &Element) -> Self {
        let heard = Rc::new(RefCell::new(Vec::new()));
        let on_change = Closure::<dyn FnMut()>::new({
            let (heard, region) = (heard.clone(), region.clone());
            move || heard.borrow_mut().push((now(), text_of(&region)))
        });
        let observer = MutationObserver::new(on_change.as_ref().unchecked_ref()).expect("an observer");
        let init = MutationObserverInit::new();
        init.set_child_list(true);
        init.set_character_data(true);
        init.set_subtree(true);
        observer.observe_with_options(region, &init).expect("it observes");
        Self { observer, heard, _on_change: on_change }
    }

    /// Waits until exactly these announcements were made, and returns their times.
    pub async fn hears<const N: usize>(&self, expected: [&str; N]) -> [f64; N] {
        let so_far = || self.heard.borrow().len() >= N;
        until(&format!("to hear {expected:?}"), so_far).await;
        let heard = self.heard.borrow();
        let texts: Vec<&str> = heard.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, expected);
        std::array::from_fn(|index| heard[index].0)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Drop for CardPage {
    fn drop(&mut self) {
        self.root.remove();
    }
}

pub fn speaking(labels: Labels) -> Setting {
    Setting { labels: Some(labels), ..Setting::default() }
}

pub fn stepped() -> Setting {
    Setting { layout: Layout::Stepped, ..Setting::default() }
}

pub fn on_pick() -> Setting {
    Setting { mode: SubmitMode::OnPick, ..Setting::default() }
}

/// The focused element, in any tree.
pub fn focused() -> Option<Element> {
    let mut focused = document().active_element()?;
    while let Some(inner) = focused.shadow_root().and_then(|tree| tree.active_element()) {
        focused = inner;
    }
    Some(focused)
}

/// A call id that no other card of this page has.
pub fn fresh_id() -> String {
    CARDS.set(CARDS.get() + 1);
    format!("call \"{}\" ]#</script>", CARDS.get())
}

pub fn tap(element: &Element) {
    let init = MouseEventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    init.set_detail(1);
    let event = MouseEvent::new_with_mouse_event_init_dict("click", &init).expect("an event");
    if let Some(time) = HURRIED.get() {
        let is_at = Object::new();
        Reflect::set(&is_at, &"value".into(), &time.into()).expect("it is an object");
        Reflect::define_property(&event, &"timeStamp".into(), &is_at).expect("an own property hides the event's");
    }
    element.dispatch_event(&event).expect("it is dispatched");
}

/// Until this is dropped, taps are as of its begin: on a slow machine a card would have stood still before a test gets to tap it.
pub struct Hurry(());

thread_local! {
    /// The time of taps in a hurry.
    static HURRIED: Cell<Option<f64>> = const { Cell::new(None) };
}

impl Hurry {
    pub fn begin() -> Self {
        HURRIED.set(Some(now()));
        Self(())
    }
}

impl Drop for Hurry {
    fn drop(&mut self) {
        HURRIED.set(None);
    }
}

/// Puts the pointer down, moves it, and lifts it still above the same element.
pub fn drag(element: &Element, pixels: i32) {
    finger_down(element, 100, true);
    lift(element, 100 + pixels);
}

/// Puts a finger down at this distance from the left.
pub fn finger_down(element: &Element, left: i32, is_first: bool) {
    point("pointerdown", element, left, is_first);
}

/// Lets go of what is dragged.
pub fn finger_up(element: &Element) {
    point("pointerup", element, 0, true);
}

fn point(name: &str, element: &Element, left: i32, is_first: bool) {
    let init = PointerEventInit::new();
    init.set_bubbles(true);
    init.set_client_x(left);
    init.set_pointer_type("touch");
    init.set_is_primary(is_first);
    let event = PointerEvent::new_with_event_init_dict(name, &init).expect("an event");
    element.dispatch_event(&event).expect("it is dispatched");
}

/// Lifts the first finger, which makes a click.
pub fn lift(element: &Element, left: i32) {
    let up = MouseEventInit::new();
    up.set_bubbles(true);
    up.set_cancelable(true);
    up.set_detail(1);
    up.set_client_x(left);
    let click = MouseEvent::new_with_mouse_event_init_dict("click", &up).expect("an event");
    element.dispatch_event(&click).expect("it is dispatched");
}

/// Types: the value and one input event.
fn write(field: &HtmlTextAreaElement, text: &str) {
    field.set_value(text);
    dispatch(field, "input");
}

pub fn dispatch(element: &Element, name: &str) {
    let init = EventInit::new();
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = Event::new_with_event_init_dict(name, &init).expect("an event");
    element.dispatch_event(&event).expect("it is dispatched");
}

/// The computed value of a style.
pub fn computed(element: &Element, property: &str) -> String {
    let style = window().get_computed_style(element).ok().flatten();
    style.expect("a style").get_property_value(property).expect("a good name")
}

pub fn text_of(element: &Element) -> String {
    element.text_content().unwrap_or_default()
}

fn label_of(input: &Element) -> String {
    let row = input.parent_element().expect("an input stands in a row");
    row.query_selector("label").expect("a good selector").map(|label| text_of(&label)).unwrap_or_default()
}

fn card(
    ask: RwSignal<AskSnapshot>,
    heard: Arc<Mutex<Heard>>,
    agent_is_writing: RwSignal<bool>,
    setting: Setting,
) -> impl IntoView {
    let note = |keep: fn(&mut Heard)| {
        let heard = heard.clone();
        move || keep(&mut heard.lock().expect("no holder panics"))
    };
    on_cleanup(note(|heard| heard.cleaned_up = true));
    let hands = |keep: fn(&mut Heard, Vec<Selection>)| {
        let heard = heard.clone();
        move |picks| keep(&mut heard.lock().expect("no holder panics"), picks)
    };
    let mut options = CardOptions::new()
        .mode(setting.mode)
        .layout(setting.layout)
        .scope(setting.scope)
        .fresh(setting.fresh)
        .notes()
        .readonly(setting.readonly)
        .undo_within(setting.undo_within)
        .persist(setting.persist)
        .expires_at(setting.expires_at)
        .on_reply_in_chat(hands(|heard, picks| heard.handed_over.push(picks)))
        .on_extend(note(|heard| heard.extensions += 1))
        .on_change(|| ())
        .on_next(|| ());
    if setting.allow_skip {
        options = options.skip();
    }
    if let Some(most) = setting.max_length {
        options = options.max_length(most);
    }
    if let Some(files) = setting.files {
        options = options.files(files);
    }
    if let Some(labels) = setting.labels {
        options = options.labels(labels);
    }
    if let Some(handle) = setting.handle {
        options = options.handle(handle);
    }
    if !setting.messages_off {
        let heard = heard.clone();
        options = options.on_late_message(move |text| {
            let takes = !agent_is_writing.get_untracked();
            if takes {
                heard.lock().expect("no holder panics").messages.push(text);
            }
            takes
        });
    }
    if setting.can_update {
        let heard = heard.clone();
        options = options.on_update(move |reply| {
            let takes = !agent_is_writing.get_untracked();
            if takes {
                heard.lock().expect("no holder panics").updates.push(reply);
            }
            takes
        });
    }
    let of_reply = heard.clone();
    let on_reply = move |reply: Reply| of_reply.lock().expect("no holder panics").replies.push(reply);
    let on_cancel = move |()| heard.lock().expect("no holder panics").cancels += 1;
    match setting.action {
        Some(action) => view! { <QuestionCard ask on_reply=action on_cancel options /> }.into_any(),
        None => view! { <QuestionCard ask on_reply on_cancel options /> }.into_any(),
    }
}
