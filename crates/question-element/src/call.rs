//! Updates about a call, which JavaScript sends.

use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::reply::flat::flat_selection;
use ask_user_question::reply::{Answer, Selection};
use ask_user_question::{AskSnapshot, Outcome, Phase, Reply};
use std::mem;

/// An update about a call: a word and its text. JavaScript reads the arguments and the result, and the card learns of them only by these.
///
/// | word | text | meaning |
/// |---|---|---|
/// | `id` | the name of the call | |
/// | `question`, `header`, `label`, `description`, `preview`, `value`, `image`, `alt` | a piece | the text grows |
/// | the same with a `!` | | it is complete |
/// | `multiSelect` | `true` or `false` | |
/// | `type`, and then `min`, `max`, `step`, `unit`, `default` | as an input has them | what the question asks for instead of a choice |
/// | `showIf`, and then `is` | a text | the earlier question, and the answer to it without which this one is not asked |
/// | `askedBy`, `why` | a text | what the ask says of itself; before `complete` |
/// | `option!`, `whole` | | the option, the question is complete |
/// | `anew` | | the arguments come once more |
/// | `complete` | a phase, or nothing | the arguments are complete |
/// | `damaged` | a phase, or nothing | they can't be read |
/// | `phase` | a phase | |
/// | `outcome` | its kind | the call has ended without an answer |
/// | `detail` | | the answer to a question begins, as the `details` of a result say it |
/// | `pick`, `other`, `note`, `skip` | a text | a part of it |
/// | `answer` | a text | the flat answer to a question |
/// | `replaced` | | as `answered`, of the answer that took its place |
/// | `answered`, `chat` | a phase or nothing, the typed text | they are the whole result; if they do not fit the ask, it is in the phase |
#[derive(Debug)]
pub struct News {
    /// The word, as in the table.
    pub word: String,
    /// The text of the word.
    pub text: String,
    /// The index of the question that the update is about.
    pub question: usize,
    /// The index of the option within that question.
    pub option: usize,
}

/// Applies updates to an ask.
pub fn take(ask: &mut AskSnapshot, news: &[News]) {
    let mut picks = Vec::new();
    let mut said = Vec::new();
    let mut about = (None, None);
    for News { word, text, question, option } in news {
        let (question, option) = (*question, *option);
        match word.as_str() {
            "id" => text.clone_into(&mut ask.tool_call_id),
            "anew" => *ask = AskSnapshot::new(&ask.tool_call_id),
            "complete" => {
                let mut complete = ask.grown();
                (complete.asked_by, complete.why) = mem::take(&mut about);
                ask.ask = Some(complete.into());
                ask.phase = Phase::from_word(text).unwrap_or(Phase::Answerable);
                for asked in &mut ask.questions {
                    // Its text as it was sent is the key of the answer.
                    asked.question.text = asked.question.text.trim().to_owned();
                }
            }
            // Arguments that broke off with the call are not malformed.
            "damaged" => ask.phase = Phase::from_word(text).filter(|phase| phase.is_over()).unwrap_or(Phase::Malformed),
            "phase" => follow(ask, text),
            "outcome" => {
                let outcome = match text.as_str() {
                    "declined" => Outcome::Declined,
                    "expired" => Outcome::Expired,
                    "superseded" => Outcome::Superseded,
                    "withdrawn" => Outcome::Withdrawn,
                    _ => Outcome::Cancelled,
                };
                end(ask, outcome);
            }
            "askedBy" => about.0 = Some(text.clone()),
            "why" => about.1 = Some(text.clone()),
            "answer" => said.push((question, text)),
            "chat" => {
                let complete = ask.ask.clone().unwrap_or_default();
                end(ask, Outcome::replied_in_chat(&complete, text, mem::take(&mut picks)));
            }
            "answered" => match reply(ask, mem::take(&mut picks), &mem::take(&mut said)) {
                Some(reply) => end(ask, Outcome::Answered(reply)),
                None => follow(ask, text),
            },
            "replaced" => ask.replaced = reply(ask, mem::take(&mut picks), &mem::take(&mut said)),
            "detail" => picks.push(Selection::of(question)),
            "pick" | "other" | "note" | "skip" => {
                let Some(pick) = picks.last_mut() else { continue };
                match word.as_str() {
                    "pick" => pick.selected.push(option),
                    "other" => pick.other = Some(text.clone()),
                    "note" => pick.note = Some(text.clone()),
                    _ => pick.skipped = true,
                }
            }
            _ => grow(ask, word, text, question, option),
        }
    }
}

