//! Calls that a model writes into its text, in the formats of the usual templates.

use super::names::find_name;
use serde_json::{Deserializer, Map, Value};

/// A call that was written as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrittenCall {
    pub(super) name: String,
    /// JSON.
    pub(super) arguments: String,
}

/// The names of the member with the arguments.
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "input", "args", "params"];

/// The most bytes between a name and its arguments.
const NEAR: usize = 96;

/// The calls of these tools at the end of a text; `None` if there are none.
pub(super) fn calls(text: &str, tools: &[String]) -> Option<Vec<WrittenCall>> {
    let mut found = from_json(text, tools);
    if found.is_empty() {
        let parts = text.match_indices(['<', '[']).map(|(at, _)| at).filter(|at| begins_call(&text[*at..]));
        let begins: Vec<usize> = parts.collect();
        let ends = begins.iter().copied().skip(1).chain([text.len()]);
        found = begins.iter().zip(ends).filter_map(|(begin, end)| from_markup(&text[*begin..end], tools)).collect();
    }
    (!found.is_empty()).then_some(found)
}

/// Returns true if a text with a marker at its start continues like a call and not like a sentence.
pub(super) fn looks_like_a_call(text: &str) -> bool {
    let Some(behind) = text.strip_prefix(['<', '[']).and_then(|text| text.find(['>', ']']).map(|at| &text[at + 1..]))
    else {
        // A marker without an end, or JSON alone.
        return !text.starts_with('{');
    };
    let behind = behind.trim_start();
    let word = behind.trim_start_matches(|c: char| c.is_alphanumeric() || "_-.:".contains(c));
    let is_markup = |text: &str| text.is_empty() || text.starts_with(['{', '[', '<', '`']);
    is_markup(behind) || (word.len() < behind.len() && (is_markup(word) || word.starts_with('\n')))
}

/// Reads calls that are objects with a name and arguments, or a name with an object behind it.
fn from_json(text: &str, tools: &[String]) -> Vec<WrittenCall> {
    let mut found = Vec::new();
    // If an object cannot be read, the objects in it are tried.
    let (mut at, mut end) = (0, 0);
    while let Some(brace) = text[at..].find('{').map(|brace| at + brace) {
        let mut values = Deserializer::from_str(&text[brace..]).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            at = brace + 1;
            continue;
        };
        let behind = brace + values.byte_offset();
        let before = &text[end..brace];
        let near = find_name(before, tools).filter(|(_, at)| before.len() - at < NEAR && !before[*at..].contains('{'));
        let call = named(&value, tools).or_else(|| {
            near.map(|(name, _)| WrittenCall { name: name.to_owned(), arguments: text[brace..behind].to_owned() })
        });
        found.extend(call);
        (at, end) = (behind, behind);
    }
    found
}

fn named(value: &Value, tools: &[String]) -> Option<WrittenCall> {
    if value["function"].is_object() {
        return named(&value["function"], tools);
    }
    let name = ["name", "tool", "tool_name", "function"].iter().find_map(|key| value[*key].as_str())?;
    let (name, _) = find_name(name, tools)?;
    let arguments = ARGUMENTS.iter().find_map(|key| value.get(*key));
    let arguments = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(value) => json_tree::text(value),
        None => "{}".to_owned(),
    };
    Some(WrittenCall { name: name.to_owned(), arguments })
}

fn begins_call(text: &str) -> bool {
    let tag = text[1..].split('>').next().unwrap_or_default();
    let tag = tag.trim_start_matches("｜DSML｜").trim_start_matches("antml:");
    tag.starts_with("invoke") || tag.starts_with("function=") || tag.starts_with("tool_call")
}

/// One call with an element for each argument.
fn from_markup(text: &str, tools: &[String]) -> Option<WrittenCall> {
    let (name, at) = find_name(text, tools)?;
    let mut rest = &text[at..];
    let mut arguments = Map::new();
    while let Some((key, value, is_text, behind)) = parameter(rest) {
        let read = serde_json::from_str(value.trim()).ok().filter(|_| !is_text);
        arguments.insert(key.to_owned(), read.unwrap_or_else(|| value.trim_matches('\n').into()));
        rest = behind;
    }
    (!arguments.is_empty())
        .then(|| WrittenCall { name: name.to_owned(), arguments: json_tree::text(&Value::Object(arguments)) })
}

/// The next argument: its name, its value, true if the value is text, and the rest behind it.
fn parameter(text: &str) -> Option<(&str, &str, bool, &str)> {
    if let Some((_, rest)) = text.split_once("<arg_key>") {
        let (key, rest) = rest.split_once("</arg_key>")?;
        let (value, rest) = rest.split_once("<arg_value>")?.1.split_once("</arg_value>")?;
        return Some((key.trim(), value, false, rest));
    }
    let (_, rest) = text.split_once("parameter")?;
    let (attributes, rest) = rest.split_once('>')?;
    let key = match attributes.strip_prefix('=') {
        Some(key) => key.trim_matches('"'),
        None => attributes.split_once("name=\"")?.1.split('"').next()?,
    };
    // A value may have elements of its own.
    let ends = rest.match_indices("</").map(|(at, _)| at);
    let mut ends = ends.filter(|at| rest[*at..].split('>').next().is_some_and(|tag| tag.ends_with("parameter")));
    let end = ends.next().unwrap_or(rest.len());
    let behind = rest[end..].split_once('>').map_or("", |(_, behind)| behind);
    Some((key, &rest[..end], attributes.contains("string=\"true\""), behind))
}
