//! Names of tools as models write them, with the additions of providers and templates.

/// The tool of a name: an equal one, or the longest one at its start or end that no letter or digit touches.
pub(super) fn known_name<'t>(name: &str, tools: &'t [String]) -> Option<&'t str> {
    let is_it = |tool: &&str| {
        let before = name.strip_suffix(*tool).map(|rest| rest.chars().next_back());
        let behind = name.strip_prefix(*tool).map(|rest| rest.chars().next());
        let is_set_off = |next: Option<Option<char>>| next.is_some_and(|next| !next.is_some_and(char::is_alphanumeric));
        is_set_off(before) || is_set_off(behind)
    };
    let tools = tools.iter().map(String::as_str);
    tools.clone().find(|tool| *tool == name).or_else(|| tools.filter(is_it).max_by_key(|tool| tool.len()))
}

/// A name without the namespace that some models put in front. No tool has a dot in its name, and endpoints refuse a history with one.
pub(super) fn without_namespace(name: &str) -> &str {
    name.strip_prefix("functions.").unwrap_or(name)
}

/// The first tool that a text names as a word, and the position behind it.
pub(super) fn find_name<'t>(text: &str, tools: &'t [String]) -> Option<(&'t str, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let places = tools.iter().flat_map(|tool| text.match_indices(tool.as_str()).map(move |(at, _)| (at, tool)));
    let whole = places.filter(|(at, tool)| {
        let (before, behind) = (&text[..*at], &text[at + tool.len()..]);
        !before.chars().next_back().is_some_and(is_word) && !behind.chars().next().is_some_and(is_word)
    });
    let first = whole.min_by_key(|(at, _)| *at);
    first.map(|(at, tool)| (tool.as_str(), at + tool.len()))
}
