//! One call, in the words of its host: what was said of it becomes the ask that a card shows.

use ask_user_question::arriving::Arriving;
use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use json_tree::Json;
use std::mem;

/// A call, as far as its host has described it. [`take`](Self::take) notes it; [`show`](Self::show) brings an ask up to date, in one step.
///
/// ```
/// use ask_user_question::{AskSnapshot, Phase};
/// use question_element::call::DescribedCall;
///
/// let (mut call, mut ask) = (DescribedCall::default(), AskSnapshot::new("call-1"));
/// call.take("object", r#"{"questions":[{"question":"Which size?","options":[{"label":"S"}]}]}"#);
/// call.show(&mut ask);
/// assert_eq!(ask.phase, Phase::Streaming);
/// call.take("object", r#"{"questions":[{"question":"Which size?","options":[{"label":"S"},{"label":"M"}]}]}"#);
/// call.take("status", "input-available");
/// call.show(&mut ask);
/// assert_eq!(ask.phase, Phase::Answerable);
/// ```
#[derive(Debug, Default)]
pub struct DescribedCall {
    /// The text of the arguments so far, without what only closes a growing object.
    text: String,
    /// The arguments as an object so far, as JSON.
    object: String,
    /// The last arguments were given as a text.
    is_text: bool,
    /// They came in pieces.
    streams: bool,
    is_finished: bool,
    arriving: Arriving,
    /// The length of the text that the ask shows; `None` if the text has to be shown from its beginning.
    fed: Option<usize>,
    /// The ask shows all of it.
    is_complete: bool,
    /// The phase by the status of the host, and by the status inside the call.
    status: Option<Phase>,
    own_status: Option<Phase>,
    shown_status: Option<Phase>,
    result: String,
    shown_result: String,
    /// The end of the call by a reply that has reached the host.
    sent: Option<Phase>,
}

impl DescribedCall {
    /// Notes what the host says, in a word and a text. Returns false if the word is unknown.
    ///
    /// | word | text | meaning |
    /// |---|---|---|
    /// | `status` | a word, or JSON with a `type` | the phase, in the words of any protocol |
    /// | `call` | JSON | the whole call under the names that protocols have for its parts |
    /// | `args` | a text | the arguments so far; they are complete if the text is and no status is known |
    /// | `object` | JSON | the arguments so far as an object |
    /// | `append` | a text | the next piece of the arguments |
    /// | `finish` | | the arguments are complete |
    /// | `result` | a text | the result of the call; none if empty |
    /// | `sent` | a result | the user's reply has reached the agent |
    pub fn take(&mut self, word: &str, text: &str) -> bool {
        match word {
            "status" => self.status = phase_named(text),
            "call" => self.take_call(text),
            "args" => {
                self.is_text |= !text.is_empty();
                self.arrive(text);
            }
            "object" => {
                self.is_text = false;
                text.clone_into(&mut self.object);
                self.arrive(text.trim_end_matches(['"', ']', '}']));
            }
            "append" if !self.is_complete => {
                self.streams = true;
                self.text.push_str(text);
            }
            "finish" => self.is_finished = true,
            "result" => text.clone_into(&mut self.result),
            "sent" => {
                self.sent = Some(if text == DECLINED_TEXT { Phase::Declined } else { Phase::Answered });
                if self.result.is_empty() {
                    text.clone_into(&mut self.result);
                }
            }
            _ => return word == "append",
        }
        true
    }

    /// Returns true if the arguments come, or came, in pieces while the page is open.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// Brings the ask up to date.
    pub fn show(&mut self, ask: &mut AskSnapshot) {
        let phase = self.status.or(self.own_status);
        if !self.is_complete {
            self.show_arguments(ask, phase);
        }
        if !self.is_complete {
            return;
        }
        if phase != self.shown_status {
            self.shown_status = phase;
            // The result tells best how the call has ended.
            if let Some(phase) = phase.filter(|phase| *phase != Phase::Answered || self.result.is_empty()) {
                set_phase(ask, phase);
            }
        }
        if self.result != self.shown_result {
            self.shown_result.clone_from(&self.result);
            let outcome = ask.ask.as_ref().and_then(|ask| Outcome::parse(ask, &self.result));
            if let Some(outcome) = outcome {
                set_phase(ask, phase_of(&outcome));
                ask.outcome = Some(outcome);
            } else if let Some(phase) = self.sent.or(phase.filter(|phase| *phase == Phase::Answered)) {
                set_phase(ask, phase);
            }
        }
    }

