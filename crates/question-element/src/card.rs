//! The card, as the element's class holds it.
//!
//! Nothing here is borrowed for longer than a call, and every method takes `&self`: what the card tells may lead to another call at once.

use crate::words::with_own;
use ask_user_question::arriving::Arriving;
use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::{AskPatch, Sending};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Reply};
use js_sys::{Array, Function, Object, Reflect};
use question_card::{ClaimFocus, Labels, Layout, MountedCard, Notes, Offers, Options, Persist, Skip, SubmitMode, Told};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Node;

/// One card in a page, taken out when it is freed.
#[wasm_bindgen]
pub struct Card {
    mounted: MountedCard,
    arriving: RefCell<Arriving>,
    /// What was given to the host last.
    given: Rc<RefCell<Option<Outcome>>>,
    has_ended: Cell<bool>,
}

#[wasm_bindgen]
impl Card {
    /// Puts a card at the end of a node. `settings` has the properties of the element. `hear` is called with what happened, in a word, and
    /// up to two values; what it returns says whether a message was taken.
    #[wasm_bindgen(constructor)]
    pub fn new(place: &Node, tool_call_id: &str, settings: &JsValue, hear: Function) -> Self {
        let settings = Settings(settings);
        let given = Rc::<RefCell<Option<Outcome>>>::default();
        let keeps = given.clone();
        let ask = match settings.text("arguments") {
            Some(arguments) => complete(tool_call_id, &arguments, &settings),
            None => AskSnapshot { lang: settings.text("askLang"), ..AskSnapshot::new(tool_call_id) },
        };
        let has_ended = Cell::new(ask.phase != Phase::Streaming);
        let mounted = MountedCard::mount(place, ask, &settings.options(), move |told| tell(&hear, &keeps, told));
        Self { mounted, arriving: RefCell::default(), given, has_ended }
    }

    /// Takes the next piece of the arguments.
    pub fn append(&self, piece: &str) {
        if self.has_ended.get() {
            return;
        }
        let mut patches = Vec::new();
        self.arriving.borrow_mut().feed(piece, |patch| patches.push(patch));
        self.mounted.update(|ask| patches.iter().for_each(|patch| ask.apply(patch)));
    }

    /// Forgets what has arrived: it comes once more, written in another way.
    pub fn restart(&self) {
        if !self.has_ended.get() {
            self.arriving.take();
            self.mounted
                .update(|ask| *ask = AskSnapshot { lang: ask.lang.take(), ..AskSnapshot::new(&ask.tool_call_id) });
        }
    }

