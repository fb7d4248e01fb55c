//! What the desk knows and does next, derived from the history: answers come from tool results, never from counting turns.

use super::speech;
use super::visit::{Decision, Schedule, Work};
use crate::models::own_words::begins;
use ask_user_question::reply::Answer;
use ask_user_question::validate::check_text;
use ask_user_question::{AskUserQuestion, Limits, Outcome};
use question_agent::call::ToolInput;
use question_agent::message::Message;
use std::collections::BTreeMap;

/// What the desk says, and what it asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) ask: Option<AskUserQuestion>,
}

/// What a question of the desk is about; its header, and so the key by which a later turn knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Service,
    Scheduling,
    Estimate,
}

impl Topic {
    pub(super) fn header(self) -> &'static str {
        match self {
            Self::Service => "Service",
            Self::Scheduling => "Scheduling",
            Self::Estimate => "Estimate",
        }
    }

    fn of(ask: &AskUserQuestion) -> Option<Self> {
        let header = ask.questions.first()?.header.as_deref()?;
        [Self::Service, Self::Scheduling, Self::Estimate].into_iter().find(|topic| topic.header() == header)
    }
}

/// Where a visit stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nobody has said anything yet.
    #[default]
    Empty,
    /// The desk does not know what is to be done.
    Service,
    /// The desk does not know when.
    Scheduling { work: Work },
    /// The customer has not agreed.
    Estimate { work: Work, schedule: Schedule },
    /// The visit is over, one way or the other.
    Decided { work: Work, schedule: Schedule, decision: Decision },
    /// The customer did not want to be asked.
    Left,
}

/// What happened last, which decides how the desk's turn begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Lead {
    /// The customer came in.
    #[default]
    Greeting,
    /// The customer came in with a request.
    Request,
    /// The question was answered.
    Answer,
    /// The customer asked something back.
    Aside,
    /// The customer would not say when.
    Assumed,
    /// The question ended without an answer.
    Unanswered,
}

/// The next turn after this history.
pub(super) fn turn(history: &[Message]) -> Turn {
    let mut desk = Desk::default();
    for (index, message) in history.iter().enumerate() {
        match message {
            Message::User(message) if begins(history, index) => desk.begin(&message.text),
            message => desk.read(message),
        }
    }
    speech::turn(&desk.stage, &desk.lead)
}

#[derive(Debug, Default)]
struct Desk {
    stage: Stage,
    lead: Lead,
    /// What was asked, by call, until the result is read.
    asked: BTreeMap<String, AskUserQuestion>,
}

impl Desk {
    fn read(&mut self, message: &Message) {
        match message {
            // What goes with an answer repeats what the tool result says.
            Message::User(_) => {}
            Message::Assistant(message) => {
                for call in &message.tool_calls {
                    if let ToolInput::AskUserQuestion { arguments, .. } = &call.input
                        && let Some(ask) = check_text(&Limits::CHAT, arguments).ask
                    {
                        self.asked.insert(call.id.clone(), ask);
                    }
                }
            }
            Message::Tool(result) => {
                if let Some(ask) = self.asked.remove(&result.tool_use_id)
                    && let Some(topic) = Topic::of(&ask)
                {
                    self.end_question(topic, Outcome::parse(&ask, &result.content));
                }
            }
        }
    }

    /// The desk always has a question open until a visit is over, so what is said outside of one starts a new visit.
    fn begin(&mut self, text: &str) {
        self.lead = if is_greeting(text) { Lead::Greeting } else { Lead::Request };
        self.stage = Work::named_in(text).map_or(Stage::Service, |work| Stage::Scheduling { work });
    }

    fn end_question(&mut self, topic: Topic, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Answered(reply)) => match reply.answers().first() {
                Some(answer) if !answer.skipped => self.take_answer(topic, answer),
                Some(_) | None => self.decline(topic),
            },
            Some(Outcome::RepliedInChat { text, .. }) => self.take_text(topic, &text),
            Some(Outcome::Declined) => self.decline(topic),
            Some(Outcome::Expired | Outcome::Superseded | Outcome::Cancelled) | None => {
                self.stage = Stage::Left;
                self.lead = Lead::Unanswered;
            }
        }
    }

    fn take_answer(&mut self, topic: Topic, answer: &Answer) {
        match (answer.selected.first(), &answer.other) {
            (Some(selected), None) => self.take_label(topic, &selected.label),
            (_, Some(text)) => self.take_text(topic, text),
            (None, None) => self.decline(topic),
        }
    }

    fn take_label(&mut self, topic: Topic, label: &str) {
        match topic {
            Topic::Service => {
                self.take_work(Work::labelled(label).unwrap_or_else(|| Work::InOwnWords(label.to_owned())));
            }
            Topic::Scheduling if label == speech::RUSH => self.take_schedule(Schedule::Rush),
            Topic::Scheduling => self.take_schedule(Schedule::Standard),
            Topic::Estimate if label == speech::YES => self.take_decision(Decision::Yes),
            Topic::Estimate => self.take_decision(Decision::No),
        }
    }

    fn take_text(&mut self, topic: Topic, text: &str) {
        let text = text.trim();
        if text.ends_with('?') {
            self.lead = Lead::Aside;
            return;
        }
        match topic {
            Topic::Service => self.take_work(Work::InOwnWords(text.to_owned())),
            Topic::Scheduling => self.take_schedule(Schedule::InOwnWords(text.to_owned())),
            Topic::Estimate => self.take_decision(decision(text)),
        }
    }

    fn take_work(&mut self, work: Work) {
        self.lead = Lead::Answer;
        self.stage = Stage::Scheduling { work };
    }

    fn take_schedule(&mut self, schedule: Schedule) {
        self.lead = Lead::Answer;
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Scheduling { work } => Stage::Estimate { work, schedule },
            other => other,
        };
    }

    fn take_decision(&mut self, decision: Decision) {
        self.lead = Lead::Answer;
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Estimate { work, schedule } => Stage::Decided { work, schedule, decision },
            other => other,
        };
    }

    /// Without a service or a consent nothing can be booked; without a wish for when, standard is what most people want.
    fn decline(&mut self, topic: Topic) {
        match topic {
            Topic::Service => {
                self.lead = Lead::Unanswered;
                self.stage = Stage::Left;
            }
            Topic::Scheduling => {
                self.take_schedule(Schedule::Standard);
                self.lead = Lead::Assumed;
            }
            Topic::Estimate => self.take_decision(Decision::No),
        }
    }
}

/// Only words that can mean nothing else are taken for a yes or a no; everything else goes to a person.
fn decision(text: &str) -> Decision {
    const YES: [&str; 9] = ["yes", "yes please", "yep", "sure", "ok", "okay", "go ahead", "please do", "do it"];
    const NO: [&str; 6] = ["no", "no thanks", "no thank you", "nope", "not now", "cancel"];
    let plain: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    match plain.trim() {
        yes if YES.contains(&yes) => Decision::Yes,
        no if NO.contains(&no) => Decision::No,
        _ => Decision::InOwnWords(text.to_owned()),
    }
}

fn is_greeting(text: &str) -> bool {
    const GREETINGS: [&str; 9] = [
        "hi",
        "hello",
        "hey",
        "good morning",
        "good afternoon",
        "good evening",
        "hi there",
        "hello there",
        "hey there",
    ];
    let plain: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    GREETINGS.contains(&plain.trim())
}
