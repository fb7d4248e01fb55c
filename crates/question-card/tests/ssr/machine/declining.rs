//! "Don't answer", which can be undone for a while.

use super::{SMALL, Stage};
use crate::asks::AskPatch;
use ask_user_question::Phase;
use ask_user_question::snapshot::ReplyState;
use question_card::dom::Control;
use question_card::machine::{Do, Input};
use question_card::{CardEvent, SubmitMode};

fn declines(acts: &[Do]) -> usize {
    acts.iter().filter(|act| **act == Do::Emit(CardEvent::Cancel)).count()
}

/// A card whose user has chosen an option and declined, which nobody knows yet.
fn declining() -> Stage {
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.options.undo_within = None;
    stage.take(Input::Set(stage.options.clone()));
    stage.take(Input::Choose(SMALL));
    stage.press(Control::Cancel);
    let acts = stage.press(Control::Cancel);
    assert_eq!(declines(&acts), 0);
    assert!(acts.contains(&Do::Wake(Some(5000))));
    assert!(stage.card.is_declining() && stage.card.shows_receipt());
    stage
}

fn wait(stage: &mut Stage, milliseconds: u64) -> usize {
    stage.now.date += milliseconds;
    stage.now.clock += milliseconds as f64;
    declines(&stage.take(Input::Clock))
}

#[test]
fn a_decline_goes_once_after_five_seconds() {
    let mut stage = declining();
    assert_eq!([wait(&mut stage, 4999), wait(&mut stage, 1), wait(&mut stage, 5000)], [0, 1, 0]);
    assert!(stage.card.is_latched() && stage.card.shows_receipt());
    // Undo and the next message come too late.
    assert_eq!((declines(&stage.press(Control::Undo)), declines(&stage.take(Input::Leave))), (0, 0));
    stage.reports(ReplyState::Failed("No network.".to_owned()));
    assert!(!stage.card.shows_receipt() && stage.card.draft().is_chosen(0, 0));
}

#[test]
fn undo_opens_the_form_as_it_was() {
    let mut stage = declining();
    assert_eq!(stage.press(Control::Undo), [Do::Focus(Control::Cancel), Do::Wake(None)]);
    assert!(stage.card.is_open() && stage.card.draft().is_chosen(0, 0));
    assert_eq!(wait(&mut stage, 10_000), 0);
}

#[test]
fn it_goes_at_once_with_the_page_or_the_next_message() {
    let mut stage = declining();
    assert_eq!(declines(&stage.take(Input::Leave)), 1);
    assert_eq!(declines(&stage.take(Input::Leave)), 0);
    assert_eq!(wait(&mut stage, 5000), 0);
}

#[test]
fn what_ends_the_ask_elsewhere_takes_its_place() {
    let mut stage = declining();
    stage.receive([AskPatch::Phase(Phase::Answered)]);
    assert_eq!(wait(&mut stage, 5000), 0);
    let mut stage = declining();
    stage.reports(ReplyState::Sending);
    assert!(!stage.card.shows_receipt());
    assert_eq!(wait(&mut stage, 5000), 0);
}

#[test]
fn the_next_card_of_the_call_goes_on_with_the_time() {
    let mut stage = declining();
    assert_eq!(wait(&mut stage, 3000), 0);
    stage.is_remade();
    assert!(stage.card.is_declining() && stage.card.draft().is_chosen(0, 0));
    assert_eq!([wait(&mut stage, 1999), wait(&mut stage, 1)], [0, 1]);
}

#[test]
fn a_clock_that_is_set_back_makes_the_time_no_longer() {
    let mut stage = declining();
    stage.now.date -= 600_000;
    assert_eq!([wait(&mut stage, 0), wait(&mut stage, 4999), wait(&mut stage, 1)], [0, 0, 1]);
}

#[test]
fn what_failed_before_is_no_failure_of_the_decline() {
    let mut stage = declining();
    stage.take(Input::Failed("No network.".to_owned()));
    assert!(stage.card.is_declining(), "nothing was sent that could fail");
    assert_eq!(wait(&mut stage, 5000), 1);
    stage.take(Input::Failed("No network.".to_owned()));
    assert!(stage.card.is_open());
}
