//! Removes markup of the call that leaked into a text.

use super::lenient::unpacked;
use super::parts::member_mut;
use super::report::{RepairCode, RepairPlace, Repairer, Reporter};
use super::shapes::suggested;
use ask_user_question::repairs::TagKind;
use json_tree::Json;

/// Prefixes of the names of such tags.
const TAGS: [&str; 9] = [
    "parameter",
    "invoke",
    "function_calls",
    "tool_call",
    "|tool_call",
    "arg_key",
    "arg_value",
    "follow_up",
    "suggest>",
];

/// Prefixes that may precede such a name.
const PREFIXES: [&str; 2] = ["antml:", "｜DSML｜"];

/// The markup before a parameter's name, and between the name and the value.
const PARAMETERS: [(&str, &str); 3] = [("parameter name=\"", ">"), ("<parameter=", ">"), ("<arg_key>", "<arg_value>")];

impl<R: Reporter> Repairer<'_, R> {
    /// Cuts off markup in one of the first texts of a question, and reads the parameters in it, such as the options.
    pub(super) fn markup(&mut self, question: &mut Json<'_>, place: RepairPlace<'_>, key: &'static str) {
        let Some(Json::Text(text)) = member_mut(question, key) else {
            return;
        };
        let Some(at) = begin(text, key) else {
            return;
        };
        let (said, leaked) = text.split_at_checked(at).unwrap_or_default();
        let (said, leaked) = (said.trim().to_owned(), leaked.to_owned());
        *text = said.into();
        self.0.report(place.key(key), RepairCode::MarkupRemoved);
        let Json::Object(members) = question else {
            return;
        };
        if let Some(options) = suggested(&leaked).filter(|_| members.position("options").is_none()) {
            members.push(("options".into(), Json::List(options)));
        }
        for (opening, middle) in PARAMETERS {
            let mut rest = leaked.as_str();
            while let Some((_, parameter)) = rest.split_once(opening) {
                let Some((name, value_and_rest)) = parameter.split_once(middle) else {
                    break;
                };
                let end = name.bytes().position(|byte| matches!(byte, b'<' | b'"'));
                let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
                let value;
                (value, rest) = value_and_rest
                    .split_at_checked(begin(value_and_rest, key).unwrap_or(value_and_rest.len()))
                    .unwrap_or_default();
                if members.position(name).is_none() {
                    let value = unpacked(value).map_or_else(|| value.trim().into(), |(value, _)| value);
                    members.push((name.to_owned().into(), value));
                }
            }
        }
    }
}

/// The index at which markup of a call begins in a member's text.
pub(super) fn begin(text: &str, member: &str) -> Option<usize> {
    let mut opened = false;
    let mut places = text.match_indices('<');
    places
        .find(|(at, _)| tag(&mut opened, member, text.get(at + 1..).unwrap_or_default()) == TagKind::Markup)
        .map(|(at, _)| at)
}

/// Classifies the text after a `<` in a member's text; more may follow. A closing tag with the member's name is markup, unless the text has an
/// opening one (`opened`).
pub(crate) fn tag(opened: &mut bool, member: &str, tag: &str) -> TagKind {
    let begins = |whole: &str, text: &str| whole.len() > text.len() && whole.starts_with(text);
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let bare = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let is_end = name.len() < tag.len();
    if TAGS.iter().any(|tag| bare.starts_with(tag)) || is_end && !*opened && name.starts_with(member) {
        return TagKind::Markup;
    }
    *opened |= !is_end && name.starts_with(member);
    let may_be = begins(member, name)
        || PREFIXES.iter().any(|prefix| begins(prefix, name))
        || TAGS.iter().any(|tag| begins(tag, bare));
    if may_be { TagKind::Undecided } else { TagKind::Text }
}
