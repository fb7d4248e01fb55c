//! The settings of a person: stored by the browser, and for one visit set by the page's address (`?lang=de&theme=dark`), which wins.

pub mod browser;
pub mod dialog;
pub mod headers;

use crate::words::{Say, Words};
use agent_chat::{Delivery, FileLimits, Limits};
use question_card::SubmitMode;

/// One of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The agent's address; empty for the page's own agent.
    Agent,
    /// The delivery of replies to the agent.
    Delivery,
    /// The language, by its tag; empty for the browser's.
    Language,
    /// The colours: `light`, `dark`, or empty for the system's.
    Theme,
    /// Notifications: `on`, or empty.
    Notify,
    /// The way an answer is given: `explicit`, or empty for a tap.
    Submit,
    /// The tool's owner: `agent` if the agent registers it, or empty if the page sends it.
    Tool,
}

impl Setting {
    /// All settings in the order of their variants, which index the texts of [`Settings`].
    pub const ALL: [Self; 7] =
        [Self::Agent, Self::Delivery, Self::Language, Self::Theme, Self::Notify, Self::Submit, Self::Tool];

    /// The setting of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.name() == name)
    }

    /// The key in the browser's storage, which other pages of the origin share.
    #[must_use]
    pub fn key(self) -> String {
        ["chat-page ", self.name()].concat()
    }

    /// Its name, in the address and in the dialog.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Delivery => "delivery",
            Self::Language => "lang",
            Self::Theme => "theme",
            Self::Notify => "notify",
            Self::Submit => "submit",
            Self::Tool => "tool",
        }
    }
}

/// All settings, as texts. An unknown value counts as empty, which is always the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    texts: [String; Setting::ALL.len()],
    own_agent: OwnAgent,
}

/// The operator's settings of the page's own agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnAgent {
    /// Its name; empty for the front desk.
    pub name: String,
    /// The name of the limits of its questions.
    pub profile: String,
}

impl Settings {
    /// Reads each setting by `find`.
    pub fn read(find: impl Fn(Setting) -> Option<String>) -> Self {
        let texts = Setting::ALL.map(|setting| find(setting).unwrap_or_default());
        Self { texts, own_agent: OwnAgent::default() }
    }

    /// The same for this own agent of the page.
    #[must_use]
    pub fn of_own_agent(self, own_agent: OwnAgent) -> Self {
        Self { own_agent, ..self }
    }

    /// The text of a setting.
    #[must_use]
    pub fn get(&self, setting: Setting) -> &str {
        &self.texts[setting as usize]
    }

    /// Changes a setting.
    pub fn set(&mut self, setting: Setting, value: &str) {
        value.clone_into(&mut self.texts[setting as usize]);
    }

    /// The chosen language, or else the first available of these.
    #[must_use]
    pub fn language(&self, languages: &[String]) -> &'static str {
        let languages = languages.iter().map(String::as_str);
        Words::language_of([self.get(Setting::Language)].into_iter().chain(languages))
    }

    /// The delivery of replies.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        Delivery::from_word(self.get(Setting::Delivery)).unwrap_or_default()
    }

    /// The title of the page: the name of its own agent, or the host of another.
    #[must_use]
    pub fn title<'a>(&'a self, words: &'a Words) -> &'a str {
        match self.get(Setting::Agent) {
            "" if self.own_agent.name.is_empty() => words.text(Say::Title),
            "" => &self.own_agent.name,
            agent => {
                let host = agent.split_once('/').and_then(|(_, host)| host.strip_prefix('/')).unwrap_or(agent);
                match host.split('/').next() {
                    // An address at the page's own origin.
                    None | Some("") => agent,
                    Some(host) => host,
                }
            }
        }
    }

    /// The text beside the title.
    #[must_use]
    pub fn subtitle<'a>(&self, words: &'a Words) -> &'a str {
        if self.is_front_desk() { words.text(Say::Subtitle) } else { "" }
    }

    /// Suggestions for a newcomer.
    #[must_use]
    pub fn suggestions(&self) -> [Say; 3] {
        match self.is_front_desk() {
            true => [Say::Suggestion1, Say::Suggestion2, Say::Suggestion3],
            false => [Say::Anyone1, Say::Anyone2, Say::Anyone3],
        }
    }

    /// The limits of the questions that the page's own agent asks.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits::by_name(&self.own_agent.profile).unwrap_or(Limits::RUNTIME)
    }

    /// The limits of the files in answers to the page's own agent, if it takes any.
    #[must_use]
    pub fn files(&self) -> Option<FileLimits> {
        let limits = self.get(Setting::Agent).is_empty().then(|| self.limits())?;
        limits.attachments().copied()
    }

    fn is_front_desk(&self) -> bool {
        self.get(Setting::Agent).is_empty() && self.own_agent.name.is_empty()
    }

    /// True if the page sends the tool with each request.
    #[must_use]
    pub fn sends_tool(&self) -> bool {
        self.get(Setting::Tool) != "agent"
    }

    /// The way an answer is given.
    #[must_use]
    pub fn submit_mode(&self) -> SubmitMode {
        match self.get(Setting::Submit) {
            "explicit" => SubmitMode::Explicit,
            _ => SubmitMode::OnPick,
        }
    }

    /// Returns true if a notification is wanted when a question waits and the page is hidden.
    #[must_use]
    pub fn notifies(&self) -> bool {
        self.get(Setting::Notify) == "on"
    }

    /// The value of CSS `color-scheme`.
    #[must_use]
    pub fn color_scheme(&self) -> &'static str {
        match self.get(Setting::Theme) {
            "light" => "light",
            "dark" => "dark",
            _ => "light dark",
        }
    }
}
