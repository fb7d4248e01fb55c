//! Questions that a model writes into its text, in the formats of the usual templates, because its endpoint reads no calls.
//!
//! This is for the asking tool alone: a model also quotes what others wrote, and a question does nothing by itself.

use crate::brackets::Brackets;
use serde_json::{Deserializer, Map, Value};
use std::borrow::Cow;

/// Parts of the tags of calls, in small letters and without signs.
const TAGS: [&str; 9] = [
    "toolcall",
    "tooluse",
    "functioncall",
    "invokename",
    "dsml",
    "pythontag",
    "pythonstart",
    "startaction",
    "actionstart",
];

/// Other beginnings of calls, in small letters and without white space.
const MARKS: [&str; 10] = [
    "<function=",
    "<|channel|>commentaryto=",
    "<|start|>assistant<|channel|>commentaryto=",
    "<|start|>assistantto=",
    "<tools><calltool=",
    "<calltool=",
    "[tool_calls]",
    "```tool_code",
    r#"{"arguments":{"questions":"#,
    r#"{"tool_calls":[{"#,
];

/// The beginnings of calls that are JSON alone, up to the name.
const OBJECTS: [&str; 10] = [
    r#"{"name":""#,
    r#"{"tool":""#,
    r#"{"tool_name":""#,
    r#"{"function":""#,
    r#"{"function":{"name":""#,
    r#"{"function_call":{"name":""#,
    r#"{"action":""#,
    r#"{"type":"tool_use","name":""#,
    r#"{"type":"function","name":""#,
    r#"{"type":"function","function":{"name":""#,
];

/// The most bytes of what may become the beginning of a call, and those of a tag or of the language of a code block.
const MAX_BEGINNING: usize = 256;
const MAX_LANGUAGE: usize = 40;

/// The mark around texts of Gemma.
const GEMMAS_QUOTE: &str = r#"<|"|>"#;

/// The deepest element of a call.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    Call,
    /// More text is needed to decide.
    Perhaps,
    Other,
}

/// Returns whether a text begins a call of one of these tools.
pub(crate) fn beginning(text: &str, tools: &[String]) -> Beginning {
    let letters = text.chars().take(MAX_BEGINNING).filter(|c| !c.is_whitespace());
    let start: String = letters.flat_map(char::to_lowercase).collect();
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let code = start.strip_prefix("```").map(|code| code.trim_start_matches(is_letter));
    let tag = text.strip_prefix('<').filter(|tag| tag.starts_with(|c: char| c.is_alphabetic() || "|｜".contains(c)));
    if code == Some("") && text.len() > MAX_LANGUAGE {
        return Beginning::Other;
    }
    let mut is_perhaps = code == Some("") || tag.is_some_and(|tag| !tag.contains('>') && tag.len() < MAX_LANGUAGE);
    let mut begins = |text: &str, mark: &str| {
        is_perhaps |= mark.starts_with(text);
        text.starts_with(mark)
    };
    let signs = |c: char| !c.is_alphanumeric();
    let tag = tag.map(|_| start.split_inclusive('>').next().unwrap_or_default().replace(signs, "")).unwrap_or_default();
    let mut is_call = TAGS.iter().any(|part| tag.contains(part)) || MARKS.iter().any(|mark| begins(&start, mark));
    let bare = code.unwrap_or(&start);
    let bare = bare.strip_prefix('[').filter(|list| !list.starts_with(['[', ']'])).unwrap_or(bare);
    for tool in tools.iter().map(|tool| tool.to_lowercase()) {
        let is_object = bare.is_empty() || bare.starts_with('{');
        is_call |= is_object && OBJECTS.iter().any(|object| begins(bare, &format!("{object}{tool}\"")));
        // The language of a code block stands before the tool's name.
        let named =
            start.strip_prefix("```").and_then(|code| code.get(code.find(&*tool)?..)).filter(|_| code.is_some());
        is_call |= begins(named.unwrap_or(bare), &format!("{tool}(questions="));
        is_call |= begins(&start, &format!("<{tool}>"));
    }
    match (is_call, is_perhaps) {
        (true, _) => Beginning::Call,
        (false, true) if text.len() < MAX_BEGINNING => Beginning::Perhaps,
        (false, _) => Beginning::Other,
    }
}

