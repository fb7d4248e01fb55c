//! The state machine of a card: takes inputs of the user, the stream and the host, and returns effects for the page and the host.
//!
//! Independent of the browser. Inputs go in by [`Card::take`]; the views read fields and getters, and change nothing.

mod acts;
mod changing;
mod clicks;
mod clock;
mod declining;
mod files;
mod following;
mod keys;
mod list;
mod shape;
mod status;
mod steps;

use super::{CardEvent, Options};
use crate::dom::{Control, Ids, call_key};
use crate::draft::{AnswerDraft, ChoiceKind, Field};
use crate::drafts::Remembered;
use crate::keyboard::KeyPress;
use crate::labels::{Labels, TimeLeft, Word};
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot, ReplyState};
use ask_user_question::text::is_blank;
use ask_user_question::{AskSnapshot, Phase, Reply};

pub use self::files::{FileInput, take_file, takes_files};
pub use self::list::{Filter, is_long};
use self::shape::asked;
pub use self::shape::{has_pictures, has_previews, is_whole, name};

/// One card, from the first byte of its ask to its receipt.
///
/// - Entry: [`take`](Self::take), which returns effects; before the first input, [`restore`](Self::restore).
/// - Getters for a view: all other methods that take `&self`.
#[derive(Default)]
pub struct Card {
    labels: Labels,
    key: String,
    ids: Ids,
    options: Options,
    phase: Phase,
    manner: Manner,
    draft: AnswerDraft,
    submission: Submission,
    /// The question where Enter found nothing to confirm, and the hint for the user.
    nudged: Option<(usize, Word)>,
    /// The question to which a file could not be added, and the reason.
    file_flaw: Option<(usize, String)>,
    peeked: Option<(usize, usize)>,
    /// Cancel was pressed with answers to lose; a second press confirms it.
    confirming: bool,
    /// The reason why the last message was not accepted, in the host's words; empty if it gave none.
    refused: Option<String>,
    /// A message was given to the host, which has neither accepted nor refused it.
    messaging: bool,
    left: Option<TimeLeft>,
    life: Life,
    late: String,
    /// If the host accepts the pending message, the draft stays: the message sends the question back, or the form has opened again since.
    keeps_draft: bool,
    /// The expired question was sent back to the agent.
    reasked: bool,
    copied: Option<(Control, bool)>,
    /// The last input changed nothing on screen, so the walk is skipped.
    looks_same: bool,
    /// The question that is shown, if one is shown at a time.
    step: usize,
    /// For each question, true if it is not asked after the answers so far. Empty if none has a condition.
    hidden: Vec<bool>,
    /// The user tried to send: missing answers are shown from now on.
    validating: bool,
    /// The texts in the filters of long lists, by question. They are not part of the draft.
    filters: Vec<String>,
    /// When to announce how many rows of this question are shown.
    count_at: Option<(f64, usize)>,
    /// The questions whose note field was opened. It stays open, even empty, because the caret may be in it.
    noting: Vec<bool>,
    /// The card was added to a page.
    begun: bool,
    /// The ask cannot be read. The only field is the free text of the first question, which becomes a message.
    unreadable: bool,
    /// The last reply or cancellation given to the host, to tell its outcome from one given elsewhere.
    sent: Option<Sent>,
    /// The form is open again, to change the answer that the agent has.
    changing: Option<Changing>,
    /// The host's last report about the last reply.
    reply: ReplyState,
    /// The submission of an earlier card of the call, until the ask is known to be the same.
    given_before: Option<Unsettled>,
    /// The submission with which the next card of the call begins.
    given: Option<Unsettled>,
    /// When to announce that a reply is still on its way.
    sending_at: Option<f64>,
    /// The time until which a button shows that it copied.
    copied_until: Option<f64>,
    /// A timer is set for the next look at the clock.
    wakes: bool,
    /// The number of questions in the last snapshot.
    asked: usize,
    deadline: Deadline,
    now: Now,
    to_do: Vec<Do>,
}

