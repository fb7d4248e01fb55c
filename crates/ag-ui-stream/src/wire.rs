//! Descriptions of the protocol's values, and the check of a parsed value against them.

mod enforce;

use crate::notice::{Notice, NoticeDetail, NoticeResult};
use json_tree::{Halves, Json, Number};
use std::borrow::Cow;

pub(crate) use enforce::{Enforced, enforce, enforce_members};
pub(crate) use json_tree::Members;

/// The largest integer that a JavaScript number represents exactly.
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
    /// A string of an extensible set. A value with an unknown string is removed, not refused.
    OpenChoice(&'static [&'static str]),
    List {
        item: &'static Self,
        min: usize,
    },
    Object(&'static [MemberRule]),
    Union(&'static Union),
    /// A string, or a list of these items.
    TextOrList(&'static Self),
    /// One RFC 6902 operation, which may have additional members.
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
    /// `null` counts as absent. The specification allows no `null` here (`basic/index`, "Absent means absent"), but servers in .NET
    /// (<https://github.com/ag-ui-protocol/ag-ui/issues/2816>), Java (<https://github.com/agentscope-ai/agentscope-java/issues/2721>) and SDKs
    /// before 1.0 (<https://github.com/microsoft/agent-framework/issues/2637>) write it for absent members.
    Optional,
}

/// Several kinds of object, told apart by a string member (the tag).
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) tag: &'static str,
    /// The values of the tag, each with the remaining members of that kind.
    pub(crate) kinds: &'static [(&'static str, &'static [MemberRule])],
    /// The members that several kinds share, by the tag.
    pub(crate) shared: fn(&str) -> &'static [MemberRule],
    /// Turns a retired kind of object into a described one; leaves others unchanged.
    pub(crate) translate_retired: fn(&mut Members<'_>),
}

impl Union {
    pub(crate) fn kind(&self, members: &Members<'_>) -> Option<usize> {
        let kind = members.string(self.tag)?;
        self.kinds.iter().position(|(name, _)| *name == kind)
    }
}

/// An integer that a JavaScript number represents exactly. The schema's integers include `1.0`.
pub(crate) fn whole(number: &Number<'_>) -> Option<i64> {
    number.as_whole().filter(|it| (-MAX_INTEGER..=MAX_INTEGER).contains(it))
}

/// Parses the text of one frame. Also returns the surrogate halves at the ends of its `delta`.
pub(crate) fn parse(text: &str) -> NoticeResult<(Json<'_>, Halves)> {
    let not_json = |error: json_tree::Error| {
        Notice::new(NoticeDetail::NotJson, &[&error.kind.to_string(), &error.offset.to_string()])
    };
    Json::parse_with_halves(text, "delta").map_err(not_json)
}

/// The tag of an event or of an object in a union. `null`, which servers in .NET write for what they do not know, is a kind that 1.0 does not have.
pub(crate) fn tag<'m>(members: &'m Members<'_>, name: &str) -> Option<&'m str> {
    match members.find(name)? {
        Json::Text(tag) => Some(tag),
        Json::Null => Some("null"),
        _ => None,
    }
}

/// Appends a member. If the name is repeated, the last value counts.
pub(crate) fn set(members: &mut Members<'_>, name: &'static str, text: &str) {
    members.push((name.into(), text.into()));
}

pub(crate) fn take<'a>(members: &mut Members<'a>, name: &str) -> Option<(Cow<'a, str>, Json<'a>)> {
    let at = members.position(name)?;
    Some(members.remove(at))
}
