//! `/conversations/{id}` and what belongs to it.

use crate::house::server;
use crate::http::{get, post, says};
use crate::visitor::Visitor;
use crate::watcher::until_waiting;
use ag_ui_stream::reader::EndOutcome;
use serde_json::json;

#[tokio::test]
async fn a_reply_by_rest_goes_the_same_way() {
    let server = server();
    let visitor = Visitor::asked(&server).await;
    let (call, _) = visitor.waiting();
    let answers = json!({"Which service do you need?": "Brake service"});

    let wrong = post(&server, "/conversations/car/respond", json!({"answers": {"No such question?": "x"}})).await;
    assert_eq!(wrong.refusal(), (400, "invalid_reply".to_owned()));
    // To a question that is gone: what it says is not judged against another.
    let gone = json!({"answers": {"No such question?": "x"}, "toolCallId": "gone"});
    let gone = post(&server, "/conversations/car/respond", gone).await;
    assert_eq!(gone.refusal(), (409, "foreign_reply".to_owned()));

    let body = json!({"answers": answers, "toolCallId": call, "replyId": "one"});
    assert_eq!(post(&server, "/conversations/car/respond", body.clone()).await.status, 200);
    // Again: it has been taken. Another: it comes too late.
    assert_eq!(post(&server, "/conversations/car/respond", body).await.status, 200);
    // The id of the call may be left out: the reply is known by its own.
    let again = json!({"answers": answers, "replyId": "one"});
    let taken = post(&server, "/conversations/car/respond", again).await;
    assert_eq!(taken.status, 200);
    let other = json!({"answers": answers, "toolCallId": call, "replyId": "two"});
    let late = post(&server, "/conversations/car/respond", other).await;
    assert_eq!(late.refusal(), (409, "already_answered".to_owned()));
    assert!(late.json()["winner"]["content"].as_str().is_some_and(|content| content.contains("Brake service")));

    let next = until_waiting(&server, "car", "Standard or rush scheduling?").await;
    assert_ne!(next, call);
    assert_eq!(
        post(&server, "/conversations/car/respond", json!({"answers": {"Standard or rush scheduling?": "Rush"}}))
            .await
            .status,
        200
    );
    until_waiting(&server, "car", "Proceed with this estimate?").await;
}

#[tokio::test]
async fn cancelling_by_rest_ends_the_question_without_a_dangling_call() {
    let server = server();
    Visitor::asked(&server).await;
    let over = json!({"runId": "a run that is over"});
    let late = post(&server, "/conversations/car/cancel", over).await;
    assert_eq!(late.json()["state"]["type"], "awaiting_user_response");
    let cancelled = post(&server, "/conversations/car/cancel", json!({})).await;
    assert_eq!(cancelled.json(), json!({"state": {"type": "idle"}}));
    let described = get(&server, "/conversations/car").await.json();
    assert_eq!(described["pending"], json!([]));
    assert_eq!(described["messages"][2]["error"], "User cancelled the question. This is no answer and no consent.");
    assert_eq!(
        post(&server, "/conversations/car/cancel", json!({})).await.refusal(),
        (409, "nothing_to_cancel".to_owned())
    );
    let late =
        post(&server, "/conversations/car/respond", json!({"answers": {"Which service do you need?": "Oil change"}}))
            .await;
    assert_eq!(late.refusal(), (409, "not_waiting".to_owned()));
}

#[tokio::test]
async fn a_cancel_that_names_its_question_ends_no_other() {
    let server = server();
    let cancel = async |body| post(&server, "/conversations/car/cancel", body).await;
    let mut visitor = Visitor::new(&server, "v", "car");
    visitor.says("I need my car looked at").await;
    let (first, _) = visitor.waiting();
    visitor.picks("Brake service").await;
    let (second, _) = visitor.waiting();

    let late = cancel(json!({"toolCallId": first})).await;
    assert_eq!(late.refusal(), (409, "already_answered".to_owned()));
    assert_eq!(late.json()["outcome"], "answered");
    let foreign = cancel(json!({"toolCallId": "no such call"})).await;
    assert_eq!(foreign.refusal(), (409, "foreign_reply".to_owned()));
    let both = cancel(json!({"toolCallId": second, "runId": "r"})).await;
    assert_eq!(both.refusal(), (400, "bad_request".to_owned()));
    let described = get(&server, "/conversations/car").await.json();
    assert_eq!(described["pending"][0]["toolCallId"], json!(second));

    // Twice, as a client does that has not heard the first answer.
    for _ in 0..2 {
        let cancelled = cancel(json!({"toolCallId": second})).await;
        assert_eq!(cancelled.json(), json!({"state": {"type": "idle"}}));
    }
    let none = cancel(json!({"toolCallId": "no such call"})).await;
    assert_eq!(none.refusal(), (409, "not_waiting".to_owned()));
}

#[tokio::test]
async fn a_run_can_be_asked_for_under_its_conversations_own_path() {
    let server = server();
    let (_, end) = post(&server, "/conversations/t/agent", says("t", "u", "hi")).await.events();
    assert_eq!(end.outcome, EndOutcome::Completed);
    let refused = post(&server, "/conversations/other/agent", says("t", "u", "hi")).await;
    assert_eq!(refused.refusal(), (400, "bad_request".to_owned()));
}