    /// Ends the arguments.
    pub fn finish(&self, phase: &str) {
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

    /// The ask stands elsewhere now; one that can't be read stays what it is.
    pub fn phase(&self, phase: &str) {
        let phase = named(phase);
        let is_readable = self.mounted.with(|ask| ask.phase != Phase::Malformed);
        if is_readable || is_over(phase) {
            self.mounted.update(|ask| ask.apply(AskPatch::Phase(phase)));
        }
    }

    /// What the call's result says of how the ask ended. False where it says nothing of that.
    pub fn result(&self, content: &str) -> bool {
        let outcome = self.mounted.with(|ask| Outcome::parse(ask.ask.as_ref()?, content));
        let is_read = outcome.is_some();
        if let Some(outcome) = outcome {
            self.end(outcome);
        }
        is_read
    }

    /// What was given to the host is on its way.
    pub fn pending(&self) {
        self.mounted.sending(&Sending::Pending);
    }

    /// What was given to the host did not go through.
    pub fn fail(&self, reason: String) {
        self.mounted.sending(&Sending::Failed(reason));
    }

    /// What was given to the host went through.
    pub fn sent(&self) {
        let given = self.given.borrow_mut().take();
        if let Some(outcome) = given {
            self.end(outcome);
        }
        self.mounted.sending(&Sending::Idle);
    }

    /// The host's own deadline, in milliseconds since the Unix epoch; not a number where there is none.
    #[wasm_bindgen(js_name = expiresAt)]
    pub fn expires_at(&self, at: f64) {
        // Whole milliseconds, far below what would lose digits.
        self.mounted.expires_at((at > 0.0).then_some(at as u64));
    }

    /// Whether the host keeps the reply until another ask has its answer too.
    pub fn held(&self, held: bool) {
        self.mounted.held(held);
    }

    /// Moves the focus to where the user would go on. False where there is nothing to go to.
    pub fn focus(&self) -> bool {
        self.mounted.focus()
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
fn tell(hear: &Function, given: &RefCell<Option<Outcome>>, told: Told) -> bool {
    let none = JsValue::UNDEFINED;
    let (word, first, second) = match told {
        Told::Reply(reply) => {
            let (json, message) = texts_of(&reply);
            given.replace(Some(Outcome::Answered(reply)));
            ("reply", json.into(), message.into())
        }
        Told::Cancel => {
            given.replace(Some(Outcome::Declined));
            ("cancel", DECLINED_TEXT.into(), none)
        }
        Told::ReplyInChat(picks) => ("reply-in-chat", picks_of(&picks), none),
        Told::Picks(picks) => ("change", picks_of(&picks), none),
        Told::Message(text) => ("message", text.into(), none),
        Told::Extend => ("extend", none.clone(), none),
        Told::Change => ("take-back", none.clone(), none),
        Told::Next => ("next", none.clone(), none),
        Told::ReceiptActions(_) => return false,
    };
    // What throws in a listener, the browser reports by itself.
    hear.call3(&JsValue::NULL, &word.into(), &first, &second).is_ok_and(|taken| taken.is_truthy())
}

/// The reply's JSON, and the text of its message.
fn texts_of(reply: &Reply) -> (String, String) {
    (serde_json::to_string(reply).unwrap_or_default(), reply.message())
}

fn picks_of(picks: &[Selection]) -> JsValue {
    let picks = picks.iter().map(|pick| {
        let object = Object::new();
        let set = |name: &str, value: JsValue| {
            // Refused only by what is frozen.
            let _ = Reflect::set(&object, &name.into(), &value);
        };
        set("question", (pick.question as f64).into());
        let selected: Array = pick.selected.iter().map(|option| JsValue::from(*option as f64)).collect();
        set("selected", selected.into());
        for (name, text) in [("other", &pick.other), ("note", &pick.note)] {
            if let Some(text) = text {
                set(name, text.into());
            }
        }
        if pick.skipped {
            set("skipped", true.into());
        }
        JsValue::from(object)
    });
    picks.collect::<Array>().into()
}

/// The ask of arguments that are complete, as from a history.
fn complete(tool_call_id: &str, arguments: &str, settings: &Settings<'_>) -> AskSnapshot {
    let lang = settings.text("askLang");
    let Some(ask) = AskUserQuestion::from_arguments(arguments) else {
        return AskSnapshot { phase: Phase::Malformed, lang, ..AskSnapshot::new(tool_call_id) };
    };
    let outcome = settings.text("result").and_then(|result| Outcome::parse(&ask, &result));
    let phase = outcome.as_ref().map_or_else(|| named(&settings.text("phase").unwrap_or_default()), phase_of);
    AskSnapshot { outcome, lang, ..AskSnapshot::complete(tool_call_id, ask, phase) }
}

/// The phase of this name; where there is none, an answer is waited for.
fn named(phase: &str) -> Phase {
    Phase::ALL.into_iter().find(|known| known.as_str() == phase).unwrap_or(Phase::Answerable)
}

fn is_over(phase: Phase) -> bool {
    match phase {
        Phase::Streaming | Phase::Ready | Phase::Malformed | Phase::Answerable => false,
        Phase::Answered | Phase::Declined | Phase::Superseded | Phase::Expired | Phase::Interrupted => true,
    }
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

/// The properties of the element, as an object.
struct Settings<'a>(&'a JsValue);

impl Settings<'_> {
    fn value(&self, name: &str) -> JsValue {
        Reflect::get(self.0, &name.into()).unwrap_or_default()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.value(name).as_string()
    }

    fn flag(&self, name: &str) -> bool {
        self.value(name).is_truthy()
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.value(name).as_f64().filter(|number| *number > 0.0)
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
            heading_level: self.number("headingLevel").map(|level| level.min(6.0) as u8),
            fresh: self.flag("fresh"),
            claim_focus: self.flag("claimFocus").then(ClaimFocus::if_idle),
            shortcuts: self.flag("shortcuts"),
            readonly: self.flag("readonly"),
            skip: self.flag("allowSkip").then(Skip::button),
            notes: self.flag("notes").then(Notes::field),
            max_length: self.number("maxLength").map(|most| most as usize),
            persist: if self.flag("persist") { Persist::session() } else { Persist::default() },
            expires_at: self.number("expiresAt").map(|at| at as u64),
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
