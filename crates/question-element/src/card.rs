//! The card, as the element's class holds it.
//!
//! Nothing here is borrowed for longer than a call, and every method takes `&self`: what the card tells may lead to another call at once.

use ask_user_question::arriving::Arriving;
use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::{AskPatch, Sending};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use json_tree::Json;
use question_card::{
    CardEvent, ClaimFocus, Decide, Labels, Layout, MountedCard, Notes, Offers, Options, Parts, Persist, Skip,
    SubmitMode,
};
use std::cell::{Cell, RefCell};
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

    /// For the developer of the page.
    #[wasm_bindgen(js_namespace = console)]
    fn warn(problem: &str);
}

/// One card in a page, taken out when it is freed.
#[wasm_bindgen]
pub struct Card {
    mounted: MountedCard,
    arriving: RefCell<Arriving>,
    has_ended: Cell<bool>,
    words: RefCell<Spoken>,
}

/// The words of a card, and the two sheets of which they were made: that of its language and the host's own.
#[derive(Default)]
struct Spoken {
    sheets: [String; 2],
    labels: Option<Labels>,
}

#[wasm_bindgen]
impl Card {
    /// Puts a card at the end of a node. `options` has the properties of the element, as JSON, with the sheet of its language as `sheet`. `call` is empty, or has the whole `arguments`
    /// of the call, its `phase` and its `result`. `hear` is called with what happened, in a word, and up to two texts; what it returns says
    /// whether a message was taken.
    #[wasm_bindgen(constructor)]
    pub fn new(place: &Node, options: &str, call: &str, hear: Hear) -> Self {
        let words = RefCell::default();
        let options = Json::parse(options).unwrap_or(Json::Null);
        let (options, call) = (Settings(&options), Json::parse(call).unwrap_or(Json::Null));
        let (id, call) = (options.text("toolCallId").unwrap_or_default(), Settings(&call));
        let ask = match call.text("arguments") {
            Some(arguments) => complete(&id, &arguments, &call),
            None => AskSnapshot::new(id),
        };
        let has_ended = Cell::new(ask.phase != Phase::Streaming);
        let labels = options.labels(&words);
        let mounted = MountedCard::mount(place, ask, &options.options(labels), move |event| tell(&hear, event));
        Self { mounted, arriving: RefCell::default(), has_ended, words }
    }

    /// Tells the card something, in a word and a text. One function for all, because each that JavaScript can call is code of its own.
    ///
    /// | word | text | what it means |
    /// |---|---|---|
    /// | `set` | properties, as JSON | the options, and the name of the call |
    /// | `append` | a piece | the arguments go on |
    /// | `restart` | | what has arrived comes once more, written in another way |
    /// | `finish` | a phase | the arguments are complete |
    /// | `phase` | a phase | the ask stands elsewhere; one that can't be read stays what it is |
    /// | `result` | the call's | how the ask ended; false where it says nothing of that |
    /// | `fail` | a reason | what was given to the host did not go through |
    /// | `focus` | | the focus is to go where the user would go on; false where there is nothing to go to |
    pub fn tell(&self, word: &str, text: &str) -> bool {
        match word {
            "set" => self.set(text),
            "append" => self.append(text),
            "restart" => self.restart(),
            "finish" => self.finish(text),
            "phase" => self.phase(text),
            "result" => return self.result(text),
            "fail" => self.mounted.sending(&Sending::Failed(text.to_owned())),
            "focus" => return self.mounted.focus(),
            _ => return false,
        }
        true
    }
}