/// The end of a text that begins like a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Calls: their tools and arguments.
    Calls(Vec<(String, String)>),
    /// A call that cannot be read, or of another tool.
    Unread,
    /// A sentence about calls.
    Text,
}

pub(crate) fn read(text: &str, tools: &[String]) -> Written {
    let text = &*if text.contains(GEMMAS_QUOTE) { of_gemma(text).into() } else { Cow::Borrowed(text) };
    let (mut calls, mut from, mut at) = (Vec::new(), 0, 0);
    let next = |at: usize| tools.iter().filter_map(|tool| Some((at + text[at..].find(tool.as_str())?, tool))).min();
    while let Some((name, tool)) = next(at) {
        at = name + tool.len();
        let call = around(&text[from..], name - from).map(|(arguments, end)| (arguments, from + end));
        let rest = &text[at..];
        let behind = || elements(rest).or_else(|| members(rest)).or_else(|| literal(rest)).or_else(|| object(rest));
        let behind = || behind().map(|(arguments, end)| (arguments, at + end));
        if let Some((arguments, end)) = call.or_else(behind) {
            calls.push((tool.clone(), arguments));
            (from, at) = (end, end);
        }
    }
    if !calls.is_empty() {
        return if is_markup(&text[from..]) { Written::Calls(calls) } else { Written::Text };
    }
    let mut brackets = Brackets::default();
    brackets.feed(&text.as_bytes()[text.find('{').unwrap_or(text.len())..]);
    let tail = text.rsplit(['>', '}', ']', '`']).next().unwrap_or_default();
    let parts = ["{", ")]", "parameter", "arg_key", "argument key", "invoke name="];
    let has_arguments = parts.iter().any(|part| text.contains(part));
    let inner = text.split_once('>').map(|(_, inner)| inner.trim_start()).unwrap_or_default();
    let is_cut = (text.contains('{') && !brackets.are_closed) || inner.starts_with("<invoke name=");
    if has_arguments && (is_cut || !tail.contains(char::is_alphanumeric)) { Written::Unread } else { Written::Text }
}

/// Returns true if no word is outside of tags and brackets.
fn is_markup(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().all(|c| {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0 || !c.is_alphanumeric()
    })
}

/// The arguments in the object around the name at this place, and the object's end.
fn around(text: &str, name: usize) -> Option<(String, usize)> {
    let brace = text[..name].find('{')?;
    let mut objects = Deserializer::from_str(&text[brace..]).into_iter::<Map<String, Value>>();
    let mut call = Value::Object(objects.next()?.ok()?);
    let end = brace + objects.byte_offset();
    for outer in ["/tool_calls/0", "/function_call", "/function"] {
        if let Some(inner) = call.pointer_mut(outer).filter(|inner| inner.is_object()) {
            call = inner.take();
        }
    }
    let Value::Object(mut call) = call else {
        return None;
    };
    let arguments = ["arguments", "parameters", "input", "action_input", "args", "params"]
        .iter()
        .find_map(|member| call.get(*member));
    let arguments = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(arguments) => arguments.to_string(),
        None => {
            call.retain(|member, _| {
                !["name", "tool", "tool_name", "action", "function", "type", "id"].contains(&member.as_str())
            });
            Value::Object(call).to_string()
        }
    };
    (end > name).then_some((arguments, end))
}

/// The object behind a name, and its end.
fn object(text: &str) -> Option<(String, usize)> {
    let brace = text.find('{')?;
    let mut objects = Deserializer::from_str(&text[brace..]).into_iter::<Map<String, Value>>();
    objects.next()?.ok()?;
    let end = brace + objects.byte_offset();
    Some((text[brace..end].to_owned(), end))
}

