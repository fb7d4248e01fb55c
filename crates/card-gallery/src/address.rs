//! The address of a page: `?gallery=EXAMPLE&state=STATE`, and a value for each of the [`SETTINGS`].

use crate::state::CardState;
use ask_user_question::examples::FILES;
use question_card::LANGUAGES;
use std::fmt;

/// A setting that every page has.
pub(crate) struct Setting {
    /// Its name in an address.
    pub(crate) name: &'static str,
    /// The name of its links.
    pub(crate) title: &'static str,
    /// The values. The first one is the default.
    pub(crate) values: &'static [&'static str],
}

pub(crate) const SETTINGS: [Setting; 8] = [
    setting("mode", "Mode", &["explicit", "on-pick"]),
    setting("layout", "Layout", &["stacked", "stepped"]),
    setting("skip", "Skip", &["off", ON]),
    setting("limit", "Limit", &["off", ON]),
    setting("deadline", "Deadline", &["off", ON]),
    setting("lang", "Language", &TAGS),
    setting("dir", "Direction", &[AUTO, "ltr", "rtl"]),
    setting("scheme", "Colours", &[AUTO, "light", "dark"]),
];

/// A feature that the host has switched on.
pub(crate) const ON: &str = "on";
/// The direction of the language, or the colours of the reader.
pub(crate) const AUTO: &str = "auto";
/// Stands for every example.
const ALL: &str = "all";
/// Stands for the benchmark.
const BENCH: &str = "bench";

const TAGS: [&str; LANGUAGES.len()] = {
    let mut tags = [""; LANGUAGES.len()];
    let mut at = 0;
    while at < tags.len() {
        tags[at] = LANGUAGES[at].0;
        at += 1;
    }
    tags
};

const fn setting(name: &'static str, title: &'static str, values: &'static [&'static str]) -> Setting {
    Setting { name, title, values }
}

/// A parsed address. A page is a function of it, so each can be kept, sent and opened by a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) view: PageView,
    /// The value of each of the [`SETTINGS`].
    values: [&'static str; SETTINGS.len()],
}

/// The content of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageView {
    /// The list of examples.
    Index,
    /// Every example in one state.
    State(CardState),
    /// One example in every state.
    Example(&'static str),
    /// The buttons of the benchmark.
    Bench,
    /// One card, with a host that the reader controls.
    Card { example: &'static str, state: CardState },
}

impl Address {
    /// Parses the query of an address. Unknown names and values are ignored.
    pub(crate) fn parse(query: &str) -> Self {
        let value = |name: &str| {
            query.trim_start_matches('?').split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let shown = value("gallery");
        let example = FILES.iter().map(|(name, _)| *name).find(|name| Some(*name) == shown);
        let state = value("state").and_then(CardState::by_name);
        let view = match (shown, example, state) {
            (_, Some(example), Some(state)) => PageView::Card { example, state },
            (_, Some(example), None) => PageView::Example(example),
            (Some(ALL), None, Some(state)) => PageView::State(state),
            (Some(BENCH), ..) => PageView::Bench,
            _ => PageView::Index,
        };
        let values = SETTINGS.map(|Setting { name, values, .. }| {
            let known = values.iter().find(|known| Some(**known) == value(name));
            *known.unwrap_or(&values[0])
        });
        Self { view, values }
    }

    /// The value of a setting.
    pub(crate) fn get(&self, name: &str) -> &'static str {
        let at = SETTINGS.iter().position(|setting| setting.name == name);
        self.values[at.expect("the settings are named by constants")]
    }

    /// The address of another page with the same settings.
    pub(crate) fn with_view(&self, view: PageView) -> Self {
        Self { view, ..self.clone() }
    }

    /// The address of the same page with another value for the nth setting.
    pub(crate) fn with_value(&self, nth: usize, value: &'static str) -> Self {
        let mut address = self.clone();
        address.values[nth] = value;
        address
    }

    /// The title of the page.
    pub(crate) fn title(&self) -> String {
        match self.view {
            PageView::Index => "Card gallery".to_owned(),
            PageView::Bench => "Benchmark".to_owned(),
            PageView::State(state) => format!("Every example, {}", state.name()),
            PageView::Example(example) => example.to_owned(),
            PageView::Card { example, state } => format!("{example}, {}", state.name()),
        }
    }

    /// The example that the page is about.
    pub(crate) fn example(&self) -> Option<&'static str> {
        match self.view {
            PageView::Example(example) | PageView::Card { example, .. } => Some(example),
            PageView::Index | PageView::State(_) | PageView::Bench => None,
        }
    }
}

/// Writes the address as a link has it, without defaults.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("?gallery")?;
        match self.view {
            PageView::Index => {}
            PageView::Bench => write!(f, "={BENCH}")?,
            PageView::State(state) => write!(f, "={ALL}&state={}", state.name())?,
            PageView::Example(example) => write!(f, "={example}")?,
            PageView::Card { example, state } => write!(f, "={example}&state={}", state.name())?,
        }
        for (setting, value) in SETTINGS.iter().zip(self.values) {
            if value != setting.values[0] {
                write!(f, "&{}={value}", setting.name)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        let views = [
            PageView::Index,
            PageView::Bench,
            PageView::State(CardState::Invalid),
            PageView::Example("emoji"),
            PageView::Card { example: "chat-service", state: CardState::Live },
        ];
        for view in views {
            let plain = Address::parse("").with_view(view);
            for (nth, setting) in SETTINGS.iter().enumerate() {
                for value in setting.values {
                    let address = plain.with_value(nth, value);
                    assert_eq!(Address::parse(&address.to_string()), address, "{address}");
                    assert_eq!(address.get(setting.name), *value);
                }
            }
        }
        assert_eq!(Address::parse("?gallery=emoji&lang=en&dir=auto").to_string(), "?gallery=emoji");
    }

    #[test]
    fn what_is_not_known_leads_to_the_index() {
        for query in ["", "?gallery=", "?gallery=no-such-example&state=awaiting", "?gallery=all&state=no-such-state"] {
            assert_eq!(Address::parse(query).view, PageView::Index, "{query}");
        }
    }
}
