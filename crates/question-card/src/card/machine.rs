//! The card as a machine: what the user, the stream and the host do goes in, what is to be done in the page and for the host comes out.
//!
//! Nothing here knows a browser. [`Card::take`] is the one way in; the views read the fields and the getters, and change nothing.

mod acts;
mod clicks;
mod clock;
mod following;
mod keys;
mod standing;
mod steps;

use super::{CardEvent, Options};
use crate::dom::{Control, Ids, call_key, fnv1a};
use crate::draft::{Draft, Field, Kind};
use crate::drafts::Remembered;
use crate::keyboard::KeyPress;
use crate::labels::{Labels, TimeLeft, Word};
use ask_user_question::snapshot::{QuestionSnapshot, Sending};
use ask_user_question::{AskSnapshot, Phase, Reply};

pub(crate) use self::standing::{has_previews, name};

/// One card, from the first byte of its ask to its receipt.
///
/// - Way in: [`take`](Self::take), which returns what is to be done; before the first input, [`restore`](Self::restore).
/// - What a view draws: whatever takes `&self`.
pub struct Card {
    pub(crate) labels: Labels,
    /// What the call is known by in this page and beyond it.
    pub(crate) key: String,
    /// They stay, whatever the call is called later.
    pub(crate) ids: Ids,
    pub(crate) options: Options,
    /// The phase that is shown: an ask whose time is up has expired here before the host knows.
    pub(crate) phase: Phase,
    pub(crate) manner: Manner,
    pub(crate) draft: Draft,
    pub(crate) submission: Submission,
    /// The question where Enter found nothing to confirm, and what is to be done first.
    pub(crate) nudged: Option<(usize, Word)>,
    /// The option that has the focus.
    pub(crate) peeked: Option<(usize, usize)>,
    /// Cancel was pressed with answers to lose, and is to be pressed again.
    pub(crate) confirming: bool,
    /// The host would not take a message at this moment.
    pub(crate) refused: bool,
    /// How long there is to answer.
    pub(crate) left: Option<TimeLeft>,
    life: Life,
    /// What did not reach the agent, where the ask is over.
    pub(crate) late: String,
    /// Whether the question went back to the agent after its time.
    pub(crate) again: Again,
    /// What became of the last copy, and which button made it.
    pub(crate) copied: Option<(Control, Copied)>,
    /// What the next walk over the page need not look at: the number of questions, and of options of the one after them.
    pub(crate) unchanged: (usize, usize),
    /// Texts may have changed anywhere, and not only grown.
    pub(crate) rewritten: bool,
    /// What happened last is not to be seen: most keys, and each change of size.
    pub(crate) looks_same: bool,
    /// The question that is shown, where that is one at a time.
    step: usize,
    /// When another was shown last.
    turned_at: f64,
    /// When the user typed last: what grows then, they moved themselves.
    typed_at: f64,
    /// The user tried to send: what is missing is shown from now on.
    validating: bool,
    /// Whether the field for the note of a question was opened. It stays then, even empty: the caret may be in it.
    noting: Vec<bool>,
    /// The ask came, or comes, while the user is there.
    arrives: bool,
    /// The card is in a page.
    begun: bool,
    /// The ask cannot be read: the first question's own answer is a message, and all there is.
    unreadable: bool,
    /// What was last handed to the host, to tell the own answer from one given elsewhere.
    sent: Option<Sent>,
    /// The host said that a reply is on its way, so that "idle" will say something too.
    was_pending: bool,
    /// What an earlier card of the call gave to the host, until it is known whether this ask is the same.
    given_before: Option<Given>,
    /// How often a reply was on its way, to tell one time from the next.
    latches: u32,
    /// How often something was copied, to tell one time from the next.
    copies: u32,
    /// What was complete at the last walk, as in [`unchanged`](Self::unchanged).
    complete: (usize, usize),
    /// Tells how the ask was made up when it was last looked at.
    outline: u64,
    /// When anything last moved, or changed its meaning.
    moved_at: f64,
    /// When the rows to choose from came up, question by question.
    rows: Vec<RowsUp>,
    deadline: clock::Deadline,
    now: Now,
    to_do: Vec<Do>,
}

/// The moment at which something happens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Now {
    /// Milliseconds since the page began, as events have them.
    pub clock: f64,
    /// Milliseconds since the Unix epoch.
    pub date: u64,
    /// The focus is inside the card.
    pub has_focus: bool,
    /// The control that has it.
    pub focused: Option<Control>,
    /// When a card last took the form of a receipt, or its own again: everything below it moved.
    pub page_moved_at: f64,
    /// When the window last came to the front.
    pub came_forward_at: f64,
}