/// The arguments behind a name as in Python. Their value is not repaired here.
fn literal(text: &str) -> Option<(String, usize)> {
    let value =
        text.strip_prefix('(')?.trim_start().strip_prefix("questions")?.trim_start().strip_prefix(['=', ':'])?;
    let mut brackets = Brackets::default();
    let end = value.bytes().position(|byte| {
        brackets.feed(&[byte]);
        brackets.are_closed
    })?;
    Some((format!("{{\"questions\":{}}}", &value[..=end]), text.len() - value.len() + end + 1))
}

/// JSON in place of what Gemma writes, with its own quotation marks, and with none around names.
fn of_gemma(text: &str) -> String {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut json = String::with_capacity(text.len());
    for (index, part) in text.split(GEMMAS_QUOTE).enumerate() {
        if index % 2 == 1 {
            json.push_str(&Value::from(part).to_string());
            continue;
        }
        for piece in part.split_inclusive([':', ',', '{', '[']) {
            match piece.strip_suffix(':').map(str::trim) {
                Some(name) if is_name(name) => json.extend(["\"", name, "\":"]),
                _ => json.push_str(piece),
            }
        }
    }
    json
}

/// The arguments in elements of their own names, as M3 writes them, and models that know calls from prompts; and their end.
fn members(text: &str) -> Option<(String, usize)> {
    let mut rest = text.strip_prefix("\">").or_else(|| text.strip_prefix('>'))?;
    let arguments = element(&mut rest, MAX_DEPTH).filter(Value::is_object)?;
    Some((arguments.to_string(), text.len() - rest.len()))
}

/// The value of an element, up to the end of its end tag.
fn element(rest: &mut &str, depth: usize) -> Option<Value> {
    let (mut members, mut items) = (Map::new(), Vec::new());
    loop {
        let (text, behind) = rest.split_once('<')?;
        let (tag, behind) = behind.split_once('>')?;
        *rest = behind;
        if tag.starts_with('/') {
            let text = text.trim();
            let is_json = text.starts_with(['[', '{']) || ["true", "false"].contains(&text);
            return Some(match () {
                () if !items.is_empty() => items.into(),
                () if !members.is_empty() => members.into(),
                () => is_json.then(|| serde_json::from_str(text).ok()).flatten().unwrap_or_else(|| text.into()),
            });
        }
        let value = element(rest, depth.checked_sub(1)?)?;
        match tag {
            "item" => items.push(value),
            name => drop(members.insert(name.to_owned(), value)),
        }
    }
}

fn elements_at(text: &str) -> Option<usize> {
    ["parameter=", "parameter name=", "argument key=", "<arg_key>"].iter().filter_map(|mark| text.find(mark)).min()
}

/// The arguments behind a name that have an element each, and their end.
fn elements(text: &str) -> Option<(String, usize)> {
    let (mut arguments, mut rest) = (Map::new(), text);
    while let Some(at) = elements_at(rest) {
        let element = &rest[at..];
        let (name, value) = match element.strip_prefix("<arg_key>") {
            Some(key) => {
                let (key, behind) = key.split_once("</arg_key>")?;
                (key.trim(), behind.split_once("<arg_value>")?.1)
            }
            None => {
                let (attributes, value) = element.split_once('>')?;
                let name = attributes.split_once('=')?.1;
                (name.trim_start_matches('"').split(['"', ' ']).next()?, value)
            }
        };
        let ends = value.match_indices("</").map(|(at, _)| at);
        let is_end = |at: &usize| {
            let tag = value[*at..].split('>').next().unwrap_or_default();
            ["parameter", "argument", "arg_value"].iter().any(|name| tag.ends_with(name))
        };
        let end = ends.into_iter().find(is_end)?;
        let text = value[..end].trim();
        arguments.insert(name.to_owned(), serde_json::from_str(text).unwrap_or_else(|_| text.into()));
        rest = value[end..].split_once('>')?.1;
    }
    (!arguments.is_empty()).then(|| (Value::Object(arguments).to_string(), text.len() - rest.len()))
}
