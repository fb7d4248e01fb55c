//! Calls of the asking tool before they could run.

use crate::samples::ask_call;
use ask_user_question::Limits;
use question_agent::call::ToolCall;
use question_agent::registry::{PermissionMode, ToolContext};
use question_agent::{Event, intercept};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn refusal(context: &ToolContext, limits: &Limits, arguments: &str) -> String {
    let call = ToolCall::new("call-1", limits.tool_name(), arguments);
    match intercept(context, limits, &call, None) {
        Some(Event::ToolComplete { result }) => {
            assert!(result.is_error);
            assert_eq!(result.tool_use_id, "call-1");
            result.content
        }
        other => panic!("{arguments} was not refused: {other:?}"),
    }
}

#[test]
fn bypassed_permissions_leave_nobody_to_ask() {
    let context = ToolContext { permission_mode: PermissionMode::BypassPermissions, ..ToolContext::default() };
    let refused = refusal(&context, &Limits::RUNTIME, ask_call("call-1").arguments());
    assert!(refused.contains("not available while permissions are bypassed"), "{refused}");
}

#[test]
fn no_allow_rule_answers_an_ask() {
    let context = r#"{"allowRules":["*","ask_user_question","ask_user_question(*)"]}"#;
    let context: ToolContext = serde_json::from_str(context).expect("it is a context");
    assert_eq!(context, ToolContext::default(), "there are no such rules");
    let judged = intercept(&context, &Limits::RUNTIME, &ask_call("call-1"), None);
    assert!(matches!(judged, Some(Event::AskUserQuestionPending { .. })), "{judged:?}");
}

#[test]
fn unreadable_arguments_are_refused_with_where_and_why() {
    for (arguments, why) in [
        (" ", "questions"),
        ("{\"questions\":[", "ends within a value"),
        ("{} {}", "after the value"),
        (r#"{"questions":[],"questions":[]}"#, r#"the key "questions" is given twice"#),
        (r#"{"questions":[{"question":"A?","question":"B?"}]}"#, r#"the key "question" is given twice"#),
    ] {
        let refused = refusal(&ToolContext::default(), &Limits::RUNTIME, arguments);
        assert!(refused.starts_with("Invalid input:") && refused.contains(why), "{arguments}: {refused}");
    }
}

#[test]
fn every_violation_is_named_at_once() {
    let question = r#"{"question":"Which?","header":"longer than twelve","options":[{"label":"one"}]}"#;
    let arguments = format!(r#"{{"questions":[{question},{question}]}}"#);
    let refused = refusal(&ToolContext::default(), &Limits::RUNTIME, &arguments);
    for path in [
        "questions[0].header",
        "questions[0].options",
        "questions[1].header",
        "questions[1].options",
        "questions[1].question",
    ] {
        assert!(refused.contains(path), "{path} is missing: {refused}");
    }
    let none = refusal(&ToolContext::default(), &Limits::RUNTIME, r#"{"questions":[]}"#);
    assert!(none.starts_with("Invalid input:") && none.contains("Must have 1-4 questions"), "{none}");
}

#[test]
fn what_models_really_send_is_repaired_and_asked() {
    let arguments = r#"{"questions":"[{\"question\":\" Which? \",\"options\":[\"one\",\"two\"]}]"}"#;
    let call = ToolCall::new("call-1", "ask_user_question", arguments);
    let judged = intercept(&ToolContext::default(), &Limits::RUNTIME, &call, None);
    let Some(Event::AskUserQuestionPending { questions, .. }) = judged else {
        panic!("{judged:?}");
    };
    assert_eq!(questions.questions[0].options[1].label, "two");
}
