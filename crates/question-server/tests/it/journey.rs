//! The front desk's conversations, through HTTP from end to end.

use crate::house::server;
use crate::http::get;
use crate::visitor::Visitor;
use ag_ui_stream::asks::reply::Delivery;
use ask_user_question::{Outcome, Phase};
use serde_json::Value;

const SERVICE: &str = "Which service do you need?";
const SCHEDULING: &str = "Standard or rush scheduling?";
const ESTIMATE: &str = "Proceed with this estimate?";

/// Checks that the server's history is the client's, and no call in it lacks its result.
async fn check_in_step(visitor: &Visitor, thread_id: &str) {
    let stored = get(&visitor.server, &format!("/conversations/{thread_id}")).await.json();
    let ours = serde_json::to_value(visitor.conversation.thread().messages()).expect("messages are JSON");
    assert_eq!(comparable(&stored["messages"]), comparable(&ours));
}

/// Without what only the server can say: that a result is an error, and that a typed message was an answer.
fn comparable(messages: &Value) -> Vec<Value> {
    let mut messages = messages.as_array().expect("messages are a list").clone();
    for message in &mut messages {
        let from_user = message["role"] == "user";
        let message = message.as_object_mut().expect("a message is an object");
        message.remove("error");
        if from_user {
            message.remove("metadata");
        }
    }
    messages
}

#[tokio::test]
async fn three_taps_and_a_summary_that_uses_all_of_them() {
    for delivery in [Delivery::UserMessage, Delivery::ToolResult, Delivery::Resume] {
        let mut visitor = Visitor::new(&server(), "v", "car").delivering(delivery);
        visitor.says("I need my car looked at").await;
        assert!(visitor.is_asked(SERVICE));
        let labels: Vec<String> =
            visitor.waiting().1.questions[0].options.iter().map(|option| option.label.clone()).collect();
        assert_eq!(labels, ["Brake service", "Oil change", "Tire rotation", "Inspection"]);
        visitor.picks("Brake service").await;
        assert!(visitor.is_asked(SCHEDULING));
        let text = visitor.picks("Rush").await;
        assert!(visitor.is_asked(ESTIMATE));
        assert!(text.contains("$239.00"), "{text}");
        let summary = visitor.picks("Yes").await;
        for part in ["Booked", "Brake service", "rush", "$239.00"] {
            assert!(summary.contains(part), "{part} is missing: {summary}");
        }
        assert!(visitor.is_asked_nothing());
        let phases: Vec<Phase> = visitor.conversation.asks().asks().map(|ask| ask.phase).collect();
        assert_eq!(phases, [Phase::Answered; 3]);
        check_in_step(&visitor, "car").await;
    }
}

#[tokio::test]
async fn own_words_work_at_every_question() {
    let mut visitor = Visitor::new(&server(), "v", "car");
    visitor.says("Hello!").await;
    assert!(visitor.is_asked(SERVICE));
    let text = visitor.types("A rattle, left front").await;
    assert!(visitor.is_asked(SCHEDULING) && text.contains("A rattle, left front"), "{text}");
    let text = visitor.types("Next Tuesday").await;
    assert!(visitor.is_asked(ESTIMATE) && text.contains("after inspection"), "{text}");
    let summary = visitor.types("Only if my cousin can do it").await;
    for part in
        ["A rattle, left front", "Next Tuesday", "after inspection", "Only if my cousin can do it", "Nothing is booked"]
    {
        assert!(summary.contains(part), "{part} is missing: {summary}");
    }
    assert!(visitor.is_asked_nothing());
}

#[tokio::test]
async fn typing_in_the_composer_answers_what_waits() {
    let mut visitor = Visitor::asked(&server()).await;
    // As a client that knows nothing of asks: the message alone, and the server says what the call came to.
    for (typed, next) in [("oil change", SCHEDULING), ("standard", ESTIMATE)] {
        visitor.says_beside_the_ask(typed).await;
        assert!(visitor.is_asked(next), "{typed}");
    }
    let summary = visitor.says_beside_the_ask("yes please").await;
    assert!(summary.contains("Booked: Oil change, standard scheduling, $59.00"), "{summary}");
    check_in_step(&visitor, "car").await;
}

#[tokio::test]
async fn a_question_back_is_answered_and_the_desk_asks_again() {
    let mut visitor = Visitor::asked(&server()).await;
    for (question, then) in [(SERVICE, "Inspection"), (SCHEDULING, "Standard"), (ESTIMATE, "Yes")] {
        let text = visitor.types("Do you have a coffee machine?").await;
        assert!(text.contains("gladly answer"), "{text}");
        assert!(visitor.is_asked(question));
        visitor.picks(then).await;
    }
    assert!(visitor.is_asked_nothing());
}

#[tokio::test]
async fn declining_is_never_taken_for_consent() {
    let mut visitor = Visitor::asked(&server()).await;
    let text = visitor.ends_question(Outcome::Declined).await;
    assert!(text.contains("nothing has been booked") && visitor.is_asked_nothing(), "{text}");

    visitor.says("Well, I need an oil change").await;
    assert!(visitor.is_asked(SCHEDULING), "the service was named");
    let text = visitor.ends_question(Outcome::Declined).await;
    assert!(text.contains("I assume standard scheduling") && visitor.is_asked(ESTIMATE), "{text}");
    let text = visitor.ends_question(Outcome::Declined).await;
    assert!(text.contains("nothing has been booked") && visitor.is_asked_nothing(), "{text}");
    check_in_step(&visitor, "car").await;
}

#[tokio::test]
async fn a_new_request_starts_from_the_beginning() {
    let mut visitor = Visitor::new(&server(), "v", "car");
    for (service, price) in [("Tire rotation", "$39.00"), ("Inspection", "$79.00")] {
        visitor.says("I need my car looked at").await;
        visitor.picks(service).await;
        visitor.picks("Standard").await;
        let summary = visitor.picks("Yes").await;
        assert!(summary.contains(service) && summary.contains(price), "{summary}");
    }
    visitor.says("One more thing").await;
    assert!(visitor.is_asked(SERVICE));
    visitor.picks("Oil change").await;
    visitor.picks("Standard").await;
    let summary = visitor.picks("No").await;
    assert!(summary.contains("nothing has been booked") && summary.contains("$59.00"), "{summary}");
}

/// Without a pause the desk says this in more pieces than there was room for before its client had read them.
#[tokio::test]
async fn a_run_with_long_words_is_read_to_its_end() {
    let mut visitor = Visitor::asked(&server()).await;
    let text = visitor.types(&"a b ".repeat(15_000)).await;
    assert!(visitor.is_asked(SCHEDULING) && text.len() > 59_000, "{}", text.len());
    visitor.types(&"next week, ".repeat(5_400)).await;
    assert!(visitor.is_asked(ESTIMATE));
    visitor.picks("Yes").await;
    check_in_step(&visitor, "car").await;
}

#[tokio::test]
async fn a_message_without_a_mark_behind_an_answer_is_part_of_it() {
    let mut visitor = Visitor::new(&server(), "v", "car").unmarked();
    visitor.says("I need my car looked at").await;
    visitor.picks("Brake service").await;
    assert!(visitor.is_asked(SCHEDULING));
    visitor.picks("Rush").await;
    assert!(visitor.is_asked(ESTIMATE));
    let booked = visitor.picks("Yes").await;
    assert!(booked.contains("Booked: Brake service"), "{booked}");
    // With nothing asked it begins something.
    visitor.says("Now an oil change").await;
    assert!(visitor.is_asked(SCHEDULING));
}
