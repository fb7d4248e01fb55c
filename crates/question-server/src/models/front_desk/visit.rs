//! What a customer wants, as far as the history tells.

use std::fmt;

/// What the workshop offers: label, what it means, price in cents, and how customers call it.
pub(super) const SERVICES: [Service; 4] = [
    Service {
        label: "Brake service",
        description: "Pads, discs and fluid checked and replaced where worn",
        cents: 18_900,
        keyword: "brake",
    },
    Service { label: "Oil change", description: "Fresh oil and a new filter", cents: 5_900, keyword: "oil" },
    Service {
        label: "Tire rotation",
        description: "Wheels swapped and balanced for even wear",
        cents: 3_900,
        keyword: "tire",
    },
    Service {
        label: "Inspection",
        description: "A full check, with a report on what we find",
        cents: 7_900,
        keyword: "inspect",
    },
];

/// What an inspection costs that comes before any other price.
pub(super) const INSPECTION_CENTS: u32 = 7_900;

/// What rush scheduling costs on top.
pub(super) const RUSH_CENTS: u32 = 5_000;

/// One thing that the workshop offers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Service {
    pub(super) label: &'static str,
    pub(super) description: &'static str,
    pub(super) cents: u32,
    keyword: &'static str,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    Listed(&'static Service),
    InOwnWords(String),
}

/// When.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    Standard,
    Rush,
    InOwnWords(String),
}

/// Whether the estimate is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Yes,
    No,
    InOwnWords(String),
}

/// An amount in cents, as customers read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dollars(pub(super) u32);

impl Work {
    pub(super) fn labelled(label: &str) -> Option<Self> {
        SERVICES.iter().find(|service| service.label == label).map(Self::Listed)
    }

    /// The one service that a request names; nothing where it names none or several.
    pub(super) fn named_in(request: &str) -> Option<Self> {
        let request = request.to_lowercase();
        let mut named = SERVICES.iter().filter(|service| mentions(&request, service.keyword));
        let only = named.next()?;
        named.next().is_none().then_some(Self::Listed(only))
    }

    pub(super) fn price(&self, schedule: &Schedule) -> Option<Dollars> {
        let rush = match schedule {
            Schedule::Rush => RUSH_CENTS,
            Schedule::Standard | Schedule::InOwnWords(_) => 0,
        };
        match self {
            Self::Listed(service) => Some(Dollars(service.cents + rush)),
            Self::InOwnWords(_) => None,
        }
    }
}

/// Whether a word of the text begins with the keyword, so that "oil" is not found in "boiling".
fn mentions(text: &str, keyword: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(keyword))
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed(service) => f.write_str(service.label),
            Self::InOwnWords(text) => write!(f, "“{text}”"),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("standard scheduling"),
            Self::Rush => f.write_str("rush scheduling"),
            Self::InOwnWords(text) => write!(f, "scheduling as you wrote: “{text}”"),
        }
    }
}

impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:02}", self.0 / 100, self.0 % 100)
    }
}
