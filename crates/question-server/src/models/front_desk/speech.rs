//! What the desk says at each stage.

use super::desk::{Lead, Stage, Topic, Turn};
use super::visit::{Decision, Dollars, INSPECTION_CENTS, RUSH_CENTS, SERVICES, Schedule, Work};
use ask_user_question::{AskUserQuestion, Question, QuestionOption};

/// The label that asks for rush scheduling.
pub(super) const RUSH: &str = "Rush";
/// The label that accepts the estimate.
pub(super) const YES: &str = "Yes";

/// What the desk says and asks at a stage, after what happened last.
pub(super) fn turn(stage: &Stage, lead: &Lead) -> Turn {
    match stage {
        Stage::Empty | Stage::Service => Turn { text: service_lead(lead).to_owned(), ask: Some(ask_service()) },
        Stage::Scheduling { work } => Turn { text: scheduling_lead(lead, work), ask: Some(ask_scheduling()) },
        Stage::Estimate { work, schedule } => {
            Turn { text: estimate_lead(lead, work, schedule), ask: Some(ask_estimate(work, schedule)) }
        }
        Stage::Decided { work, schedule, decision } => Turn { text: summary(work, schedule, decision), ask: None },
        Stage::Left => Turn {
            text: "No problem, nothing has been booked. Write whenever you would like to go on, in your own words."
                .to_owned(),
            ask: None,
        },
    }
}

fn service_lead(lead: &Lead) -> &'static str {
    match lead {
        Lead::Greeting => "Hello, and welcome to the workshop! I can book an appointment for your car.",
        Lead::Aside => {
            "I can only book appointments here; the workshop will gladly answer that when we see your car. So first:"
        }
        Lead::Request | Lead::Answer | Lead::Assumed | Lead::Unanswered => {
            "I can help with that. A few short questions and you have an estimate."
        }
    }
}

fn scheduling_lead(lead: &Lead, work: &Work) -> String {
    match lead {
        Lead::Aside => {
            format!("The workshop will gladly answer that when we see your car. For {work} I only need to know:")
        }
        Lead::Greeting | Lead::Request | Lead::Answer | Lead::Assumed | Lead::Unanswered => {
            format!("{work}: good. When should we do it?")
        }
    }
}

fn estimate_lead(lead: &Lead, work: &Work, schedule: &Schedule) -> String {
    let estimate = estimate(work, schedule);
    match lead {
        Lead::Aside => format!("The workshop will gladly answer that when we see your car. Your estimate: {estimate}."),
        Lead::Assumed => {
            format!("All right, I assume standard scheduling. Your estimate: {estimate}.")
        }
        Lead::Greeting | Lead::Request | Lead::Answer | Lead::Unanswered => {
            format!("Your estimate: {estimate}.")
        }
    }
}

fn estimate(work: &Work, schedule: &Schedule) -> String {
    match work.price(schedule) {
        Some(price) => format!("{work}, {schedule}, {price}"),
        None => {
            let inspection = Dollars(INSPECTION_CENTS);
            format!("{work}, {schedule}, price after inspection (the inspection itself is {inspection})")
        }
    }
}

fn summary(work: &Work, schedule: &Schedule, decision: &Decision) -> String {
    let estimate = estimate(work, schedule);
    match decision {
        Decision::Yes => {
            format!("Booked: {estimate}. You will get a confirmation by text message. Thank you!")
        }
        Decision::No => format!(
            "Understood, nothing has been booked. The estimate was: {estimate}. Write whenever you change your mind."
        ),
        Decision::InOwnWords(text) => {
            format!(
                "I have passed your note “{text}” on to the workshop, with the estimate: {estimate}. Nothing is booked until they confirm."
            )
        }
    }
}

fn ask_service() -> AskUserQuestion {
    let options = SERVICES.iter().map(|service| option(service.label, service.description.to_owned()));
    ask(Topic::Service, "Which service do you need?", options.collect())
}

fn ask_scheduling() -> AskUserQuestion {
    let rush = Dollars(RUSH_CENTS);
    let options = vec![
        option("Standard", "Within five working days".to_owned()),
        option(RUSH, format!("Tomorrow, for {rush} more")),
    ];
    ask(Topic::Scheduling, "Standard or rush scheduling?", options)
}

fn ask_estimate(work: &Work, schedule: &Schedule) -> AskUserQuestion {
    let options = vec![
        option(YES, format!("Book it: {}", estimate(work, schedule))),
        option("No", "Nothing will be booked".to_owned()),
    ];
    ask(Topic::Estimate, "Proceed with this estimate?", options)
}

fn ask(topic: Topic, question: &str, options: Vec<QuestionOption>) -> AskUserQuestion {
    AskUserQuestion {
        questions: vec![Question {
            question: question.to_owned(),
            header: Some(topic.header().to_owned()),
            multi_select: false,
            options,
        }],
    }
}

fn option(label: &str, description: String) -> QuestionOption {
    QuestionOption { label: label.to_owned(), description: Some(description), preview: None }
}
