//! Enforcement: what 1.0 does not describe is stripped with a warning, a described field that holds something else is fatal.

use super::error::{ErrorCode, StreamError, Verdict};
use crate::event::check_operation;
use crate::warning::{Warning, WarningCode, Warnings};
use crate::wire::{Field, Presence, Shape, Union, text, whole};
use json_tree::{Json, Members};
use std::borrow::Cow;

/// Strips a value of what its shape does not have. False where it is of an unknown kind, so that nothing is left of it.
pub(super) fn enforce(tree: &mut Json<'_>, shape: &'static Shape, warnings: &mut Warnings) -> Verdict<bool> {
    Walk::new(Mode::Lenient, warnings).value(tree, shape, Path::ROOT)
}

/// As [`enforce`], for the members of an object of which the kind is known.
pub(super) fn enforce_kind(
    members: &mut Members<'_>,
    union: &'static Union,
    kind: usize,
    warnings: &mut Warnings,
) -> Verdict<bool> {
    Walk::new(Mode::Lenient, warnings).kind(members, union, kind, Path::ROOT)
}

/// As [`enforce`], but refuses what would be stripped or translated.
pub(crate) fn check_strictly(tree: &mut Json<'_>, shape: &'static Shape) -> Verdict {
    let mut warnings = Warnings::default();
    Walk::new(Mode::Strict, &mut warnings).value(tree, shape, Path::ROOT)?;
    match warnings.take() {
        None => Ok(()),
        Some(warning) => {
            let mut error = StreamError::new(ErrorCode::Malformed, warning.message);
            error.path = warning.path;
            Err(error)
        }
    }
}

/// What becomes of retired forms.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// They are translated.
    Lenient,
    /// They are refused.
    Strict,
}

struct Walk<'w> {
    mode: Mode,
    warnings: &'w mut Warnings,
}

/// Whether the value stays.
type Kept = Verdict<bool>;

impl<'w> Walk<'w> {
    fn new(mode: Mode, warnings: &'w mut Warnings) -> Self {
        Self { mode, warnings }
    }

    fn value(&mut self, tree: &mut Json<'_>, shape: &'static Shape, path: Path<'_>) -> Kept {
        match (shape, &mut *tree) {
            (Shape::Any, _)
            | (Shape::Text | Shape::TextOrList(_), Json::Text(_))
            | (Shape::Flag, Json::Bool(_))
            | (Shape::OpenObject, Json::Object(_)) => Ok(true),
            (Shape::Integer { min }, Json::Number(number)) => match whole(number) {
                Some(integer) if integer >= *min => Ok(true),
                _ => {
                    let max = Shape::MAX_INTEGER;
                    Err(path.malformed(format!("expected an integer from {min} to {max}, found {number}")))
                }
            },
            (Shape::Choice(choices), Json::Text(text)) => {
                if choices.contains(&&**text) {
                    return Ok(true);
                }
                let choices = choices.join("\" or \"");
                Err(path.malformed(format!("expected \"{choices}\", found {text:?}")))
            }
            (Shape::OpenChoice(choices), Json::Text(text)) => {
                let is_known = choices.contains(&&**text);
                if !is_known {
                    let message = format!("the unknown {text} was removed");
                    self.warn(WarningCode::UnknownMember, message, path);
                }
                Ok(is_known)
            }
            (Shape::List { item, min }, Json::List(items)) => self.list(items, item, *min, path),
            (Shape::TextOrList(item), Json::List(items)) => self.list(items, item, 0, path),
            (Shape::Object(fields), Json::Object(members)) => self.object(members, fields, None, path),
            (Shape::Union(union), Json::Object(members)) => self.union(members, union, path),
            (Shape::Operation, tree) => self.operation(tree, path),
            (shape, found) => Err(path.unexpected(shape, found)),
        }
    }

    fn list(&mut self, items: &mut Vec<Json<'_>>, shape: &'static Shape, min: usize, path: Path<'_>) -> Kept {
        let mut kept = 0;
        for index in 0..items.len() {
            if self.value(&mut items[index], shape, path.to(Step::Index(index)))? {
                items.swap(kept, index);
                kept += 1;
            }
        }
        items.truncate(kept);
        if kept < min {
            return Err(path.malformed(format!("expected at least {min} item, found {kept}")));
        }
        Ok(true)
    }

    fn union(&mut self, members: &mut Members<'_>, union: &'static Union, path: Path<'_>) -> Kept {
        let mut kind = union.kind(members);
        if kind.is_none() && self.mode == Mode::Lenient {
            (union.translate_retired)(members);
            kind = union.kind(members);
            if kind.is_some() {
                let message = "a retired form was translated".to_owned();
                self.warn(WarningCode::Retired, message, path);
            }
        }
        if let Some(kind) = kind {
            return self.kind(members, union, kind, path);
        }
        let Some(kind) = text(members, union.tag) else {
            return Err(path.malformed(format!("expected a string `{}`", union.tag)));
        };
        let message = format!("something of the unknown {} {kind} was removed", union.tag);
        self.warn(WarningCode::UnknownMember, message, path);
        Ok(false)
    }