/// Applies a piece of a text, a flag or the end of a part to the growing ask. JavaScript sends the parts in order.
fn grow(ask: &mut AskSnapshot, word: &str, text: &str, question: usize, option: usize) {
    let Some(asked) = nth(&mut ask.questions, question) else { return };
    let (member, closes) = word.strip_suffix('!').map_or((word, false), |member| (member, true));
    let grown = match member {
        "type" => return asked.input = InputKind::from_word(text).map(Input::new),
        "min" | "max" | "step" | "unit" | "default" => {
            if let Some(input) = &mut asked.input {
                let said = match member {
                    "min" => &mut input.min,
                    "max" => &mut input.max,
                    "step" => &mut input.step,
                    "unit" => &mut input.unit,
                    _ => &mut input.default,
                };
                *said = Some(text.to_owned());
            }
            return;
        }
        "showIf" => return asked.show_if = Some(ShowIf::new(text, "")),
        "is" => {
            if let Some(condition) = &mut asked.show_if {
                text.clone_into(&mut condition.is);
            }
            return;
        }
        "multiSelect" => return asked.multi_select = Some(text == "true"),
        "whole" => {
            asked.multi_select.get_or_insert(false);
            return asked.closed = true;
        }
        "question" => &mut asked.question,
        "header" => asked.header.get_or_insert_default(),
        "label" | "description" | "preview" | "value" | "image" | "alt" | "option" => {
            let Some(option) = nth(&mut asked.options, option) else { return };
            match member {
                "label" => &mut option.label,
                "description" => option.description.get_or_insert_default(),
                "preview" => option.preview.get_or_insert_default(),
                "value" => option.value.get_or_insert_default(),
                "image" => option.image.get_or_insert_default(),
                "alt" => option.alt.get_or_insert_default(),
                _ => return option.closed = true,
            }
        }
        // Ignores a member that only another version of the JavaScript knows.
        _ => return,
    };
    grown.text.push_str(text);
    grown.closed |= closes;
}

/// The item at an index, which is appended if it is the next one.
fn nth<T: Default>(items: &mut Vec<T>, index: usize) -> Option<&mut T> {
    if index == items.len() {
        items.push(T::default());
    }
    items.get_mut(index)
}

/// The reply of these picks, or of the flat answers if there are no picks. If there are both, they must agree.
fn reply(ask: &AskSnapshot, mut picks: Vec<Selection>, said: &[(usize, &String)]) -> Option<Reply> {
    let ask = ask.ask.as_deref()?;
    let has_picks = !picks.is_empty();
    for (q, text) in said {
        if !picks.iter().any(|pick| pick.question == *q) {
            picks.push(flat_selection(ask.questions.get(*q)?, *q, text)?);
        }
    }
    let reply = Reply::of(ask, picks)?;
    let says = |answer: &Answer| {
        let said = said.iter().find(|(q, _)| *q == answer.index).map(|(_, text)| *text);
        let typed = ask.questions[answer.index].input.as_ref().filter(|input| input.is_typed());
        answer.text().as_ref() == said
            || typed.zip(said).is_some_and(|(input, said)| {
                input.value(said).is_ok_and(|typed| Some(typed.text()) == answer.given.typed())
            })
    };
    (!has_picks || reply.answers().iter().all(says)).then_some(reply)
}

fn end(ask: &mut AskSnapshot, outcome: Outcome) {
    set_phase(ask, outcome.kind().phase());
    ask.outcome = Some(outcome);
}

/// Applies a phase that the host names.
fn follow(ask: &mut AskSnapshot, phase: &str) {
    if let Some(phase) = Phase::from_word(phase) {
        set_phase(ask, phase);
    }
}

/// An ask that can't be read stays damaged until it is over. One that is asked again has not ended.
fn set_phase(ask: &mut AskSnapshot, phase: Phase) {
    if ask.phase != Phase::Malformed || phase.is_over() {
        ask.set_phase(phase);
    }
}
