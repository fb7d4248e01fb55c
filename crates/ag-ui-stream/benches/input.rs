//! Inputs of the benchmarks.

use ag_ui_stream::Message;
use ag_ui_stream::sse::write_event;
use serde_json::{Value, json};

/// The lengths of an ask's arguments, in bytes.
pub(crate) const SIZES: [(&str, usize); 4] =
    [("1 KB", 1_000), ("10 KB", 10_000), ("100 KB", 100_000), ("1 MB", 1_000_000)];

/// As many bytes as a network gives at once.
pub(crate) const CHUNK: usize = 4096;

/// A run that asks one question.
pub(crate) struct Input {
    /// The stream. Each event is one frame, ended by a blank line.
    pub(crate) bytes: Vec<u8>,
    /// The number of its events.
    pub(crate) events: usize,
    /// The JSON that the deltas add up to.
    pub(crate) arguments: String,
}

impl Input {
    /// With about `size` bytes of arguments, which come in deltas of 1 to 20 bytes.
    pub(crate) fn of(size: usize) -> Self {
        let arguments = arguments(size);
        let run = |kind| json!({"type": kind, "threadId": "thread-1", "runId": "run-1"});
        let call = |kind| json!({"type": kind, "toolCallId": CALL});
        let mut start = call("TOOL_CALL_START");
        start["toolCallName"] = "ask_user_question".into();
        let mut events = vec![run("RUN_STARTED"), start];
        let mut rest = arguments.as_str();
        let mut random: u32 = 1;
        while !rest.is_empty() {
            random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let length = (random >> 16) as usize % 20 + 1;
            let (delta, after) = rest.split_at(rest.ceil_char_boundary(length));
            let mut args = call("TOOL_CALL_ARGS");
            args["delta"] = delta.into();
            events.push(args);
            rest = after;
        }
        events.extend([call("TOOL_CALL_END"), run("RUN_FINISHED")]);
        let mut text = String::new();
        let count = events.len();
        for event in events {
            write_event(&mut text, &typed(event), None).expect("there is no id");
        }
        Self { bytes: text.into_bytes(), events: count, arguments }
    }
}

/// The call that every [`Input`] makes.
pub(crate) const CALL: &str = "call_0123456789";

/// Messages that were there before: what was asked, what was answered, and now and then a call with its result.
pub(crate) fn history(length: usize) -> Vec<Message> {
    let message = |index: usize| match index % 10 {
        8 => json!({"role": "assistant", "id": format!("message-{index}"), "toolCalls": [{
            "id": format!("call-{index}"), "type": "function",
            "function": {"name": "look_up", "arguments": "{\"query\":\"opening hours\"}"},
        }]}),
        9 => {
            json!({"role": "tool", "id": format!("message-{index}"), "toolCallId": format!("call-{}", index - 1),
            "content": "Monday to Friday, eight to six"})
        }
        even if even % 2 == 0 => json!({"role": "user", "id": format!("message-{index}"),
            "content": "Can you look at my car this week? It makes a noise."}),
        _ => json!({"role": "assistant", "id": format!("message-{index}"),
            "content": "Of course. When does it make that noise, and since when?"}),
    };
    (0..length).map(message).map(typed).collect()
}

/// One question with four options, all texts of one length and some characters of each in need of an escape.
fn arguments(size: usize) -> String {
    let text = |length: usize| -> String {
        let sentence = "Which of these would you \"really\" rather have, and why? Größe egal. ";
        let text: String = sentence.chars().cycle().take(length).collect();
        text.trim_end().to_owned()
    };
    let ask = |length| {
        let options: Vec<Value> =
            (1..=4).map(|index| json!({"label": format!("Option {index}"), "description": text(length)})).collect();
        json!({"questions": [
            {"question": text(length), "header": "Choice", "multiSelect": false, "options": options},
        ]})
        .to_string()
    };
    let (without, with_some) = (ask(0).len(), ask(1_000).len());
    ask(size.saturating_sub(without) * 1_000 / (with_some - without))
}

fn typed<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("what is made here is of the type")
}
