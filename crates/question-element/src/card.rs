//! The card, as the element's class holds it.
//!
//! No borrow is held while the host handles an event: its handlers may call back at once.

use crate::call::{News, take};
use ask_user_question::AskSnapshot;
use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::reply::Selection;
use json_tree::Json;
use question_card::{
    Acceptance, CardEvent, Labels, Layout, MountedCard, Notes, Offers, Options, Parts, Persist, Skip, SubmitMode,
};
use std::cell::{Cell, OnceCell, RefCell};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Element, Node};

#[wasm_bindgen]
extern "C" {
    /// The listener of the class.
    #[derive(Clone)]
    pub type Hear;

    #[wasm_bindgen(method, js_name = call, catch)]
    fn call(this: &Hear, with: &JsValue, word: &str, detail: &str) -> Result<bool, JsValue>;

    #[wasm_bindgen(js_namespace = document, js_name = createElement)]
    fn create_element(tag: &str) -> Element;

    /// For the developer of the page.
    #[wasm_bindgen(js_namespace = console)]
    fn warn(problem: &str);
}

/// One card in a page, taken out when it is freed.
#[wasm_bindgen(js_name = Card)]
pub struct ElementCard {
    place: Node,
    hear: Hear,
    /// What the call is told to have become, to be shown in one step.
    news: RefCell<Vec<News>>,
    tool_call_id: RefCell<String>,
    options: RefCell<Options>,
    is_begun: Cell<bool>,
    mounted: OnceCell<MountedCard>,
    words: RefCell<HostLabels>,
}

/// The words of a card, made of the sheet of its language and the host's own.
#[derive(Default)]
struct HostLabels {
    sheet: String,
    own: String,
    /// `None` if there is neither, or they have not been read.
    labels: Option<Labels>,
}

#[wasm_bindgen(js_class = Card)]
impl ElementCard {
    /// A card that will be at the end of a node. `hear` is called with the name of an event and its detail as JSON, and returns true if the
    /// host has taken it.
    #[wasm_bindgen(constructor)]
    pub fn new(place: Node, hear: Hear) -> Self {
        Self {
            place,
            hear,
            news: RefCell::default(),
            tool_call_id: RefCell::default(),
            options: RefCell::default(),
            is_begun: Cell::default(),
            mounted: OnceCell::new(),
            words: RefCell::default(),
        }
    }

    /// Passes a command to the card, as a word and a text. One function for all, because each that JavaScript can call is code of its own.
    ///
    /// | word | text | meaning |
    /// |---|---|---|
    /// | `sheet` | a sheet, as JSON | the language, from the next `set` on; English if it is empty |
    /// | `set` | properties, as JSON | the options, the name of the call |
    /// | `show` | any if the arguments came in pieces | shows what was told of the call since the last time, in the words of [`News`] |
    /// | `fail` | a reason | the reply, cancellation or message given to the host did not go through |
    /// | `messaged` | | the message given to the host went out |
    /// | `focus` | | moves the focus to where the user would go on; false if there is nothing to go to |
    pub fn tell(&self, word: &str, text: &str, question: usize, option: usize) -> bool {
        match (word, self.mounted.get()) {
            ("sheet", _) => drop(self.words.replace(HostLabels { sheet: text.to_owned(), ..HostLabels::default() })),
            ("set", mounted) => self.set(text, mounted),
            ("show", mounted) => self.show(mounted, !text.is_empty()),
            ("fail", Some(card)) => card.fail(text),
            ("messaged", Some(card)) => card.message_sent(),
            ("focus", card) => return card.is_some_and(MountedCard::focus),
            _ => self.news.borrow_mut().push(News { word: word.to_owned(), text: text.to_owned(), question, option }),
        }
        true
    }
}

impl ElementCard {
    fn set(&self, properties: &str, mounted: Option<&MountedCard>) {
        let properties = Json::parse(properties).unwrap_or(Json::Null);
        let properties = Properties(&properties);
        let id = properties.text("toolCallId").unwrap_or_default();
        let labels = self.words.borrow_mut().labels(&properties);
        let options = properties.options(labels);
        if let Some(card) = mounted {
            if card.with(|ask| ask.tool_call_id != id) {
                card.update(|ask| ask.tool_call_id.clone_from(&id));
            }
            card.set(&options);
            card.hold(properties.flag("held"));
        }
        self.tool_call_id.replace(id);
        self.options.replace(options);
    }

    fn show(&self, mounted: Option<&MountedCard>, streams: bool) {
        let news = self.news.take();
        if let Some(card) = mounted {
            card.update(|ask| take(ask, &news));
        } else if !self.is_begun.replace(true) {
            let mut ask = AskSnapshot::new(self.tool_call_id.borrow().as_str());
            let mut options = self.options.borrow().clone();
            take(&mut ask, &news);
            options.fresh |= streams;
            let hear = self.hear.clone();
            let card = MountedCard::mount(&self.place, ask, &options, move |event| tell(&hear, event));
            // It is set here alone.
            let _ = self.mounted.set(card);
        }
    }
}