    fn show_arguments(&mut self, ask: &mut AskSnapshot, phase: Option<Phase>) {
        let ends = match phase {
            Some(phase) => phase != Phase::Streaming && !(self.text.is_empty() && self.object.is_empty()),
            None => self.is_text && is_whole(&self.text),
        };
        if (ends || self.is_finished) && !self.is_text && !self.object.is_empty() {
            // The object's end was still to come.
            let object = mem::take(&mut self.object);
            self.arrive(&object);
        }
        let fed = self.fed.unwrap_or_else(|| {
            *ask = AskSnapshot::new(&ask.tool_call_id);
            0
        });
        let is_all = ends || self.is_finished;
        if !is_all || fed > 0 {
            let piece = self.text.get(fed..).unwrap_or_default();
            self.arriving.feed(piece, ask);
            self.fed = Some(self.text.len());
        }
        if !is_all {
            return;
        }
        self.is_complete = true;
        self.shown_status = phase;
        let is_readable = mem::take(&mut self.arriving).finish(&self.text, ask);
        ask.set_phase(match is_readable {
            true => phase.unwrap_or(Phase::Answerable),
            // Arguments that broke off are not damaged.
            false => phase.filter(|phase| phase.is_over()).unwrap_or(Phase::Malformed),
        });
    }

    /// Takes over the arguments so far.
    fn arrive(&mut self, text: &str) {
        if self.is_complete {
            return;
        }
        let is_more = text.starts_with(&self.text);
        // Written in another way than before, it comes once more.
        let is_other = !is_more && !self.text.starts_with(text);
        if is_other {
            self.arriving = Arriving::default();
            self.fed = None;
        }
        if is_more || is_other {
            text.clone_into(&mut self.text);
        }
    }

    fn take_call(&mut self, call: &str) {
        let Ok(call) = Json::parse(call) else { return };
        let named = |names: &[&str]| names.iter().find_map(|name| call.get(name)).map(text_of);
        self.own_status = named(&["state", "status"]).and_then(|status| phase_named(&status));
        if let Some(result) = named(&["result", "output"]) {
            self.result = result;
        }
        let in_function = || call.get("function")?.get("arguments").map(text_of);
        if let Some(arguments) = named(&["args", "input", "arguments"]).or_else(in_function) {
            self.take("object", &arguments);
            self.is_finished |= self.own_status != Some(Phase::Streaming);
        }
    }
}

/// The phase in the words of this crate, `CopilotKit`, assistant-ui and the AI SDK, in any case; alone or as the `type` of an object.
fn phase_named(status: &str) -> Option<Phase> {
    if let Ok(status) = Json::parse(status) {
        return phase_named(status.get("type")?.as_str()?);
    }
    let word = status.to_ascii_lowercase();
    let own = Phase::ALL.into_iter().find(|phase| phase.as_str() == word && *phase != Phase::Malformed);
    own.or_else(|| {
        Some(match word.as_str() {
            "inprogress" | "running" | "input-streaming" | "partial-call" => Phase::Streaming,
            "executing" | "requires-action" | "input-available" | "call" | "approval-requested"
            | "approval-responded" => Phase::Answerable,
            "complete" | "result" | "output-available" => Phase::Answered,
            "output-denied" => Phase::Declined,
            "incomplete" | "error" | "output-error" => Phase::Interrupted,
            _ => return None,
        })
    })
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

/// An ask that can't be read stays damaged until it is over.
fn set_phase(ask: &mut AskSnapshot, phase: Phase) {
    if ask.phase != Phase::Malformed || phase.is_over() {
        ask.set_phase(phase);
    }
}

/// A text as it is, and anything else as JSON.
fn text_of(json: &Json<'_>) -> String {
    json.as_str().map_or_else(|| json.text(), str::to_owned)
}

/// Returns true if nothing can follow the text of an object.
fn is_whole(text: &str) -> bool {
    text.trim_end().ends_with('}') && Json::parse(text).is_ok()
}
