use serde_json::Value;

/// Whether a value takes more bytes than allowed. It keeps its own stack and stops at the limit, so neither depth nor size hurts.
pub(crate) fn exceeds(value: &Value, limit: usize) -> bool {
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
            Value::String(text) => bytes = bytes.saturating_add(text.len()),
            Value::Array(items) => open.push(Children::Items(items.iter())),
            Value::Object(fields) => open.push(Children::Fields(fields.iter())),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if bytes > limit {
            return true;
        }
    }
}

enum Children<'a> {
    Items(std::slice::Iter<'a, Value>),
    Fields(serde_json::map::Iter<'a>),
}

impl<'a> Iterator for Children<'a> {
    /// The length of the key, where there is one, and the value.
    type Item = (usize, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Items(items) => items.next().map(|value| (0, value)),
            Self::Fields(fields) => fields.next().map(|(key, value)| (key.len(), value)),
        }
    }
}