/// The time of an input, and the focus at that time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Now {
    /// Milliseconds since the page was opened, as in the events of a browser.
    pub clock: f64,
    /// Milliseconds since the Unix epoch.
    pub date: u64,
    /// The focus is inside the card.
    pub has_focus: bool,
    /// The control that has the focus.
    pub focused: Option<Control>,
}

/// An input of the card.
#[non_exhaustive]
pub enum Input<'a> {
    /// The card was added to the page.
    Begin,
    /// The ask may have changed.
    Ask,
    /// The host changed the options of the card.
    Set(Options),
    /// The stored state of the call under its current key.
    Kept(Remembered),
    /// The reply, cancellation or message given to the host did not go through; the reason is shown. A host that keeps its state in the ask
    /// writes it there instead.
    Failed(String),
    /// The host accepted the message or the changed answer, or refused it.
    Taken(bool),
    /// Time has passed.
    Clock,
    /// The page or the card goes, or the user goes on elsewhere: a decline can't be undone any more.
    Leave,
    /// A click, or a press of a button.
    Click(Click),
    /// A pointer went down on the first control and was released on the second: the button of a ranked option was dragged to another row.
    Dropped(Control, Control),
    /// A radio button or check box changed.
    Choose(Control),
    /// The field of this question has a new text.
    Typed(usize, Field, &'a str),
    /// The filter of this question has a new text.
    Filtered(usize, &'a str),
    /// Something happened to the files of an answer.
    File(FileInput),
    /// The form was submitted.
    Submit,
    /// A key press, and the control that has the focus.
    Key(KeyPress<'a>, Option<Control>),
    /// An element of the form got the focus.
    Focused(Option<Control>),
    /// The host wants this question shown.
    Show(usize),
    /// The clipboard took the text of this button, or refused it.
    Copied(Control, bool),
}

/// A deliberate click in the form or below the receipt: the host has to ignore clicks on what has just moved under the pointer.
#[derive(Clone, Copy, Debug)]
pub struct Click {
    /// The control that was hit, or whose row was hit.
    pub on: Control,
    /// The click hit a row outside its controls, and did not end a selection of text.
    pub is_bare: bool,
}

impl Click {
    /// A press of a control itself.
    #[must_use]
    pub fn on(on: Control) -> Self {
        Self { on, is_bare: false }
    }
}

/// An effect, to be carried out in order once the page shows the new state.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum Do {
    /// Prevents the browser's default for the event.
    Prevent,
    /// Emits an event to the host. The host's result for a [`CardEvent::Message`] or [`CardEvent::Update`] comes back as [`Input::Taken`], at
    /// once or later.
    Emit(CardEvent),
    /// Announces a text to screen readers.
    Say(String),
    /// Announces a text once in the life of the page, for each call and kind of text. The kind comes first.
    SayOnce(String, String),
    /// Dispatches `qc-waiting`: the card waits for an answer.
    Waiting,
    /// Dispatches `qc-resolved`: the ask is over. Focuses the receipt if the form had the focus.
    Resolve {
        /// The page knows already, so nothing is dispatched.
        is_known: bool,
        /// The form had the focus.
        had_focus: bool,
    },
    /// Focuses this control.
    Focus(Control),
    /// Brings a question into view, and focuses the first of these controls that is there.
    Enter(usize, Vec<Control>),
    /// Moves the focus to where the user would go on, because the focused element is gone.
    GoOn,
    /// Scrolls the focused element into view.
    ShowFocus,
    /// Forwards a click beside a control to the control.
    Forward(Control),
    /// Writes the text of the draft or of a filter into its field, which does not follow that text by itself.
    Fill(Control),
    /// Gives the host the file of this key: the nth of the files that were just added, or the same file once more (`None`). The result
    /// comes back as [`FileInput::Uploaded`].
    Upload(usize, Option<usize>),
    /// Copies the text of this button; the result comes back as [`Input::Copied`].
    Copy(Control),
    /// Moves the draft from this key to the call's current one, and merges it with what is stored there. The two keys are equal if the host
    /// has set a storage.
    Move(String),
    /// Asks for [`Input::Clock`] after this number of milliseconds; `None` stops the timer.
    Wake(Option<u64>),
}

/// How the options are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// As text, until it is known whether one tap answers.
    #[default]
    Undecided,
    /// As radio buttons and check boxes with a Submit button below.
    Explicit,
    /// As buttons, one press of which answers.
    OnPick,
}