    fn kind(&mut self, members: &mut Members<'_>, union: &'static Union, kind: usize, path: Path<'_>) -> Kept {
        let (_, fields) = union.kinds[kind];
        self.object(members, fields, Some(union.tag), path)
    }

    /// Puts the members that are described into the order of the fields, behind the tag if there is one. The others stay behind them, where
    /// nobody will ask for them.
    fn object(
        &mut self,
        members: &mut Members<'_>,
        fields: &'static [Field],
        tag: Option<&'static str>,
        path: Path<'_>,
    ) -> Kept {
        let mut known = 0;
        if let Some(tag) = tag {
            bring(members, tag, 0);
            known = 1;
        }
        for field in fields {
            let path = path.to(Step::Name(field.name));
            let required = field.presence == Presence::Required;
            let Some(member) = bring(members, field.name, known) else {
                if required {
                    return Err(path.malformed("required, and missing".to_owned()));
                }
                continue;
            };
            known += 1;
            if !required && *member == Json::Null {
                if self.mode == Mode::Strict || field.presence != Presence::Nullable {
                    return Err(path.unexpected(field.shape, member));
                }
            } else if !self.value(member, field.shape, path)? {
                // Where the field is required, what holds it goes as well.
                if required {
                    return Ok(false);
                }
                *member = Json::Null;
            }
        }
        if known < members.len() {
            self.warn_of_unknown(&members[known..], fields, tag, path);
        }
        Ok(true)
    }

    fn warn_of_unknown(
        &mut self,
        members: &[(Cow<'_, str>, Json<'_>)],
        fields: &'static [Field],
        tag: Option<&'static str>,
        path: Path<'_>,
    ) {
        for (name, _) in members {
            if !fields.iter().any(|field| field.name == name) && tag != Some(name) {
                let message = format!("the property {name} is not described in version 1.0 and was stripped");
                let path = path.to(Step::Name(name));
                self.warn(WarningCode::UnknownProperty, message, path);
            }
        }
    }

    fn operation(&mut self, operation: &Json<'_>, path: Path<'_>) -> Kept {
        match check_operation(operation) {
            Ok(()) => Ok(true),
            Err(fault) if fault.unknown => {
                let message = "a JSON Patch operation of an unknown kind was removed";
                self.warn(WarningCode::UnknownMember, message.to_owned(), path);
                Ok(false)
            }
            Err(fault) => {
                let member = path.to(Step::Name(fault.member));
                let path = if fault.member.is_empty() { path } else { member };
                Err(path.malformed(fault.message.to_owned()))
            }
        }
    }

    fn warn(&mut self, code: WarningCode, message: String, path: Path<'_>) {
        self.warnings.push(Warning::new(code, message).at(path.pointer()));
    }
}

/// Brings the last member of a name, which is the one that counts, from behind the first few to their end.
fn bring<'t, 'a>(members: &'t mut Members<'a>, name: &str, first: usize) -> Option<&'t mut Json<'a>> {
    let rest = members.get_mut(first..)?;
    let at = rest.iter().rposition(|(key, _)| key == name)?;
    // Those before it keep their order, so that the last of each name stays its last.
    rest[..=at].rotate_right(1);
    rest.first_mut().map(|(_, member)| member)
}

/// Where a value is. It becomes text only where something is said about it.
#[derive(Clone, Copy)]
struct Path<'p> {
    outer: Option<&'p Self>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Name(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    const ROOT: Self = Self { outer: None, step: Step::Index(0) };

    fn to(&'p self, step: Step<'p>) -> Self {
        Self { outer: Some(self), step }
    }

    /// As a JSON pointer.
    fn pointer(&self) -> String {
        let Some(outer) = self.outer else {
            return String::new();
        };
        let step = match self.step {
            Step::Name(name) => name.replace('~', "~0").replace('/', "~1"),
            Step::Index(index) => index.to_string(),
        };
        outer.pointer() + "/" + &step
    }

    fn malformed(&self, message: String) -> Box<StreamError> {
        let mut error = StreamError::new(ErrorCode::Malformed, message);
        error.path = Some(self.pointer());
        error
    }

    fn unexpected(&self, shape: &Shape, found: &Json<'_>) -> Box<StreamError> {
        self.malformed(format!("expected {}, found {}", expected(shape), kind_of(found)))
    }
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "a value",
        Shape::Text | Shape::Choice(_) | Shape::OpenChoice(_) => "a string",
        Shape::Flag => "a boolean",
        Shape::Integer { .. } => "an integer",
        Shape::List { .. } => "an array",
        Shape::TextOrList(_) => "a string or an array",
        Shape::OpenObject | Shape::Object(_) | Shape::Union(_) | Shape::Operation => "an object",
    }
}

fn kind_of(tree: &Json<'_>) -> &'static str {
    match tree {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::Text(_) => "a string",
        Json::List(_) => "an array",
        Json::Object(_) => "an object",
    }
}
