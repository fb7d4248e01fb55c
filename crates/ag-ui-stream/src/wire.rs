//! The description of the protocol's values, and the walk that checks a parsed value against it.

mod enforce;

use crate::notice::{Notice, NoticeDetail, NoticeResult};
use json_tree::{Halves, Json, Number};
use std::borrow::Cow;

pub(crate) use enforce::{Enforced, enforce, enforce_members};
pub(crate) use json_tree::Members;

/// The largest integer that survives a JavaScript number.
pub(crate) const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// The values that the protocol allows at one position.
#[derive(Debug)]
pub(crate) enum ValueShape {
    Any,
    Text,
    Flag,
    Integer {
        min: i64,
    },
    /// An object whose members are not described.
    OpenObject,
    /// One of a closed set of strings.
    Choice(&'static [&'static str]),
    /// A string of a set that may grow: another one is removed, as a member of an unknown kind is.
    OpenChoice(&'static [&'static str]),
    List {
        item: &'static Self,
        min: usize,
    },
    Object(&'static [MemberRule]),
    Union(&'static Union),
    /// A string or a list of the item.
    TextOrList(&'static Self),
    /// One RFC 6902 operation, open to further members.
    Operation,
}

#[derive(Debug)]
pub(crate) struct MemberRule {
    pub(crate) name: &'static str,
    pub(crate) presence: Presence,
    pub(crate) shape: &'static ValueShape,
}

pub(crate) const fn must(name: &'static str, shape: &'static ValueShape) -> MemberRule {
    MemberRule { name, presence: Presence::Required, shape }
}

pub(crate) const fn may(name: &'static str, shape: &'static ValueShape) -> MemberRule {
    MemberRule { name, presence: Presence::Optional, shape }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    /// `null` counts as absent. `basic/index`, "Absent means absent", has no `null` there, but servers in .NET
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/2816>), Java (<https://github.com/agentscope-ai/agentscope-java/issues/2721>) and SDKs
    /// before 1.0 (<https://github.com/microsoft/agent-framework/issues/2637>) write it for what they leave out.
    Optional,
}

/// Several kinds of object with a string member for the kind.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) tag: &'static str,
    /// The values of the tag, each with the other members of the object.
    pub(crate) kinds: &'static [(&'static str, &'static [MemberRule])],
    /// The members that objects of a kind share with others.
    pub(crate) shared: fn(&str) -> &'static [MemberRule],
    /// Turns a retired kind of object into one that is described; others stay.
    pub(crate) translate_retired: fn(&mut Members<'_>),
}

impl Union {
    pub(crate) fn kind(&self, members: &Members<'_>) -> Option<usize> {
        let kind = members.string(self.tag)?;
        self.kinds.iter().position(|(name, _)| *name == kind)
    }
}

/// A whole number that survives a JavaScript number. The schema's integers include 1.0.
pub(crate) fn whole(number: &Number<'_>) -> Option<i64> {
    number.as_whole().filter(|it| (-MAX_INTEGER..=MAX_INTEGER).contains(it))
}

/// Reads the text of one frame, and the halves of characters at the ends of its `delta`.
pub(crate) fn parse(text: &str) -> NoticeResult<(Json<'_>, Halves)> {
    let not_json = |error: json_tree::Error| {
        Notice::new(NoticeDetail::NotJson, &[&error.kind.to_string(), &error.offset.to_string()])
    };
    Json::parse_with_halves(text, "delta").map_err(not_json)
}

/// Appends a text. The last value of a member counts.
pub(crate) fn set(members: &mut Members<'_>, name: &'static str, text: &str) {
    members.push((name.into(), text.into()));
}

pub(crate) fn take<'a>(members: &mut Members<'a>, name: &str) -> Option<(Cow<'a, str>, Json<'a>)> {
    let at = members.position(name)?;
    Some(members.remove(at))
}
