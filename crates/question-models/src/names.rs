//! Names of tools as models write them, with the additions of providers and templates.

/// The tool of a name: an equal one, or the longest one at its start or end that no letter or digit touches. Any other name is kept, but without
/// a namespace: no tool has a dot in its name, and endpoints refuse a history with one.
pub(crate) fn known_name(name: &str, tools: &[String]) -> String {
    let is_it = |tool: &&String| {
        let before = name.strip_suffix(tool.as_str()).map(|rest| rest.chars().next_back());
        let behind = name.strip_prefix(tool.as_str()).map(|rest| rest.chars().next());
        let is_set_off = |next: Option<Option<char>>| next.is_some_and(|next| !next.is_some_and(char::is_alphanumeric));
        is_set_off(before) || is_set_off(behind)
    };
    if tools.iter().any(|tool| tool == name) {
        return name.to_owned();
    }
    let known = tools.iter().filter(is_it).max_by_key(|tool| tool.len());
    known.map_or_else(|| name.strip_prefix("functions.").unwrap_or(name).to_owned(), Clone::clone)
}
