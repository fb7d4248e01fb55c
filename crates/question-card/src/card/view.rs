//! Draws the whole card in one walk; only the differences are written to the page.

mod actions;
mod elements;
mod ended;
mod files;
mod malformed;
mod question;
mod steps;

use self::elements::title;
pub(crate) use self::files::files;
pub(crate) use self::question::{QuestionView, note, skip};
use super::Layout;
use super::machine::{Card, Manner};
use crate::anatomy::part;
use crate::labels::Word;
use crate::writer::prelude::*;
use ask_user_question::text::joined;
use ask_user_question::{AskSnapshot, Phase};

/// The card, from its root.
pub(crate) fn card(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    w.open("section", part::CARD, 0);
    // Without labels of its own, the card inherits the page's language.
    let spoken = card.options().labels.as_ref();
    match spoken {
        Some(labels) => w.put("lang", labels.lang()),
        None => w.word("lang", None),
    }
    w.word("dir", spoken.map(|labels| labels.dir().as_str()));
    w.put("data-tool-call-id", &ask.tool_call_id);
    w.word("data-state", Some(card.state_name(ask)));
    let mode = match card.manner() {
        Manner::Undecided => "undecided",
        Manner::Explicit => "explicit",
        Manner::OnPick => "on-pick",
    };
    w.word("data-mode", Some(mode));
    let layout = card.layout(ask).filter(|_| !card.shows_receipt());
    w.word("data-layout", layout.map(|layout| if layout == Layout::Stepped { "stepped" } else { "stacked" }));
    w.flag("data-dirty", card.is_dirty());
    w.flag("data-held", card.is_held());
    if card.is_live() {
        region(w);
    }
    match card.shows_receipt() {
        true => ended::ended(w, card, ask),
        false => form(w, card, ask),
    }
    w.close();
}

/// A file tray: the files of the only question, and nothing else of a card.
pub(crate) fn tray(w: &mut Writer, card: &Card, _: &AskSnapshot) {
    w.open("div", part::TRAY, 0);
    region(w);
    if let Some(taken) = &card.options().files {
        files(w, card, 0, &taken.limits);
    }
    w.close();
}

/// Who asks, if it is not the agent itself, and why. Both arrive with the end of the arguments, so they stand below what is shown by then.
fn origin(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    let Some(complete) = &ask.ask else { return };
    // A single question without a header has the title on its line.
    let has_title = matches!(&complete.questions[..], [only] if only.header.is_none());
    let is_named = complete.asked_by.is_some() && !has_title;
    if !is_named && complete.why.is_none() {
        return;
    }
    w.open("div", part::ORIGIN, 0);
    if is_named {
        w.element("span", "", 0, &title(card, ask));
    }
    if let Some(why) = &complete.why {
        w.open("details", part::MORE, 0);
        w.element("summary", "", 0, card.labels().text(Word::Why));
        if w.open("p", "", 0) {
            w.set("dir", "auto");
            w.speak(ask.lang.as_deref());
        }
        w.marked(why);
        w.close();
        w.close();
    }
    w.close();
}

/// The live region, into which announcements are written directly. It stands outside the form, because the form is `aria-busy` at times.
pub(crate) fn region(w: &mut Writer) {
    if w.open("div", "qc-status qc-visually-hidden", 0) {
        w.set("role", "status");
        w.set("aria-live", "polite");
        w.set("aria-atomic", "true");
    }
    w.close();
}

fn form(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    let ids = card.ids();
    let is_malformed = card.phase() == Phase::Malformed;
    let has_begun = !ask.questions.is_empty();
    if w.open("form", part::FORM, 0) {
        w.set("novalidate", "");
        // A host's transcript may be a live region itself, but the card makes its own announcements.
        w.set("aria-live", "off");
    }
    // Their first question tells the landmarks of several cards apart.
    match has_begun && !is_malformed {
        true => w.stamped("aria-labelledby", 2, &|| joined(&[ids.title(), ids.legend(0)], " ")),
        false => w.stamped("aria-labelledby", 1, &|| ids.title()),
    }
    w.truth("aria-busy", card.phase() == Phase::Streaming || (card.is_latched() && !card.is_held()));
    if w.open("p", "qc-title qc-visually-hidden", 0) {
        w.set("id", &ids.title());
    }
    w.text(&title(card, ask));
    w.close();
    if is_malformed {
        malformed::malformed(w, card, ask);
    } else if has_begun {
        if let Some(shown) = card.step(ask) {
            steps::steps(w, card, ask, shown);
        }
        for (index, asked) in ask.questions.iter().enumerate() {
            question::question(w, card, ask, index, asked);
        }
        origin(w, card, ask);
        actions::actions(w, card, ask);
    } else {
        w.element("p", part::COMPOSING, 0, card.labels().text(Word::Composing));
    }
    w.close();
}
