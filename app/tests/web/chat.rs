//! A person at the page, and the agent's server behind it.

use crate::agent::{Agent, question};
use crate::browser::{begin_anew, next_task, turn_clock};
use crate::page::{Part, tell};
use app::ChatPage;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{
    Element, Event, EventInit, HtmlElement, HtmlSelectElement, HtmlTextAreaElement, KeyboardEvent, KeyboardEventInit,
};

/// The number of looks at the page before a test fails. Each look lets all other tasks run first.
const LOOKS: usize = 2_000;

/// The page, at the conversation of an agent.
pub(crate) struct Page(pub(crate) Part);

impl Page {
    async fn of(agent: &Agent) -> Self {
        Self::with_profile("", agent).await
    }

    /// The page of an own agent with this profile.
    pub(crate) async fn with_profile(profile: &str, agent: &Agent) -> Self {
        begin_anew(&format!("?lang=en{}", agent.fragment()));
        tab_forgets();
        let page = Self::loaded(profile).await;
        page.waits_for("the request for the history", || agent.is_asked()).await;
        agent.describes();
        page.sees("section.qc[data-state=awaiting]").await;
        page.waits_for("the stream", || agent.is_heard()).await;
        page
    }

    /// The page at the present address, with what the tab remembers.
    pub(crate) async fn loaded(profile: &str) -> Self {
        Self(Part::mounted_in_frame_for(profile, || view! { <ChatPage /> }.into_any()).await)
    }

    /// Waits until this is true.
    pub(crate) async fn waits_for(&self, what: &str, mut holds: impl FnMut() -> bool) {
        for _ in 0..LOOKS {
            if holds() {
                return;
            }
            next_task().await;
        }
        panic!("never: {what}, in {}", self.0.place.inner_html());
    }

    /// Waits until this element is there.
    pub(crate) async fn sees(&self, selector: &str) {
        self.waits_for(selector, || self.0.find(selector).is_some()).await;
    }

    pub(crate) fn composer(&self) -> HtmlTextAreaElement {
        self.0.the(".composer textarea")
    }

    async fn turns_german(&self) {
        self.opens_the_settings().await;
        let language: HtmlSelectElement = self.0.the("select[name=lang]");
        language.set_value("de");
        tell(&language, "change");
    }

    pub(crate) fn types(&self, selector: &str, text: &str) {
        let field: HtmlTextAreaElement = self.0.the(selector);
        field.focus().expect("it takes the focus");
        field.set_value(text);
        tell(&field, "input");
    }

    /// Presses a key in the composer.
    pub(crate) async fn presses(&self, key: &str) {
        self.key_goes_down(key, &self.composer(), false).await;
    }

    /// A key goes down on an element, or is held. Returns true if the browser does nothing of its own then.
    async fn key_goes_down(&self, key: &str, on: &Element, is_held: bool) -> bool {
        let init = KeyboardEventInit::new();
        init.set_key(key);
        init.set_repeat(is_held);
        init.set_bubbles(true);
        init.set_cancelable(true);
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
        let event = event.expect("a valid event");
        let is_left = on.dispatch_event(&event).expect("it is heard");
        self.0.settled().await;
        !is_left
    }

    async fn opens_the_settings(&self) {
        self.0.the::<HtmlElement>(".settings-button").click();
        self.0.settled().await;
    }

    pub(crate) fn notice(&self) -> String {
        self.0.the::<Element>(".notice").text_content().unwrap_or_default()
    }

    /// Presses the button with this name, in the card of this call.
    async fn clicks(&self, call: &str, name: &str) {
        let buttons: Vec<HtmlElement> = self.0.all(&format!("{} button", card(call)));
        let button = buttons.iter().find(|button| button.text_content().as_deref() == Some(name));
        button.expect("such a button").click();
        self.0.settled().await;
    }

    /// Waits until the page has posted this number of runs.
    pub(crate) async fn runs(&self, count: usize) -> Vec<Value> {
        self.waits_for("a run", || Agent::runs().len() >= count).await;
        Agent::runs()
    }
}

/// Empties the storage of the tab.
pub(crate) fn tab_forgets() {
    let storage = window().session_storage().expect("there is a storage");
    storage.expect("there is a storage").clear().expect("it forgets");
}

fn card(call: &str) -> String {
    format!("section.qc[data-tool-call-id={call}]")
}

fn one(text: &str, options: [&str; 2]) -> Value {
    json!({"questions": [question(text, options)]})
}

pub(crate) fn size() -> Value {
    one("Which size?", ["Small", "Large"])
}

fn colour() -> Value {
    one("Which colour?", ["Red", "Blue"])
}

