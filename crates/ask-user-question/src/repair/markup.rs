//! Markup of the call that got into a question's text.

use super::lenient::unpacked;
use super::report::{RepairCode, RepairPlace, Repairer, Reporter};
use crate::parts::member_mut;
use crate::text::find;
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
            while let Some((_, parameter)) = split_at(rest, opening) {
                rest = parameter;
                let Some((name, value)) = split_at(parameter, middle) else {
                    continue;
                };
                let name = name.split('<').next().unwrap_or_default();
                let value = value.get(..begin(value).unwrap_or(value.len())).unwrap_or_default();
                if members.position(name).is_none() {
                    let value = unpacked(value).map_or_else(|| value.trim().into(), |(value, _)| value);
                    members.push((name.to_owned().into(), value));
                }
            }
        }
    }
}

/// The texts before and behind the first of these parts.
fn split_at<'t>(text: &'t str, part: &str) -> Option<(&'t str, &'t str)> {
    let at = find(text, part)?;
    Some((text.get(..at)?, text.get(at + part.len()..)?))
}

/// The place at which markup of a call begins in a text. A tag that the text itself opened belongs to the text.
fn begin(text: &str) -> Option<usize> {
    let is_tag = |at: usize| {
        let (before, tag) = (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
        let tag = tag.strip_prefix("antml:").unwrap_or(tag);
        let is_own =
            |tag: &str| tag.strip_prefix('/').is_some_and(|name| find(before, &(String::from("<") + name)).is_some());
        TAGS.iter().any(|known| tag.starts_with(known) && !is_own(known))
    };
    text.match_indices('<').map(|(at, _)| at).find(|at| is_tag(*at))
}
