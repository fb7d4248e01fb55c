//! The page's own words. English is in the program; a page in another language fetches its sheet, which has the card's words too.

use agent_chat::Trouble;
use json_tree::Json;
use leptos::prelude::*;
use question_card::{Labels, Sheet, Words as _, isolate, language_of};
use std::cell::RefCell;

question_card::words! {
    /// A word, or sentence, of the page's own.
    #[allow(missing_docs, reason = "the texts say it")]
    pub enum Say {
        Title "title" [] "Front desk",
        Subtitle "subtitle" [] "Auto repair, by appointment",
        Conversation "conversation" [] "Conversation",
        NewConversation "newConversation" [] "New conversation",
        Conversations "conversations" [] "Conversations",
        Welcome "welcome" [] "How can we help?",
        WelcomeHint "welcomeHint" [] "Say it in your own words, or start with one of these.",
        Suggestion1 "suggestion1" [] "I need my car looked at",
        Suggestion2 "suggestion2" [] "My brakes squeak",
        Suggestion3 "suggestion3" [] "I’d like an oil change",
        Anyone1 "anyone1" [] "What can you do?",
        Anyone2 "anyone2" [] "Help me decide something",
        Anyone3 "anyone3" [] "Ask me what you need to know",
        Message "message" [] "Message",
        MessagePlaceholder "messagePlaceholder" [] "Write a message",
        Send "send" [] "Send",
        Stop "stop" [] "Stop",
        TryAgain "tryAgain" [] "Try again",
        Copy "copy" [] "Copy",
        Copied "copied" [] "Copied",
        Again "again" [] "Edit and send again",
        ShowAll "showAll" [] "Show all",
        NoConversations "noConversations" [] "Your conversations will be listed here.",
        You "you" [] "You",
        Agent "agent" [] "Agent",
        ToolRunning "toolRunning" [] "under way",
        ToolDone "toolDone" [] "done",
        ToTheEnd "toTheEnd" [] "To the newest message",
        News "news" [] "New messages",
        QuestionWaits "questionWaits" [] "A question waits for you",
        QuestionsWait "questionsWait" [count] one "{count} question waits" other "{count} questions wait",
        QuestionsOpen "questionsOpen" [count] one "{count} question is open" other "{count} questions are open",
        ElsewhereAnswered "elsewhereAnswered" [] "Answered elsewhere",
        Undone "undone" [] "What came after the first answer no longer counts.",
        StaysDone "staysDone" [tools] "What the agent did since may stay done: {tools}.",
        AnswerPlaceholder "answerPlaceholder" [] "Answer here, or choose above",
        ArrowUp "arrowUp" [] "Arrow up leads to the question.",
        GoesAsAnswer "goesAsAnswer" [question] "Goes as your answer to “{question}”",
        GoesAsAnswers "goesAsAnswers" [] "Goes as your answers",
        GoesBeside "goesBeside" [] "Goes as a message in place of the answers",
        MessageInstead "messageInstead" [] "Send as a message instead",
        AnswerOrMessage "answerOrMessage" [question] "Is this your answer to “{question}”, or a message?",
        AsAnswer "asAnswer" [] "Send as my answer",
        AsMessage "asMessage" [] "Send as a message",
        Queued "queued" [text] "Goes when the agent has finished: {text}",
        TakeBack "takeBack" [] "Take back",
        TextOnly "textOnly" [] "Only text can be sent here.",
        QuestionCame "questionCame" [] "A question has come. Press Enter again to answer it with this.",
        NotYet "notYet" [] "What you said before has to go out first.",
        Silent "silent" [] "The agent is taking long. You can stop it.",
        Reconnecting "reconnecting" [] "The connection is gone. Trying to get it back; nothing is lost.",
        Offline "offline" [] "You are offline. What you answer is sent when you are back.",
        SettingsTitle "settingsTitle" [] "Settings",
        SettingsClose "settingsClose" [] "Close",
        SettingsLanguage "settingsLanguage" [] "Language",
        SettingsAsBrowser "settingsAsBrowser" [] "As in the browser",
        SettingsLanguageMissing "settingsLanguageMissing" [] "This language could not be loaded. Is there a connection?",
        SettingsTheme "settingsTheme" [] "Appearance",
        SettingsAsSystem "settingsAsSystem" [] "As on this device",
        SettingsLight "settingsLight" [] "Light",
        SettingsDark "settingsDark" [] "Dark",
        SettingsSubmit "settingsSubmit" [] "Picking an answer",
        SettingsSubmitOnPick "settingsSubmitOnPick" [] "Sends it at once",
        SettingsSubmitExplicit "settingsSubmitExplicit" [] "Sends it after “Submit”",
        SettingsNotify "settingsNotify" [] "Notify me when a question waits while I am elsewhere",
        SettingsNotifyBlocked "settingsNotifyBlocked" [] "The browser keeps this page from notifying. Its settings for this site can change that.",
        SettingsDeveloper "settingsDeveloper" [] "For developers",
        SettingsAgent "settingsAgent" [] "Agent’s address",
        SettingsAgentHint "settingsAgentHint" [] "Any AG-UI endpoint that this page may talk to. Empty: this page’s own agent.",
        SettingsAgentInvalid "settingsAgentInvalid" [] "An agent’s address begins with https:// or http://.",
        SettingsHeaders "settingsHeaders" [] "Headers for the agent",
        SettingsHeadersHint "settingsHeadersHint" [] "One a line, such as Authorization: Bearer abc. Kept in this browser and sent to this agent alone.",
        SettingsHeadersInvalid "settingsHeadersInvalid" [] "Each line is a name, a colon and a value.",
        SettingsDelivery "settingsDelivery" [] "Answers go to the agent",
        SettingsAutomatic "settingsAutomatic" [] "As suits the agent",
        SettingsByUserMessage "settingsByUserMessage" [] "As a message",
        SettingsByToolResult "settingsByToolResult" [] "As a tool result",
        SettingsByResume "settingsByResume" [] "By resuming the run",
        SettingsByRest "settingsByRest" [] "Beside the conversation (REST)",
        TroubleUnreachable "troubleUnreachable" [] "The agent does not answer. Is the connection up?",
        TroubleNotLetIn "troubleNotLetIn" [] "The agent does not let you in. It may want a key or a sign-in.",
        TroubleTooMuch "troubleTooMuch" [] "Too much at once for the agent. Try again in a while.",
        TroubleRefused "troubleRefused" [] "The agent refused this.",
        TroubleNoAgent "troubleNoAgent" [] "There is no agent at this address.",
        TroubleHadProblem "troubleHadProblem" [] "The agent had a problem.",
        TroubleGone "troubleGone" [] "The agent does not know this conversation any more. What you write next starts it again.",
        TroubleStopped "troubleStopped" [] "Stopped before the agent had it.",
        TroubleBrokeOff "troubleBrokeOff" [] "The connection broke before the agent had finished.",
        TroubleUnknown "troubleUnknown" [] "The page was left while this was on its way. It may not have arrived.",
        TroubleMayHaveArrived "troubleMayHaveArrived" [] "The agent failed after it was sent this answer, and may have it. It can be sent again.",
        TroubleUnreadable "troubleUnreadable" [] "The agent sent something that can’t be read. What came before it is kept.",
        TroubleRunOpen "troubleRunOpen" [] "This can’t be sent: the agent is still writing.",
        TroubleNotWaiting "troubleNotWaiting" [] "This can’t be sent: the question is no longer waiting.",
        TroubleOthersWait "troubleOthersWait" [] "This can’t be sent: another question waits for its answer.",
        TroubleAgentWaits "troubleAgentWaits" [] "This can’t be sent: the agent waits for something else, which this page can’t give.",
        TroubleNothingToResume "troubleNothingToResume" [] "This can’t be sent by resuming the run: the agent did not stop for an answer. The settings have other ways.",
        TroubleElsewhere "troubleElsewhere" [origin] "Nothing came back from {origin}. It may be down, or not let this page in (CORS).",
        TroubleNotAllowed "troubleNotAllowed" [agent] "This page may not talk to {agent}. The operator of the page can allow it; nothing was sent.",
        TroubleFailed "troubleFailed" [reason] "The agent failed: {reason}",
        TroubleUnfit "troubleUnfit" [reason] "The agent does not take this answer: {reason}",
    }
}

