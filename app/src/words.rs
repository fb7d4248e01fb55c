//! The page's own words, in the languages that the card speaks too. English is in the program; a page in another language fetches its
//! [sheet](Words::sheet).

#[cfg(not(target_arch = "wasm32"))]
mod arabic;
mod english;
#[cfg(not(target_arch = "wasm32"))]
mod german;
#[cfg(not(target_arch = "wasm32"))]
mod japanese;
mod sheet;
#[cfg(not(target_arch = "wasm32"))]
mod spanish;

use agent_chat::Trouble;
use leptos::prelude::*;
use question_card::{Labels, isolate};

/// Every word that the page says itself, in one language.
#[derive(Clone, Debug)]
pub struct Words {
    /// The card's words in this language, and its name and direction.
    pub labels: &'static Labels,
    /// What the language calls itself.
    pub name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) subtitle: &'static str,
    pub(crate) conversation: &'static str,
    pub(crate) new_conversation: &'static str,
    pub(crate) welcome: &'static str,
    pub(crate) welcome_hint: &'static str,
    /// What a newcomer may try.
    pub(crate) suggestions: [&'static str; 3],
    /// The same, where the agent may be any.
    pub(crate) suggestions_to_anyone: [&'static str; 3],
    pub(crate) message: &'static str,
    pub(crate) message_placeholder: &'static str,
    pub(crate) send: &'static str,
    pub(crate) stop: &'static str,
    pub(crate) try_again: &'static str,
    pub(crate) you: &'static str,
    pub(crate) agent: &'static str,
    /// After the name of what the agent does.
    pub(crate) tool_running: &'static str,
    pub(crate) tool_done: &'static str,
    pub(crate) to_the_end: &'static str,
    pub(crate) news: &'static str,
    pub(crate) question_waits: &'static str,
    pub(crate) still_writing: &'static str,
    pub(crate) question_came: &'static str,
    pub(crate) not_yet: &'static str,
    pub(crate) picks_go_along: &'static str,
    pub(crate) silent: &'static str,
    pub(crate) reconnecting: &'static str,
    pub(crate) offline: &'static str,
    /// The same, where nothing is sent by itself.
    pub(crate) offline_elsewhere: &'static str,
    pub(crate) settings: SettingsWords,
    pub(crate) troubles: TroubleWords,
}

/// The words of the settings.
#[derive(Clone, Debug)]
pub(crate) struct SettingsWords {
    pub(crate) title: &'static str,
    pub(crate) close: &'static str,
    pub(crate) language: &'static str,
    pub(crate) as_browser: &'static str,
    pub(crate) language_missing: &'static str,
    pub(crate) theme: &'static str,
    pub(crate) as_system: &'static str,
    pub(crate) light: &'static str,
    pub(crate) dark: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) submit_on_pick: &'static str,
    pub(crate) submit_explicit: &'static str,
    pub(crate) notify: &'static str,
    pub(crate) notify_blocked: &'static str,
    pub(crate) developer: &'static str,
    pub(crate) agent: &'static str,
    pub(crate) agent_hint: &'static str,
    pub(crate) agent_invalid: &'static str,
    pub(crate) headers: &'static str,
    pub(crate) headers_hint: &'static str,
    pub(crate) headers_invalid: &'static str,
    pub(crate) delivery: &'static str,
    pub(crate) automatic: &'static str,
    pub(crate) by_user_message: &'static str,
    pub(crate) by_tool_result: &'static str,
    pub(crate) by_resume: &'static str,
    pub(crate) by_rest: &'static str,
}

/// What went wrong. Of a pair, the one stands before what is reported, the other after it.
#[derive(Clone, Debug)]
pub(crate) struct TroubleWords {
    pub(crate) unreachable: &'static str,
    pub(crate) elsewhere: [&'static str; 2],
    pub(crate) not_allowed: [&'static str; 2],
    pub(crate) not_let_in: &'static str,
    pub(crate) too_much: &'static str,
    pub(crate) refused: &'static str,
    pub(crate) had_problem: &'static str,
    pub(crate) gone: &'static str,
    pub(crate) stopped: &'static str,
    pub(crate) broke_off: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) may_have_arrived: &'static str,
    pub(crate) failed: [&'static str; 2],
    pub(crate) unreadable: &'static str,
    pub(crate) run_open: &'static str,
    pub(crate) not_waiting: &'static str,
    pub(crate) others_wait: &'static str,
    pub(crate) agent_waits: &'static str,
    pub(crate) nothing_to_resume: &'static str,
    pub(crate) unfit: [&'static str; 2],
}

/// Every language there is, by its tag and by what it calls itself, English first.
pub(crate) const LANGUAGES: [(&str, Pick); 5] = [
    (ENGLISH, |_| "English"),
    ("de", |_| "Deutsch"),
    ("ar", |_| "العربية"),
    ("ja", |_| "日本語"),
    ("es", |_| "Español"),
];

const ENGLISH: &str = "en";

impl Words {
    /// Every language there is, English first. The page itself has English alone.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn all() -> &'static [&'static Self] {
        static ALL: [&Words; 5] = [&english::WORDS, &german::WORDS, &arabic::WORDS, &japanese::WORDS, &spanish::WORDS];
        &ALL
    }

    /// The first of these languages, given by their tags, that there is; else English.
    ///
    /// ```
    /// # use app::words::Words;
    /// assert_eq!(Words::language_of(["fr-CA", "es-MX", "de"]), "es");
    /// ```
    #[must_use]
    pub fn language_of<'a>(tags: impl IntoIterator<Item = &'a str>) -> &'static str {
        let known = |tag: &str| {
            let language = tag.split(['-', '_']).next().unwrap_or_default();
            LANGUAGES.iter().map(|(tag, _)| *tag).find(|tag| tag.eq_ignore_ascii_case(language))
        };
        tags.into_iter().find_map(known).unwrap_or(ENGLISH)
    }

