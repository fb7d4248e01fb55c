//! An own page, without the hook: two cards whose calls stream in, and whose answers are posted by gloo-net.

use ask_user_question::arriving::Arriving;
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use gloo_net::http::Request;
use leptos::prelude::*;
use question_card::{CardOptions, Labels, QuestionCard, Word};

/// A call whose arguments stream in. Its ask grows with each piece, which may be cut anywhere.
pub(crate) struct Call {
    arriving: Arriving,
    arguments: String,
    pub(crate) ask: RwSignal<AskSnapshot>,
}

impl Call {
    pub(crate) fn new(id: &str) -> Self {
        let ask = RwSignal::new(AskSnapshot::new(id));
        Self { arriving: Arriving::default(), arguments: String::new(), ask }
    }

    pub(crate) fn feed(&mut self, piece: &str) {
        self.arguments.push_str(piece);
        self.ask.update(|ask| {
            self.arriving.feed(piece, ask);
        });
    }

    pub(crate) fn end(self) {
        self.ask.update(|ask| {
            let is_readable = self.arriving.finish(&self.arguments, ask);
            ask.set_phase(if is_readable { Phase::Answerable } else { Phase::Malformed });
        });
    }
}

#[component]
fn Asked(ask: RwSignal<AskSnapshot>, options: CardOptions) -> impl IntoView {
    // `new_local`, since what a browser sends stays on its thread. The card shows that it is pending, and an error.
    let on_reply = Action::new_local(move |reply: &Reply| send(ask, reply.clone()));
    let on_cancel = move |()| end(ask, Outcome::Declined, Phase::Declined);
    view! { <QuestionCard ask on_reply on_cancel options /> }
}

async fn send(ask: RwSignal<AskSnapshot>, reply: Reply) -> Result<(), String> {
    let result = reply.to_json().to_string();
    let request = Request::post("/answers").header("content-type", "application/json").body(result);
    let response = request.map_err(|error| error.to_string())?.send().await.map_err(|error| error.to_string())?;
    if !response.ok() {
        return Err(format!("The server said {}.", response.status()));
    }
    end(ask, Outcome::Answered(reply), Phase::Answered);
    Ok(())
}

fn end(ask: RwSignal<AskSnapshot>, outcome: Outcome, phase: Phase) {
    ask.update(|ask| {
        ask.outcome = Some(outcome);
        ask.set_phase(phase);
    });
}

#[component]
pub(crate) fn Page(asks: [RwSignal<AskSnapshot>; 2]) -> impl IntoView {
    let [first, second] = asks;
    let words = Labels::ENGLISH.with_text(Word::Submit, "Send it");
    view! {
        <Asked ask=first options=CardOptions::new().labels(words) />
        <Asked ask=second options=CardOptions::new().labels(Labels::for_lang("de")) />
    }
}

#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "the page is for browsers"))]
fn main() {
    const ARGUMENTS: &str = r#"{"questions":[{"question":"Which size?","options":["Small","Large"]}]}"#;
    let calls = ["call-1", "call-2"].map(Call::new);
    let asks = calls.each_ref().map(|call| call.ask);
    mount_to_body(move || view! { <Page asks /> });
    for mut call in calls {
        call.feed(ARGUMENTS); // As often as a piece arrives.
        call.end();
    }
}
