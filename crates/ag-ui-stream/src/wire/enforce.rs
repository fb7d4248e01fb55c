//! Enforcement (`basic/processing`): members that 1.0 does not describe are stripped with a warning; a described member of the wrong kind is an
//! error.

use super::{MAX_INTEGER, MemberRule, Presence, Union, ValueShape, tag, whole};
use crate::notice::{Notice, NoticeDetail, NoticeResult, Notices};
use crate::patch::Operation;
use json_tree::members::bring;
use json_tree::{Json, Members};
use std::borrow::Cow;

/// An enforced value, and the warnings.
pub(crate) type Enforced<'a> = (Json<'a>, Vec<Notice>);

/// Strips members that the shape lacks. Fails if the value or a described member is of the wrong kind.
pub(crate) fn enforce<'a>(mut json: Json<'a>, shape: &'static ValueShape) -> NoticeResult<Enforced<'a>> {
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

/// Strips members that the event's rule lacks, and sorts the rest in the rule's order. Returns false if the whole event is to be dropped.
pub(crate) fn enforce_members(
    members: &mut Members<'_>,
    own: &'static [MemberRule],
    shared: &'static [MemberRule],
    warnings: &mut Notices,
) -> NoticeResult<bool> {
    let described = Described { tag: Some("type"), own, shared };
    Walk { warnings }.object(members, described, Path::ROOT)
}

#[derive(Clone, Copy)]
struct Described {
    tag: Option<&'static str>,
    own: &'static [MemberRule],
    shared: &'static [MemberRule],
}

impl Described {
    fn fields(self) -> impl Iterator<Item = &'static MemberRule> {
        self.own.iter().chain(self.shared)
    }
}

struct Walk<'w> {
    warnings: &'w mut Notices,
}

