//! The gallery's own words, as values: Leptos renders literals alone by `innerHTML`, which the page's policy refuses.

use ask_user_question::examples::Example;

pub(crate) const FILTER: &str = "Find an example";
pub(crate) const NEVER: &str = "This example never comes to this state.";
pub(crate) const HOST: &str = "The host";
pub(crate) const HEARD: &str = "Events at the host";
pub(crate) const NETWORK_DOWN: &str = "The network is down.";
pub(crate) const OWN_ANSWER: &str = "Something else, in my own words";
pub(crate) const COMPOSER: &str = "Composer";

/// The number of examples that fit the search.
pub(crate) fn found(count: usize) -> String {
    match count {
        1 => "1 example".to_owned(),
        _ => format!("{count} examples"),
    }
}

/// The size of the program's memory.
pub(crate) fn memory(bytes: u32) -> String {
    format!("Done; the program has {} MB of memory", bytes / 1_000_000)
}

/// The kind of an example.
pub(crate) fn about(example: &Example) -> String {
    let validity = match example.valid {
        true => "valid",
        false => "not valid",
    };
    let hidden = match example.hidden {
        true => ", edge case",
        false => "",
    };
    format!(" {}, {validity}{hidden}", example.profile)
}
