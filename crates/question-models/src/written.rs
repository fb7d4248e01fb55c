//! Questions that a model writes into its text, in the formats of the usual templates, because its endpoint reads no calls.
//!
//! This is for the asking tool alone: a model also quotes what others wrote, and a question does nothing by itself.

use crate::brackets::Brackets;
use serde_json::{Deserializer, Map, Value};

/// The beginnings of calls, in small letters and without white space.
const MARKS: [&str; 17] = [
    "<tool_call",
    "<tool_use",
    "<function_call",
    "<function=",
    "<invokename=",
    "<minimax:tool_call",
    "<seed:tool_call",
    "<xai:function_call",
    "<｜dsml｜",
    "<｜tool▁call",
    "<|tool_call",
    "<|python_tag|>",
    "<|functioncallbegin|>",
    "<|channel|>commentaryto=",
    "<|start|>assistant<|channel|>commentaryto=",
    "[tool_calls]",
    r#"{"arguments":{"questions":"#,
];

/// The beginnings of calls that are JSON alone, up to the name.
const OBJECTS: [&str; 7] = [
    r#"{"name":""#,
    r#"{"tool":""#,
    r#"{"tool_name":""#,
    r#"{"function":""#,
    r#"{"function":{"name":""#,
    r#"{"type":"function","name":""#,
    r#"{"type":"function","function":{"name":""#,
];

/// The most bytes of what may become the beginning of a call, and those of the language of a code block.
const MAX_BEGINNING: usize = 256;
const MAX_LANGUAGE: usize = 16;

/// Whether a text begins a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    Call,
    /// More of it will tell.
    Perhaps,
    Other,
}

/// Returns whether a text begins a call of one of these tools.
pub(crate) fn beginning(text: &str, tools: &[String]) -> Beginning {
    let letters = text.chars().take(MAX_BEGINNING).filter(|c| !c.is_whitespace());
    let start: String = letters.flat_map(char::to_lowercase).collect();
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let start = match start.strip_prefix("```").map(|code| code.trim_start_matches(is_letter)) {
        Some("") if text.len() > MAX_LANGUAGE => return Beginning::Other,
        Some("") => return Beginning::Perhaps,
        Some(code) => code,
        None if "```".starts_with(&start) => return Beginning::Perhaps,
        None => &start,
    };
    let start = start.strip_prefix('[').filter(|list| list.is_empty() || list.starts_with('{')).unwrap_or(start);
    let mut is_perhaps = false;
    let mut begins = |mark: &str| {
        is_perhaps |= mark.starts_with(start);
        start.starts_with(mark)
    };
    let mut is_call = MARKS.iter().any(|mark| begins(mark));
    if start.starts_with('{') {
        let named = |tool: &String| OBJECTS.map(|object| format!("{object}{}\"", tool.to_lowercase()));
        is_call |= tools.iter().flat_map(named).any(|mark| begins(&mark));
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

/// Reads the end of an answer.
pub(crate) fn read(text: &str, tools: &[String]) -> Written {
    let (mut calls, mut from, mut at) = (Vec::new(), 0, 0);
    let next = |at: usize| tools.iter().filter_map(|tool| Some((at + text[at..].find(tool.as_str())?, tool))).min();
    while let Some((name, tool)) = next(at) {
        at = name + tool.len();
        let call = around(&text[from..], name - from).map(|(arguments, end)| (arguments, from + end));
        let behind =
            || elements(&text[at..]).or_else(|| object(&text[at..])).map(|(arguments, end)| (arguments, at + end));
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
    let has_arguments = ["{", "parameter", "arg_key"].iter().any(|part| text.contains(part));
    let is_cut = text.contains('{') && !brackets.are_closed;
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
    let mut call = objects.next()?.ok()?;
    let end = brace + objects.byte_offset();
    if let Some(Value::Object(function)) = call.get("function") {
        call = function.clone();
    }
    let arguments = ["arguments", "parameters", "input", "args", "params"].iter().find_map(|member| call.get(*member));
    let arguments = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(arguments) => arguments.to_string(),
        None => {
            call.retain(|member, _| {
                !["name", "tool", "tool_name", "function", "type", "id"].contains(&member.as_str())
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

fn elements_at(text: &str) -> Option<usize> {
    ["parameter=", "parameter name=", "<arg_key>"].iter().filter_map(|mark| text.find(mark)).min()
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
                let (attributes, value) = element.strip_prefix("parameter")?.split_once('>')?;
                let name = attributes.trim_start_matches([' ', '=', '"']).trim_start_matches("name=");
                (name.trim_matches('"').split(['"', ' ']).next()?, value)
            }
        };
        let ends = value.match_indices("</").map(|(at, _)| at);
        let is_end = |at: &usize| {
            value[*at..].split('>').next().is_some_and(|tag| tag.ends_with("parameter") || tag.ends_with("arg_value"))
        };
        let end = ends.into_iter().find(is_end)?;
        let text = value[..end].trim();
        arguments.insert(name.to_owned(), serde_json::from_str(text).unwrap_or_else(|_| text.into()));
        rest = value[end..].split_once('>')?.1;
    }
    (!arguments.is_empty()).then(|| (Value::Object(arguments).to_string(), text.len() - rest.len()))
}
