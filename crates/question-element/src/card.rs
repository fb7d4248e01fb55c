//! The card that the class of the element holds.
//!
//! No borrow is held while the host handles an event: its handlers may call back at once.

use crate::call::{News, take};
use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::reply::Selection;
use ask_user_question::text::joined;
use ask_user_question::{AskSnapshot, Reply};
use json_tree::Json;
use question_card::{
    Acceptance, CardEvent, Labels, Layout, MountedCard, Notes, Options, Parts, Persist, Skip, SubmitMode,
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

    /// Logs a warning for the author of the page.
    #[wasm_bindgen(js_namespace = console)]
    fn warn(problem: &str);
}

/// One card in a page. Freeing it removes it from the page.
#[wasm_bindgen(js_name = Card)]
pub struct ElementCard {
    place: Node,
    hear: Hear,
    /// Updates about the call since the last `show`, which applies them in one step.
    news: RefCell<Vec<News>>,
    settings: RefCell<Settings>,
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
            settings: RefCell::default(),
            is_begun: Cell::default(),
            mounted: OnceCell::new(),
            words: RefCell::default(),
        }
    }

    /// Passes a command to the card, as a word and a text. One function for all, because each exported function adds code.
    ///
    /// | word | text | meaning |
    /// |---|---|---|
    /// | `sheet` | a sheet, as JSON | the language, from the next `set` on; English if it is empty |
    /// | a property's name with a `.` before it | its value, empty if there is none | it is, from the next `set` on |
    /// | `set` | | the settings have changed |
    /// | `show` | any if the arguments came in pieces | shows what was told of the call since the last time, in the words of [`News`] |
    /// | `fail` | a reason | the reply, cancellation or message given to the host did not go through |
    /// | `messaged` | | the message given to the host went out |
    /// | `focus` | | moves the focus to where the user would go on; false if there is nothing to go to |
    pub fn tell(&self, word: &str, text: &str, question: usize, option: usize) -> bool {
        match (word, self.mounted.get()) {
            ("sheet", _) => drop(self.words.replace(HostLabels { sheet: text.to_owned(), ..HostLabels::default() })),
            ("set", mounted) => self.set(mounted),
            ("show", mounted) => self.show(mounted, !text.is_empty()),
            ("fail", Some(card)) => card.fail(text),
            ("messaged", Some(card)) => card.message_sent(),
            ("focus", card) => return card.is_some_and(MountedCard::focus),
            _ => match word.strip_prefix('.') {
                Some(name) => self.settings.borrow_mut().take(name, text),
                None => {
                    self.news.borrow_mut().push(News {
                        word: word.to_owned(),
                        text: text.to_owned(),
                        question,
                        option,
                    });
                }
            },
        }
        true
    }
}

impl ElementCard {
    fn set(&self, mounted: Option<&MountedCard>) {
        let mut settings = self.settings.borrow_mut();
        settings.options.labels = self.words.borrow_mut().labels(&settings);
        if let Some(card) = mounted {
            let (options, held) = (settings.options.clone(), settings.held);
            drop(settings);
            card.set(&options);
            card.hold(held);
        }
    }

    fn show(&self, mounted: Option<&MountedCard>, streams: bool) {
        let news = self.news.take();
        if let Some(card) = mounted {
            card.update(|ask| take(ask, &news));
        } else if !self.is_begun.replace(true) {
            let mut ask = AskSnapshot::default();
            let mut options = self.settings.borrow().options.clone();
            take(&mut ask, &news);
            options.fresh |= streams;
            let hear = self.hear.clone();
            let card = MountedCard::mount(&self.place, ask, &options, move |event| tell(&hear, event));
            // `mounted` is set nowhere else.
            let _ = self.mounted.set(card);
        }
    }
}

