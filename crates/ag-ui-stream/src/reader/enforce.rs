//! Enforcement: what 1.0 does not describe is stripped with a warning, a described field that holds something else is fatal.

use super::error::{ErrorCode, StreamError};
use crate::event::{Event, check_operation};
use crate::warning::{Warning, WarningCode};
use crate::wire::{Described, Field, Shape};
use serde_json::{Map, Number, Value};

/// Strips an event of what 1.0 does not describe. `false` where nothing is left of it.
pub(super) fn enforce(event: &mut Value, warnings: &mut Vec<Warning>) -> Result<bool, StreamError> {
    let Some(kind) = event
        .as_object()
        .and_then(|event| event.get("type"))
        .and_then(Value::as_str)
    else {
        return Err(StreamError::new(
            ErrorCode::NotAnEvent,
            "the frame is no object with a string `type`",
        ));
    };
    let Shape::Union { members, .. } = Event::SHAPE else {
        unreachable!("events are a union")
    };
    if !members.iter().any(|(name, _)| *name == kind) {
        let message = format!("an event of the unknown type {kind} was dropped");
        warnings.push(Warning::new(WarningCode::UnknownEvent, message).at("/type"));
        return Ok(false);
    }
    enforce_shape(event, Event::SHAPE, warnings)
}

/// Strips a value of what its description does not have. `false` where nothing is left of it.
pub(super) fn enforce_shape(
    value: &mut Value,
    shape: &'static Shape,
    warnings: &mut Vec<Warning>,
) -> Result<bool, StreamError> {
    let mut walk = Walk {
        path: String::new(),
        warnings,
    };
    walk.value(value, shape).map(|kept| kept == Kept::Yes)
}

/// Whether a value stays where it is, or was of an unknown kind and goes.
#[derive(PartialEq, Eq)]
enum Kept {
    Yes,
    No,
}

struct Walk<'a> {
    /// A JSON pointer to the present value.
    path: String,
    warnings: &'a mut Vec<Warning>,
}