/// The kind of a row, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The option is not complete, or the kind of choice is not known.
    Text,
    /// A row with a radio button or check box.
    Input(ChoiceKind),
    /// A button, a press of which answers.
    Button,
}

/// The state of the one submission of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Submission {
    /// Nothing was given to the host yet.
    #[default]
    Open,
    /// Declined, but not yet given to the host: until this date the user can undo it.
    Declining {
        /// The date, in milliseconds since the Unix epoch.
        until: u64,
    },
    /// Given to the host; nothing more is accepted.
    Latched,
    /// The host could not send it, and the form is open again.
    Failed {
        /// The reason, in the host's words.
        reason: String,
        /// It was a reply, which can be sent again unchanged.
        is_reply: bool,
    },
    /// Over for the user, whatever the phase: an ask that could not be read never gets another phase.
    Settled(Settled),
}

/// How the user left an ask that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// By a message of their own.
    Messaged,
    /// By declining.
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sent {
    Reply(Reply),
    Cancel,
}

struct Changing {
    /// The draft before the change, which "Cancel" restores.
    before: AnswerDraft,
    /// The answer that had replaced the first one when the change began.
    replaced: Option<Reply>,
}

/// A submission without a final result, with which the next card of the call begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsettled {
    /// A hash that identifies the question: agents number their calls, so that ids repeat.
    asked: u64,
    submission: Submission,
    sent: Option<Sent>,
    reply: ReplyState,
}

/// The life of a card, as its page knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Life {
    /// A receipt from the start, as in a history.
    #[default]
    Record,
    /// The ask is not over, or its end is still to be reported.
    Waiting,
    /// The page knows that the ask is over.
    Over,
}

impl Life {
    /// Records that the page knows of the end, or that there is none. A record stays a record.
    fn set(&mut self, is_over: bool) {
        if *self != Self::Record {
            *self = if is_over { Self::Over } else { Self::Waiting };
        }
    }
}

#[derive(Default)]
struct Deadline {
    /// The deadline in force: the host's own, or that of the ask.
    at: Option<u64>,
    passed: bool,
    /// The last announcement: its deadline, and true if it was urgent.
    told: Option<(u64, bool)>,
    /// The card has looked at the clock. A deadline that had passed before the first look is not announced.
    looked: bool,
}

