//! The machine without a page: tables of what one input does, and walks of many.

mod changing;
mod conditions;
mod declining;
mod files;
mod inputs;
mod steps;
mod walks;

use crate::asks::{AskPatch, Scripted as _};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question, Reply};
use question_card::dom::Control;
use question_card::machine::{Card, Click, Do, Field, Input, Now, Submission};
use question_card::{CardEvent, Layout, Notes, Offers, Options, Persist, Skip, SubmitMode};

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

#[test]
fn one_tap_answers_and_a_second_one_does_not() {
    let mut stage = Stage::waiting(SubmitMode::OnPick);
    assert_eq!(replies(&stage.press(SMALL)), 1);
    for on in [SMALL, Control::Option { question: 0, option: 1 }, Control::Submit] {
        assert_eq!(replies(&stage.press(on)), 0);
    }
    assert_eq!(replies(&stage.take(Input::Submit)), 0);
}

#[test]
fn a_row_is_chosen_beside_its_button() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    assert_eq!(stage.press(SMALL), []);
    let bare = Click { on: Control::Row { question: 0, option: 0 }, is_bare: true };
    assert_eq!(stage.take(Input::Click(bare)), [Do::Forward(SMALL)]);
}

#[test]
fn a_reply_that_failed_or_was_returned_can_be_sent_again() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.take(Input::Choose(SMALL));
    for back in [ReplyState::Failed("No network.".to_owned()), ReplyState::None] {
        assert_eq!(replies(&stage.take(Input::Submit)), 1);
        for said in [ReplyState::None, ReplyState::Sending] {
            stage.reports(said.clone());
            assert_eq!(replies(&stage.take(Input::Submit)), 0, "{said:?} gives nothing back");
        }
        stage.reports(back.clone());
        assert!(stage.card.draft().is_chosen(0, 0), "after {back:?}");
    }
    assert_eq!(replies(&stage.take(Input::Submit)), 1);
}

#[test]
fn cancel_asks_where_there_is_something_to_lose() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    assert!(stage.press(Control::Cancel).contains(&Do::Emit(CardEvent::Cancel)));
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.take(Input::Typed(0, Field::Note, "mind the step"));
    assert!(!stage.press(Control::Cancel).contains(&Do::Emit(CardEvent::Cancel)));
    assert!(stage.card.confirms_cancel());
    assert_eq!(stage.press(Control::Keep), [Do::Focus(Control::Cancel)]);
    stage.press(Control::Cancel);
    assert!(stage.press(Control::Cancel).contains(&Do::Emit(CardEvent::Cancel)));
}

#[test]
fn the_clock_warns_once_and_ends_the_ask() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    let says = |acts: &[Do]| acts.iter().filter(|act| matches!(act, Do::Say(_) | Do::SayOnce(..))).count();
    let at = stage.now.date + 125_000;
    stage.receive([AskPatch::ExpiresAt(Some(at))]);
    for (left, said, phase) in [
        (125_000, 0, Phase::Answerable),
        (59_999, 1, Phase::Answerable),
        (30_000, 0, Phase::Answerable),
        (0, 1, Phase::Expired),
    ] {
        stage.now.date = at - left;
        let acts = stage.take(Input::Clock);
        assert_eq!((says(&acts), stage.card.phase()), (said, phase), "with {left} ms left: {acts:?}");
    }
    assert!(!stage.card.is_open());
}

#[test]
fn an_ask_that_is_opened_again_is_live_at_once() {
    let mut stage = Stage::new(AskSnapshot::complete("call", one(), Phase::Superseded), SubmitMode::Explicit);
    let soon = stage.now.date + 45_000;
    let acts = stage.receive([AskPatch::ExpiresAt(Some(soon)), AskPatch::Phase(Phase::Answerable)]);
    assert!(acts.contains(&Do::Waiting) && acts.iter().any(|act| matches!(act, Do::Wake(Some(_)))), "{acts:?}");
}