/// What happens to the card.
#[non_exhaustive]
pub enum Input<'a> {
    /// It is in the page now.
    Begin,
    /// The ask may have changed.
    Ask,
    /// The host has other options for the card.
    Set(Options),
    /// This was kept under the name that the call has now.
    Kept(Remembered),
    /// The host moved on with the reply.
    Sending(Sending),
    /// The host took the message that it was given, or did not.
    Taken(bool),
    /// The clock went on.
    Clock,
    /// A reply has been on its way for a while: which one.
    StillSending(u32),
    /// The card's size changed.
    Resized,
    /// A click, or a press of a button.
    Click(Click),
    /// A radio button or check box changed.
    Choose(Control),
    /// A field of this question has this text now.
    Typed(usize, Field, &'a str),
    /// The form is to be submitted.
    Submit,
    /// A key press, and the control that has the focus.
    Key(KeyPress<'a>, Option<Control>),
    /// Something in the form got the focus.
    Focused(Option<Control>),
    /// The host leads to this question.
    Show(usize),
    /// The clipboard has what this button copies, or could not take it.
    Copied(Control, bool),
    /// The button has said for long enough that it copied.
    CopyFades(u32),
}

/// A click, in the form or below the receipt.
#[derive(Clone, Copy, Debug)]
pub struct Click {
    /// The control that was hit, or that the place belongs to.
    pub on: Control,
    /// It hit a row beside what is in it, and was not the end of selecting text.
    pub is_bare: bool,
    /// The pointer, where there was one, went up where it had gone down.
    pub is_tap: bool,
    /// There was a pointer: no key, and no assistive technology.
    pub has_pointer: bool,
    /// It hit the place of the click before: it may be the second half of a double click.
    pub is_near: bool,
    /// When the pointer went down.
    pub down_at: f64,
    /// When, in milliseconds since the page began.
    pub at: f64,
}

/// What is to be done, in this order, when the page shows how the card stands.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum Do {
    /// The event is not the browser's any more.
    Prevent,
    /// The host is told. Whether it took a [`CardEvent::Message`] comes back as [`Input::Taken`].
    Emit(CardEvent),
    /// Announces a text to those who listen.
    Say(String),
    /// Says it once in the life of the page, for each call and kind of word.
    SayOnce(&'static str, String),
    /// An answer is waited for.
    Waiting,
    /// The ask is over: the page is told, unless it knows, and what took the place of the form gets the focus where the form had it.
    Resolve {
        /// The page knows.
        is_known: bool,
        /// The form had the focus.
        had_focus: bool,
    },
    /// The question has arrived: the card may take the focus.
    Claim,
    /// The focus goes to this control.
    Focus(Control),
    /// Brings a question into view, and the focus to the first of these that is there.
    Enter(usize, Vec<Control>),
    /// The focus goes to where the user goes on.
    GoOn,
    /// The focus goes back to a control that was rebuilt.
    KeepFocus(Control),
    /// What has the focus is brought into view.
    ShowFocus,
    /// A click beside a control is one on it.
    Forward(Control),
    /// A field that is there does not follow the draft by itself.
    Fill(usize, Field),
    /// All cards below this one moved.
    PageMoved,
    /// Tells in a second that this reply is still on its way.
    AskIfSending(u32),
    /// Copies what this button copies; what came of it comes back as [`Input::Copied`].
    Copy(Control),
    /// Takes back in a while that it was copied.
    FadeCopy(u32),
    /// The call had this key until now: the draft moves.
    Rename(String),
    /// What is kept is written where the host wants it now.
    Write,
    /// Looks at the clock after this number of milliseconds; `None` stops that.
    Wake(Option<u64>),
}

/// How the options are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As text: it is not known yet whether one tap will answer.
    Undecided,
    /// As radio buttons and check boxes with a Submit button below.
    Explicit,
    /// As buttons of which one activation answers.
    OnPick,
}

/// What a row is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// Its option is not complete, or it is not known how it is chosen.
    Text,
    Input(Kind),
    Button,
}

/// Where the one submission of the call stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submission {
    /// None yet.
    Open,
    /// Given to the host; nothing more is accepted.
    Latched,
    /// The host could not send it; open again.
    Failed {
        /// Why, in the host's words.
        reason: String,
        /// Whether it was a reply, which can be given again as it is.
        is_reply: bool,
    },
    /// Over for the user, whatever the phase: an ask that could not be read never gets another one.
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

