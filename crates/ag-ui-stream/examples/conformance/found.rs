//! Streams that were once read wrongly, each with the right result. A case is known by the number at the start of its name.

use crate::Verdict;
use crate::run::Run;
use serde_json::{Value, json};

pub(crate) fn check(name: &str, bytes: &[u8]) -> Verdict {
    let number = name.split('-').next().unwrap_or_default();
    let Some(expected) = expected(number) else {
        return Verdict::Skipped("nobody wrote down what it must give".to_owned());
    };
    let run = match serde_json::from_slice::<Vec<Value>>(bytes) {
        Ok(events) => Run::of_events(&Value::Null, &events),
        Err(_) => Run::of_bytes(&Value::Null, bytes),
    };
    let found = match run {
        Ok(run) => summary(&run),
        Err(message) => return Verdict::Failed(message),
    };
    for (name, expected) in expected.as_object().into_iter().flatten() {
        let found = &found[name];
        if !is_as_expected(name, expected, found) {
            return Verdict::Failed(format!("{name}: {found} instead of {expected}"));
        }
    }
    Verdict::Passed
}

/// The right result; of messages, the named members.
fn expected(number: &str) -> Option<Value> {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}});
    Some(match number {
        "01" | "02" | "04" => {
            json!({"outcome": "completed", "state": {"a": 1}, "warnings": ["patch-failed"]})
        }
        "03" => {
            json!({"outcome": "completed", "messages": [{"content": {"a": {"b": 1}}}], "warnings": ["patch-failed"]})
        }
        "05" => json!({"outcome": "completed", "pending": [], "messages": [
            {"role": "assistant", "toolCalls": [call("call_1", "{}")]},
            {"role": "tool", "toolCallId": "call_1", "content": "sunny"},
        ]}),
        "06" => json!({"outcome": "completed", "pending": ["c2"], "messages": [
            {"role": "assistant", "toolCalls": [call("c1", ""), call("c2", "")]},
            {"role": "tool", "toolCallId": "c1", "content": "x"},
        ]}),
        "07" | "08" => {
            json!({"outcome": "completed", "messages": [{"role": "activity", "metadata": {"a": 1, "b": 2}}]})
        }
        "09" | "11" | "16" => json!({"outcome": "rejected"}),
        "10" | "12" => json!({"outcome": "completed", "warnings": []}),
        "13" => {
            json!({"outcome": "completed", "warnings": ["unknown-member"], "messages": [{"encryptedValue": null}]})
        }
        "14" => {
            json!({"outcome": "completed", "state": {"a": 1, "ok": true}, "warnings": []})
        }
        "15" => json!({"outcome": "completed", "pending": []}),
        "17" => {
            json!({"outcome": "completed", "messages": [{"role": "assistant", "content": "\u{1F600}"}]})
        }
        _ => return None,
    })
}

fn summary(run: &Run) -> Value {
    let codes = run.warnings.iter().map(|warning| warning.code.as_str());
    json!({
        "outcome": run.end.outcome.as_str(),
        "state": run.thread().state(),
        "messages": run.thread().messages(),
        "pending": run.thread().pending_tool_call_ids(),
        "warnings": codes.collect::<Vec<_>>(),
    })
}

fn is_as_expected(name: &str, expected: &Value, found: &Value) -> bool {
    let (Some(expected), Some(found)) = (expected.as_array(), found.as_array()) else {
        return expected == found;
    };
    if name != "messages" {
        return expected == found;
    }
    let mut pairs = expected.iter().zip(found);
    expected.len() == found.len()
        && pairs.all(|(expected, found)| {
            let mut members = expected.as_object().into_iter().flatten();
            members.all(|(name, expected)| found[name] == *expected)
        })
}
