//! Enforcement: what 1.0 does not describe is stripped with a warning, a described field that holds something else is fatal.

use super::operation::check as check_operation;
use super::{Field, MAX_INTEGER, Presence, Shape, Union, text, whole};
use crate::notice::{Detail, Notice, Notices, Verdict, joined};
use json_tree::members::bring;
use json_tree::{Json, Members};
use std::borrow::Cow;

/// A value that the walk has passed, and what was tolerated.
pub(crate) type Enforced<'a> = (Json<'a>, Vec<Notice>);

/// Strips a value of what its shape does not have; refuses one of an unknown kind, of which nothing is left.
pub(crate) fn enforce<'a>(mut json: Json<'a>, shape: &'static Shape) -> Verdict<Enforced<'a>> {
    let mut warnings = Notices::default();
    let is_kept = Walk { warnings: &mut warnings }.value(&mut json, shape, Path::ROOT)?;
    let mut warnings = warnings.into_vec();
    match warnings.pop() {
        Some(warning) if !is_kept => Err(warning.refused()),
        last => {
            warnings.extend(last);
            Ok((json, warnings))
        }
    }
}

/// Strips an event of what its row does not have, and puts its members into the order of the row. False where nothing is left of it.
pub(crate) fn enforce_members(
    members: &mut Members<'_>,
    own: &'static [Field],
    shared: &'static [Field],
    warnings: &mut Notices,
) -> Verdict<bool> {
    let described = Described { tag: Some("type"), own, shared };
    Walk { warnings }.object(members, described, Path::ROOT)
}

/// What an object may hold.
#[derive(Clone, Copy)]
struct Described {
    /// The member that tells its kind.
    tag: Option<&'static str>,
    own: &'static [Field],
    shared: &'static [Field],
}

impl Described {
    fn fields(self) -> impl Iterator<Item = &'static Field> {
        self.own.iter().chain(self.shared)
    }
}

struct Walk<'w> {
    warnings: &'w mut Notices,
}

/// Whether the value stays.
type Kept = Verdict<bool>;

