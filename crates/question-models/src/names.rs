//! Names of tools as models write them, with the additions of providers and templates.

/// The tool of a name: an equal one but for its case and its signs, or the longest one in it that no letter or digit touches. Any other name is
/// kept, but without a namespace: no tool has a dot in its name, and endpoints refuse a history with one.
pub(crate) fn known_name(name: &str, tools: &[String]) -> String {
    let letters = |name: &str| name.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    let is_in_it = |tool: &str| {
        let is_set_off = |next: Option<char>| !next.is_some_and(char::is_alphanumeric);
        let mut places = name.match_indices(tool).map(|(at, _)| (&name[..at], &name[at + tool.len()..]));
        places.any(|(before, behind)| is_set_off(before.chars().next_back()) && is_set_off(behind.chars().next()))
    };
    if tools.iter().any(|tool| tool == name) {
        return name.to_owned();
    }
    let like = tools.iter().find(|tool| letters(tool) == letters(name));
    let known = like.or_else(|| tools.iter().filter(|tool| is_in_it(tool)).max_by_key(|tool| tool.len()));
    known.map_or_else(|| name.strip_prefix("functions.").unwrap_or(name).to_owned(), Clone::clone)
}