/// The line above the field that says where the text would go.
fn goes(page: &Page) -> String {
    let line: HtmlElement = page.0.the("#goes");
    if line.has_attribute("hidden") { String::new() } else { shown(&line.into()) }
}

/// The texts of the parts of a line that are shown.
fn shown(line: &Element) -> String {
    let parts = line.query_selector_all("p, li, button").expect("a valid selector");
    let parts = (0..parts.length()).filter_map(|at| parts.item(at)?.dyn_into::<Element>().ok());
    let texts: Vec<_> =
        parts.filter(|part| !part.has_attribute("hidden")).filter_map(|part| part.text_content()).collect();
    texts.join(" · ").replace(['\u{2068}', '\u{2069}'], "")
}

#[test]
async fn enter_during_a_run_waits_for_its_end_and_can_be_taken_back() {
    let agent = Agent::asking("enter", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "Large");
    page.presses("Enter").await;
    page.runs(1).await;
    agent.says("Large it");
    page.sees("article[data-role=assistant]").await;
    page.types(".composer textarea", "Wait");
    page.presses("Enter").await;
    let queue = || shown(&page.0.the("#queue"));
    assert_eq!(
        (page.composer().value().as_str(), queue().as_str()),
        ("", "Goes when the agent has finished: Wait · Take back")
    );
    page.types(".composer textarea", "a moment");
    page.0.the::<HtmlElement>("#queue button").click();
    page.0.settled().await;
    assert_eq!(page.composer().value(), "Wait\na moment", "below what was sent before");
    page.sees("#queue[hidden]").await;
    page.presses("Enter").await;
    assert_eq!(Agent::runs().len(), 1);
    agent.finishes();
    let runs = page.runs(2).await;
    let last = runs[1].as_array().and_then(|messages| messages.last().cloned()).expect("messages");
    assert_eq!(last["content"], "Wait\na moment");
}