/// Declares the getters of these fields, which are copied or borrowed.
macro_rules! getters {
    (
        by value: { $($(#[$doc:meta])* $name:ident: $of:ty;)* }
        by reference: { $($(#[$borrowed_doc:meta])* $borrowed:ident: $to:ty;)* }
    ) => {
        $($(#[$doc])* #[must_use] pub fn $name(&self) -> $of {
            self.$name
        })*
        $($(#[$borrowed_doc])* #[must_use] pub fn $borrowed(&self) -> &$to {
            &self.$borrowed
        })*
    };
}

impl Card {
    /// A card for this ask, before it is in a page.
    #[must_use]
    pub fn new(ask: &AskSnapshot, options: Options) -> Self {
        let key = call_key(&options.scope, &ask.tool_call_id);
        let mut card = Self {
            labels: options.labels.clone().unwrap_or_default(),
            ids: Ids::new(&key),
            key,
            phase: ask.phase,
            unreadable: ask.phase == Phase::Malformed,
            asked: ask.questions.len(),
            options,
            ..Self::default()
        };
        card.draft.limit(card.options.max_length);
        card.manner = card.manner_of(ask);
        card.look_alive();
        card.know_kinds(ask);
        card.know_deadline(ask);
        card.know_hidden(ask);
        card
    }

    /// Restores the stored state of this call, and merges it with that of this card.
    pub fn restore(&mut self, ask: &AskSnapshot, kept: Remembered) {
        if self.submission == Submission::Open {
            self.given_before = kept.given.or(self.given_before.take());
        }
        if let Some(draft) = kept.draft {
            self.draft.restore(draft);
            self.take_up(ask);
            self.know_hidden(ask);
        }
        self.take_up_given(ask);
        self.settle_late(ask);
        self.note_given(ask);
    }

    /// The state to store for the next card of the call.
    #[must_use]
    pub fn to_remember(&self) -> Remembered {
        let draft = if self.is_kept() { self.draft.kept() } else { None };
        Remembered { draft, given: self.given.clone().or_else(|| self.given_before.clone()) }
    }

    fn note_given(&mut self, ask: &AskSnapshot) {
        // The host of the next card may not know yet how this one ended.
        let is_over = self.phase.is_over() && !self.own_reply_won(ask);
        let is_given = self.submission != Submission::Open && !is_over;
        self.given = is_given.then(|| Unsettled {
            asked: asked(ask),
            submission: self.submission.clone(),
            sent: self.sent.clone(),
            reply: self.reply.clone(),
        });
    }

    /// Handles an input at this moment, and returns the effects in order.
    pub fn take(&mut self, now: Now, ask: &AskSnapshot, input: Input<'_>) -> Vec<Do> {
        self.now = now;
        self.looks_same = false;
        match input {
            Input::Begin => {
                self.begin(ask);
                self.know_ask(ask);
            }
            Input::Ask => self.know_ask(ask),
            Input::Set(options) => self.set(ask, options),
            Input::Kept(kept) => self.restore(ask, kept),
            Input::Failed(reason) if self.messaging => self.refuse_message(&reason),
            // A decline that can still be undone was not given to the host.
            Input::Failed(reason) if !self.submission.is_open() && !self.is_declining() => self.fail(&reason),
            Input::Failed(_) => {}
            Input::Taken(is_taken) if self.messaging => match is_taken {
                true => self.message_taken(),
                false => self.refuse_message(""),
            },
            Input::Taken(true) => {}
            Input::Taken(false) => self.fail(self.labels.text(Word::NotNow).to_owned().as_str()),
            Input::Clock => self.looks_same = true,
            Input::Leave => self.leave(),
            Input::Click(click) => self.click(ask, click),
            Input::Dropped(on, over) => self.looks_same = !self.shift(ask, on, Some(over)),
            Input::Choose(control) => self.choose(ask, control),
            Input::Typed(question, field, text) => self.type_text(question, field, text),
            Input::Filtered(question, text) => self.filter_by(question, text),
            Input::File(input) => self.file(input),
            Input::Submit => self.submit(ask),
            Input::Key(press, control) => self.press(ask, press, control),
            Input::Focused(control) => {
                let peeked = match control {
                    Some(Control::Option { question, option }) => Some((question, option)),
                    _ => None,
                };
                self.looks_same = std::mem::replace(&mut self.peeked, peeked) == peeked;
            }
            Input::Show(question) => self.show_step(ask, question),
            Input::Copied(control, is_done) => self.note_copy(control, is_done),
        }
        if !self.looks_same {
            self.look_alive();
            self.know_hidden(ask);
        }
        self.look_at_clock(ask);
        if !self.looks_same {
            self.settle_late(ask);
            self.note_given(ask);
        }
        std::mem::take(&mut self.to_do)
    }

    getters! {
        by value: {
            /// The phase that is shown: an ask whose time is up is expired here before the host knows.
            phase: Phase;
            /// The ids of the elements. They stay, even if the id of the call changes.
            ids: Ids;
            /// The option with the focus, by the indexes of question and option.
            peeked: Option<(usize, usize)>;
            /// The time left to answer, if it is limited.
            left: Option<TimeLeft>;
            /// The button of the last copy, and true if the browser allowed it.
            copied: Option<(Control, bool)>;
            /// Returns true if the last input changed nothing that is shown.
            looks_same: bool;
            /// The way the options are shown.
            manner: Manner;
        }
        by reference: {
            /// The key of the call, in this page and beyond it.
            key: str;
            /// The settings in force.
            options: Options;
            /// The built-in words.
            labels: Labels;
            /// The user's choices and text.
            draft: AnswerDraft;
            /// The state of the one submission of the call.
            submission: Submission;
            /// Choices and text that did not reach the agent, once the ask is over.
            late: str;
        }
    }

    /// Returns true if Cancel was pressed with answers to lose, and a second press would confirm it.
    #[must_use]
    pub fn confirms_cancel(&self) -> bool {
        self.confirming
    }

    /// Returns true if the card is, or was, more than a receipt, and so makes announcements.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.life != Life::Record
    }

    fn file(&mut self, input: FileInput) {
        if let Some(files) = self.options.files.clone() {
            (files.code.take)(self, &files.limits, input);
        }
    }

    fn look_alive(&mut self) {
        if self.life == Life::Record && !self.is_over() {
            self.life = Life::Waiting;
        }
    }

    /// Handles that the card was added to the page.
    fn begin(&mut self, ask: &AskSnapshot) {
        self.begin_at_step(ask);
        self.begun = true;
        let is_past = self.deadline.at.is_some_and(|at| at <= self.now.date);
        match self.phase {
            _ if self.options.readonly => {}
            Phase::Ready | Phase::Answerable if self.options.fresh => self.arrive(ask),
            // A question that may be from a history is not announced, but it waits all the same.
            Phase::Ready | Phase::Answerable if !is_past => self.plan(Do::Waiting),
            Phase::Malformed if self.options.fresh => self.announce_damage(),
            _ => {}
        }
    }

    fn plan(&mut self, act: Do) {
        self.to_do.push(act);
    }

    fn emit(&mut self, event: CardEvent) {
        self.to_do.push(Do::Emit(event));
    }

    fn say(&mut self, text: String) {
        self.to_do.push(Do::Say(text));
    }

    fn say_word(&mut self, word: Word) {
        self.say(self.labels.text(word).to_owned());
    }
}

impl RowKind {
    /// The kind of an option's row.
    #[must_use]
    pub fn of(card: &Card, question: &QuestionSnapshot, option: usize) -> Self {
        // Unusable arguments may have options without a label, which a button needs as its name.
        let is_named = |option: &OptionSnapshot| option.closed && !is_blank(&option.label.text);
        match (card.manner, question.multi_select) {
            (Manner::Undecided, _) | (_, None) => Self::Text,
            _ if !question.options.get(option).is_some_and(is_named) => Self::Text,
            (Manner::OnPick, Some(_)) => Self::Button,
            (Manner::Explicit, Some(multi_select)) => {
                Self::Input(ChoiceKind::of(multi_select, question.input.as_ref()))
            }
        }
    }
}

impl Submission {
    /// Returns true if an answer can be given.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match self {
            Self::Open | Self::Failed { .. } => true,
            Self::Declining { .. } | Self::Latched | Self::Settled(_) => false,
        }
    }

    /// The way in which the user left an ask that could not be read.
    #[must_use]
    pub fn settled(&self) -> Option<Settled> {
        match self {
            Self::Settled(settled) => Some(*settled),
            Self::Open | Self::Declining { .. } | Self::Latched | Self::Failed { .. } => None,
        }
    }
}
