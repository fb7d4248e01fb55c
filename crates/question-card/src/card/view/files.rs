//! The files of an answer: "+", and a chip for each.

use super::elements::{QUIET_BUTTON, open_button};
use crate::anatomy::part;
use crate::card::machine::Card;
use crate::chip::chip;
use crate::dom::Control;
use crate::draft::FileState;
use crate::labels::{Word, isolate};
use crate::writer::prelude::*;
use ask_user_question::attachment::FileLimits;
use ask_user_question::text::joined;

/// The "+" button, the chips, and the reason why a file was not accepted.
pub(crate) fn files(w: &mut Writer, card: &Card, question: usize, limits: &FileLimits) {
    let (labels, ids) = (card.labels(), card.ids());
    // A label opens a file field without a script, with any assistive technology.
    w.open("label", "qc-button qc-quiet qc-attach", 0);
    if w.open("input", part::HIDDEN, 0) {
        w.set("id", &ids.control(Control::Attach { question }));
        w.set("type", "file");
        w.set("multiple", "");
    }
    w.put("accept", &joined(limits.types, ","));
    let said = card.limits_text(limits);
    w.put("aria-label", labels.text(Word::Attach));
    w.put("aria-description", &said);
    w.put("title", &said);
    w.flag("disabled", card.is_latched());
    w.close();
    w.close();
    let files = card.draft().files(question);
    if !files.is_empty() {
        w.open("ul", part::FILES, 0);
        for file in files {
            let name = isolate(&file.file.name);
            w.open("li", part::FILE, file.key);
            w.word(
                "data-state",
                match &file.state {
                    FileState::Going(_) => Some("going"),
                    FileState::Failed(_) => Some("failed"),
                    FileState::There => None,
                },
            );
            chip(w, &file.file);
            w.element("span", part::HINT, 0, &labels.size(file.file.size));
            match &file.state {
                FileState::Going(0) => w.element("span", part::WAIT, 0, labels.text(Word::FileGoing)),
                FileState::Going(percent) => {
                    if w.open("progress", part::UPLOAD, 0) {
                        w.set("max", "100");
                    }
                    w.put("value", &percent.to_string());
                    w.put("aria-label", labels.text(Word::FileGoing));
                    w.close();
                    if w.open("span", part::WAIT, 1) {
                        // The progress bar tells it to screen readers.
                        w.set("aria-hidden", "true");
                    }
                    w.text(&labels.percent(*percent));
                    w.close();
                }
                FileState::Failed(reason) => {
                    w.element("span", part::ERROR, 0, reason);
                    let again = Control::Refile { question, option: file.key };
                    open_button(w, card, QUIET_BUTTON, again, labels.text(Word::TryAgain));
                    w.close();
                }
                FileState::There => {}
            }
            let control = Control::Unfile { question, option: file.key };
            open_button(w, card, QUIET_BUTTON, control, "×");
            w.put("aria-label", &labels.filled(Word::FileRemove, &[("name", &name)]));
            w.truth("aria-disabled", card.is_latched());
            w.close();
            w.close();
        }
        w.close();
    }
    if let Some(flaw) = card.file_flaw(question) {
        w.element("p", part::ERROR, 1, flaw);
    }
}
