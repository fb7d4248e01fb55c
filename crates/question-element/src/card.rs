//! The card, as the element's class holds it.
//!
//! Nothing here is borrowed for longer than a call, and every method takes `&self`: what the card tells may lead to another call at once.

use crate::words::with_own;
use ask_user_question::arriving::Arriving;
use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::{AskPatch, Sending};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use json_tree::Json;
use question_card::{ClaimFocus, Labels, Layout, MountedCard, Notes, Offers, Options, Persist, Skip, SubmitMode, Told};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Node;

#[wasm_bindgen]
extern "C" {
    /// What the class hears with.
    pub type Hear;

    #[wasm_bindgen(method, js_name = call, catch)]
    fn call(this: &Hear, with: &JsValue, word: &str, first: &str, second: &str) -> Result<bool, JsValue>;
}

/// One card in a page, taken out when it is freed.
#[wasm_bindgen]
pub struct Card {
    mounted: MountedCard,
    arriving: RefCell<Arriving>,
    /// What was given to the host last.
    given: Rc<RefCell<Option<Outcome>>>,
    has_ended: Cell<bool>,
    options: RefCell<Options>,
}

#[wasm_bindgen]
impl Card {
    /// Puts a card at the end of a node. `settings` has the properties of the element, as JSON. `hear` is called with what happened, in a
    /// word, and up to two texts; what it returns says whether a message was taken.
    #[wasm_bindgen(constructor)]
    pub fn new(place: &Node, settings: &str, hear: Hear) -> Self {
        let settings = Json::parse(settings).unwrap_or(Json::Null);
        let settings = Settings(&settings);
        let tool_call_id = settings.text("id").unwrap_or_default();
        let given = Rc::<RefCell<Option<Outcome>>>::default();
        let keeps = given.clone();
        let ask = match settings.text("arguments") {
            Some(arguments) => complete(&tool_call_id, &arguments, &settings),
            None => AskSnapshot::new(tool_call_id).with_lang(settings.text("askLang")),
        };
        let has_ended = Cell::new(ask.phase != Phase::Streaming);
        let options = settings.options();
        let mounted = MountedCard::mount(place, ask, &options, move |told| tell(&hear, &keeps, told));
        Self { mounted, arriving: RefCell::default(), given, has_ended, options: RefCell::new(options) }
    }

    /// Tells the card something, in a word and a text. One function for all, because each that JavaScript can call is code of its own.
    ///
    /// | word | text | what it means |
    /// |---|---|---|
    /// | `append` | a piece | the arguments go on |
    /// | `restart` | | what has arrived comes once more, written in another way |
    /// | `finish` | a phase | the arguments are complete |
    /// | `phase` | a phase | the ask stands elsewhere; one that can't be read stays what it is |
    /// | `result` | the call's | how the ask ended; false where it says nothing of that |
    /// | `pending` | | what was given to the host is on its way |
    /// | `fail` | a reason | it did not go through |
    /// | `sent` | | it did; false where another card gave it |
    /// | `expires-at` | milliseconds since the Unix epoch | the host's own deadline; none where there is no number |
    /// | `held` | any, or none | whether the host keeps the reply until another ask has its answer too |
    /// | `focus` | | the focus is to go where the user would go on; false where there is nothing to go to |
    pub fn tell(&self, word: &str, text: &str) -> bool {
        match word {
            "append" => self.append(text),
            "restart" => self.restart(),
            "finish" => self.finish(text),
            "phase" => self.phase(text),
            "result" => return self.result(text),
            "pending" => self.mounted.sending(&Sending::Pending),
            "fail" => self.mounted.sending(&Sending::Failed(text.to_owned())),
            "sent" => return self.sent(),
            "expires-at" => {
                let at = Json::parse(text).ok().as_ref().and_then(counted);
                self.change(|options| options.expires_at = at);
            }
            "held" => self.change(|options| options.held = !text.is_empty()),
            "focus" => return self.mounted.focus(),
            _ => return false,
        }
        true
    }
}

impl Card {
    fn change(&self, change: impl FnOnce(&mut Options)) {
        let mut options = self.options.borrow_mut();
        change(&mut options);
        let options = options.clone();
        self.mounted.set(&options);
    }

    fn append(&self, piece: &str) {
        if self.has_ended.get() {
            return;
        }
        let mut patches = Vec::new();
        self.arriving.borrow_mut().feed(piece, |patch| patches.push(patch));
        self.mounted.update(|ask| patches.iter().for_each(|patch| ask.apply(patch)));
    }

    fn restart(&self) {
        if !self.has_ended.get() {
            self.arriving.take();
            self.mounted.update(|ask| *ask = AskSnapshot::new(&ask.tool_call_id).with_lang(ask.lang.take()));
        }
    }

    fn finish(&self, phase: &str) {
        if self.has_ended.replace(true) {
            return;
        }
        let arriving = self.arriving.take();
        let complete = self.mounted.with(|shown| arriving.finish(shown));
        self.mounted.update(|ask| match complete {
            Some(complete) => {
                ask.apply(AskPatch::Complete(Arc::new(complete)));
                ask.apply(AskPatch::Phase(named(phase)));
            }
            None => ask.apply(AskPatch::Phase(Phase::Malformed)),
        });
    }

    fn phase(&self, phase: &str) {
        let phase = named(phase);
        let is_readable = self.mounted.with(|ask| ask.phase != Phase::Malformed);
        if is_readable || is_over(phase) {
            self.mounted.update(|ask| ask.apply(AskPatch::Phase(phase)));
        }
    }