impl Walk<'_> {
    fn value(&mut self, value: &mut Value, shape: &'static Shape) -> Result<Kept, StreamError> {
        match (shape, &mut *value) {
            (Shape::Any, _)
            | (Shape::Text | Shape::TextOrList(_), Value::String(_))
            | (Shape::Flag, Value::Bool(_))
            | (Shape::OpenObject, Value::Object(_)) => Ok(Kept::Yes),
            (Shape::Integer { min }, Value::Number(number)) => self.integer(number, *min),
            (Shape::Choice(choices), Value::String(text)) => {
                if choices.contains(&text.as_str()) {
                    return Ok(Kept::Yes);
                }
                let choices: Vec<String> =
                    choices.iter().map(|choice| format!("{choice:?}")).collect();
                Err(self.malformed(format!("expected {}, found {text:?}", choices.join(" or "))))
            }
            (Shape::List { item, min }, Value::Array(items)) => self.list(items, item, *min),
            (Shape::TextOrList(item), Value::Array(items)) => self.list(items, item, 0),
            (Shape::Object(fields), Value::Object(members)) => self.object(members, fields, None),
            (Shape::Union { tag, members }, Value::Object(object)) => {
                self.union(object, tag, members)
            }
            (Shape::Operation, value) => self.operation(value),
            (shape, found) => {
                let message = format!("expected {}, found {}", expected(shape), kind_of(found));
                Err(self.malformed(message))
            }
        }
    }

    fn integer(&self, number: &mut Number, min: i64) -> Result<Kept, StreamError> {
        let range = min..=Shape::MAX_INTEGER;
        // The schema's integers include 1.0, which serde does not take for one.
        let whole = number
            .as_f64()
            .filter(|it| it.fract() == 0.0 && it.abs() <= Shape::MAX_INTEGER as f64)
            .map(|it| it as i64);
        match number.as_i64().or(whole).filter(|it| range.contains(it)) {
            Some(integer) => {
                *number = integer.into();
                Ok(Kept::Yes)
            }
            None => Err(self.malformed(format!(
                "expected an integer from {min} to {}, found {number}",
                Shape::MAX_INTEGER
            ))),
        }
    }

    fn list(
        &mut self,
        items: &mut Vec<Value>,
        shape: &'static Shape,
        min: usize,
    ) -> Result<Kept, StreamError> {
        let mut kept = Vec::with_capacity(items.len());
        for (index, mut item) in std::mem::take(items).into_iter().enumerate() {
            if self.member(&index.to_string(), &mut item, shape)? == Kept::Yes {
                kept.push(item);
            }
        }
        *items = kept;
        if items.len() < min {
            return Err(self.malformed(format!(
                "expected at least {min} item, found {}",
                items.len()
            )));
        }
        Ok(Kept::Yes)
    }

    fn union(
        &mut self,
        object: &mut Map<String, Value>,
        tag: &'static str,
        members: &'static [(&'static str, &'static Shape)],
    ) -> Result<Kept, StreamError> {
        let Some(kind) = object.get(tag).and_then(Value::as_str) else {
            return Err(self.malformed(format!("expected a string `{tag}`")));
        };
        match members.iter().find(|(name, _)| *name == kind) {
            Some((_, Shape::Object(fields))) => self.object(object, fields, Some(tag)),
            _ => {
                self.warn_unknown(format!("something of the unknown {tag} {kind} was removed"));
                Ok(Kept::No)
            }
        }
    }

    fn object(
        &mut self,
        members: &mut Map<String, Value>,
        fields: &'static [Field],
        tag: Option<&'static str>,
    ) -> Result<Kept, StreamError> {
        let names: Vec<String> = members.keys().cloned().collect();
        for name in names {
            if tag == Some(name.as_str()) {
                continue;
            }
            let Some(field) = fields.iter().find(|field| field.is_named(&name)) else {
                members.remove(&name);
                self.at(&name, |walk| {
                    let message = format!(
                        "the property {name} is not described in version 1.0 and was stripped"
                    );
                    walk.warnings
                        .push(Warning::new(WarningCode::UnknownProperty, message).at(&*walk.path));
                });
                continue;
            };
            let value = members.get_mut(&name).expect("the name is one of its keys");
            if !field.required && value.is_null() {
                return Err(self.at(&name, |walk| {
                    walk.malformed(format!("expected {}, found null", expected(field.shape)))
                }));
            }
            if self.member(&name, value, field.shape)? == Kept::No {
                // Where the field is required, what holds it goes as well.
                if field.required {
                    return Ok(Kept::No);
                }
                members.remove(&name);
            }
        }
        match fields
            .iter()
            .filter(|field| field.required)
            .map(Field::wire_name)
            .find(|name| !members.contains_key(name))
        {
            Some(name) => Err(self.at(&name, |walk| {
                walk.malformed("required, and missing".to_owned())
            })),
            None => Ok(Kept::Yes),
        }
    }

    fn operation(&mut self, value: &Value) -> Result<Kept, StreamError> {
        match check_operation(value) {
            Ok(()) => Ok(Kept::Yes),
            Err(fault) if fault.unknown => {
                self.warn_unknown(
                    "a JSON Patch operation of an unknown kind was removed".to_owned(),
                );
                Ok(Kept::No)
            }
            Err(fault) => {
                self.path.push_str(fault.path);
                Err(self.malformed(fault.message.to_owned()))
            }
        }
    }

    fn member(
        &mut self,
        name: &str,
        value: &mut Value,
        shape: &'static Shape,
    ) -> Result<Kept, StreamError> {
        self.at(name, |walk| walk.value(value, shape))
    }

    /// Does something one level down the path.
    fn at<T>(&mut self, name: &str, inner: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push('/');
        self.path
            .push_str(&name.replace('~', "~0").replace('/', "~1"));
        let result = inner(self);
        self.path.truncate(length);
        result
    }

    fn warn_unknown(&mut self, message: String) {
        self.warnings
            .push(Warning::new(WarningCode::UnknownMember, message).at(&*self.path));
    }

    fn malformed(&self, message: String) -> StreamError {
        StreamError {
            path: Some(self.path.clone()),
            ..StreamError::new(ErrorCode::Malformed, message)
        }
    }
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "a value",
        Shape::Text | Shape::Choice(_) => "a string",
        Shape::Flag => "a boolean",
        Shape::Integer { .. } => "an integer",
        Shape::List { .. } => "an array",
        Shape::TextOrList(_) => "a string or an array",
        Shape::OpenObject | Shape::Object(_) | Shape::Union { .. } | Shape::Operation => {
            "an object"
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
