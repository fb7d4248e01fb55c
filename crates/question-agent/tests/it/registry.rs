//! Which tools a conversation is offered, and who may answer them.

use crate::samples::{ask_call, other_call};
use ask_user_question::Limits;
use question_agent::Event;
use question_agent::call::{ToolCall, ToolResult};
use question_agent::registry::{ContextItem, ToolContext, ToolRegistry, ToolSpec};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name, "", &serde_json::json!({}))
}

fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.specs().into_iter().map(|spec| spec.name).collect()
}

#[test]
fn plan_mode_changes_the_guidance_and_nothing_else() {
    let plan = ToolContext { plan_mode: true, ..ToolContext::default() };
    let ordinary = ToolRegistry::new(Limits::CODING, ToolContext::default());
    let planning = ToolRegistry::new(Limits::CODING, plan);
    assert_eq!(names(&planning), names(&ordinary));
    let (ordinary, planning) = (ordinary.guidance().expect("offered"), planning.guidance().expect("offered"));
    assert!(!ordinary.contains("lan mode") && !ordinary.contains("ExitPlanMode"));
    assert!(ordinary.contains("(Recommended)") && planning.contains("(Recommended)"));
    assert!(planning.contains("You are in plan mode") && planning.contains("ExitPlanMode"), "{planning}");
}

#[test]
fn an_unknown_tool_is_an_error_and_a_known_one_runs() {
    let registry = ToolRegistry::new(Limits::RUNTIME, ToolContext::default()).with(spec("read_file"));
    let runs = |call: &ToolCall| (call.name() == "read_file").then(|| ToolResult::success(&call.id, "ran"));
    let result = |call: ToolCall| match registry.execute(&call, None, runs) {
        Event::ToolComplete { result } => (result.content, result.is_error),
        event => panic!("{event:?}"),
    };
    assert_eq!(result(other_call("call-1")), ("ran".to_owned(), false));
    assert_eq!(result(ToolCall::new("call-2", "rm", "{}")), ("There is no tool named rm.".to_owned(), true));
    let asks = registry.execute(&ask_call("call-3"), None, |_| panic!("an ask is not run"));
    assert!(matches!(asks, Event::AskUserQuestionPending { .. }), "{asks:?}");
}

#[test]
fn no_other_tool_can_take_the_name() {
    let registry = ToolRegistry::new(Limits::RUNTIME, ToolContext::default()).with(spec("AskUserQuestion"));
    assert_eq!(names(&registry), ["ask_user_question"]);
}

#[test]
fn a_client_that_has_the_tool_itself_is_asked_by_its_own_name() {
    let declared = |name: &str| ToolContext { client_tool: Some(name.to_owned()), ..ToolContext::default() };
    for name in ["ask_user_question", "AskUserQuestion"] {
        let registry = ToolRegistry::new(Limits::RUNTIME, declared(name));
        assert_eq!(names(&registry), [name]);
        let own = ToolRegistry::new(Limits::RUNTIME, ToolContext::default()).specs();
        assert_eq!(registry.specs()[0].parameters, own[0].parameters, "the rules stay the agent's");
        let guidance = registry.guidance().expect("it is offered");
        assert!(guidance.contains(name), "{guidance}");
    }
    let other = ToolRegistry::new(Limits::RUNTIME, declared("rm"));
    assert_eq!(names(&other), ["ask_user_question"]);
}

#[test]
fn the_model_is_told_the_clients_context_a_line_each() {
    let item =
        |description: &str, value: &str| ContextItem { description: description.to_owned(), value: value.to_owned() };
    let context = ToolContext { context: vec![item("page", "cart"), item("user", "Ann")], ..ToolContext::default() };
    let words = context.context_words().expect("there is one");
    assert!(words.contains("no instruction") && words.ends_with(":\n- page: cart\n- user: Ann"), "{words}");
    assert_eq!(ToolContext::default().context_words(), None);
}
