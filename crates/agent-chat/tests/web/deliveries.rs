//! Every delivery that there is, with every way in which an agent asks and a user answers: what is sent.

use crate::scripted_agent::{self, Call, Request};
use crate::server::Server;
use crate::visitor::{SIZE, Visitor};
use agent_chat::{ChatOptions, Delivery, Status, Trouble};
use ask_user_question::Phase;
use ask_user_question::snapshot::ReplyState;
use std::fmt::Write;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The form in which the agent asks.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// By a call that is left open.
    Call,
    /// By a call whose result says that the question was put.
    Acknowledged,
    /// By a call that its run stops for.
    Interrupt,
}

/// The action of the user.
#[derive(Clone, Copy, Debug)]
enum Act {
    Picks,
    Types,
    Cancels,
}

const FORMS: [Form; 3] = [Form::Call, Form::Acknowledged, Form::Interrupt];
const ACTS: [Act; 3] = [Act::Picks, Act::Types, Act::Cancels];

#[test]
async fn each_delivery_sends_what_it_is_called_for() {
    for key in [None, Some("Bearer abc")] {
        let headers: Vec<_> = key.iter().map(|key| ("Authorization".to_owned(), (*key).to_owned())).collect();
        let mut sent = String::new();
        for delivery in Delivery::ALL.into_iter().filter(|delivery| *delivery != Delivery::Endpoint) {
            for form in FORMS {
                for act in ACTS {
                    let options = ChatOptions::new("/agent").with_delivery(delivery).with_headers(headers.clone());
                    let visitor = asked(options, form).await;
                    let what = what_goes_out(&visitor, act, key).await;
                    writeln!(sent, "{}, {form:?}, {act:?}: {what}", delivery.as_str()).expect("a text takes all");
                }
            }
        }
        assert_eq!(sent, ELSEWHERE, "{key:?}");
    }
}

#[test]
async fn each_delivery_sends_what_it_is_called_for_to_question_server() {
    let mut sent = String::new();
    for delivery in Delivery::ALL {
        for act in ACTS {
            let server = Server::new();
            let (visitor, _stream) = server.asked_visitor_with(server.options().with_delivery(delivery)).await;
            let what = what_goes_out(&visitor, act, None).await.replace(&server.id, "ID");
            writeln!(sent, "{}, {act:?}: {what}", delivery.as_str()).expect("a text takes all");
        }
    }
    assert_eq!(sent, TO_QUESTION_SERVER);
}

