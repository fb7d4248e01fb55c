//! The machine without a page: tables of what one input does, and walks of many.

mod steps;
mod walks;

use ask_user_question::snapshot::{AskPatch, Sending};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question};
use question_card::dom::Control;
use question_card::machine::{Card, Click, Do, Field, Input, Now};
use question_card::{CardEvent, Decide, Layout, Notes, Offers, Options, Skip, SubmitMode};

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
            next: true,
            receipt_actions: false,
        };
        let (skip, notes) = (Some(Skip::button()), Some(Notes::field()));
        let options = Options { mode, layout, skip, notes, fresh: true, offers, ..Options::default() };
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

    /// A tap this number of milliseconds after now.
    fn tap(&mut self, on: Control, later: f64) -> Vec<Do> {
        self.take(Input::Click(tap(on, self.now.clock + later)))
    }

    fn press(&mut self, on: Control) -> Vec<Do> {
        self.take(Input::Click(Click { has_pointer: false, ..tap(on, self.now.clock) }))
    }
}

/// A tap where the one before was.
fn tap(on: Control, at: f64) -> Click {
    Click { on, is_bare: false, is_tap: true, has_pointer: true, is_near: true, down_at: at, at }
}

fn question(header: &str, multi_select: bool, labels: &[&str]) -> Question {
    Question::new(format!("{header}?"), labels.iter().copied()).with_header(header).with_multi_select(multi_select)
}

fn one() -> AskUserQuestion {
    AskUserQuestion::new([question("Size", false, &["Small", "Large"])])
}

const SMALL: Control = Control::Option { question: 0, option: 0 };

fn replies(acts: &[Do]) -> usize {
    acts.iter().filter(|act| matches!(act, Do::Emit(CardEvent::Reply(_)))).count()
}

#[test]
fn one_tap_answers_and_a_second_one_does_not() {
    let mut stage = Stage::waiting(SubmitMode::OnPick);
    assert_eq!(replies(&stage.tap(SMALL, 500.0)), 1);
    for on in [SMALL, Control::Option { question: 0, option: 1 }, Control::Submit] {
        assert_eq!(replies(&stage.tap(on, 1000.0)), 0);
    }
    assert_eq!(replies(&stage.take(Input::Submit)), 0);
}

#[test]
fn a_tap_is_taken_when_what_it_hits_has_stood_still() {
    for (later, is_taken) in [(0.0, false), (299.0, false), (300.0, true)] {
        let mut stage = Stage::waiting(SubmitMode::OnPick);
        stage.take(Input::Resized);
        assert_eq!(replies(&stage.tap(SMALL, later)) == 1, is_taken, "{later} ms after it moved");
        stage.now.clock += 1000.0;
        let acts = stage.take(Input::Clock);
        assert_eq!(replies(&acts), 0, "a refused tap is not taken later: {acts:?}");
    }
    let mut stage = Stage::waiting(SubmitMode::OnPick);
    stage.take(Input::Resized);
    assert_eq!(replies(&stage.press(SMALL)), 1, "a key is always meant");
}

#[test]
fn a_row_refuses_what_was_meant_for_another_place() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    assert_eq!(stage.tap(SMALL, 100.0), [Do::Prevent], "it came up a moment ago");
    assert_eq!(stage.tap(SMALL, 400.0), []);
    let at = stage.now.clock + 400.0;
    let drag = Click { is_tap: false, ..tap(SMALL, at) };
    assert_eq!(stage.take(Input::Click(drag)), [Do::Prevent], "it selected text");
    let bare = Click { on: Control::Row { question: 0, option: 0 }, is_bare: true, is_tap: true, ..drag };
    assert_eq!(stage.take(Input::Click(bare)), [Do::Forward(SMALL)]);
}

#[test]
fn a_reply_that_failed_or_was_returned_can_be_sent_again() {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.take(Input::Choose(SMALL));
    for back in [Sending::Failed("No network.".to_owned()), Sending::Idle] {
        assert_eq!(replies(&stage.take(Input::Submit)), 1);
        stage.take(Input::Sending(Sending::Pending));
        assert_eq!(replies(&stage.take(Input::Submit)), 0);
        stage.take(Input::Sending(back.clone()));
        assert!(stage.card.is_chosen(0, 0), "after {back:?}");
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
    let says = |acts: &[Do]| acts.iter().filter(|act| matches!(act, Do::Say(_))).count();
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

#[test]
fn what_is_open_can_be_left_to_the_agent() {
    let ask = AskUserQuestion::new([question("Size", false, &["Small", "Large"]), question("Colour", true, &["Red"])]);
    let mut stage = Stage::new(AskSnapshot::complete("call", ask, Phase::Answerable), SubmitMode::Explicit);
    assert_eq!(replies(&stage.press(Control::Decide)), 0, "it is off by default");
    let agent_decides = Some(Decide::button("Let the agent decide"));
    stage.take(Input::Set(Options { agent_decides, ..stage.options.clone() }));
    stage.take(Input::Choose(SMALL));
    stage.take(Input::Typed(1, Field::Note, "not too bright"));
    let acts = stage.press(Control::Decide);
    let reply = acts.iter().find_map(|act| match act {
        Do::Emit(CardEvent::Reply(reply)) => Some(reply),
        _ => None,
    });
    let selections = reply.expect("it answers").selections();
    assert_eq!((selections[0].skipped, &*selections[0].selected), (false, &[0][..]));
    assert_eq!(
        (selections[1].skipped, selections[1].note.as_deref()),
        (true, Some("Let the agent decide\nnot too bright"))
    );
    assert_eq!(stage.card.text(1, Field::Note), "not too bright", "the field keeps what was typed");
}
