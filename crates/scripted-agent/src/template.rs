//! Texts with names in braces: `{answer}` is the value of the name, `{price:$}` a number as an amount of money, `{{` and `}}` a brace.

use ask_user_question::AskUserQuestion;
use serde_json::Value;

/// The form in which a name is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberFormat {
    Plain,
    Money,
}

/// Replaces names by their values. An error says which brace or name is wrong.
pub(crate) fn fill(
    text: &str,
    look_up: &mut impl FnMut(&str, NumberFormat) -> Option<String>,
) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        filled.push_str(before);
        if brace.starts_with("{{") || brace.starts_with("}}") {
            filled.push_str(&brace[..1]);
            rest = &brace[2..];
            continue;
        }
        let named = brace.strip_prefix('{').and_then(|named| named.split_once('}'));
        let (named, behind) = named.ok_or("a brace is open or alone; write {{ or }} for a brace itself")?;
        let (name, form) =
            named.strip_suffix(":$").map_or((named, NumberFormat::Plain), |name| (name, NumberFormat::Money));
        filled += &look_up(name, form).ok_or_else(|| format!("{{{name}}} is set nowhere"))?;
        rest = behind;
    }
    Ok(filled + rest)
}

/// As [`fill`], for all texts of an ask.
pub(crate) fn fill_ask(
    ask: &AskUserQuestion,
    look_up: &mut impl FnMut(&str, NumberFormat) -> Option<String>,
) -> Result<AskUserQuestion, String> {
    let texts = serde_json::to_value(ask).expect("an ask has only strings for keys");
    serde_json::from_value(fill_json(&texts, look_up)?).map_err(|error| error.to_string())
}

/// As [`fill`], for all texts in a value.
pub(crate) fn fill_json(
    value: &Value,
    look_up: &mut impl FnMut(&str, NumberFormat) -> Option<String>,
) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => fill(text, look_up)?.into(),
        Value::Array(items) => items.iter().map(|item| fill_json(item, look_up)).collect::<Result<_, _>>()?,
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| Ok((key.clone(), fill_json(value, look_up)?)));
            members.collect::<Result<_, String>>().map(Value::Object)?
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}
