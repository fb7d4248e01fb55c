//! A small page that knows the agent's questions by calls of the tool, and writes the request that takes an answer back.

use ag_ui_stream::asks::reply::RunDefaults;
use ag_ui_stream::conversation::Update;
use ag_ui_stream::{Asks, Conversation};
use ask_user_question::outcome::Readers;
use ask_user_question::reply::Selection;
use ask_user_question::tool::NAMES;
use ask_user_question::{Outcome, Reply};
use wasm_bindgen::prelude::*;

/// One conversation.
#[wasm_bindgen]
pub struct Page {
    conversation: Conversation,
}

impl Default for Page {
    fn default() -> Self {
        Self::new()
    }
}

#[wasm_bindgen]
impl Page {
    /// A conversation in which nothing was said.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self { conversation: Conversation::new(Asks::new(NAMES, Readers::default()), Vec::new()) }
    }

    /// Takes bytes, and gives the calls whose questions changed.
    pub fn feed(&mut self, now: f64, bytes: &[u8]) -> String {
        self.conversation.feed(bytes);
        self.changed(now as u64)
    }

    /// Takes the end of the response.
    pub fn finish(&mut self, now: f64) -> String {
        self.conversation.finish();
        self.changed(now as u64)
    }

    /// All that was said.
    #[must_use]
    pub fn text(&self) -> String {
        self.conversation.thread().messages().iter().map(|message| message.text().into_owned()).collect()
    }

    /// The first question of a call.
    #[must_use]
    pub fn question(&self, call: &str) -> Option<String> {
        Some(self.conversation.asks().ask(call)?.questions.first()?.question.text.clone())
    }

    /// Answers a call of one question with an option, and returns the body to post. New messages in it have ids that begin with the given
    /// one.
    pub fn answer(&mut self, now: f64, call: &str, option: usize, id: &str) -> Option<String> {
        let ask = self.conversation.asks().ask(call)?.ask.clone()?;
        let picked = Selection::picked(0, [option]);
        let outcome = Outcome::Answered(Reply::of(&ask, vec![picked])?);
        let mut made = 0;
        let next_id = || {
            made += 1;
            id.to_owned() + "-" + &made.to_string()
        };
        let request = self.conversation.answer(now as u64, &RunDefaults::default(), call, outcome, next_id).ok()?;
        self.conversation.start_response(&request);
        Some(request.body)
    }
}

impl Page {
    fn changed(&mut self, now: u64) -> String {
        let mut calls = String::new();
        while let Some(update) = self.conversation.next_update(now) {
            let (Update::Ask(delta) | Update::Event { ask: Some(delta), .. }) = update else { continue };
            calls.push_str(self.conversation.asks().at(delta.slot).map_or("", |ask| &ask.tool_call_id));
        }
        calls
    }
}