/// Where the message stands that sends the question back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    No,
    /// Given to the host, which says at once whether it takes it.
    Given,
    Sent,
}

/// Where a copy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copied {
    Yes,
    /// The browser refused; then the user has to know.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sent {
    Reply(Reply),
    Cancel,
}

/// What was given to the host and is not settled: the next card of the call begins with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// Tells the ask from others: agents number their calls.
    asked: u64,
    submission: Submission,
    sent: Option<Sent>,
}

/// A card's life, as its page knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// A receipt from its beginning, as from a history.
    Record,
    /// It shows an ask that is not over, or its end is still to be told.
    Waiting,
    /// The page knows that the ask is over.
    Over,
}

impl Life {
    /// Notes that the page knows of the end, or that there is none. A record stays one.
    fn set(&mut self, is_over: bool) {
        if *self != Self::Record {
            *self = if is_over { Self::Over } else { Self::Waiting };
        }
    }
}

/// When the rows of a question came up, those that did.
#[derive(Default)]
struct RowsUp {
    options: Vec<Option<f64>>,
    other: Option<Option<f64>>,
}

impl Card {
    /// The card of this ask, before it is in a page.
    #[must_use]
    pub fn new(ask: &AskSnapshot, options: Options) -> Self {
        let key = call_key(&options.scope, &ask.tool_call_id);
        let mut card = Self {
            labels: options.labels.clone().unwrap_or_default(),
            ids: Ids::new(&key),
            key,
            phase: ask.phase,
            manner: Manner::Undecided,
            draft: Draft::default(),
            submission: Submission::Open,
            nudged: None,
            peeked: None,
            confirming: false,
            refused: false,
            left: None,
            life: Life::Record,
            late: String::new(),
            again: Again::No,
            copied: None,
            unchanged: (0, 0),
            rewritten: false,
            looks_same: false,
            step: 0,
            turned_at: f64::NEG_INFINITY,
            typed_at: f64::NEG_INFINITY,
            validating: false,
            noting: Vec::new(),
            arrives: options.fresh || ask.phase == Phase::Streaming,
            begun: false,
            unreadable: ask.phase == Phase::Malformed,
            sent: None,
            was_pending: false,
            given_before: None,
            latches: 0,
            copies: 0,
            complete: (0, 0),
            outline: following::outline(ask),
            moved_at: f64::NEG_INFINITY,
            rows: Vec::new(),
            deadline: clock::Deadline::default(),
            now: Now::default(),
            to_do: Vec::new(),
            options,
        };
        card.draft.limit(card.options.max_length);
        card.manner = card.manner_of(ask);
        card.look_alive();
        card.know_kinds(ask);
        card.know_deadline(ask);
        card
    }

    /// Takes up what was kept of this call.
    pub fn restore(&mut self, ask: &AskSnapshot, kept: Remembered) {
        self.given_before = kept.given;
        if let Some(draft) = kept.draft {
            self.draft.restore(draft);
            self.take_up(ask);
        }
        self.take_up_given(ask);
        self.settle_late(ask);
    }

    /// What the next card of the call has to know, should this one go.
    #[must_use]
    pub fn to_remember(&self, ask: &AskSnapshot) -> Remembered {
        let draft = if self.is_kept() { self.draft.kept(ask) } else { None };
        let is_given = !self.submission.is_open() && !self.phase.is_over();
        let given =
            is_given.then(|| Given { asked: asked(ask), submission: self.submission.clone(), sent: self.sent.clone() });
        Remembered { draft, given: given.or_else(|| self.given_before.clone()) }
    }