#[test]
async fn what_waits_for_a_run_answers_no_question_that_comes_of_it() {
    let agent = Agent::asking("queue", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    let answer = json!({"id": "t1", "role": "tool", "toolCallId": "c1", "content": "User cancelled the question"});
    let input = json!({"threadId": "queue", "runId": "r2", "messages": [answer]});
    agent.tells("life-2", &json!({"type": "RUN_STARTED", "threadId": "queue", "runId": "r2", "input": input}));
    page.sees(".stop").await;
    page.types(".composer textarea", "Red");
    page.presses("Enter").await;
    agent.asks("c2", &colour());
    page.sees(&format!("{}[data-state=awaiting]", card("c2"))).await;
    page.waits_for("the text", || page.composer().value() == "Red").await;
    assert!(Agent::runs().is_empty());
    assert_eq!(page.notice(), "A question has come. Press Enter again to answer it with this.");
    page.presses("Enter").await;
    page.runs(1).await;
}

#[test]
async fn escape_stops_a_run_and_sends_nothing_that_waits_for_it() {
    let agent = Agent::asking("escape", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "Large");
    page.presses("Enter").await;
    page.runs(1).await;
    page.types(".composer textarea", "Wait");
    page.presses("Enter").await;
    let title: HtmlElement = page.0.the("h1 button");
    title.click();
    page.key_goes_down("Escape", &title, false).await;
    assert!(page.0.find(".stop").is_some(), "it closes the list of conversations");
    // WebKit does so by a key that no person has pressed, too.
    let _ = page.0.the::<HtmlElement>("#talks").hide_popover();
    page.presses("Escape").await;
    page.waits_for("the end", || page.0.find(".stop").is_none()).await;
    assert_eq!(page.composer().value(), "Wait");
    assert_eq!(Agent::runs().len(), 1);
}

#[test]
async fn questions_for_which_the_agent_does_not_wait_are_counted_and_found() {
    let agent = Agent::asking("open", &[("c0", &size())]);
    let page = Page::of(&agent).await;
    let open = || shown(&page.0.the("#open"));
    assert!(page.0.find("#open[hidden]").is_some(), "this one waits");
    let answer = json!({"id": "t1", "role": "tool", "toolCallId": "c0", "content": "User cancelled the question"});
    let input = json!({"threadId": "open", "runId": "r2", "messages": [answer]});
    let mut events = vec![json!({"type": "RUN_STARTED", "threadId": "open", "runId": "r2", "input": input})];
    for (call, ask) in [("c1", size()), ("c2", colour())] {
        let content = "asked; the answer will come as a message";
        let result = format!("{call}-result");
        events.extend([
            json!({"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "ask_user_question"}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": ask.to_string()}),
            json!({"type": "TOOL_CALL_END", "toolCallId": call}),
            json!({"type": "TOOL_CALL_RESULT", "messageId": result, "toolCallId": call, "content": content}),
        ]);
    }
    events.extend([
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m0", "role": "assistant", "delta": "I go on."}),
        json!({"type": "RUN_FINISHED", "threadId": "open", "runId": "r2"}),
    ]);
    for (at, event) in events.iter().enumerate() {
        agent.tells(&format!("life-{}", at + 2), event);
    }
    page.waits_for("the line", || open() == "2 questions are open").await;
    assert_eq!(page.0.the::<Element>("#open").get_attribute("role").as_deref(), Some("status"));
    assert_eq!(page.composer().placeholder(), "Write a message");
    for call in ["c1", "c2", "c1"] {
        page.0.the::<HtmlElement>("#open button").click();
        page.0.settled().await;
        let focused = document().active_element().expect("something has the focus");
        assert!(focused.closest(&card(call)).expect("a valid selector").is_some(), "{call}: {}", focused.outer_html());
    }
    // Words are a message of their own.
    page.types(".composer textarea", "Large");
    assert_eq!(goes(&page), "");
    page.presses("Enter").await;
    let runs = page.runs(1).await;
    let last = runs[0].as_array().and_then(|messages| messages.last().cloned()).expect("messages");
    assert_eq!((&last["content"], last.get("metadata")), (&json!("Large"), None));
    agent.says("Go on.");
    agent.finishes();
    page.waits_for("the end", || page.0.find(".stop").is_none()).await;
    assert_eq!(open(), "2 questions are open");
    page.0.the::<HtmlElement>(&format!("{} [role=radio], {} button", card("c2"), card("c2"))).click();
    let runs = page.runs(2).await;
    let last = runs[1].as_array().and_then(|messages| messages.last().cloned()).expect("messages");
    assert_eq!((&last["role"], &last["metadata"]["ask"]["toolCallId"]), (&json!("user"), &json!("c2")));
    page.waits_for("the other", || open() == "1 question is open").await;
}

#[test]
async fn it_is_said_before_where_a_text_goes() {
    let agent = Agent::asking("goes", &[("c1", &one("Which **size**?", ["Small", "`Large`"]))]);
    let page = Page::of(&agent).await;
    assert_eq!(page.composer().placeholder(), "Answer here, or choose above");
    assert_eq!(goes(&page), "");
    page.types(".composer textarea", "Medium");
    page.0.settled().await;
    assert_eq!(goes(&page), "Goes as your answer to “Which size?” · Send as a message instead");
    page.types(".composer textarea", "2");
    page.0.settled().await;
    assert_eq!(goes(&page), "Goes as your answer to “Which size?” · Large · Send as a message instead");
    page.0.the::<HtmlElement>("#goes button").click();
    let runs = page.runs(1).await;
    assert!(runs[0].to_string().contains("replied_in_chat"), "{runs:?}");
    page.0.settled().await;
    assert_eq!((goes(&page).as_str(), page.composer().value().as_str()), ("", ""));
    assert_eq!(page.composer().placeholder(), "Write a message");
    assert!(said(&page).contains(&"2".to_owned()), "one's own words stay: {:?}", said(&page));
}

#[test]
async fn a_question_back_is_the_answer_or_a_message_as_its_writer_says() {
    for (id, choice, result) in [("back", 0, "replied_in_chat"), ("back-2", 1, "answers")] {
        let agent = Agent::asking(id, &[("c1", &size())]);
        let page = Page::of(&agent).await;
        page.types(".composer textarea", "Is it washable?");
        page.presses("Enter").await;
        let asked = "Is this your answer to “Which size?”, or a message? · Send as a message · Send as my answer";
        assert_eq!(goes(&page), asked);
        let buttons: Vec<HtmlElement> = page.0.all("#goes button");
        let [message, button] = [0, choice].map(|at| &buttons[at]);
        let has_focus = || document().active_element().is_some_and(|active| active.is_same_node(Some(message)));
        page.waits_for("the focus on the choice", has_focus).await;
        assert!(page.key_goes_down("Enter", message, true).await, "a key that is held says nothing");
        assert!(Agent::runs().is_empty(), "nothing goes before it is said as what");
        button.click();
        let runs = page.runs(1).await;
        assert!(runs[0][2]["content"].as_str().is_some_and(|text| text.contains(result)), "{runs:?}");
        assert_eq!(document().active_element().as_ref(), Some(page.composer().as_ref()));
    }
}

#[test]
async fn one_enter_of_an_input_method_ends_the_word_and_sends() {
    let agent = Agent::asking("word", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "나중에");
    let tells = |name: &str, property: &str, value: &str| {
        let init = EventInit::new();
        init.set_bubbles(true);
        init.set_cancelable(true);
        let event = Event::new_with_event_init_dict(name, &init).expect("a valid event");
        let value = value.parse().map_or_else(|_| value.into(), |number: f64| number.into());
        let no = JsValue::FALSE;
        let all = [(property, value), ("key", "Enter".into()), ("isComposing", no.clone()), ("shiftKey", no.clone())];
        for (name, value) in all.into_iter().chain([("repeat", no)]) {
            js_sys::Reflect::set(&event, &name.into(), &value).expect("it can be set");
        }
        !page.composer().dispatch_event(&event).expect("it is heard")
    };
    let is_taken = || tells("keydown", "keyCode", "229");
    let is_broken = || !tells("beforeinput", "inputType", "insertLineBreak");
    assert!(!is_taken());
    tells("keyup", "keyCode", "229");
    assert!(is_broken(), "each press is asked once");
    assert!(!is_taken());
    assert!(!tells("beforeinput", "inputType", "insertCompositionText"));
    assert!(!is_broken(), "the line break sends");
    page.runs(1).await;
}

#[test]
async fn a_picture_is_refused_in_words() {
    let agent = Agent::asking("picture", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    for (event, data) in [("paste", "clipboardData"), ("drop", "dataTransfer")] {
        let init = EventInit::new();
        init.set_bubbles(true);
        init.set_cancelable(true);
        let event = Event::new_with_event_init_dict(event, &init).expect("a valid event");
        let types = js_sys::Array::of1(&"Files".into());
        let files = js_sys::Object::new();
        js_sys::Reflect::set(&files, &"types".into(), &types).expect("it can be set");
        js_sys::Reflect::set(&event, &data.into(), &files).expect("it can be set");
        page.composer().dispatch_event(&event).expect("it is heard");
        page.0.settled().await;
        assert!(event.default_prevented());
        assert_eq!(page.notice(), "Only text can be sent here.");
        page.types(".composer textarea", "A text");
        page.0.settled().await;
        assert_eq!(page.notice(), "");
    }
}

#[test]
async fn a_line_started_before_the_question_answers_it_at_the_second_enter() {
    type GoesOn = fn(&Agent, &str, &str, &Value);
    for (id, goes_on) in [("older", Agent::goes_on as GoesOn), ("away", Agent::has_gone_on)] {
        let agent = Agent::asking(id, &[("c1", &size())]);
        let page = Page::of(&agent).await;
        page.types(".composer textarea", "One more thing");
        goes_on(&agent, "c1", "c2", &colour());
        page.sees(&format!("{}[data-state=awaiting]", card("c2"))).await;
        page.presses("Enter").await;
        page.key_goes_down("Enter", &page.composer(), true).await;
        assert!(Agent::runs().is_empty(), "{id}");
        assert_eq!(page.composer().value(), "One more thing");
        assert_eq!(page.notice(), "A question has come. Press Enter again to answer it with this.");
        page.presses("Enter").await;
        page.runs(1).await;
        assert_eq!(page.composer().value(), "");
    }
}

#[test]
async fn a_line_started_after_the_question_answers_it_at_once() {
    let agent = Agent::asking("newer", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "One more thing");
    agent.goes_on("c1", "c2", &colour());
    page.sees(&format!("{}[data-state=awaiting]", card("c2"))).await;
    page.types(".composer textarea", "");
    page.types(".composer textarea", "Red");
    page.presses("Enter").await;
    page.runs(1).await;
}

#[test]
async fn the_button_sends_where_no_form_can_be_submitted() {
    let agent = Agent::asking("frame", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "Large");
    let stop = wasm_bindgen::closure::Closure::<dyn Fn(Event)>::new(|event: Event| {
        event.stop_immediate_propagation();
    });
    let listener = stop.as_ref().unchecked_ref();
    window().add_event_listener_with_callback_and_bool("submit", listener, true).expect("it listens");
    page.0.the::<HtmlElement>(".composer button").click();
    page.runs(1).await;
    window().remove_event_listener_with_callback_and_bool("submit", listener, true).expect("it was there");
}

#[test]
async fn what_is_being_typed_on_a_card_that_goes_comes_into_the_composer() {
    let agent = Agent::asking("stopped", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    let hello = json!({"id": "u1", "role": "user", "content": "Hello"});
    let run = json!({"threadId": "stopped", "runId": "r2"});
    let asked = json!({"questions": [question("Which size?", ["Small", "Large"])]}).to_string();
    let begun = format!("{},{{\"question\":\"Wh", asked.strip_suffix("]}").expect("it ends so"));
    let mut started = run.clone();
    started["type"] = "RUN_STARTED".into();
    agent.tells("life-2", &started);
    agent.tells("life-3", &json!({"type": "TOOL_CALL_START", "toolCallId": "c2", "toolCallName": "ask_user_question"}));
    agent.tells("life-4", &json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c2", "delta": begun}));
    let field = format!("{} fieldset:not([hidden]) textarea", card("c2"));
    page.sees(&field).await;
    page.types(&field, "between the two");
    agent.tells("life-5", &json!({"type": "MESSAGES_SNAPSHOT", "messages": [hello]}));
    page.waits_for("the text", || page.composer().value() == "between the two").await;
    assert!(page.0.find(&card("c2")).is_none());
    assert_eq!(document().active_element().as_ref(), Some(page.composer().as_ref()), "one goes on writing");
}

#[test]
async fn what_was_typed_on_cards_that_go_comes_below_what_is_being_written() {
    let agent = Agent::asking("several", &[("c1", &size()), ("c2", &colour())]);
    let page = Page::of(&agent).await;
    let field = |call: &str| format!("{} fieldset:not([hidden]) textarea", card(call));
    page.sees(&field("c2")).await;
    page.types(&field("c1"), "Medium");
    page.clicks("c1", "Add a note").await;
    let fields: Vec<HtmlTextAreaElement> = page.0.all(&format!("{} textarea", card("c1")));
    fields[1].set_value("with a handle");
    tell(&fields[1], "input");
    page.types(&field("c2"), "Green");
    page.types(".composer textarea", "By the way");
    let hello = json!({"id": "u1", "role": "user", "content": "Hello"});
    agent.tells("life-2", &json!({"type": "RUN_STARTED", "threadId": "several", "runId": "r2"}));
    agent.tells("life-3", &json!({"type": "MESSAGES_SNAPSHOT", "messages": [hello]}));
    page.waits_for("the texts", || page.composer().value() == "By the way\nMedium\nwith a handle\nGreen").await;
}

#[test]
async fn who_waits_long_is_told_that_the_agent_can_be_stopped() {
    let agent = Agent::asking("silence", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "Large");
    page.presses("Enter").await;
    page.runs(1).await;
    agent.says("Large it");
    page.sees("article[data-role=assistant]").await;
    let line = || page.0.the::<Element>(".connection:has(+ .trouble)").text_content().unwrap_or_default();
    turn_clock(4_000);
    page.0.settled().await;
    assert_eq!(line(), "");
    turn_clock(5_000);
    page.0.settled().await;
    assert_eq!(line(), "The agent is taking long. You can stop it.");
    let translated = document().create_element("font").expect("a valid name");
    translated.set_text_content(Some("Der Agent braucht lange."));
    page.0.the::<Element>(".connection:has(+ .trouble)").replace_children_with_node_1(&translated);
    assert_eq!(page.0.the::<Element>("button.stop").get_attribute("aria-label").as_deref(), Some("Stop"));
    agent.finishes();
    page.waits_for("its end, in no language", || line().is_empty()).await;
}

#[test]
async fn a_button_that_goes_by_itself_leaves_the_focus_with_the_composer() {
    let agent = Agent::asking("going", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    let started = json!({"type": "RUN_STARTED", "threadId": "going", "runId": "r2"});
    agent.tells("life-2", &started);
    agent.tells("life-3", &json!({"type": "RUN_ERROR", "message": "Out of tokens"}));
    page.sees(".trouble button").await;
    page.0.the::<HtmlElement>(".trouble button").focus().expect("it takes the focus");
    let mut another = started;
    another["runId"] = "r3".into();
    agent.tells("life-4", &another);
    page.waits_for("no trouble", || page.0.find(".trouble button").is_none()).await;
    assert_eq!(document().active_element().as_ref(), Some(page.composer().as_ref()));
}

#[test]
async fn what_came_too_late_stays_on_its_card_while_another_question_waits() {
    let agent = Agent::asking("late", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(&format!("{} textarea", card("c1")), "It also smells");
    agent.goes_on("c1", "c2", &colour());
    page.sees(&format!("{}[data-state=awaiting]", card("c2"))).await;
    page.sees(&format!("{} .qc-late", card("c1"))).await;
    page.clicks("c1", "Send as a message").await;
    assert_eq!(page.notice(), "", "it is said once, where the text is");
    page.0.says(
        &format!("{} .qc-late .qc-wait", card("c1")),
        "Not now: the agent is still writing, or another question waits for its answer.",
    );
    page.0.says(&format!("{} .qc-late-text", card("c1")), "It also smells");
    page.sees(&format!("{}[data-state=awaiting]", card("c2"))).await;
    assert!(Agent::runs().is_empty());
}

#[test]
async fn a_text_in_place_of_several_answers_takes_the_picks_along() {
    let both = json!({"questions": [
        question("Which size?", ["Small", "Large"]),
        question("Which colour?", ["Red", "Blue"]),
    ]});
    let agent = Agent::asking("chat", &[("c1", &both)]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "Please stop asking");
    page.0.settled().await;
    assert_eq!(goes(&page), "Goes as a message in place of the answers");
    page.0.all::<HtmlElement>("input[type=radio]")[1].click();
    page.0.settled().await;
    assert_eq!(goes(&page), "Goes as a message in place of the answers · Large");
    page.presses("Enter").await;
    let runs = page.runs(1).await;
    let result = runs[0][2]["content"].as_str().expect("a result");
    let result: Value = serde_json::from_str(result).expect("the result is JSON");
    assert_eq!(result["text"], "Please stop asking");
    assert_eq!(result["details"][0]["selected"][0]["label"], "Large");
    assert_eq!(result["details"][1]["status"], "skipped");
}

#[test]
async fn a_message_can_be_written_again_and_a_long_one_is_cut() {
    let log = "A line of a log\n".repeat(40);
    let agent = Agent::asking_after("again", &["Hello", &log], &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.types(".composer textarea", "Once more:");
    page.0.the::<HtmlElement>("li:first-child [aria-labelledby=say-again]").click();
    page.0.settled().await;
    assert_eq!(page.composer().value(), "Once more:\nHello");
    assert_eq!(document().active_element().as_ref(), Some(page.composer().as_ref()));
    page.0.says("#say-again", "Edit and send again");
    page.0.says("article[data-long] .all", "Show all");
    page.0.the::<HtmlElement>("article[data-long] .all").click();
    assert!(page.0.find("[data-long], .all").is_none());
    assert_eq!(page.0.all::<Element>("[aria-labelledby=say-copy]").len(), 2);
}

#[test]
async fn the_title_leads_to_every_conversation_the_waiting_ones_first() {
    let agent = Agent::asking("listed", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    page.0.settled().await;
    let stored = r#"[{"id":"quiet","text":"An old one","waits":false},{"id":"a b","text":"My brakes","waits":true}]"#;
    let storage = window().local_storage().expect("there is a storage").expect("there is a storage");
    storage.set_item("chat-page talks ", stored).expect("there is room");
    page.types(".composer textarea", "Large");
    page.presses("Enter").await;
    page.runs(1).await;
    page.0.settled().await;
    let list: HtmlElement = page.0.the("#talks");
    list.show_popover().expect("it is closed");
    page.sees("#talks a").await;
    let links = page.0.all::<Element>("#talks a");
    let links: Vec<_> = links
        .iter()
        .map(|link| (link.get_attribute("href").unwrap_or_default(), link.text_content().unwrap_or_default()))
        .collect();
    let link = |id: &str, text: &str| (format!("#c={id}"), text.to_owned());
    let first = link("a%20b", "My brakesA question waits for you");
    let all = [first, link("listed", "Hello"), link("quiet", "An old one")];
    page.0.find("#talks a[aria-current][href='#c=listed']").expect("the one that is open");
    list.hide_popover().expect("it is open");
    assert_eq!(links.len(), 3);
    assert!(all.iter().all(|one| links.iter().any(|link| link.0 == one.0)), "{links:?}");
    assert!(links.iter().position(|link| *link == all[0]) < links.iter().position(|link| *link == all[2]), "{links:?}");
}

#[test]
async fn an_answer_from_elsewhere_is_told_below_its_card() {
    let agent = Agent::asking("elsewhere", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    agent.goes_on("c1", "c2", &colour());
    page.sees(&format!("{}[data-state=awaiting]", card("c2"))).await;
    page.0.says(".elsewhere", "Answered elsewhere");
    page.clicks("c2", "Blue").await;
    page.runs(1).await;
    page.0.settled().await;
    assert_eq!(page.0.all::<Element>(".elsewhere").len(), 1);
}

#[test]
async fn the_first_of_two_answers_leads_to_the_second_and_can_be_changed() {
    let agent = Agent::asking("two", &[("c1", &size()), ("c2", &colour())]);
    let page = Page::of(&agent).await;
    page.presses("ArrowUp").await;
    let is_in = |call: &str| {
        let active = document().active_element();
        page.0.the::<Element>(&card(call)).contains(active.as_deref())
    };
    assert!(is_in("c1"), "from the empty field to the first question");
    page.clicks("c1", "Large").await;
    page.clicks("c1", "Go to the next question").await;
    assert!(is_in("c2"));
    page.clicks("c1", "Change").await;
    page.sees(&format!("{}[data-state=awaiting]", card("c1"))).await;
    page.clicks("c1", "Small").await;
    page.clicks("c2", "Blue").await;
    let runs = page.runs(1).await;
    let said: Vec<_> = runs[0].as_array().expect("messages").iter().collect();
    let texts: Vec<_> = said
        .iter()
        .filter(|message| message["role"] == "user")
        .filter_map(|message| message["content"].as_str())
        .collect();
    assert_eq!(texts, ["Hello", "Small", "Blue"]);
}

#[test]
async fn what_is_read_stays_where_it_is_when_a_tap_answers() {
    let agent = Agent::asking_after("place", &["A line\n".repeat(12).as_str(); 4], &[("c1", &size())]);
    let style = style(".talk > .transcript { flex: none; block-size: 30rem }");
    let page = Page::of(&agent).await;
    let frame: HtmlElement = page.0.the(".transcript");
    page.waits_for("the end", || frame.scroll_top() > 0).await;
    let above: Element = page.0.the("li:nth-last-child(2 of li:not(.writing)) article");
    let place = || above.get_bounding_client_rect().bottom();
    seen().await;
    let (top, asked) = (place(), page.0.the::<HtmlElement>(&card("c1")));
    let high = asked.offset_height();
    page.clicks("c1", "Large").await;
    page.waits_for("the receipt", || asked.offset_height() < high / 2).await;
    seen().await;
    assert_eq!(place(), top);
    agent.says("One line");
    page.sees("article[data-role=assistant]").await;
    seen().await;
    assert_eq!(place(), top, "the answer fills the room below");
    frame.set_scroll_top(frame.scroll_top() - 30);
    seen().await;
    let seen_to = frame.scroll_top() + frame.client_height();
    assert!(frame.scroll_height() <= seen_to + 1, "room that is not seen goes");
    style.remove();
}

#[test]
async fn an_answer_that_waits_brings_the_next_question_into_view() {
    let agent = Agent::asking("next", &[("c1", &size()), ("c2", &colour()), ("c3", &colour())]);
    let style = style(".talk > .transcript { flex: none; block-size: 22rem }");
    let page = Page::of(&agent).await;
    let frame: HtmlElement = page.0.the(".transcript");
    seen().await;
    frame.set_scroll_top(0);
    seen().await;
    page.clicks("c1", "Large").await;
    let bottom = |element: &Element| element.get_bounding_client_rect().bottom();
    let second: Element = page.0.the(&format!("{} form", card("c2")));
    page.waits_for("the second question", || bottom(&second) <= bottom(&frame) + 1.0).await;
    let top = |element: &Element| element.get_bounding_client_rect().top();
    assert!(top(&second) >= top(&frame), "all of it");
    style.remove();
}

/// Adds the page's style sheets, and this one.
fn style(css: &str) -> Element {
    let style = document().create_element("style").expect("a valid name");
    style.set_text_content(Some(&[question_card::STYLESHEET, include_str!("../../../style/chat.css"), css].concat()));
    document().body().expect("a body").append_child(&style).expect("it takes children");
    style
}

/// Lets the browser lay out and paint, and tell of it.
async fn seen() {
    for _ in 0..2 {
        let promise = js_sys::Promise::new(&mut |done, _| {
            window().request_animation_frame(&done).expect("it paints");
        });
        wasm_bindgen_futures::JsFuture::from(promise).await.expect("it comes");
    }
    next_task().await;
}

#[test]
async fn another_agent_gets_what_is_being_written_and_the_one_before_does_not() {
    let agent = Agent::asking("before", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    let (field, text) = (page.composer(), "It squeaks");
    page.types(".composer textarea", text);
    page.opens_the_settings().await;
    page.types("textarea[name=agent]", "/agent-2");
    tell(&page.0.the("textarea[name=agent]"), "change");
    page.waits_for("the other conversation", || page.0.find(".welcome:not([hidden])").is_some()).await;
    assert!(page.0.find("[role=log] li, [role=log][tabindex]").is_none(), "nothing is left of the one before");
    page.0.says(".bar h1", "/agent-2");
    assert!(page.composer().is_same_node(Some(&field)));
    assert_eq!(field.value(), text);
    page.presses("Enter").await;
    page.waits_for("a run", || Agent::is_posted("/agent-2")).await;
    assert!(Agent::runs().is_empty());
    assert_eq!((field.value().as_str(), said(&page)), ("", vec![text.to_owned()]));
    page.sees("[role=log][tabindex='0']").await;
}

/// The user's messages, as the page shows them.
fn said(page: &Page) -> Vec<String> {
    page.0.all::<Element>("article[data-role=user]").iter().filter_map(|said| said.text_content()).collect()
}

#[test]
async fn a_long_history_is_shown_from_its_end_and_then_whole_above_what_comes() {
    let texts: Vec<_> = (1..=300).map(|number| number.to_string()).collect();
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    for (id, comes_meanwhile) in [("long", false), ("longer", true)] {
        let agent = Agent::asking_after(id, &texts, &[("c1", &size())]);
        let page = Page::of(&agent).await;
        let comes = async || {
            agent.goes_on("c1", "c2", &colour());
            page.sees(&format!("{}[data-state=awaiting]", card("c2"))).await;
        };
        let first = said(&page);
        assert_eq!(first.last().map(String::as_str), Some("300"));
        assert!(texts.ends_with(&first.iter().map(String::as_str).collect::<Vec<_>>()), "{first:?}");
        if comes_meanwhile {
            comes().await;
        }
        page.waits_for("all of it", || said(&page).len() == texts.len()).await;
        page.sees("[role=log]:not([aria-busy])").await;
        if !comes_meanwhile {
            comes().await;
        }
        assert_eq!(said(&page), texts);
        page.sees(&format!("li:last-child {}", card("c2"))).await;
    }
}

#[test]
async fn another_language_leaves_what_was_said_and_what_is_typed_on_a_card() {
    let agent = Agent::asking("language", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    let hello: Element = page.0.the("article[data-role=user]");
    page.types(&format!("{} textarea", card("c1")), "Medium");
    page.turns_german().await;
    page.sees("article[aria-label='Sie']").await;
    page.waits_for("the German card", || {
        page.0.the::<Element>(&card("c1")).text_content().is_some_and(|text| text.contains("Senden"))
    })
    .await;
    assert!(page.0.the::<Element>("article[data-role=user]").is_same_node(Some(&hello)));
    assert_eq!(page.0.the::<HtmlTextAreaElement>(&format!("{} textarea", card("c1"))).value(), "Medium");
    // What comes later speaks that language as well.
    agent.tells("life-2", &json!({"type": "RUN_STARTED", "threadId": "language", "runId": "r2"}));
    agent.tells("life-3", &json!({"type": "RUN_ERROR", "message": "Out of tokens"}));
    page.waits_for("the German button", || {
        page.0
            .find(".trouble button")
            .is_some_and(|button| button.text_content().as_deref() == Some("Noch einmal versuchen"))
    })
    .await;
}

#[test]
async fn an_error_on_a_card_is_told_in_the_language_of_the_page() {
    let agent = Agent::asking("refusing", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    agent.refuses();
    page.types(&format!("{} textarea", card("c1")), "Medium");
    page.0.the::<HtmlElement>(&format!("{} .qc-submit", card("c1"))).click();
    let says = |text: &str| page.0.the::<Element>(&card("c1")).text_content().is_some_and(|all| all.contains(text));
    page.waits_for("the refusal", || says("The agent refused this.")).await;
    page.turns_german().await;
    page.waits_for("the German refusal", || says("Der Agent hat das abgelehnt.")).await;
}

#[test]
async fn what_was_said_before_is_at_rest_while_the_agent_writes() {
    let agent = Agent::asking("busy", &[("c1", &size())]);
    let page = Page::of(&agent).await;
    let mut number = 1;
    let mut tells = |event: Value| {
        number += 1;
        agent.tells(&format!("life-{number}"), &event);
    };
    let run = |kind: &str, id: &str| json!({"type": kind, "threadId": "busy", "runId": id});
    let start = |id: &str| json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"});
    let content = |id: &str| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "One"});
    let busy = "article[data-role=assistant][aria-busy=true]";
    tells(run("RUN_STARTED", "r2"));
    tells(start("m1"));
    tells(content("m1"));
    page.sees(busy).await;
    tells(json!({"type": "TEXT_MESSAGE_END", "messageId": "m1"}));
    page.sees("article[data-role=assistant][aria-busy=false]").await;
    tells(run("RUN_FINISHED", "r2"));
    tells(run("RUN_STARTED", "r3"));
    tells(start("m2"));
    tells(content("m2"));
    page.sees("li:last-child article[aria-busy=true]").await;
    assert_eq!(page.0.all::<Element>(busy).len(), 1);
    let users = page.0.the::<Element>("article[data-role=user]");
    assert_eq!(users.get_attribute("aria-live").as_deref(), Some("off"));
}
