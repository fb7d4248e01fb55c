//! The buttons below the questions, and the texts beside them.

use super::elements::{QUIET_BUTTON, button, open_button, submit_button};
use super::question::extras_of_only_question;
use crate::anatomy::part;
use crate::card::Layout;
use crate::card::machine::{Card, Manner, Submission, name};
use crate::dom::Control;
use crate::labels::{Word, isolate};
use crate::writer::prelude::*;
use ask_user_question::{AskSnapshot, Phase};

/// Submit, Cancel and the other buttons.
pub(super) fn actions(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    let labels = card.labels();
    summary(w, card, ask);
    deadline(w, card);
    w.open("div", part::ACTIONS, 0);
    let (count, answered) = (card.count(ask), card.answered(ask));
    let status = if answered == count { "answered" } else { "unanswered" };
    w.word("data-status", card.layout(ask).map(|_| status));
    main(w, card, ask);
    cancel_button(w, card);
    if card.options().offers.reply_in_chat && !card.is_changing() {
        button(w, card, QUIET_BUTTON, Control::InChat, labels.text(Word::ReplyInChat), !card.is_open());
    }
    extras_of_only_question(w, card, ask);
    if card.is_held() && card.options().offers.change {
        button(w, card, "qc-button qc-quiet qc-change", Control::Change, labels.text(Word::Change), false);
    }
    if card.is_held() && card.options().offers.next {
        button(w, card, "qc-button qc-quiet qc-change", Control::Next, labels.text(Word::NextAsk), false);
    }
    wait(w, card);
    if card.layout(ask) == Some(Layout::Stacked) {
        w.element("p", part::PROGRESS, 0, &labels.progress(answered, count));
    }
    w.close();
}

/// The buttons that lead on, which keep their corner from step to step, and the alert that the reply was not sent.
fn main(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    let labels = card.labels();
    w.open("div", part::MAIN, 0);
    alert(w, card);
    let step = card.step(ask);
    if step.is_some_and(|shown| shown > 0) {
        button(w, card, "qc-button qc-back", Control::Back, labels.text(Word::Back), false);
    }
    if card.manner() == Manner::Explicit {
        let text = match card.is_changing() {
            true => labels.text(Word::Update).to_owned(),
            false => labels.plural(Word::Submit, ask.questions.len(), &[]),
        };
        submit_button(w, card, &text);
    }
    // The place of Next is kept free while more questions may arrive.
    let is_last = step.is_none_or(|shown| card.next(ask, shown).is_none());
    if !is_last || (step.is_some() && card.phase() == Phase::Streaming) {
        button(w, card, "qc-button qc-onward", Control::Onward, labels.text(Word::Onward), is_last);
    }
    if card.can_try_again(ask) {
        let tried = card.draft().chosen(0).map(|option| Control::Option { question: 0, option });
        open_button(w, card, "qc-button qc-onward", Control::Again, labels.text(Word::TryAgain));
        let stamp = card.draft().chosen(0).map_or(0, |option| option + 1);
        w.stamped("aria-describedby", stamp, &|| tried.map(|tried| card.ids().control(tried)).unwrap_or_default());
        w.close();
    }
    w.close();
}

/// The button that declines. It stays the same node, so that it keeps the focus while it asks for a second press. Meanwhile a button beside
/// it leads back.
pub(super) fn cancel_button(w: &mut Writer, card: &Card) {
    let labels = card.labels();
    let word = if card.is_changing() { Word::KeepAnswer } else { Word::Cancel };
    let text = if card.confirms_cancel() { card.discard_text() } else { labels.text(word).to_owned() };
    let is_inert = card.phase() == Phase::Streaming || card.is_latched();
    open_button(w, card, "qc-button qc-cancel", Control::Cancel, &text);
    w.flag("data-confirm", card.confirms_cancel());
    w.truth("aria-disabled", is_inert);
    w.stamped("aria-describedby", is_inert.into(), &|| card.ids().wait());
    w.close();
    if card.confirms_cancel() {
        button(w, card, QUIET_BUTTON, Control::Keep, labels.text(Word::KeepAnswering), false);
    }
}

/// The reason why the buttons are inert.
pub(super) fn wait(w: &mut Writer, card: &Card) {
    let reason = match card.phase() {
        _ if card.is_held() => card.labels().text(Word::Held),
        _ if card.is_latched() => card.labels().text(Word::Sending),
        phase => match card.refusal() {
            Some(reason) => reason,
            None if phase == Phase::Streaming => card.labels().text(Word::SubmitWait),
            None => "",
        },
    };
    w.line(part::WAIT, &|| card.ids().wait(), reason);
}

/// The alert that the reply was not sent.
pub(super) fn alert(w: &mut Writer, card: &Card) {
    if let Submission::Failed { reason, .. } = card.submission() {
        if w.open("p", part::ALERT, 0) {
            w.set("role", "alert");
        }
        w.text(&card.labels().filled(Word::Failed, &[("reason", &isolate(reason))]));
        w.close();
    }
}

/// A list of links to the open questions, if there are several.
fn summary(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    let open = card.summary(ask);
    // The steps mark the open questions, and lead there.
    if open.is_empty() || card.step(ask).is_some() {
        return;
    }
    w.open("div", part::SUMMARY, 0);
    w.element("p", "", 0, &card.labels().unanswered(open.len(), card.count(ask)));
    w.open("ul", "", 0);
    for (index, _) in open {
        if let Some(asked) = ask.questions.get(index) {
            way(w, card, index, &name(asked));
        }
    }
    w.close();
    w.close();
}

/// The time left, and a button for more. Changes are not announced, apart from one warning.
fn deadline(w: &mut Writer, card: &Card) {
    let Some(left) = card.left() else {
        return;
    };
    w.open("div", part::DEADLINE, 0);
    w.flag("data-urgent", left.is_urgent());
    if w.open("span", "", 0) {
        w.set("role", "timer");
    }
    w.text(&card.labels().time_left(left));
    w.close();
    if card.options().offers.more_time {
        button(w, card, QUIET_BUTTON, Control::MoreTime, card.labels().text(Word::MoreTime), false);
    }
    w.close();
}

/// A link to a question that still needs an answer.
fn way(w: &mut Writer, card: &Card, question: usize, name: &str) {
    let control = Control::Way { question };
    w.open("li", "", question);
    if w.open("button", QUIET_BUTTON, 0) {
        w.set("type", "button");
        w.set("id", &card.ids().control(control));
        w.set("dir", "auto");
    }
    w.text(name);
    w.close();
    w.close();
}