impl HostLabels {
    /// The words, which stay as they are while their sheets do. Without any, the card is in the language of the page.
    fn labels(&mut self, properties: &Properties<'_>) -> Option<Labels> {
        let own = properties.text("labels").unwrap_or_default();
        if self.labels.is_none() || self.own != own {
            self.labels = None;
            for sheet in [&self.sheet, &own] {
                if let Ok(sheet) = Json::parse(sheet) {
                    let (labels, problems) = self.labels.take().unwrap_or_default().with(&sheet);
                    self.labels = Some(labels);
                    for problem in problems {
                        warn(&["question-card: labels: ", &problem.to_string()].concat());
                    }
                }
            }
            self.own = own;
        }
        self.labels.clone().or_else(|| properties.flag("hasWords").then(Labels::default))
    }
}

/// Passes an event of the card to JavaScript.
fn tell(hear: &Hear, event: CardEvent) -> Acceptance {
    let (word, detail) = match event {
        CardEvent::Reply(reply) => {
            let mut detail = Json::from(&reply);
            let json = detail.text();
            if let Json::Object(members) = &mut detail {
                members.push(("message".into(), reply.message().into()));
                members.push(("json".into(), json.into()));
            }
            ("reply", detail)
        }
        CardEvent::Cancel => ("decline", Json::object([("text", DECLINED_TEXT.into())])),
        CardEvent::Message(text) => ("late-message", Json::object([("text", text.into())])),
        CardEvent::ReplyInChat(picks) => ("reply-in-chat", json_of(&picks)),
        CardEvent::Picks(picks) => ("draft", json_of(&picks)),
        CardEvent::Extend => ("extend", Json::object([])),
        CardEvent::ReceiptActions(place) => {
            if let Some(place) = place {
                let slot = create_element("slot");
                // Neither is refused: the name is one, and a place takes children.
                let _ = slot.set_attribute("name", "receipt-actions");
                let _ = place.insert_before(&slot, None);
            }
            return Acceptance::No;
        }
        // Other events have no counterpart in the element.
        _ => return Acceptance::No,
    };
    // The browser itself reports an exception of a listener. A host accepts by a promise.
    match hear.call(&JsValue::NULL, word, &detail.text()) {
        Ok(true) => Acceptance::Later,
        Ok(false) | Err(_) => Acceptance::No,
    }
}

/// The picks as JSON.
fn json_of(picks: &[Selection]) -> Json<'static> {
    let mut all = Vec::new();
    for pick in picks {
        let mut selected = Vec::new();
        for option in &pick.selected {
            selected.push(Json::from(*option));
        }
        let mut members = vec![("question", pick.question.into()), ("selected", Json::List(selected))];
        for (name, text) in [("other", &pick.other), ("note", &pick.note)] {
            if let Some(text) = text {
                members.push((name, text.as_str().into()));
            }
        }
        if pick.skipped {
            members.push(("skipped", Json::Bool(true)));
        }
        all.push(Json::object(members));
    }
    Json::object([("picks", Json::List(all))])
}

/// The properties of the element.
struct Properties<'a>(&'a Json<'a>);

impl Properties<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Json::as_bool).unwrap_or_default()
    }

    /// A whole number above zero.
    fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            Json::Number(number) => number.as_u64().filter(|number| *number > 0),
            _ => None,
        }
    }

    fn is(&self, name: &str, word: &str) -> bool {
        self.0.get(name).and_then(Json::as_str) == Some(word)
    }

    fn options(&self, labels: Option<Labels>) -> Options {
        Options {
            mode: if self.is("mode", "on-pick") { SubmitMode::OnPick } else { SubmitMode::Explicit },
            layout: if self.is("layout", "stepped") { Layout::Stepped } else { Layout::Stacked },
            scope: self.text("scope").unwrap_or_default(),
            labels,
            fresh: self.flag("fresh"),
            plain_text: self.flag("plainText"),
            readonly: self.flag("readonly"),
            skip: self.flag("allowSkip").then(Skip::button),
            notes: (!self.flag("noNotes")).then(Notes::field),
            max_length: self.number("maxLength").map(|most| most as usize),
            persist: if self.is("persist", "session") { Persist::session() } else { Persist::default() },
            expires_at: self.number("expiresAt"),
            parts: self.flag("parts").then(Parts::named),
            offers: Offers {
                messages: self.flag("lateMessages"),
                reply_in_chat: self.flag("replyInChat"),
                more_time: self.flag("moreTime"),
                receipt_actions: self.flag("parts"),
                ..Offers::default()
            },
        }
    }
}
