//! The official streams with what they expect.

use crate::Verdict;
use crate::run::Run;
use ag_ui_stream::asks::reply::{RunDefaults, UserTurn};
use ag_ui_stream::event::EventType;
use ag_ui_stream::notice::Notice;
use ag_ui_stream::reader::EndOutcome;
use ag_ui_stream::{Conversation, Event};
use serde_json::Value;

pub(crate) fn check(case: &Value) -> Verdict {
    if case.get("client").is_some() {
        return Verdict::Skipped("is about a client with other settings".to_owned());
    }
    let events: Vec<Value> = case["stream"].as_array().cloned().unwrap_or_default();
    let run = match Run::of_events(&case["input"], &events) {
        Ok(run) => run,
        Err(message) => return Verdict::Failed(message),
    };
    // The reference client admits that it takes a stream that breaks off for a success; the specification forbids that.
    if run.end.outcome == EndOutcome::Truncated && case["expect"]["outcome"] == "completed" && is_truncated(&events) {
        return Verdict::Noted("truncated: closes a gap of the reference client".to_owned());
    }
    match run.check(&case["expect"]) {
        Err(message) => Verdict::Failed(message),
        Ok(()) => run.note(&case["expect"]),
    }
}

/// Returns true if the events stop while a run is open.
fn is_truncated(events: &[Value]) -> bool {
    !matches!(events.last().and_then(|event| event["type"].as_str()), Some("RUN_FINISHED" | "RUN_ERROR"))
}

impl Run {
    fn check(&self, expect: &Value) -> Result<(), String> {
        self.check_outcome(expect)?;
        self.check_events(expect)?;
        self.check_messages(expect)?;
        self.check_warnings(expect)?;
        if let Some(state) = expect.get("state")
            && self.thread().state() != state
        {
            return Err(format!("the state is {}", self.thread().state()));
        }
        check_request(expect)
    }

    fn check_outcome(&self, expect: &Value) -> Result<(), String> {
        let found = match self.end.outcome {
            EndOutcome::Rejected => "failed",
            EndOutcome::Truncated => "truncated",
            _ => "completed",
        };
        if expect["outcome"] != found {
            return Err(format!("the outcome is {found}: {:?}", self.end.error));
        }
        let errors = |event: &Event| (event.kind() == EventType::RunError).then(|| event.text("message").to_owned());
        if let Some(message) = expect.get("runError").and_then(Value::as_str)
            && !self.events.iter().filter_map(errors).any(|error| error == message)
        {
            return Err("its RUN_ERROR did not arrive".to_owned());
        }
        Ok(())
    }

    fn check_events(&self, expect: &Value) -> Result<(), String> {
        if let Some(types) = expect.get("eventTypes").and_then(Value::as_array) {
            let found: Vec<&str> = self.events.iter().map(Event::name).collect();
            if !types.iter().map(Value::as_str).eq(found.iter().map(|name| Some(*name))) {
                return Err(format!("the events are {found:?}"));
            }
        }
        let events = serde_json::to_value(&self.events).map_err(|error| error.to_string())?;
        for (path, value) in expect.get("eventPaths").and_then(Value::as_object).into_iter().flatten() {
            let found = events.pointer(&pointer(path));
            if found != Some(value) {
                return Err(format!("{path} is {found:?}"));
            }
        }
        match texts(expect, "eventAbsentPaths").find(|path| events.pointer(&pointer(path)).is_some()) {
            Some(path) => Err(format!("{path} is there")),
            None => Ok(()),
        }
    }

    fn check_messages(&self, expect: &Value) -> Result<(), String> {
        let messages = serde_json::to_value(self.thread().messages()).map_err(|error| error.to_string())?;
        let messages = messages.as_array().cloned().unwrap_or_default();
        if let Some(count) = expect.get("messageCount").and_then(Value::as_u64)
            && count != messages.len() as u64
        {
            return Err(format!("there are {} messages", messages.len()));
        }
        for (index, expected) in expect.get("messages").and_then(Value::as_array).into_iter().flatten().enumerate() {
            for (name, value) in expected.as_object().into_iter().flatten() {
                let found = messages.get(index).and_then(|message| message.get(name));
                if found != Some(value) {
                    return Err(format!("{name} of message {index} is {found:?}"));
                }
            }
        }
        Ok(())
    }

    fn check_warnings(&self, expect: &Value) -> Result<(), String> {
        if expect.get("noWarnings") == Some(&Value::Bool(true)) && !self.warnings.is_empty() {
            return Err(format!("it warns: {:?}", self.warnings));
        }
        let says = |warning: &Notice, text: &str| {
            warning.to_string().contains(text) || warning.path.as_deref().is_some_and(|path| path.contains(text))
        };
        match texts(expect, "warnings").find(|text| !self.warnings.iter().any(|warning| says(warning, text))) {
            Some(text) => Err(format!("no warning about {text}")),
            None => Ok(()),
        }
    }

    /// The wording of errors is not required, so a difference is only told.
    fn note(&self, expect: &Value) -> Verdict {
        let error = self.end.error.as_ref().map(ToString::to_string).unwrap_or_default();
        match expect.get("errorContains").and_then(Value::as_str) {
            Some(text) if !error.contains(text) => Verdict::Noted(format!("says {error:?}, not {text:?}")),
            _ => Verdict::Passed,
        }
    }
}

/// The texts of a list.
fn texts<'v>(expect: &'v Value, name: &str) -> impl Iterator<Item = &'v str> {
    expect.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Checks the request of the client itself.
fn check_request(expect: &Value) -> Result<(), String> {
    let Some(request) = expect.get("request").and_then(Value::as_object) else {
        return Ok(());
    };
    let said = UserTurn { text: Some("Hello".to_owned()), ..UserTurn::default() };
    let mut ids = 0;
    let next_id = || {
        ids += 1;
        format!("id-{ids}")
    };
    let next = Conversation::default().request(0, &RunDefaults::default(), &said, next_id);
    let input =
        serde_json::to_value(next.map_err(|error| error.to_string())?.input()).map_err(|error| error.to_string())?;
    match request.iter().find(|(name, value)| input.get(name) != Some(value)) {
        Some((name, _)) => Err(format!("the request's {name} is {:?}", input.get(name))),
        None => Ok(()),
    }
}

/// From `2.delta.0.op` to `/2/delta/0/op`.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}
