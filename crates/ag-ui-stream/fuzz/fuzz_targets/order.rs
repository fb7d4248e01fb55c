//! Events in any order are allowed or refused as a model of the specification's rules has it, which knows nothing of the table.
#![no_main]

use ag_ui_stream::EventReader;
use libfuzzer_sys::fuzz_target;
use std::collections::{BTreeMap, BTreeSet};

fuzz_target!(|steps: Vec<(u8, u8)>| {
    let (mut reader, mut model) = (EventReader::new(), Model::default());
    for (kind, id) in steps {
        let (kind, id) = (KINDS[usize::from(kind) % KINDS.len()], format!("i{}", id % 3));
        reader.feed_json(&json(kind, &id));
        let is_allowed = model.take(kind, &id);
        let mut told = std::iter::from_fn(|| reader.next_event());
        let refused = told.find_map(Result::err);
        assert_eq!(refused.is_none(), is_allowed, "{kind} {id}: {refused:?}");
        if !is_allowed {
            return;
        }
    }
});

const KINDS: [&str; 20] = [
    "RUN_STARTED",
    "RUN_FINISHED",
    "RUN_ERROR",
    "STEP_STARTED",
    "STEP_FINISHED",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "TOOL_CALL_RESULT",
    "REASONING_START",
    "REASONING_END",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "CUSTOM",
];

fn json(kind: &str, id: &str) -> String {
    let members = match kind {
        "RUN_STARTED" | "RUN_FINISHED" => format!(r#""threadId":"t","runId":"{id}""#),
        "RUN_ERROR" => r#""message":"m""#.to_owned(),
        "STEP_STARTED" | "STEP_FINISHED" => format!(r#""stepName":"{id}""#),
        "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" => format!(r#""messageId":"{id}","delta":"d""#),
        "TOOL_CALL_START" => format!(r#""toolCallId":"{id}","toolCallName":"f""#),
        "TOOL_CALL_ARGS" => format!(r#""toolCallId":"{id}","delta":"d""#),
        "TOOL_CALL_END" => format!(r#""toolCallId":"{id}""#),
        "TOOL_CALL_RESULT" => format!(r#""messageId":"r{id}","toolCallId":"{id}","content":"c""#),
        "REASONING_MESSAGE_START" => format!(r#""messageId":"{id}","role":"reasoning""#),
        "SUBAGENT_STARTED" => format!(r#""subagentRunId":"{id}","name":"n""#),
        "SUBAGENT_FINISHED" => format!(r#""subagentRunId":"{id}""#),
        "CUSTOM" => r#""name":"n","value":null"#.to_owned(),
        _ => format!(r#""messageId":"{id}""#),
    };
    format!(r#"{{"type":"{kind}",{members}}}"#)
}

/// The rules as the specification words them: what may begin, what is open, what must be closed.
#[derive(Default)]
struct Model {
    run: Option<String>,
    /// `Some` once a run has ended, true if it failed.
    ended: Option<bool>,
    /// The open items of each family of events.
    open: BTreeMap<&'static str, BTreeSet<String>>,
    /// The texts, calls, thoughts and spans that ended in the run.
    closed: BTreeSet<(&'static str, String)>,
    /// The subagents that were ever started in the run.
    subagents: BTreeSet<String>,
}

impl Model {
    fn take(&mut self, kind: &str, id: &str) -> bool {
        match (kind, &self.run) {
            // The same start once more is dropped.
            ("RUN_STARTED", Some(run)) => return run == id,
            ("RUN_STARTED", None) => {
                *self = Self { run: Some(id.to_owned()), ..Self::default() };
                return true;
            }
            // A failure may come first, and late.
            ("RUN_ERROR", _) => {
                *self = Self { ended: Some(true), ..Self::default() };
                return true;
            }
            // Events after a failure are dropped, and the next run begins again.
            (_, None) => return self.ended == Some(true),
            // A run may end under another id.
            ("RUN_FINISHED", Some(_)) => {
                let is_allowed = self.open.values().all(BTreeSet::is_empty);
                *self = Self { ended: Some(false), ..Self::default() };
                return is_allowed;
            }
            _ => {}
        }
        let family = match kind {
            _ if kind.starts_with("STEP") => "step",
            _ if kind.starts_with("TEXT") => "text",
            _ if kind.starts_with("TOOL") => "call",
            _ if kind.starts_with("REASONING_MESSAGE") => "reasoning message",
            _ if kind.starts_with("REASONING") => "reasoning",
            _ => "subagent",
        };
        let open = self.open.entry(family).or_default();
        match kind.rsplit('_').next() {
            Some("STARTED" | "START") => {
                let is_first = family != "subagent" || self.subagents.insert(id.to_owned());
                open.insert(id.to_owned()) && is_first
            }
            Some("FINISHED") => open.remove(id),
            Some("END") if open.remove(id) => {
                self.closed.insert((family, id.to_owned()));
                true
            }
            // What comes behind an end is dropped, or goes on with the text.
            Some("END" | "ARGS" | "CONTENT") => open.contains(id) || self.closed.contains(&(family, id.to_owned())),
            // Results and what applications say may come at any time.
            _ => true,
        }
    }
}