    pub(crate) fn english() -> &'static Self {
        &english::WORDS
    }

    /// The words in a language, if it is English or its sheet was read. The phrases of other languages that were read are not spoken any
    /// more.
    #[must_use]
    pub fn spoken(language: &str) -> Option<&'static Self> {
        if language == ENGLISH { Some(Self::english()) } else { sheet::again(language) }
    }

    /// Learns a language from its sheet. Nothing is learned from one that another version of the page has written.
    #[must_use]
    pub fn read(sheet: &str) -> Option<&'static Self> {
        sheet::read(sheet)
    }

    /// These words as a sheet: a line for each.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn sheet(&self) -> String {
        sheet::written(self)
    }

    /// What `boot.js` says in the page's frame before the program is there, by the names that it has there.
    #[must_use]
    pub fn of_the_frame(&self) -> [(&'static str, Vec<&'static str>); 11] {
        [
            ("title", vec![self.title]),
            ("subtitle", vec![self.subtitle]),
            ("newConversation", vec![self.new_conversation]),
            ("settings", vec![self.settings.title]),
            ("welcome", vec![self.welcome]),
            ("welcomeHint", vec![self.welcome_hint]),
            ("suggestions", self.suggestions.into()),
            ("suggestionsToAnyone", self.suggestions_to_anyone.into()),
            ("message", vec![self.message]),
            ("placeholder", vec![self.message_placeholder]),
            ("send", vec![self.send]),
        ]
    }

    /// What went wrong, in a sentence or two.
    #[must_use]
    pub fn explain(&self, trouble: &Trouble) -> String {
        let words = &self.troubles;
        let around = |[before, after]: [&str; 2], reported: &str| [before, &isolate(reported), after].concat();
        match trouble {
            Trouble::Unreachable => words.unreachable.to_owned(),
            Trouble::NotAllowed { agent } => around(words.not_allowed, agent),
            Trouble::Elsewhere { origin } => around(words.elsewhere, origin),
            Trouble::Refused { status: 401 | 403, .. } => words.not_let_in.to_owned(),
            Trouble::Refused { status: 429, .. } => words.too_much.to_owned(),
            Trouble::Refused { status, message } => {
                let words = if *status < 500 { words.refused } else { words.had_problem };
                match message {
                    Some(reason) => [words, " ", &isolate(reason)].concat(),
                    None => words.to_owned(),
                }
            }
            Trouble::Gone => words.gone.to_owned(),
            Trouble::Stopped => words.stopped.to_owned(),
            Trouble::BrokeOff => words.broke_off.to_owned(),
            Trouble::DeliveryUnknown => words.unknown.to_owned(),
            Trouble::MayHaveArrived => words.may_have_arrived.to_owned(),
            Trouble::Agent(message) => around(words.failed, message),
            Trouble::Unreadable(_) => words.unreadable.to_owned(),
            Trouble::RunOpen => words.run_open.to_owned(),
            Trouble::NotWaiting => words.not_waiting.to_owned(),
            Trouble::OthersWait => words.others_wait.to_owned(),
            Trouble::AgentWaits => words.agent_waits.to_owned(),
            Trouble::NothingToResume => words.nothing_to_resume.to_owned(),
            Trouble::Unfit(reason) => around(words.unfit, reason),
        }
    }

    /// The words in the language of the document, for what is told outside of views.
    pub(crate) fn of_the_document() -> &'static Self {
        let root = document().document_element();
        let lang = root.and_then(|root| root.get_attribute("lang"));
        lang.and_then(|lang| Self::spoken(&lang)).unwrap_or_else(Self::english)
    }
}

/// Languages are told apart by their name.
impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.labels.lang == other.labels.lang
    }
}

/// The words of the page that this is a part of; English outside of one.
pub(crate) fn words() -> ReadSignal<&'static Words> {
    use_context().unwrap_or_else(|| RwSignal::new(Words::english()).read_only())
}

/// One of the page's words in whatever language.
pub(crate) type Pick = fn(&Words) -> &'static str;

/// One of the page's words, which follows the language. All of them are of one type, so that views differ in nothing but the words.
pub(crate) fn say(text: Pick) -> impl Fn() -> &'static str + Copy + Send + Sync {
    let words = words();
    move || text(words.get())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::{LANGUAGES, Words};

    #[test]
    fn each_language_goes_by_its_own_name() {
        assert_eq!(LANGUAGES.len(), Words::all().len());
        for ((tag, name), words) in LANGUAGES.iter().zip(Words::all()) {
            assert_eq!((*tag, name(words)), (words.labels.lang, words.name));
        }
    }
}