    /// Takes over what happened at this moment, and returns what is to be done about it, in order.
    pub fn take(&mut self, now: Now, ask: &AskSnapshot, input: Input<'_>) -> Vec<Do> {
        self.now = now;
        self.unchanged = (0, 0);
        self.rewritten = false;
        self.looks_same = false;
        match input {
            Input::Begin => {
                self.begin(ask);
                self.know_ask(ask);
            }
            Input::Ask => self.know_ask(ask),
            Input::Set(options) => self.set(ask, options),
            Input::Kept(kept) => self.restore(ask, kept),
            Input::Sending(sending) => self.follow_sending(ask, &sending),
            Input::Taken(taken) => self.taken(taken),
            Input::Clock => {}
            Input::StillSending(latch) => {
                self.still_sending(latch);
                self.looks_same = true;
            }
            Input::Resized => {
                if self.now.clock - self.typed_at > clicks::STILL {
                    self.moved();
                }
                self.looks_same = true;
            }
            Input::Click(click) => self.click(ask, click),
            Input::Choose(control) => self.choose(ask, control),
            Input::Typed(question, field, text) => {
                self.typed_at = now.clock;
                self.type_text(question, field, text);
            }
            Input::Submit => self.submit(ask),
            Input::Key(press, control) => self.key(ask, press, control),
            Input::Focused(control) => {
                let peeked = match control {
                    Some(Control::Option { question, option }) => Some((question, option)),
                    _ => None,
                };
                self.looks_same = std::mem::replace(&mut self.peeked, peeked) == peeked;
            }
            Input::Show(question) => self.show_step(ask, question),
            Input::Copied(control, is_done) => self.copied(control, is_done),
            Input::CopyFades(copy) => {
                if copy == self.copies {
                    self.copied = None;
                }
            }
        }
        if !self.looks_same {
            self.look_alive();
            self.look_at_clock(ask);
            self.settle_late(ask);
        }
        std::mem::take(&mut self.to_do)
    }

    /// The phase that is shown: an ask whose time is up has expired here before the host knows.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// How the options are shown.
    #[must_use]
    pub fn manner(&self) -> Manner {
        self.manner
    }

    /// How the one submission of the call stands.
    #[must_use]
    pub fn submission(&self) -> &Submission {
        &self.submission
    }

    /// Whether an option is chosen, by the indexes of question and option.
    #[must_use]
    pub fn is_chosen(&self, question: usize, option: usize) -> bool {
        self.draft.is_chosen(question, option)
    }

    /// What is typed in a field, chosen or not.
    #[must_use]
    pub fn text(&self, question: usize, field: Field) -> &str {
        self.draft.text(question, field)
    }

    /// What was typed or chosen and did not reach the agent, once the ask is over.
    #[must_use]
    pub fn late(&self) -> &str {
        &self.late
    }

    /// Whether Cancel was pressed with answers to lose, and is to be pressed again.
    #[must_use]
    pub fn confirms_cancel(&self) -> bool {
        self.confirming
    }

    /// Returns true if the card is, or was, more than a receipt, and so it speaks.
    pub(crate) fn is_live(&self) -> bool {
        self.life != Life::Record
    }

    fn look_alive(&mut self) {
        if self.life == Life::Record && !self.is_over() {
            self.life = Life::Waiting;
        }
    }

    /// The card is in the page, and the user sees it.
    fn begin(&mut self, ask: &AskSnapshot) {
        self.note_rows(ask);
        self.begin_at_step(ask);
        self.begun = true;
        if self.options.fresh && !self.options.readonly {
            match self.phase {
                Phase::Ready | Phase::Answerable => self.arrive(ask),
                Phase::Malformed => self.announce_damage(),
                _ => {}
            }
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

    /// Something moved or changed its meaning just now.
    fn moved(&mut self) {
        self.moved_at = self.now.clock;
    }
}

impl Row {
    /// What the row of an option is.
    pub(crate) fn of(card: &Card, question: &QuestionSnapshot, option: usize) -> Self {
        let is_closed = question.options.get(option).is_some_and(|option| option.closed);
        match (card.manner, question.multi_select) {
            (Manner::Undecided, _) | (_, None) => Self::Text,
            _ if !is_closed => Self::Text,
            (Manner::OnPick, Some(_)) => Self::Button,
            (Manner::Explicit, Some(multi_select)) => Self::Input(Kind::of(multi_select)),
        }
    }
}

impl Submission {
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Open | Self::Failed { .. } => true,
            Self::Latched | Self::Settled(_) => false,
        }
    }

    pub(crate) fn settled(&self) -> Option<Settled> {
        match self {
            Self::Settled(settled) => Some(*settled),
            Self::Open | Self::Latched | Self::Failed { .. } => None,
        }
    }
}

/// Tells what is asked from anything else.
fn asked(ask: &AskSnapshot) -> u64 {
    ask.questions.iter().fold(0, |all, asked| all.wrapping_mul(31).wrapping_add(fnv1a(asked.question.text.trim())))
}

/// Whether no further option can come, and it is known how one is chosen.
pub(crate) fn is_whole(question: &QuestionSnapshot) -> bool {
    question.closed && question.multi_select.is_some()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
