//! Markup of the call that got into a question's text.

use super::lenient::unpacked;
use super::member_mut;
use super::report::{RepairCode, RepairPlace, Repairer, Reporter};
use ask_user_question::repairs::TagKind;
use json_tree::Json;

/// The beginnings of such markup, after `<`.
const TAGS: [&str; 9] = [
    "parameter",
    "/parameter",
    "/question",
    "invoke",
    "/invoke",
    "function_calls",
    "tool_call",
    "arg_key",
    "/arg_value",
];

/// The marks before the name of a parameter, and between it and the value.
const PARAMETERS: [(&str, &str); 2] = [("parameter name=\"", "\">"), ("<arg_key>", "<arg_value>")];

impl<R: Reporter> Repairer<'_, R> {
    /// Cuts the markup off and reads the parameters in it, such as the options.
    pub(super) fn markup(&mut self, question: &mut Json<'_>, place: RepairPlace<'_>) {
        if let Some(Json::Text(text)) = member_mut(question, "options")
            && let Some(at) = begin(text)
        {
            *text = text.get(..at).unwrap_or_default().to_owned().into();
            self.0.report(place.key("options"), RepairCode::MarkupRemoved);
        }
        let Some(Json::Text(text)) = member_mut(question, "question") else {
            return;
        };
        let Some(at) = begin(text) else {
            return;
        };
        let (said, leaked) = text.split_at_checked(at).unwrap_or_default();
        let (said, leaked) = (said.trim().to_owned(), leaked.to_owned());
        *text = said.into();
        self.0.report(place.key("question"), RepairCode::MarkupRemoved);
        let Json::Object(members) = question else {
            return;
        };
        for (opening, middle) in PARAMETERS {
            let mut rest = leaked.as_str();
            while let Some((_, parameter)) = rest.split_once(opening) {
                let Some((name, value_and_rest)) = parameter.split_once(middle) else {
                    break;
                };
                let name = name.split('<').next().unwrap_or_default();
                let value;
                (value, rest) = value_and_rest
                    .split_at_checked(begin(value_and_rest).unwrap_or(value_and_rest.len()))
                    .unwrap_or_default();
                if members.position(name).is_none() {
                    let value = unpacked(value).map_or_else(|| value.trim().into(), |(value, _)| value);
                    members.push((name.to_owned().into(), value));
                }
            }
        }
    }
}

/// The place at which markup of a call begins in a text.
fn begin(text: &str) -> Option<usize> {
    let mut opened = 0;
    let mut places = text.match_indices('<');
    places.find(|(at, _)| tag(&mut opened, text.get(at + 1..).unwrap_or_default()) == TagKind::Markup).map(|(at, _)| at)
}

/// Looks at the text behind a `<`, of which more may follow. A tag that the text itself opened belongs to the text; `opened` has a bit for
/// each of those.
pub(crate) fn tag(opened: &mut u16, tag: &str) -> TagKind {
    let begins = |whole: &str, text: &str| whole.len() > text.len() && whole.starts_with(text);
    let bare = tag.strip_prefix("antml:").unwrap_or(tag);
    let mut kind = if begins("antml:", tag) { TagKind::Undecided } else { TagKind::Text };
    for (bit, known) in TAGS.iter().enumerate() {
        let name = known.strip_prefix('/');
        let is_own = name.is_some() && *opened & 1 << bit != 0;
        if bare.starts_with(known) && !is_own {
            return TagKind::Markup;
        }
        if name.is_some_and(|name| tag.starts_with(name)) {
            *opened |= 1 << bit;
        }
        if begins(known, bare) || name.is_some_and(|name| begins(name, tag)) {
            kind = TagKind::Undecided;
        }
    }
    kind
}