    fn result(&self, content: &str) -> bool {
        let outcome = self.mounted.with(|ask| Outcome::parse(ask.ask.as_ref()?, content));
        let is_read = outcome.is_some();
        if let Some(outcome) = outcome {
            self.end(outcome);
        }
        is_read
    }

    fn sent(&self) -> bool {
        let given = self.given.borrow_mut().take();
        let is_ours = given.is_some();
        if let Some(outcome) = given {
            self.end(outcome);
            self.mounted.sending(&Sending::Idle);
        }
        is_ours
    }

    fn end(&self, outcome: Outcome) {
        let phase = phase_of(&outcome);
        self.mounted.update(|ask| {
            ask.apply(AskPatch::Outcome(outcome));
            ask.apply(AskPatch::Phase(phase));
        });
    }
}

/// What the card tells, to JavaScript.
fn tell(hear: &Hear, given: &RefCell<Option<Outcome>>, told: Told) -> bool {
    let (word, first, second) = match told {
        Told::Reply(reply) => {
            let (json, message) = (Json::from(&reply).text(), reply.message());
            given.replace(Some(Outcome::Answered(reply)));
            ("reply", json, message)
        }
        Told::Cancel => {
            given.replace(Some(Outcome::Declined));
            ("cancel", DECLINED_TEXT.to_owned(), String::new())
        }
        Told::ReplyInChat(picks) => ("reply-in-chat", text_of(&picks), String::new()),
        Told::Picks(picks) => ("change", text_of(&picks), String::new()),
        Told::Message(text) => ("message", text, String::new()),
        Told::Extend => ("extend", String::new(), String::new()),
        Told::Change => ("take-back", String::new(), String::new()),
        Told::Next => ("next", String::new(), String::new()),
        Told::ReceiptActions(_) => return false,
    };
    // What throws in a listener, the browser reports by itself.
    hear.call(&JsValue::NULL, word, &first, &second).unwrap_or_default()
}

/// The picks as JSON.
fn text_of(picks: &[Selection]) -> String {
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
    Json::List(all).text()
}

/// The ask of arguments that are complete, as from a history.
fn complete(tool_call_id: &str, arguments: &str, settings: &Settings<'_>) -> AskSnapshot {
    let lang = settings.text("askLang");
    let Some(ask) = AskUserQuestion::from_arguments(arguments) else {
        return AskSnapshot::new(tool_call_id).with_phase(Phase::Malformed).with_lang(lang);
    };
    let outcome = settings.text("result").and_then(|result| Outcome::parse(&ask, &result));
    let phase = outcome.as_ref().map_or_else(|| named(&settings.text("phase").unwrap_or_default()), phase_of);
    let mut snapshot = AskSnapshot::complete(tool_call_id, ask, phase).with_lang(lang);
    snapshot.outcome = outcome;
    snapshot
}

/// The phase of this name; where there is none, an answer is waited for.
fn named(phase: &str) -> Phase {
    Phase::ALL.into_iter().find(|known| known.as_str() == phase).unwrap_or(Phase::Answerable)
}

fn is_over(phase: Phase) -> bool {
    phase.is_over()
}

fn phase_of(outcome: &Outcome) -> Phase {
    match outcome {
        Outcome::Answered(_) | Outcome::RepliedInChat { .. } => Phase::Answered,
        Outcome::Declined => Phase::Declined,
        Outcome::Expired => Phase::Expired,
        Outcome::Superseded => Phase::Superseded,
        Outcome::Cancelled => Phase::Interrupted,
    }
}

/// The properties of the element.
struct Settings<'a>(&'a Json<'a>);

impl Settings<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name)?.as_str().map(str::to_owned)
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Json::as_bool).unwrap_or_default()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(counted)
    }

    fn options(&self) -> Options {
        Options {
            mode: if self.flag("onPick") { SubmitMode::OnPick } else { SubmitMode::Explicit },
            layout: if self.flag("stepped") { Layout::Stepped } else { Layout::Stacked },
            scope: self.text("scope").unwrap_or_default(),
            labels: match self.text("labels") {
                Some(own) => Some(with_own(WORDS, &own)),
                None => self.flag("hasWords").then_some(WORDS),
            },
            heading_level: self.number("headingLevel").map(|level| level.min(6) as u8),
            fresh: self.flag("fresh"),
            claim_focus: self.flag("claimFocus").then(ClaimFocus::if_idle),
            shortcuts: self.flag("shortcuts"),
            readonly: self.flag("readonly"),
            skip: self.flag("allowSkip").then(Skip::button),
            notes: self.flag("notes").then(Notes::field),
            max_length: self.number("maxLength").map(|most| most as usize),
            persist: if self.flag("persist") { Persist::session() } else { Persist::default() },
            expires_at: self.number("expiresAt"),
            held: false,
            parts: self.flag("parts"),
            offers: Offers {
                messages: self.flag("takesMessages"),
                reply_in_chat: self.flag("takesChat"),
                more_time: self.flag("extends"),
                ..Offers::default()
            },
        }
    }
}

/// A whole number above zero.
fn counted(json: &Json<'_>) -> Option<u64> {
    match json {
        Json::Number(number) => number.as_u64().filter(|number| *number > 0),
        _ => None,
    }
}

/// The words that this module was built with: one language, or else the linker would keep all of them.
const WORDS: &Labels = if cfg!(feature = "arabic") {
    &Labels::ARABIC
} else if cfg!(feature = "german") {
    &Labels::GERMAN
} else if cfg!(feature = "japanese") {
    &Labels::JAPANESE
} else if cfg!(feature = "spanish") {
    &Labels::SPANISH
} else {
    &Labels::ENGLISH
};