impl Card {
    fn set(&self, options: &str) {
        let options = Json::parse(options).unwrap_or(Json::Null);
        let options = Settings(&options);
        let id = options.text("toolCallId").unwrap_or_default();
        if self.mounted.with(|ask| ask.tool_call_id != id) {
            self.mounted.update(|ask| ask.tool_call_id = id);
        }
        self.mounted.set(&options.options(options.labels(&self.words)));
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
            self.mounted.update(|ask| *ask = AskSnapshot::new(&ask.tool_call_id));
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
            // What broke off is not damaged.
            None => ask
                .apply(AskPatch::Phase(Some(named(phase)).filter(|phase| is_over(*phase)).unwrap_or(Phase::Malformed))),
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

    fn end(&self, outcome: Outcome) {
        let phase = phase_of(&outcome);
        self.mounted.update(|ask| {
            ask.apply(AskPatch::Outcome(outcome));
            ask.apply(AskPatch::Phase(phase));
        });
    }
}

/// What the card tells, to JavaScript.
fn tell(hear: &Hear, event: CardEvent) -> bool {
    let (word, first, second) = match event {
        CardEvent::Reply(reply) => ("reply", Json::from(&reply).text(), reply.message()),
        CardEvent::Cancel => ("decline", DECLINED_TEXT.to_owned(), String::new()),
        CardEvent::ReplyInChat(picks) => ("reply-in-chat", text_of(&picks), String::new()),
        CardEvent::Picks(picks) => ("draft", text_of(&picks), String::new()),
        CardEvent::Message(text) => ("late-message", text, String::new()),
        CardEvent::Extend => ("extend", String::new(), String::new()),
        CardEvent::ReceiptActions(place) => {
            let slot = place.as_ref().and_then(|place| place.owner_document()?.create_element("slot").ok());
            if let (Some(place), Some(slot)) = (place, slot) {
                // Neither is refused: the name is one, and a place takes children.
                let _ = slot.set_attribute("name", "receipt-actions");
                let _ = place.append_child(&slot);
            }
            return false;
        }
        // Nothing that the element offers.
        _ => return false,
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
    let phase = || named(&settings.text("phase").unwrap_or_default());
    let Some(ask) = AskUserQuestion::from_arguments(arguments) else {
        return AskSnapshot::new(tool_call_id)
            .with_phase(Some(phase()).filter(|phase| is_over(*phase)).unwrap_or(Phase::Malformed));
    };
    let outcome = settings.text("result").and_then(|result| Outcome::parse(&ask, &result));
    let phase = outcome.as_ref().map_or_else(phase, phase_of);
    let mut snapshot = AskSnapshot::complete(tool_call_id, ask, phase);
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

    fn is(&self, name: &str, word: &str) -> bool {
        self.0.get(name).and_then(Json::as_str) == Some(word)
    }

    /// The words, which stay as they are where their sheets do. Without any, the card is in the language of the page.
    fn labels(&self, words: &RefCell<Spoken>) -> Option<Labels> {
        let mut spoken = words.borrow_mut();
        // A sheet is given once.
        let sheet = self.text("sheet").unwrap_or_else(|| spoken.sheets[0].clone());
        let sheets = [sheet, self.text("labels").unwrap_or_default()];
        if spoken.sheets != sheets {
            let mut labels = None;
            for sheet in sheets.iter().filter(|sheet| !sheet.is_empty()) {
                let before = labels.unwrap_or(Labels::ENGLISH);
                let (with, problems) =
                    Json::parse(sheet).map(|sheet| before.with(&sheet)).unwrap_or((before, Vec::new()));
                labels = Some(with);
                for problem in problems {
                    warn(&["question-card: labels: ", &problem.to_string()].concat());
                }
            }
            *spoken = Spoken { sheets, labels };
        }
        spoken.labels.clone().or_else(|| self.flag("hasWords").then_some(Labels::ENGLISH))
    }

    fn options(&self, labels: Option<Labels>) -> Options {
        Options {
            mode: if self.is("mode", "on-pick") { SubmitMode::OnPick } else { SubmitMode::Explicit },
            layout: if self.is("layout", "stepped") { Layout::Stepped } else { Layout::Stacked },
            scope: self.text("scope").unwrap_or_default(),
            labels,
            heading_level: self.number("headingLevel").map(|level| level.min(6) as u8),
            fresh: self.flag("fresh"),
            claim_focus: self.is("claimFocus", "if-idle").then(ClaimFocus::if_idle),
            shortcuts: !self.flag("noShortcuts"),
            readonly: self.flag("readonly"),
            skip: self.flag("allowSkip").then(Skip::button),
            notes: (!self.flag("noNotes")).then(Notes::field),
            agent_decides: self.text("agentDecides").map(Decide::button),
            max_length: self.number("maxLength").map(|most| most as usize),
            persist: if self.is("persist", "session") { Persist::session() } else { Persist::default() },
            expires_at: self.number("expiresAt"),
            held: self.flag("held"),
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

/// A whole number above zero.
fn counted(json: &Json<'_>) -> Option<u64> {
    match json {
        Json::Number(number) => number.as_u64().filter(|number| *number > 0),
        _ => None,
    }
}