#[test]
fn an_end_is_told_once() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    let acts = stage.receive([AskPatch::Outcome(Outcome::Declined), AskPatch::Phase(Phase::Declined)]);
    assert!(acts.contains(&Do::Resolve { is_known: false, had_focus: false }), "{acts:?}");
    assert_eq!(stage.receive([AskPatch::Phase(Phase::Declined)]), []);
}

fn emits(acts: &[Do], event: &CardEvent) -> bool {
    acts.iter().any(|act| matches!(act, Do::Emit(emitted) if emitted == event))
}

/// A card with a text that came too late.
fn late() -> Stage {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.take(Input::Typed(0, Field::Other, "DuckDB"));
    stage.receive([AskPatch::Phase(Phase::Superseded)]);
    stage
}

#[test]
fn a_message_that_the_host_decides_about_later_stays_until_it_went_out() {
    let message = CardEvent::Message("DuckDB".to_owned());
    let mut stage = late();
    assert!(emits(&stage.press(Control::SendLate), &message));
    assert!(!emits(&stage.press(Control::SendLate), &message), "it is on its way");
    assert_eq!(stage.card.late(), "DuckDB");
    let acts = stage.take(Input::Failed("No network.".to_owned()));
    assert!(acts.contains(&Do::Say("No network.".to_owned())), "{acts:?}");
    assert_eq!(stage.card.late(), "DuckDB", "nothing is lost");
    assert!(emits(&stage.press(Control::SendLate), &message), "it can be sent again");
    stage.take(Input::Taken(true));
    assert_eq!(stage.card.late(), "");
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

/// The next card of the call, as a list makes it again; its ask is as the host knows it.
fn remade(before: &Stage) -> Stage {
    let ask = AskSnapshot::complete("call", one(), Phase::Answerable);
    let mut after = Stage::new(ask.clone(), SubmitMode::Explicit);
    after.card = Card::new(&ask, before.options.clone());
    after.card.restore(&ask, before.card.to_remember());
    after.take(Input::Begin);
    after
}

#[test]
fn a_card_that_is_made_again_knows_that_its_reply_failed_and_why() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.take(Input::Choose(SMALL));
    stage.take(Input::Submit);
    stage.reports(ReplyState::Failed("No network.".to_owned()));
    let mut after = remade(&stage);
    assert_eq!(after.card.submission(), stage.card.submission());
    assert!(after.card.draft().is_chosen(0, 0));
    assert_eq!(replies(&after.take(Input::Submit)), 1);
}

#[test]
fn a_card_that_is_made_again_does_not_ask_what_was_answered() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.take(Input::Choose(SMALL));
    let reply = sent(&stage.take(Input::Submit));
    let outcome = Outcome::Answered(reply.expect("it was given"));
    stage.receive([AskPatch::Outcome(outcome), AskPatch::Phase(Phase::Answered)]);
    let mut after = remade(&stage);
    assert!(after.card.is_latched());
    assert_eq!(replies(&after.take(Input::Submit)), 0);
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

#[test]
fn a_scope_or_a_storage_that_comes_late_takes_up_what_is_stored_there() {
    let ask = AskSnapshot::complete("call", one(), Phase::Answerable);
    for options in [
        Options { scope: "thread".into(), persist: Persist::session(), ..Options::default() },
        Options { persist: Persist::session(), ..Options::default() },
    ] {
        let mut card = Card::new(&ask, Options { persist: Persist::default(), ..Options::default() });
        card.take(Now::default(), &ask, Input::Begin);
        let acts = card.take(Now::default(), &ask, Input::Set(options.clone()));
        assert!(acts.iter().any(|act| matches!(act, Do::Move(_))), "{acts:?}");
        let acts = card.take(Now::default(), &ask, Input::Set(options));
        assert_eq!(acts, [], "it moves once");
    }
}
