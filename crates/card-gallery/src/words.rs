//! The gallery's own words, as values: Leptos makes an element of literals alone by `innerHTML`, which the page's policy refuses.

use ask_user_question::examples::Example;

pub(crate) const GO_TO: &str = "Go to";
pub(crate) const STATE: &str = "State";
pub(crate) const MODE: &str = "Mode";
pub(crate) const LAYOUT: &str = "Layout";
pub(crate) const WITH: &str = "With";
pub(crate) const LANGUAGE: &str = "Language";
pub(crate) const DIRECTION: &str = "Direction";
pub(crate) const COLOURS: &str = "Colours";
pub(crate) const ALL_EXAMPLES: &str = "all examples";
pub(crate) const EXPLICIT: &str = "explicit";
pub(crate) const ON_PICK: &str = "on pick";
pub(crate) const STACKED: &str = "stacked";
pub(crate) const STEPPED: &str = "stepped";
pub(crate) const SYSTEM: &str = "system";
pub(crate) const FILTER: &str = "Find an example";
pub(crate) const NEVER: &str = "This example never comes to this state.";
pub(crate) const HOST: &str = "The host";
pub(crate) const HEARD: &str = "Events at the host";
pub(crate) const ACCEPT: &str = "Accept";
pub(crate) const REFUSE: &str = "Refuse";
pub(crate) const KEEP: &str = "Keep";
pub(crate) const GIVE_BACK: &str = "Give back";
pub(crate) const ANSWER_ELSEWHERE: &str = "Answer elsewhere";
pub(crate) const SUPERSEDE: &str = "Supersede";
pub(crate) const EXPIRE: &str = "Expire";
pub(crate) const NETWORK_DOWN: &str = "The network is down.";
pub(crate) const OWN_ANSWER: &str = "Something else, in my own words";
pub(crate) const COMPOSER: &str = "Composer";
pub(crate) const CARDS: &str = "cards";
pub(crate) const RECEIPTS: &str = "receipts";
pub(crate) const NOTHING: &str = "nothing";

/// The link to all states of an example.
pub(crate) fn all_states_of(example: &str) -> String {
    format!("all states of {example}")
}

/// The name of a feature that is on.
pub(crate) fn switched_on(name: &str) -> String {
    format!("{name} \u{2713}")
}

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