impl Walk<'_> {
    fn value(&mut self, tree: &mut Json<'_>, shape: &'static ValueShape, path: Path<'_>) -> NoticeResult<bool> {
        match (shape, &mut *tree) {
            (ValueShape::Any, _)
            | (ValueShape::Text | ValueShape::TextOrList(_), Json::Text(_))
            | (ValueShape::Flag, Json::Bool(_))
            | (ValueShape::OpenObject, Json::Object(_)) => Ok(true),
            (ValueShape::Integer { min }, Json::Number(number)) => match whole(number) {
                Some(integer) if integer >= *min => {
                    *number = integer.into();
                    Ok(true)
                }
                _ => {
                    let bounds = [min.to_string(), MAX_INTEGER.to_string()];
                    Err(path.malformed(NoticeDetail::Integer, &[&bounds[0], &bounds[1], number.text()]))
                }
            },
            (ValueShape::Choice(choices), Json::Text(text)) => {
                if choices.contains(&&**text) {
                    return Ok(true);
                }
                Err(path.malformed(NoticeDetail::Choice, &[&choices.join("\" or \""), text]))
            }
            (ValueShape::OpenChoice(choices), Json::Text(text)) => {
                let is_known = choices.contains(&&**text);
                if !is_known {
                    self.warn(NoticeDetail::UnknownChoice, &[text], path);
                }
                Ok(is_known)
            }
            (ValueShape::List { item, min }, Json::List(items)) => self.list(items, item, *min, path),
            (ValueShape::TextOrList(item), Json::List(items)) => self.list(items, item, 0, path),
            (ValueShape::Object(fields), Json::Object(members)) => {
                self.object(members, Described { tag: None, own: fields, shared: &[] }, path)
            }
            (ValueShape::Union(union), Json::Object(members)) => self.union(members, union, path),
            (ValueShape::Operation, tree) => self.operation(tree, path),
            (shape, found) => Err(path.unexpected(shape, found)),
        }
    }

    fn list(
        &mut self,
        items: &mut Vec<Json<'_>>,
        shape: &'static ValueShape,
        min: usize,
        path: Path<'_>,
    ) -> NoticeResult<bool> {
        let mut kept = 0;
        for index in 0..items.len() {
            if self.value(&mut items[index], shape, path.to(PathStep::Index(index)))? {
                items.swap(kept, index);
                kept += 1;
            }
        }
        items.truncate(kept);
        if kept < min {
            return Err(path.malformed(NoticeDetail::TooFew, &[&min.to_string(), &kept.to_string()]));
        }
        Ok(true)
    }

    fn union(&mut self, members: &mut Members<'_>, union: &'static Union, path: Path<'_>) -> NoticeResult<bool> {
        let mut kind = union.kind(members);
        if kind.is_none() {
            (union.translate_retired)(members);
            kind = union.kind(members);
            if kind.is_some() {
                self.warn(NoticeDetail::RetiredForm, &[], path);
            }
        }
        if let Some(kind) = kind {
            let (kind, own) = union.kinds[kind];
            let described = Described { tag: Some(union.tag), own, shared: (union.shared)(kind) };
            return self.object(members, described, path);
        }
        let Some(kind) = tag(members, union.tag) else {
            return Err(path.malformed(NoticeDetail::NoTag, &[union.tag]));
        };
        self.warn(NoticeDetail::UnknownKind, &[union.tag, kind], path);
        Ok(false)
    }

    /// Sorts the described members in the order of the rules, after the tag if there is one, and drops the others. Returns false if the whole object
    /// is to be dropped.
    fn object(&mut self, members: &mut Members<'_>, described: Described, path: Path<'_>) -> NoticeResult<bool> {
        let mut known = 0;
        if let Some(tag) = described.tag {
            bring(members, tag, 0);
            known = 1;
        }
        for field in described.fields() {
            if known == members.len() && field.presence != Presence::Required {
                continue;
            }
            let path = path.to(PathStep::Name(field.name));
            let required = field.presence == Presence::Required;
            let Some(member) = bring(members, field.name, known) else {
                if required {
                    return Err(path.malformed(NoticeDetail::Missing, &[]));
                }
                continue;
            };
            let is_absent = !required && *member == Json::Null;
            let stays = !is_absent && self.value(member, field.shape, path)?;
            if stays {
                known += 1;
            } else if required {
                // Its parent is removed, too.
                return Ok(false);
            } else {
                members.remove(known);
                // Removes all duplicates, so that dropping the last value does not restore an earlier one.
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
                self.warn(NoticeDetail::UnknownProperty, &[name], path.to(PathStep::Name(name)));
            }
        }
    }

    fn operation(&mut self, operation: &Json<'_>, path: Path<'_>) -> NoticeResult<bool> {
        match Operation::read(operation) {
            Ok(_) => Ok(true),
            Err(("", "")) => {
                self.warn(NoticeDetail::UnknownOperation, &[], path);
                Ok(false)
            }
            Err((name, what)) => {
                let member = path.to(PathStep::Name(name));
                let path = if name.is_empty() { path } else { member };
                Err(path.malformed(NoticeDetail::Operation, &[what]))
            }
        }
    }

    fn warn(&mut self, detail: NoticeDetail, names: &[&str], path: Path<'_>) {
        self.warnings.push(detail, names, Some(path.pointer()));
    }
}

#[derive(Clone, Copy)]
struct Path<'p> {
    outer: Option<&'p Self>,
    step: PathStep<'p>,
}

#[derive(Clone, Copy)]
enum PathStep<'p> {
    Name(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    const ROOT: Self = Self { outer: None, step: PathStep::Index(0) };

    fn to(&'p self, step: PathStep<'p>) -> Self {
        Self { outer: Some(self), step }
    }

    fn pointer(&self) -> String {
        let Some(outer) = self.outer else {
            return String::new();
        };
        let step = match self.step {
            PathStep::Name(name) => name.replace('~', "~0").replace('/', "~1"),
            PathStep::Index(index) => index.to_string(),
        };
        outer.pointer() + "/" + &step
    }

    #[cold]
    fn malformed(&self, detail: NoticeDetail, names: &[&str]) -> Box<Notice> {
        Notice::new(detail, names).at(self.pointer())
    }

    fn unexpected(&self, shape: &ValueShape, found: &Json<'_>) -> Box<Notice> {
        self.malformed(NoticeDetail::Unexpected, &[expected(shape), kind_of(found)])
    }
}

fn expected(shape: &ValueShape) -> &'static str {
    match shape {
        ValueShape::Any => "a value",
        ValueShape::Text | ValueShape::Choice(_) | ValueShape::OpenChoice(_) => "a string",
        ValueShape::Flag => "a boolean",
        ValueShape::Integer { .. } => "an integer",
        ValueShape::List { .. } => "an array",
        ValueShape::TextOrList(_) => "a string or an array",
        ValueShape::OpenObject | ValueShape::Object(_) | ValueShape::Union(_) | ValueShape::Operation => "an object",
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
