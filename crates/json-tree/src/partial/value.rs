use super::{Bounds, PartialParser, Token};
use crate::Error;
use serde_json::{Map, Value};

/// The value that arguments add up to so far.
///
/// A key that comes twice holds its last value, as in `serde_json`.
#[derive(Clone, Debug, Default)]
pub struct PartialValue {
    parser: PartialParser,
    tree: Tree,
    error: Option<Error>,
}

/// Values are put into their container when they are complete; what is not complete waits here, from the outside in.
#[derive(Clone, Debug, Default)]
struct Tree {
    open: Vec<Open>,
    root: Option<Value>,
}

#[derive(Clone, Debug)]
enum Open {
    Object { members: Map<String, Value>, key: Option<String> },
    Array(Vec<Value>),
    Text(String),
}

impl PartialValue {
    /// At the start of a text.
    #[must_use]
    pub fn new(limits: Bounds) -> Self {
        Self { parser: PartialParser::new(limits), ..Self::default() }
    }

    /// Takes the next piece of the text.
    ///
    /// # Errors
    /// Where the text cannot be JSON whatever follows; the value so far stays.
    pub fn feed(&mut self, delta: &str) -> Result<(), Error> {
        let Self { parser, tree, .. } = self;
        parser.feed(delta, |event| tree.take(event)).inspect_err(|error| self.error = Some(*error))
    }

    /// Ends the text.
    ///
    /// # Errors
    /// Where the text ends within a value, and the error of [`feed`](Self::feed) where it gave one.
    pub fn finish(&mut self) -> Result<(), Error> {
        let Self { parser, tree, .. } = self;
        parser.finish(|event| tree.take(event)).inspect_err(|error| self.error = Some(*error))
    }

    /// Whether the outermost value is complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.error.is_none() && self.tree.root.is_some()
    }

    /// Why the text is not JSON, where it is not.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        self.error
    }

    /// A copy of the value so far, with strings and containers that are still growing; `None` while nothing began.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        if self.tree.root.is_some() {
            return self.tree.root.clone();
        }
        self.tree.open.iter().rev().fold(None, |inner, open| Some(open.clone().with(inner)))
    }

    /// Whether the value at a JSON pointer is complete, so that it will not change any more; `None` while there is none. (A key that comes
    /// again replaces even a complete one.)
    ///
    /// ```
    /// use json_tree::PartialValue;
    /// let mut arguments = PartialValue::default();
    /// arguments.feed(r#"{"city":"Rome","note":"by tr"#)?;
    /// assert_eq!(arguments.is_closed("/city"), Some(true));
    /// assert_eq!(arguments.is_closed("/note"), Some(false));
    /// assert_eq!(arguments.is_closed("/date"), None);
    /// # Ok::<(), json_tree::Error>(())
    /// ```
    #[must_use]
    pub fn is_closed(&self, pointer: &str) -> Option<bool> {
        let closed = |value: &Value, pointer: &str| value.pointer(pointer).map(|_| true);
        if let Some(root) = &self.tree.root {
            return closed(root, pointer);
        }
        let mut rest = pointer;
        for (level, open) in self.tree.open.iter().enumerate() {
            if rest.is_empty() {
                return Some(false);
            }
            let step = rest.strip_prefix('/')?;
            let (step, after) = step.split_at(step.find('/').unwrap_or(step.len()));
            let has_inner = level + 1 < self.tree.open.len();
            match open {
                Open::Object { members, key } => {
                    let name = step.replace("~1", "/").replace("~0", "~");
                    if !(has_inner && key.as_ref() == Some(&name)) {
                        return closed(members.get(&name)?, after);
                    }
                }
                Open::Array(items) => {
                    let index: usize = step.parse().ok()?;
                    if !(has_inner && index == items.len()) {
                        return closed(items.get(index)?, after);
                    }
                }
                Open::Text(_) => return None,
            }
            rest = after;
        }
        None
    }

    /// The complete value; `None` where the text is not complete.
    #[must_use]
    pub fn into_value(self) -> Option<Value> {
        if self.error.is_none() { self.tree.root } else { None }
    }
}

impl Tree {
    fn take(&mut self, event: Token<'_>) {
        match event {
            Token::ObjectStart => self.open.push(Open::Object { members: Map::new(), key: None }),
            Token::ArrayStart => self.open.push(Open::Array(Vec::new())),
            Token::StringStart => self.open.push(Open::Text(String::new())),
            Token::Key(name) => {
                if let Some(Open::Object { key, .. }) = self.open.last_mut() {
                    *key = Some(name.to_owned());
                }
            }
            Token::Text(fragment) => {
                if let Some(Open::Text(text)) = self.open.last_mut() {
                    text.push_str(fragment);
                }
            }
            Token::ObjectEnd | Token::ArrayEnd | Token::StringEnd => {
                if let Some(open) = self.open.pop() {
                    self.put(open.with(None));
                }
            }
            Token::Number(number) => self.put(Value::Number(number.into())),
            Token::Bool(value) => self.put(Value::Bool(value)),
            Token::Null => self.put(Value::Null),
        }
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::Object { members, key }) => {
                if let Some(key) = key.take() {
                    members.insert(key, value);
                }
            }
            Some(Open::Array(items)) => items.push(value),
            // The parser tells nothing but fragments within a string.
            Some(Open::Text(_)) => {}
        }
    }
}

impl Open {
    /// As a value, with what is open within it.
    fn with(self, inner: Option<Value>) -> Value {
        match self {
            Self::Object { mut members, key } => {
                members.extend(key.zip(inner));
                Value::Object(members)
            }
            Self::Array(mut items) => {
                items.extend(inner);
                Value::Array(items)
            }
            Self::Text(text) => Value::String(text),
        }
    }
}
