//! The machine without a page: tables of what one input does, and walks of many.

mod changing;
mod conditions;
mod declining;
mod files;
mod inputs;
mod rules;
mod steps;
mod walks;

use crate::asks::{AskPatch, Scripted as _};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question, Reply};
use question_card::dom::Control;
use question_card::machine::{Card, Click, Do, Field, Input, Now, Submission};
use question_card::{CardEvent, Layout, Notes, Offers, Options, Skip, SubmitMode};

/// A card, its ask and options, and the time.
struct Stage {
    card: Card,
    ask: AskSnapshot,
    options: Options,
    now: Now,
}

impl Stage {
    fn new(ask: AskSnapshot, mode: SubmitMode) -> Self {
        Self::laid_out(ask, mode, Layout::Stacked)
    }

    fn laid_out(ask: AskSnapshot, mode: SubmitMode, layout: Layout) -> Self {
        let offers = Offers {
            messages: true,
            reply_in_chat: true,
            more_time: true,
            change: true,
            update: true,
            next: true,
            receipt_actions: false,
        };
        let (skip, notes) = (Some(Skip::button()), Some(Notes::field()));
        let options =
            Options { mode, layout, skip, notes, fresh: true, offers, undo_within: Some(0), ..Options::default() };
        let card = Card::new(&ask, options.clone());
        let mut stage = Self { card, ask, options, now: Now { clock: 1000.0, date: 1_000_000, ..Now::default() } };
        stage.take(Input::Begin);
        stage
    }

    fn waiting(mode: SubmitMode) -> Self {
        Self::new(AskSnapshot::complete("call", one(), Phase::Answerable), mode)
    }

    fn take(&mut self, input: Input<'_>) -> Vec<Do> {
        self.card.take(self.now, &self.ask, input)
    }

    fn receive(&mut self, patches: impl IntoIterator<Item = AskPatch>) -> Vec<Do> {
        for patch in patches {
            self.ask.apply(patch);
        }
        self.take(Input::Ask)
    }

    /// The host reports what became of the reply.
    fn reports(&mut self, reply: ReplyState) -> Vec<Do> {
        self.receive([AskPatch::Reply(reply)])
    }

    /// The card goes, and the next one of the call comes.
    fn is_remade(&mut self) -> Vec<Do> {
        let kept = self.card.to_remember();
        self.card = Card::new(&self.ask, self.options.clone());
        self.card.restore(&self.ask, kept);
        self.take(Input::Begin)
    }

    fn press(&mut self, on: Control) -> Vec<Do> {
        self.take(Input::Click(Click::on(on)))
    }
}

fn question(header: &str, multi_select: bool, labels: &[&str]) -> Question {
    Question::new(format!("{header}?"), labels.iter().copied()).with_header(header).with_multi_select(multi_select)
}

fn one() -> AskUserQuestion {
    AskUserQuestion::new([question("Size", false, &["Small", "Large"])])
}

const SMALL: Control = Control::Option { question: 0, option: 0 };

fn sent(acts: &[Do]) -> Option<Reply> {
    acts.iter().find_map(|act| match act {
        Do::Emit(CardEvent::Reply(reply)) => Some(reply.clone()),
        _ => None,
    })
}

fn replies(acts: &[Do]) -> usize {
    acts.iter().filter(|act| matches!(act, Do::Emit(CardEvent::Reply(_)))).count()
}

fn emits(acts: &[Do], event: &CardEvent) -> bool {
    acts.iter().any(|act| matches!(act, Do::Emit(emitted) if emitted == event))
}

/// A card whose time ran out; what the user has sent since then is on its way when the host opens it again.
fn opened_again_after(sent: Control) -> Stage {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.take(Input::Typed(0, Field::Other, "DuckDB"));
    stage.receive([AskPatch::Phase(Phase::Expired)]);
    assert!(stage.press(sent).iter().any(|act| matches!(act, Do::Emit(CardEvent::Message(_)))), "{sent:?}");
    stage.receive([AskPatch::Phase(Phase::Answerable)]);
    stage
}

