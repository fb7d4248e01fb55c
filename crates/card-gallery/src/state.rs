//! The states of a card, and the host's input for each: a snapshot from a stream, with the state of the reply.

use crate::stream::ExampleStream;
use crate::words;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question, Reply};

/// A state that the gallery shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CardState {
    /// The call has started, without a question yet.
    Composing,
    /// More than half of the arguments have arrived.
    Streaming,
    /// Waiting for the answer.
    Awaiting,
    /// With a choice and a typed text.
    Dirty,
    /// Submitted without a choice.
    Invalid,
    /// The answer is on its way.
    Submitting,
    /// The answer did not go through.
    Failed,
    /// Answered, each question in another way.
    Answered,
    /// Answered, and one answer was changed by the user, who can change it again.
    Changed,
    /// Answered in the composer, with some picks.
    Replied,
    /// The user cancelled.
    Declined,
    /// The user went on with something else.
    Superseded,
    /// The user went on with something else, and an answer was not sent.
    Late,
    /// The deadline passed.
    Expired,
    /// The stream broke off.
    Interrupted,
    /// The agent went on with an answer in words of its own.
    Settled,
    /// The arguments ended and cannot be read.
    Malformed,
    /// The ask can't be answered any more, and its outcome is unknown.
    Readonly,
    /// Arriving now, from the first byte on.
    Live,
}

impl CardState {
    /// Every state that lasts, in the order of a card's life.
    pub(crate) const ALL: [Self; 18] = [
        Self::Composing,
        Self::Streaming,
        Self::Awaiting,
        Self::Dirty,
        Self::Invalid,
        Self::Submitting,
        Self::Failed,
        Self::Answered,
        Self::Changed,
        Self::Replied,
        Self::Declined,
        Self::Superseded,
        Self::Late,
        Self::Expired,
        Self::Interrupted,
        Self::Settled,
        Self::Malformed,
        Self::Readonly,
    ];

    /// Its name in an address.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// The state with this name.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter().chain([Self::Live]);
        all.find(|state| state.name() == name)
    }

    /// Returns true if the state needs actions of a user, beside the host's input.
    pub(crate) fn needs_acts(self) -> bool {
        matches!(self, Self::Invalid | Self::Dirty | Self::Late)
    }

    /// The host's input to the card of an ask with these arguments; `None` if the ask never comes to this state.
    pub(crate) fn stage(self, arguments: &str, id: &str) -> Option<AskSnapshot> {
        let mut ask = match self {
            Self::Composing | Self::Live => AskSnapshot::new(id),
            Self::Streaming => ExampleStream::open(id).with_part_of(arguments).snapshot().clone(),
            Self::Interrupted => ExampleStream::open(id).with_part_of(arguments).broken_off(),
            Self::Malformed => match waiting(id, arguments).phase {
                Phase::Malformed => waiting(id, arguments),
                _ => ExampleStream::open(id).with_part_of(arguments).ended(),
            },
            _ => self.conclude(waiting(id, arguments))?,
        };
        ask.reply = match self {
            Self::Submitting => ReplyState::Sending,
            Self::Failed => ReplyState::Failed(words::NETWORK_DOWN.to_owned()),
            _ => ReplyState::None,
        };
        Some(ask)
    }

    /// Brings an open ask to this state.
    fn conclude(self, mut snapshot: AskSnapshot) -> Option<AskSnapshot> {
        let ask = snapshot.ask.clone()?;
        let outcome = match self {
            Self::Answered | Self::Changed => Some(Outcome::Answered(answers(&ask)?)),
            Self::Replied => Some(Outcome::RepliedInChat {
                text: "Let us talk about this first".to_owned(),
                partial: vec![pick(0, &ask.questions[0])],
            }),
            Self::Declined => Some(Outcome::Declined),
            Self::Superseded => Some(Outcome::Superseded),
            Self::Expired => Some(Outcome::Expired),
            _ => None,
        };
        let phase = match self {
            Self::Answered | Self::Changed | Self::Replied => Phase::Answered,
            Self::Declined => Phase::Declined,
            Self::Superseded => Phase::Superseded,
            Self::Expired => Phase::Expired,
            Self::Settled => Phase::Settled,
            _ => Phase::Answerable,
        };
        if self == Self::Settled {
            snapshot.result = Some("Handled by the back office on 3 May.".to_owned());
        }
        if self == Self::Changed {
            snapshot.replaced = Some(changed(&ask)?);
        }
        snapshot.outcome = outcome;
        snapshot.set_phase(phase);
        Some(snapshot)
    }
}

/// The ask after its run.
fn waiting(id: &str, arguments: &str) -> AskSnapshot {
    let mut stream = ExampleStream::open(id);
    stream.feed(arguments);
    stream.end_call();
    stream.end_run();
    stream.snapshot().clone()
}

/// A reply with one of each: picks, a free text, a skipped question, a note. `None` if no reply is legal.
pub(crate) fn answers(ask: &AskUserQuestion) -> Option<Reply> {
    let selection = |(index, question): (usize, &Question)| match index {
        1 if question.input.is_none() => Selection::typed(index, words::OWN_ANSWER),
        2 => pick(index, question).with_note("As long as it is quick"),
        3 => Selection::skipped(index),
        _ => pick(index, question),
    };
    let selections = ask.questions.iter().enumerate().map(selection).collect();
    Reply::check(ask, selections).ok()
}

/// The same reply with a free text for the first question. `None` if that question takes no free text.
fn changed(ask: &AskUserQuestion) -> Option<Reply> {
    ask.questions.first().filter(|first| first.input.is_none())?;
    let mut selections = answers(ask)?.selections();
    selections[0] = Selection::typed(0, words::OWN_ANSWER);
    Reply::check(ask, selections).ok()
}

/// The first option, the first two if several may be chosen, all of a ranking, or a text if there is no option.
fn pick(index: usize, question: &Question) -> Selection {
    let wanted = match question.multi_select {
        _ if question.is_ranking() => question.options.len(),
        true => 2,
        false => 1,
    };
    let selected: Vec<usize> = (0..question.options.len().min(wanted)).collect();
    match selected.is_empty() {
        true => Selection::typed(index, typed(question.typed())),
        false => Selection::picked(index, selected),
    }
}

/// A text that answers a question without options.
fn typed(input: Option<&Input>) -> &'static str {
    match input.map(|input| input.kind) {
        Some(InputKind::Number | InputKind::Integer) => "2048",
        Some(InputKind::Date) => "2026-12-24",
        Some(InputKind::DateTime) => "2026-12-24T18:30",
        Some(InputKind::Email) => "ann@example.com",
        Some(InputKind::Url) => "https://example.com/docs",
        Some(InputKind::Json) => r#"{"retries": 3}"#,
        _ => "In my own words",
    }
}