impl Walk<'_> {
    fn value(&mut self, tree: &mut Json<'_>, shape: &'static Shape, path: Path<'_>) -> Kept {
        match (shape, &mut *tree) {
            (Shape::Any, _)
            | (Shape::Text | Shape::TextOrList(_), Json::Text(_))
            | (Shape::Flag, Json::Bool(_))
            | (Shape::OpenObject, Json::Object(_)) => Ok(true),
            (Shape::Integer { min }, Json::Number(number)) => match whole(number) {
                Some(integer) if integer >= *min => {
                    *number = integer.into();
                    Ok(true)
                }
                _ => {
                    let bounds = [min.to_string(), MAX_INTEGER.to_string()];
                    Err(path.malformed(Detail::Integer, &[&bounds[0], &bounds[1], &number.text()]))
                }
            },
            (Shape::Choice(choices), Json::Text(text)) => {
                if choices.contains(&&**text) {
                    return Ok(true);
                }
                Err(path.malformed(Detail::Choice, &[&joined(choices, "\" or \""), text]))
            }
            (Shape::OpenChoice(choices), Json::Text(text)) => {
                let is_known = choices.contains(&&**text);
                if !is_known {
                    self.warn(Detail::UnknownChoice, &[text], path);
                }
                Ok(is_known)
            }
            (Shape::List { item, min }, Json::List(items)) => self.list(items, item, *min, path),
            (Shape::TextOrList(item), Json::List(items)) => self.list(items, item, 0, path),
            (Shape::Object(fields), Json::Object(members)) => {
                self.object(members, Described { tag: None, own: fields, shared: &[] }, path)
            }
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
            return Err(path.malformed(Detail::TooFew, &[&min.to_string(), &kept.to_string()]));
        }
        Ok(true)
    }

    fn union(&mut self, members: &mut Members<'_>, union: &'static Union, path: Path<'_>) -> Kept {
        let mut kind = union.kind(members);
        if kind.is_none() {
            (union.translate_retired)(members);
            kind = union.kind(members);
            if kind.is_some() {
                self.warn(Detail::RetiredForm, &[], path);
            }
        }
        if let Some(kind) = kind {
            let (_, own) = union.kinds[kind];
            return self.object(members, Described { tag: Some(union.tag), own, shared: &[] }, path);
        }
        let Some(kind) = text(members, union.tag) else {
            return Err(path.malformed(Detail::NoTag, &[union.tag]));
        };
        self.warn(Detail::UnknownKind, &[union.tag, kind], path);
        Ok(false)
    }

    /// Puts the members that are described into the order of the fields, behind the tag if there is one, and drops the others.
    fn object(&mut self, members: &mut Members<'_>, described: Described, path: Path<'_>) -> Kept {
        let mut known = 0;
        if let Some(tag) = described.tag {
            bring(members, tag, 0);
            known = 1;
        }
        for field in described.fields() {
            if known == members.len() && field.presence != Presence::Required {
                continue;
            }
            let path = path.to(Step::Name(field.name));
            let required = field.presence == Presence::Required;
            let Some(member) = bring(members, field.name, known) else {
                if required {
                    return Err(path.malformed(Detail::Missing, &[]));
                }
                continue;
            };
            let stays = if !required && *member == Json::Null {
                if field.presence != Presence::Nullable {
                    return Err(path.unexpected(field.shape, member));
                }
                false
            } else {
                self.value(member, field.shape, path)?
            };
            if stays {
                known += 1;
            } else if required {
                // Its parent is removed too.
                return Ok(false);
            } else {
                members.remove(known);
                // An earlier value does not come back in the place of the last.
                members.retain({
                    let mut at = 0;
                    move |(key, _)| {
                        at += 1;
                        at <= known || key != field.name
                    }
                });
            }
        }
        if known < members.len() {
            self.warn_of_unknown(&members[known..], described, path);
            members.truncate(known);
        }
        Ok(true)
    }

    fn warn_of_unknown(&mut self, members: &[(Cow<'_, str>, Json<'_>)], described: Described, path: Path<'_>) {
        for (name, _) in members {
            if !described.fields().any(|field| field.name == name) && described.tag != Some(name) {
                self.warn(Detail::UnknownProperty, &[name], path.to(Step::Name(name)));
            }
        }
    }

    fn operation(&mut self, operation: &Json<'_>, path: Path<'_>) -> Kept {
        match check_operation(operation) {
            Ok(()) => Ok(true),
            Err(("", "")) => {
                self.warn(Detail::UnknownOperation, &[], path);
                Ok(false)
            }
            Err((name, what)) => {
                let member = path.to(Step::Name(name));
                let path = if name.is_empty() { path } else { member };
                Err(path.malformed(Detail::Operation, &[what]))
            }
        }
    }

    fn warn(&mut self, detail: Detail, names: &[&str], path: Path<'_>) {
        self.warnings.push(detail, names, Some(path.pointer()));
    }
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
            Step::Name(name) => escaped(name),
            Step::Index(index) => index.to_string(),
        };
        outer.pointer() + "/" + &step
    }

    #[cold]
    fn malformed(&self, detail: Detail, names: &[&str]) -> Box<Notice> {
        Notice::new(detail, names).at(self.pointer())
    }

    fn unexpected(&self, shape: &Shape, found: &Json<'_>) -> Box<Notice> {
        self.malformed(Detail::Unexpected, &[expected(shape), kind_of(found)])
    }
}

/// A name as a step of a pointer. (`replace` of texts would bring code for searching them into a page.)
fn escaped(name: &str) -> String {
    let mut step = String::new();
    for letter in name.chars() {
        match letter {
            '~' => step.push_str("~0"),
            '/' => step.push_str("~1"),
            _ => step.push(letter),
        }
    }
    step
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