#[test]
fn a_message_that_goes_out_after_the_ask_has_opened_again_leaves_it_open() {
    for sent in [Control::AskAgain, Control::SendLate] {
        let mut stage = opened_again_after(sent);
        assert_eq!(stage.take(Input::Taken(true)), [], "{sent:?}");
        assert_eq!(replies(&stage.take(Input::Submit)), 1, "{sent:?}");
        let mut stage = opened_again_after(sent);
        stage.take(Input::Typed(0, Field::Other, "DuckDB, the new one"));
        stage.receive([AskPatch::Phase(Phase::Expired)]);
        stage.take(Input::Taken(true));
        assert_eq!(stage.card.late(), "DuckDB, the new one", "{sent:?}: that was typed since");
    }
}

#[test]
fn a_reply_that_fails_after_a_message_is_open_again_with_the_reason() {
    for (sent, by_ask) in [(Control::AskAgain, true), (Control::SendLate, true), (Control::SendLate, false)] {
        let mut stage = opened_again_after(sent);
        assert_eq!(replies(&stage.take(Input::Submit)), 1);
        match by_ask {
            true => stage.reports(ReplyState::Failed("No network.".to_owned())),
            false => stage.take(Input::Failed("No network.".to_owned())),
        };
        let reason = "No network.".to_owned();
        assert_eq!(*stage.card.submission(), Submission::Failed { reason, is_reply: true }, "{sent:?}");
        // The next message is another one.
        stage.receive([AskPatch::Phase(Phase::Expired)]);
        assert!(emits(&stage.press(Control::SendLate), &CardEvent::Message("DuckDB".to_owned())));
        stage.take(Input::Taken(true));
        assert_eq!(stage.card.late(), "", "{sent:?}");
    }
}

#[test]
fn a_message_instead_of_a_damaged_question_is_not_called_sent_before_it_is() {
    let mut stage = Stage::new(AskSnapshot::new("call"), SubmitMode::Explicit);
    stage.receive([AskPatch::Phase(Phase::Malformed)]);
    stage.take(Input::Typed(0, Field::Other, "DuckDB"));
    let message = CardEvent::Message("DuckDB".to_owned());
    assert!(emits(&stage.take(Input::Submit), &message));
    let acts = stage.take(Input::Failed("No network.".to_owned()));
    assert_eq!(acts.iter().filter(|act| matches!(act, Do::Say(_))).count(), 1, "{acts:?}");
    assert_eq!(stage.card.draft().text(0, Field::Other), "DuckDB");
    assert!(emits(&stage.take(Input::Submit), &message));
    let acts = stage.take(Input::Taken(true));
    assert!(acts.iter().any(|act| matches!(act, Do::Say(_))), "{acts:?}");
}

#[test]
fn a_whole_question_waits_and_only_a_new_one_is_announced() {
    for (fresh, phase, waits, is_said) in [
        (true, Phase::Answerable, true, true),
        (false, Phase::Answerable, true, false),
        (false, Phase::Ready, true, false),
        (false, Phase::Answered, false, false),
    ] {
        let ask = AskSnapshot::complete("call", one(), phase);
        let options = Options { fresh, ..Options::default() };
        let acts = Card::new(&ask, options).take(Now::default(), &ask, Input::Begin);
        assert_eq!(acts.contains(&Do::Waiting), waits, "fresh: {fresh}, {phase:?}");
        assert_eq!(acts.iter().any(|act| matches!(act, Do::SayOnce(..))), is_said, "fresh: {fresh}, {phase:?}");
    }
    let ask = AskSnapshot::complete("call", one(), Phase::Answerable);
    let options = Options { expires_at: Some(1), ..Options::default() };
    let acts = Card::new(&ask, options).take(Now { date: 2, ..Now::default() }, &ask, Input::Begin);
    assert!(!acts.contains(&Do::Waiting), "one that was over when it was first seen never waited");
}
