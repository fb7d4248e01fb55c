//! The address of a page: `?gallery=EXAMPLE&state=STATE&mode=on-pick&layout=stepped&with=skip&lang=ar&dir=rtl&scheme=dark`.

use crate::state::CardState;
use ask_user_question::examples::FILES;
use question_card::{Direction, LANGUAGES, Labels, Layout, SubmitMode, language_of};
use std::fmt;

/// A parsed address. A page is a function of it, so each can be kept, sent and opened by a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) view: PageView,
    pub(crate) mode: SubmitMode,
    pub(crate) layout: Layout,
    /// The features that the host has switched on, in the order of [`Extra::ALL`].
    pub(crate) extras: Vec<Extra>,
    pub(crate) language: &'static str,
    pub(crate) direction: Direction,
    /// A `color-scheme`, if it is not the reader's.
    pub(crate) scheme: Option<&'static str>,
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

/// A feature that a host may switch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Questions can be skipped.
    Skip,
    /// Typed texts have a limit.
    Limit,
    /// There is a deadline.
    Deadline,
}

pub(crate) const SCHEMES: [&str; 2] = ["light", "dark"];
/// Stands for every example.
const ALL: &str = "all";
/// Stands for the benchmark.
const BENCH: &str = "bench";

impl Address {
    /// Parses the query of an address. Unknown names and values are ignored.
    pub(crate) fn parse(query: &str) -> Self {
        let value = |name: &str| {
            query.trim_start_matches('?').split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let example = value("gallery").and_then(example);
        let state = value("state").and_then(CardState::by_name);
        let language = value("lang").and_then(language_of).unwrap_or(LANGUAGES[0].0);
        Self {
            view: match (value("gallery"), example, state) {
                (_, Some(example), Some(state)) => PageView::Card { example, state },
                (_, Some(example), None) => PageView::Example(example),
                (Some(ALL), None, Some(state)) => PageView::State(state),
                (Some(BENCH), ..) => PageView::Bench,
                _ => PageView::Index,
            },
            mode: match value("mode") {
                Some("on-pick") => SubmitMode::OnPick,
                _ => SubmitMode::Explicit,
            },
            layout: match value("layout") {
                Some("stepped") => Layout::Stepped,
                _ => Layout::Stacked,
            },
            extras: Extra::ALL
                .into_iter()
                .filter(|extra| value("with").is_some_and(|with| with.split(',').any(|name| name == extra.name())))
                .collect(),
            language,
            direction: match value("dir") {
                Some("rtl") => Direction::RightToLeft,
                Some("ltr") => Direction::LeftToRight,
                _ => direction_of(language),
            },
            scheme: value("scheme").and_then(|scheme| one_of(&SCHEMES, scheme)),
        }
    }

    /// The same page with another content.
    pub(crate) fn with_view(&self, view: PageView) -> Self {
        Self { view, ..self.clone() }
    }

    /// Returns true if the host has switched this on.
    pub(crate) fn has(&self, extra: Extra) -> bool {
        self.extras.contains(&extra)
    }

    /// The same page with this feature switched on, or off if it was on.
    pub(crate) fn toggled(&self, extra: Extra) -> Self {
        let is_on = |other: &Extra| self.has(*other) != (*other == extra);
        Self { extras: Extra::ALL.into_iter().filter(is_on).collect(), ..self.clone() }
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

impl Extra {
    pub(crate) const ALL: [Self; 3] = [Self::Skip, Self::Limit, Self::Deadline];

    /// Its name in an address.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// The direction in which a language is written.
pub(crate) fn direction_of(language: &str) -> Direction {
    Labels::for_lang(language).dir()
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
        if self.mode == SubmitMode::OnPick {
            f.write_str("&mode=on-pick")?;
        }
        if self.layout == Layout::Stepped {
            f.write_str("&layout=stepped")?;
        }
        let extras: Vec<_> = self.extras.iter().map(|extra| extra.name()).collect();
        if !extras.is_empty() {
            write!(f, "&with={}", extras.join(","))?;
        }
        if self.language != LANGUAGES[0].0 {
            write!(f, "&lang={}", self.language)?;
        }
        if self.direction != direction_of(self.language) {
            write!(f, "&dir={}", self.direction.as_str())?;
        }
        match self.scheme {
            Some(scheme) => write!(f, "&scheme={scheme}"),
            None => Ok(()),
        }
    }
}

fn example(name: &str) -> Option<&'static str> {
    let mut names = FILES.iter().map(|(name, _)| *name);
    names.find(|known| *known == name)
}

fn one_of(known: &[&'static str], value: &str) -> Option<&'static str> {
    known.iter().copied().find(|known| *known == value)
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
            for (language, _) in LANGUAGES {
                for direction in [Direction::LeftToRight, Direction::RightToLeft] {
                    let address = Address {
                        view,
                        mode: SubmitMode::OnPick,
                        layout: Layout::Stepped,
                        extras: vec![Extra::Skip, Extra::Limit],
                        language,
                        direction,
                        scheme: Some("dark"),
                    };
                    assert_eq!(Address::parse(&address.to_string()), address, "{address}");
                }
            }
        }
    }

    #[test]
    fn what_goes_without_saying_is_left_out() {
        let index = Address::parse("?gallery");
        assert_eq!(index.to_string(), "?gallery");
        let arabic = Address::parse("?gallery=emoji&lang=ar");
        assert_eq!(arabic.direction, Direction::RightToLeft);
        assert_eq!(arabic.to_string(), "?gallery=emoji&lang=ar");
    }

    #[test]
    fn what_is_not_known_leads_to_the_index() {
        for query in ["", "?gallery=", "?gallery=no-such-example&state=awaiting", "?gallery=all&state=no-such-state"] {
            assert_eq!(Address::parse(query).view, PageView::Index, "{query}");
        }
    }
}