impl HostLabels {
    /// The words, which stay as they are while their sheets do. Without any, the card is in the language of the page.
    fn labels(&mut self, Settings { own_labels: own, has_words, .. }: &Settings) -> Option<Labels> {
        if self.labels.is_none() || self.own != *own {
            self.labels = None;
            for sheet in [&self.sheet, own] {
                if let Ok(sheet) = Json::parse(sheet) {
                    let (labels, problems) = self.labels.take().unwrap_or_default().with(&sheet);
                    self.labels = Some(labels);
                    for problem in problems {
                        warn(&joined(&["question-card: labels:", &problem.to_string()], " "));
                    }
                }
            }
            own.clone_into(&mut self.own);
        }
        self.labels.clone().or_else(|| has_words.then(Labels::default))
    }
}

/// Passes an event of the card to JavaScript.
fn tell(hear: &Hear, event: CardEvent) -> Acceptance {
    let (word, detail) = match event {
        CardEvent::Reply(reply) => ("reply", json_of_reply(&reply, reply.message())),
        CardEvent::Update(reply) => ("change-answer", json_of_reply(&reply, reply.change_message())),
        CardEvent::Cancel => ("decline", Json::object([("text", DECLINED_TEXT.into())])),
        CardEvent::Message(text) => ("late-message", Json::object([("text", text.into())])),
        CardEvent::ReplyInChat(picks) => ("reply-in-chat", json_of(&picks)),
        CardEvent::Picks(picks) => ("draft", json_of(&picks)),
        CardEvent::Extend => ("extend", Json::object([])),
        CardEvent::ReceiptActions(place) => {
            if let Some(place) = place {
                let slot = create_element("slot");
                // Neither fails: the name is valid, and a place takes children.
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

/// A reply as JSON, with the message that says the same.
fn json_of_reply(reply: &Reply, message: String) -> Json<'static> {
    let mut detail = Json::from(reply);
    let json = detail.text();
    if let Json::Object(members) = &mut detail {
        members.push(("message".into(), message.into()));
        members.push(("json".into(), json.into()));
    }
    detail
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

/// The settings by the element's properties.
#[derive(Default)]
struct Settings {
    options: Options,
    held: bool,
    /// The host's own words, as JSON.
    own_labels: String,
    /// The language of the words is known, even if it is English.
    has_words: bool,
}

impl Settings {
    /// Takes a property. A flag is set by any text.
    fn take(&mut self, name: &str, text: &str) {
        let Self { options, .. } = self;
        let flag = !text.is_empty();
        match name {
            "labels" => text.clone_into(&mut self.own_labels),
            "hasWords" => self.has_words = flag,
            "held" => self.held = flag,
            "mode" => options.mode = if text == "on-pick" { SubmitMode::OnPick } else { SubmitMode::Explicit },
            "layout" => options.layout = if text == "stepped" { Layout::Stepped } else { Layout::Stacked },
            "scope" => text.clone_into(&mut options.scope),
            "fresh" => options.fresh = flag,
            "plainText" => options.plain_text = flag,
            "readonly" => options.readonly = flag,
            "allowSkip" => options.skip = flag.then(Skip::button),
            "noNotes" => options.notes = (!flag).then(Notes::field),
            "maxLength" => options.max_length = number(text).map(|most| most as usize),
            "undoWithin" => options.undo_within = if text == "0" { Some(0) } else { number(text) },
            "persist" => options.persist = if text == "session" { Persist::session() } else { Persist::default() },
            "expiresAt" => options.expires_at = number(text),
            "parts" => {
                options.parts = flag.then(Parts::named);
                options.offers.receipt_actions = flag;
            }
            "lateMessages" => options.offers.messages = flag,
            "replyInChat" => options.offers.reply_in_chat = flag,
            "canChange" => options.offers.update = flag,
            "moreTime" => options.offers.more_time = flag,
            _ => {}
        }
    }
}

/// A whole number above zero. The standard library's reader is larger.
fn number(text: &str) -> Option<u64> {
    let digit = |number: u64, sign: u8| {
        number.checked_mul(10)?.checked_add(u64::from(sign.checked_sub(b'0').filter(|digit| *digit < 10)?))
    };
    text.bytes().try_fold(0, digit).filter(|number| *number > 0)
}