impl Say {
    /// The name in the sheets.
    pub(crate) fn name(self) -> &'static str {
        let row = Self::KEYS.split(';').nth(self as usize);
        row.and_then(|row| row.split(' ').next()).unwrap_or_default()
    }

    /// The word of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let at = Self::KEYS.split(';').position(|row| row.split(' ').next() == Some(name))?;
        Self::ALL.get(at).copied()
    }
}

/// Every word of the page and of its cards, in one language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// The card's words, with the language and its direction.
    pub labels: Labels,
    page: Sheet<Say>,
}

thread_local! {
    /// The languages that were read so far.
    static READ: RefCell<Vec<Words>> = const { RefCell::new(Vec::new()) };
}

impl Words {
    /// The first available of these languages, given by their tags; otherwise English.
    ///
    /// ```
    /// # use app::words::Words;
    /// assert_eq!(Words::language_of(["tlh", "es-MX", "de"]), "es");
    /// ```
    #[must_use]
    pub fn language_of<'a>(tags: impl IntoIterator<Item = &'a str>) -> &'static str {
        tags.into_iter().find_map(language_of).unwrap_or("en")
    }

    /// The words in a language, if it is English or its sheet was read.
    #[must_use]
    pub fn spoken(language: &str) -> Option<Self> {
        let english = Self::default();
        match english.labels.lang() == language {
            true => Some(english),
            false => READ.with_borrow(|read| read.iter().find(|words| words.labels.lang() == language).cloned()),
        }
    }

    /// Reads the sheet of a language and stores it. A text that is no sheet of this language is ignored.
    #[must_use]
    pub fn read(language: &str, sheet: &str) -> Option<Self> {
        let sheet = Json::parse(sheet).ok()?;
        let labels = Labels::ENGLISH.with_tested(&sheet);
        let page = Sheet::ENGLISH.with_tested(sheet.get("page")?);
        let words = Some(Self { labels, page }).filter(|words| words.labels.lang() == language)?;
        READ.with_borrow_mut(|read| read.push(words.clone()));
        Some(words)
    }

    /// The text of a word.
    #[must_use]
    pub fn text(&self, say: Say) -> &str {
        self.page.text(say)
    }

    /// The text of a word for a number.
    #[must_use]
    pub fn counted(&self, say: Say, count: usize) -> String {
        self.page.plural(say, count, &[])
    }

    /// The text of a word, around a text that is not the page's.
    #[must_use]
    pub fn filled(&self, say: Say, name: &str, text: &str) -> String {
        self.page.filled(say, &[(name, &isolate(text))])
    }

    /// The error in a sentence or two.
    #[must_use]
    pub fn explain(&self, trouble: &Trouble) -> String {
        let with = |say, name, reported: &str| self.filled(say, name, reported);
        let say = match trouble {
            Trouble::NotAllowed { agent } => return with(Say::TroubleNotAllowed, "agent", agent),
            Trouble::Elsewhere { origin } => return with(Say::TroubleElsewhere, "origin", origin),
            Trouble::Agent(message) => return with(Say::TroubleFailed, "reason", message),
            // The page has no tools.
            Trouble::TooManyRounds(_) => return trouble.to_string(),
            Trouble::Unfit(reason) => return with(Say::TroubleUnfit, "reason", reason),
            Trouble::Unreachable => Say::TroubleUnreachable,
            Trouble::Refused { status: 401 | 403, .. } => Say::TroubleNotLetIn,
            Trouble::Refused { status: 429, .. } => Say::TroubleTooMuch,
            Trouble::Refused { status: 404 | 405, message: None } => Say::TroubleNoAgent,
            Trouble::Refused { status, message } => {
                let say = if *status < 500 { Say::TroubleRefused } else { Say::TroubleHadProblem };
                match message {
                    Some(reason) => return [self.text(say), " ", &isolate(reason)].concat(),
                    None => say,
                }
            }
            Trouble::Gone => Say::TroubleGone,
            Trouble::Stopped => Say::TroubleStopped,
            Trouble::BrokeOff => Say::TroubleBrokeOff,
            Trouble::DeliveryUnknown => Say::TroubleUnknown,
            Trouble::MayHaveArrived => Say::TroubleMayHaveArrived,
            Trouble::Unreadable(_) => Say::TroubleUnreadable,
            Trouble::RunOpen => Say::TroubleRunOpen,
            Trouble::NotWaiting => Say::TroubleNotWaiting,
            Trouble::OthersWait => Say::TroubleOthersWait,
            Trouble::AgentWaits => Say::TroubleAgentWaits,
            Trouble::NothingToResume => Say::TroubleNothingToResume,
        };
        self.text(say).to_owned()
    }

    /// The words in the language of the document, for use outside of views.
    pub(crate) fn of_the_document() -> Self {
        let root = document().document_element();
        let lang = root.and_then(|root| root.get_attribute("lang"));
        lang.and_then(|lang| Self::spoken(&lang)).unwrap_or_default()
    }
}

/// The words of the page that this is a part of; English outside of one.
pub(crate) fn words() -> ReadSignal<Words> {
    use_context().unwrap_or_else(|| RwSignal::new(Words::default()).read_only())
}

/// The text of a word in the current language.
pub(crate) fn text(words: ReadSignal<Words>, say: Say) -> String {
    words.with(|words| words.text(say).to_owned())
}