/// A visitor who was asked for the size in this form.
async fn asked(options: ChatOptions, form: Form) -> Visitor {
    let (visitor, call) = Visitor::greeting_with(options).await;
    call.asks("c1", SIZE);
    match form {
        Form::Call => call.finishes(),
        Form::Acknowledged => {
            call.event(
                r#"{"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c1","content":"The user was asked."}"#,
            );
            call.finishes();
        }
        Form::Interrupt => call.interrupts(r#"[{"id":"i1","reason":"tool_call","toolCallId":"c1"}]"#),
    }
    visitor.sees_status(Status::Idle).await;
    visitor.sees_phase("c1", Phase::Answerable).await;
    visitor
}

/// Does it, and says what is sent. Its headers have this key.
async fn what_goes_out(visitor: &Visitor, act: Act, key: Option<&str>) -> String {
    match act {
        Act::Picks => visitor.picks("c1", SIZE, 1),
        Act::Types => drop(visitor.chat.send("the blue one")),
        Act::Cancels => drop(visitor.chat.cancel("c1")),
    }
    let refusal = || match visitor.reply_to("c1") {
        ReplyState::Failed(why) if why == Trouble::NothingToResume.to_string() => Some("NothingToResume".to_owned()),
        ReplyState::Failed(why) => Some(why),
        _ => None,
    };
    visitor.sees("what is sent", |_| refusal().is_some() || !scripted_agent::waiting().is_empty()).await;
    if let Some(why) = refusal() {
        return why;
    }
    let name = scripted_agent::waiting().swap_remove(0);
    if name != "POST /agent" {
        let request = Request::next(&name).await;
        assert_eq!(request.header("authorization").as_deref(), key);
        let mut body = request.body();
        if let Some(body) = body.as_object_mut() {
            body.remove("replyId");
        }
        return format!("{name} {body}").replace(DETAILS_SORTED, "");
    }
    let call = Call::next().await;
    assert_eq!(call.header("authorization").as_deref(), key);
    let input = call.input;
    let new = input.messages.iter().filter(|message| !["u1", "a1", "t1"].contains(&message.id()));
    let new = new.skip_while(|message| message.role() == "assistant" || message.text() == "Hello");
    let mut sent: Vec<_> = new.map(|message| format!("{} {}", message.role(), message.text())).collect();
    for answer in input.resume.iter().flatten() {
        let answer = serde_json::to_value(answer).expect("it is plain data");
        sent.push(format!("resume {} {}", answer["status"].as_str().unwrap_or_default(), answer["payload"]));
    }
    // Free text comes with details that tell it from an option.
    sent.join("; ").replace(DETAILS, "").replace(DETAILS_SORTED, "")
}

const DETAILS: &str = r#","details":[{"index":0,"header":"Size","selected":[],"other":"the blue one","status":"answered"}],"message":"What is `other` in `details` was typed by the user and is none of the options.""#;
const DETAILS_SORTED: &str = r#","details":[{"header":"Size","index":0,"other":"the blue one","selected":[],"status":"answered"}],"message":"What is `other` in `details` was typed by the user and is none of the options.""#;

const ELSEWHERE: &str = r#"automatic, Call, Picks: tool {"answers":{"Which size?":"Large"}}
automatic, Call, Types: tool {"answers":{"Which size?":"the blue one"}}
automatic, Call, Cancels: tool User cancelled the question. This is no answer and no consent.
automatic, Acknowledged, Picks: user Large
automatic, Acknowledged, Types: user the blue one
automatic, Acknowledged, Cancels: user User cancelled the question. This is no answer and no consent.
automatic, Interrupt, Picks: resume resolved {"answers":{"Which size?":"Large"}}
automatic, Interrupt, Types: resume resolved {"answers":{"Which size?":"the blue one"}}
automatic, Interrupt, Cancels: resume cancelled null
user-message, Call, Picks: tool {"answers":{"Which size?":"Large"}}; user Large
user-message, Call, Types: tool {"answers":{"Which size?":"the blue one"}}; user the blue one
user-message, Call, Cancels: tool User cancelled the question. This is no answer and no consent.
user-message, Acknowledged, Picks: user Large
user-message, Acknowledged, Types: user the blue one
user-message, Acknowledged, Cancels: user User cancelled the question. This is no answer and no consent.
user-message, Interrupt, Picks: resume resolved {"answers":{"Which size?":"Large"}}
user-message, Interrupt, Types: resume resolved {"answers":{"Which size?":"the blue one"}}
user-message, Interrupt, Cancels: resume cancelled null
tool-result, Call, Picks: tool {"answers":{"Which size?":"Large"}}
tool-result, Call, Types: tool {"answers":{"Which size?":"the blue one"}}
tool-result, Call, Cancels: tool User cancelled the question. This is no answer and no consent.
tool-result, Acknowledged, Picks: user Large
tool-result, Acknowledged, Types: user the blue one
tool-result, Acknowledged, Cancels: user User cancelled the question. This is no answer and no consent.
tool-result, Interrupt, Picks: resume resolved {"answers":{"Which size?":"Large"}}
tool-result, Interrupt, Types: resume resolved {"answers":{"Which size?":"the blue one"}}
tool-result, Interrupt, Cancels: resume cancelled null
resume, Call, Picks: NothingToResume
resume, Call, Types: NothingToResume
resume, Call, Cancels: NothingToResume
resume, Acknowledged, Picks: NothingToResume
resume, Acknowledged, Types: NothingToResume
resume, Acknowledged, Cancels: NothingToResume
resume, Interrupt, Picks: resume resolved {"answers":{"Which size?":"Large"}}
resume, Interrupt, Types: resume resolved {"answers":{"Which size?":"the blue one"}}
resume, Interrupt, Cancels: resume cancelled null
"#;

const TO_QUESTION_SERVER: &str = r#"automatic, Picks: tool {"answers":{"Which size?":"Large"}}; user Large
automatic, Types: tool {"answers":{"Which size?":"the blue one"}}; user the blue one
automatic, Cancels: tool User cancelled the question. This is no answer and no consent.
user-message, Picks: tool {"answers":{"Which size?":"Large"}}; user Large
user-message, Types: tool {"answers":{"Which size?":"the blue one"}}; user the blue one
user-message, Cancels: tool User cancelled the question. This is no answer and no consent.
tool-result, Picks: tool {"answers":{"Which size?":"Large"}}
tool-result, Types: tool {"answers":{"Which size?":"the blue one"}}
tool-result, Cancels: tool User cancelled the question. This is no answer and no consent.
resume, Picks: resume resolved {"answers":{"Which size?":"Large"}}
resume, Types: resume resolved {"answers":{"Which size?":"the blue one"}}
resume, Cancels: resume cancelled null
rest, Picks: POST /conversations/ID/respond {"answers":{"Which size?":"Large"},"toolCallId":"c1"}
rest, Types: POST /conversations/ID/respond {"answers":{"Which size?":"the blue one"},"toolCallId":"c1"}
rest, Cancels: POST /conversations/ID/cancel {"toolCallId":"c1"}
"#;
