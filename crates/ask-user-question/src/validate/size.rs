use json_tree::Json;
use std::borrow::Cow;

/// Whether a value takes more bytes than allowed. It keeps its own stack and stops at the limit, so neither depth nor size hurts.
pub(crate) fn exceeds(value: &Json<'_>, limit: usize) -> bool {
    let mut bytes = 0usize;
    let mut open: Vec<Children<'_>> = Vec::new();
    let mut next = Some(value);
    loop {
        let Some(value) = next.take() else {
            let Some(children) = open.last_mut() else {
                return false;
            };
            match children.next() {
                Some((key, value)) => {
                    bytes = bytes.saturating_add(key);
                    next = Some(value);
                }
                None => {
                    open.pop();
                }
            }
            continue;
        };
        // One byte stands for a comma, a bracket or a number.
        bytes = bytes.saturating_add(1);
        match value {
            Json::Text(text) => bytes = bytes.saturating_add(text.len()),
            Json::List(items) => open.push(Children::Items(items)),
            Json::Object(fields) => open.push(Children::Fields(fields)),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
        if bytes > limit {
            return true;
        }
    }
}

enum Children<'a> {
    Items(&'a [Json<'a>]),
    Fields(&'a [(Cow<'a, str>, Json<'a>)]),
}

impl<'a> Children<'a> {
    /// The length of the next key, where there is one, and the value.
    fn next(&mut self) -> Option<(usize, &'a Json<'a>)> {
        match self {
            Self::Items(items) => {
                let (value, rest) = items.split_first()?;
                *items = rest;
                Some((0, value))
            }
            Self::Fields(fields) => {
                let ((key, value), rest) = fields.split_first()?;
                *fields = rest;
                Some((key.len(), value))
            }
        }
    }
}
