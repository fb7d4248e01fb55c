//! One question: a fieldset with its legend, hint, error, rows and extras.

use super::elements::{QUIET_BUTTON, growing, named_by_question, open_button, step_name, submit_button, title};
use crate::anatomy::part;
use crate::card::machine::{Card, Manner, RowKind, has_pictures, has_previews, is_long, is_whole, takes_files};
use crate::dom::Control;
use crate::draft::{ChoiceKind, Field, Problem, Remaining};
use crate::labels::{Word, concat, isolate};
use crate::writer::prelude::*;
use ask_user_question::AskSnapshot;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot};
use ask_user_question::text::joined;
use live_markdown::marks;

/// The classes of the free-text row.
const OTHER_ROW: &str = "qc-option qc-other";

/// A question, with its card and ask.
#[derive(Clone, Copy)]
pub(crate) struct QuestionView<'a> {
    pub(super) card: &'a Card,
    ask: &'a AskSnapshot,
    pub(super) index: usize,
    asked: &'a QuestionSnapshot,
}

pub(super) fn question(w: &mut Writer, card: &Card, ask: &AskSnapshot, index: usize, asked: &QuestionSnapshot) {
    if w.reuse((index, None), "fieldset", part::QUESTION, index) {
        return;
    }
    let place = QuestionView { card, ask, index, asked };
    let ids = card.ids();
    let error = card.error(index);
    let is_radio_group =
        asked.multi_select == Some(false) && !asked.asks_for(InputKind::Rank) && card.manner() == Manner::Explicit;
    if w.open("fieldset", part::QUESTION, index) {
        // Some browsers compute no name from a legend without a box.
        w.set("aria-labelledby", &ids.legend(index));
    }
    w.flag("hidden", card.step(ask).is_some_and(|shown| shown != index) || card.is_hidden(index));
    w.word("role", is_radio_group.then_some("radiogroup"));
    w.truth("aria-required", is_radio_group && card.options().skip.is_none());
    w.truth("aria-invalid", is_radio_group && error.is_some_and(Problem::is_missing));
    match error.is_some() || card.nudge(index).is_some() {
        true => w.stamped("aria-describedby", 2, &|| joined(&[ids.hint(index), ids.error(index)], " ")),
        false => w.stamped("aria-describedby", 1, &|| ids.hint(index)),
    }
    w.word("data-status", Some(if card.draft().problem(index).is_none() { "answered" } else { "unanswered" }));
    w.flag("data-multiple", asked.multi_select == Some(true));
    w.flag("data-invalid", error.is_some());
    w.flag("data-skipped", card.draft().is_skipped(index));
    legend(w, place);
    let bounds = asked.input.as_ref().map(bounds).unwrap_or_default();
    let hint = match asked.multi_select {
        _ if asked.asks_for(InputKind::Rank) => card.labels().text(Word::Rank),
        _ if !bounds.is_empty() => &bounds,
        _ if asked.options.is_empty() && is_whole(asked) => "",
        Some(false) if card.manner() == Manner::OnPick => card.labels().text(Word::PickOne),
        Some(false) => card.labels().text(Word::SelectOne),
        Some(true) => card.labels().text(Word::SelectMany),
        // The line is kept from the start, so that nothing moves when its text is known.
        None => "\u{a0}",
    };
    w.line(part::HINT, &|| ids.hint(index), hint);
    // If one tap answers, only a text can be wrong; its error is at the field.
    if card.manner() != Manner::OnPick {
        error_line(w, place, error);
    }
    let is_many = is_long(asked);
    if is_many {
        filter(w, place);
    }
    w.open("div", part::BODY, 0);
    w.open("div", part::OPTIONS, 0);
    w.flag("data-long", fits_columns(asked));
    w.flag("data-many", is_many);
    w.flag("data-pictures", has_pictures(asked));
    let (filter, mut rows) = (card.filter(index), 0);
    let count = asked.options.len();
    for nth in 0..count {
        let option = card.draft().option_at(index, nth, count);
        let Some(shown) = asked.options.get(option) else { continue };
        let row = (!is_many || filter.fits(shown)).then_some(rows);
        option_row(w, place, option, shown, row);
        rows += usize::from(row.is_some());
    }
    other_row(w, place, rows);
    w.close();
    if has_previews(asked) {
        preview(w, place);
    }
    w.close();
    if ask.questions.len() > 1 {
        extras(w, place);
    }
    w.close();
}

/// The rows in the first of two columns, and the length of a label that fits there, in bytes, of which wide letters have more.
const COLUMN: usize = 6;
const SHORT: usize = 18;

/// Returns true if the rows may stand in two columns. The first column decides: its rows are complete when the first row of the second
/// column arrives, which moves nothing.
fn fits_columns(asked: &QuestionSnapshot) -> bool {
    let is_short = |option: &OptionSnapshot| option.description.is_none() && option.label.text.len() <= SHORT;
    let is_two = asked.options.len() <= COLUMN * 2 && !has_previews(asked) && !has_pictures(asked);
    is_two && asked.options.get(..=COLUMN).is_some_and(|first| first.iter().take(COLUMN).all(is_short))
}

/// The extras of a single question, on the line of the card's own buttons.
pub(super) fn extras_of_only_question(w: &mut Writer, card: &Card, ask: &AskSnapshot) {
    if let [asked] = &ask.questions[..] {
        extras(w, QuestionView { card, ask, index: 0, asked });
    }
}

fn legend(w: &mut Writer, place: QuestionView<'_>) {
    if w.open("legend", part::LEGEND, 0) {
        w.set("id", &place.card.ids().legend(place.index));
        w.set("dir", "auto");
    }
    if let Some(header) = place.asked.header.as_ref().filter(|header| !header.text.is_empty()) {
        if w.open("span", part::CHIP, 0) {
            w.set("dir", "auto");
        }
        growing(w, place.ask, &header.text);
        w.close();
        // Separates the two in the legend's name.
        w.text(" ");
    } else if place.asked.closed || !place.asked.options.is_empty() {
        stand_in(w, place);
    }
    if w.open("span", part::QUESTION_TEXT, 0) {
        // Not on the legend: the header may have another direction.
        w.set("dir", "auto");
        w.speak(place.ask.lang.as_deref());
    }
    w.marked(&place.asked.question.text);
    w.close();
    w.close();
}

/// What stands on the line of the header if a question has none: the card's title, or the number of the question if there are several. The
/// steps have that, too.
fn stand_in(w: &mut Writer, QuestionView { card, ask, index, .. }: QuestionView<'_>) {
    if card.step(ask).is_some() {
        return;
    }
    if w.open("span", part::CHIP, 1) {
        // The form has this name already.
        w.set("aria-hidden", "true");
    }
    match ask.questions.len() {
        1 => w.text(&title(card, ask)),
        _ => w.text(&step_name(card, index)),
    }
    w.close();
}

/// The error line: a problem, or the hint after Enter.
fn error_line(w: &mut Writer, QuestionView { card, index, .. }: QuestionView<'_>, error: Option<Problem>) {
    let text = match error {
        Some(problem) => Some(card.error_text(index, problem)),
        None => card.nudge(index).map(str::to_owned),
    };
    if let Some(text) = text {
        error_text(w, card, index, &text);
    }
}

pub(super) fn error_text(w: &mut Writer, card: &Card, question: usize, text: &str) {
    w.line(part::ERROR, &|| card.ids().error(question), text);
}

/// The field that filters a long list, what it shows, and the buttons for all and none of that.
fn filter(w: &mut Writer, QuestionView { card, index: question, asked, .. }: QuestionView<'_>) {
    let (ids, labels) = (card.ids(), card.labels());
    w.open("div", part::FILTER, 0);
    if w.open("input", part::OTHER_INPUT, 0) {
        w.set("id", &ids.control(Control::Filter { question }));
        w.set("type", "search");
        w.set("autocomplete", "off");
        w.set("dir", "auto");
        w.set("enterkeyhint", "search");
        w.set("aria-describedby", &ids.matches(question));
        w.value(card.filter_text(question));
    }
    w.put("aria-label", labels.text(Word::Filter));
    w.put("placeholder", labels.text(Word::Filter));
    w.close();
    if asked.multi_select == Some(true) {
        for (control, word) in [(Control::All { question }, Word::All), (Control::Clear { question }, Word::Clear)] {
            open_button(w, card, QUIET_BUTTON, control, labels.text(word));
            named_by_question(w, card, control, question);
            w.truth("aria-disabled", card.is_latched());
            w.close();
        }
    }
    w.line(part::HINT, &|| ids.matches(question), &card.matches(question, asked));
    w.close();
}

/// The row of an option, the nth that is shown. The label keeps its node when an input joins it; a button replaces the label, because it
/// needs a name from the start.
fn option_row(w: &mut Writer, place: QuestionView<'_>, option: usize, shown: &OptionSnapshot, nth: Option<usize>) {
    let QuestionView { card, index: question, .. } = place;
    let row = RowKind::of(card, place.asked, option);
    let shortcut = nth.and_then(Card::shortcut);
    let key = option * 2 + usize::from(row == RowKind::Button);
    if w.reuse((question, Some(option)), "div", part::OPTION, key) {
        return;
    }
    let control = Control::Option { question, option };
    let has = card.draft().is_chosen(question, option);
    if w.open("div", part::OPTION, key) {
        w.set("id", &card.ids().control(Control::Row { question, option }));
    }
    w.flag("hidden", nth.is_none());
    w.flag("data-pending", row == RowKind::Text);
    if row == RowKind::Button {
        let is_picked = has && card.is_latched();
        w.flag("data-chosen", is_picked || (has && card.can_try_again(place.ask)));
        pick_button(w, place, option, shown, (is_picked, shortcut));
    } else {
        w.flag("data-chosen", has);
        if let RowKind::Input(kind) = row {
            open_input(w, place, control, kind, has);
            described(w, place, option, shown, false);
            w.word("aria-keyshortcuts", shortcut);
            w.truth(
                "aria-invalid",
                kind != ChoiceKind::Single && card.error(question).is_some_and(Problem::is_missing),
            );
            w.close();
        }
        if w.open("label", part::OPTION_LABEL, 0) {
            w.set("for", &card.ids().control(control));
            w.set("dir", "auto");
        }
        label(w, place, shown);
        if let Some(rank) = card.draft().rank(question, option) {
            w.text(" ");
            w.element("span", part::BADGE, 1, &card.labels().number(rank));
        }
        w.close();
        if let Some(rank) = card.draft().rank(question, option) {
            places(w, place, option, rank, &shown.label.text);
        }
    }
    // Outside the label, or it would be part of the option's name.
    if let Some(description) = &shown.description {
        if w.open("p", part::OPTION_DESC, 0) {
            w.set("id", &card.ids().description(question, option));
            w.set("dir", "auto");
        }
        growing(w, place.ask, &description.text);
        w.close();
    }
    if let Some((url, alt)) = shown.picture() {
        if w.open("img", part::PICTURE, 0) {
            w.set("id", &card.ids().picture(question, option));
            w.set("dir", "auto");
            w.set("decoding", "async");
            // Otherwise a press that moves a little would start a drag.
            w.set("draggable", "false");
        }
        w.put("alt", alt);
        w.put("src", url);
        w.close();
    }
    digit(w, shortcut);
    w.close();
}

/// The buttons that move a ranked option: by a press, or by being dragged to another row.
fn places(
    w: &mut Writer,
    QuestionView { card, index: question, .. }: QuestionView<'_>,
    option: usize,
    rank: usize,
    label: &str,
) {
    w.open("div", part::EXTRAS, 0);
    for (control, word, end) in [
        (Control::Up { question, option }, Word::Up, 1),
        (Control::Down { question, option }, Word::Down, card.draft().chosen_count(question)),
    ] {
        // The style sheet draws the arrow.
        open_button(w, card, QUIET_BUTTON, control, "");
        w.put("aria-label", &card.labels().filled(word, &[("label", &isolate(&marks::plain(label)))]));
        w.truth("aria-disabled", rank == end || card.is_latched());
        w.close();
    }
    w.close();
}

fn pick_button(
    w: &mut Writer,
    place: QuestionView<'_>,
    option: usize,
    shown: &OptionSnapshot,
    (is_picked, shortcut): (bool, Option<&'static str>),
) {
    let QuestionView { card, index: question, .. } = place;
    let is_inert = !card.is_open();
    if w.open("button", part::OPTION_BUTTON, 0) {
        w.set("type", "button");
        w.set("id", &card.ids().control(Control::Option { question, option }));
        w.set("dir", "auto");
    }
    described(w, place, option, shown, is_inert);
    w.truth("aria-busy", is_picked && !card.is_held());
    w.truth("aria-disabled", is_inert);
    w.word("aria-keyshortcuts", shortcut);
    label(w, place, shown);
    w.close();
}

/// The label of an option. A suffix that recommends it is shown as a badge; the answer has the label as it came.
fn label(w: &mut Writer, QuestionView { card, ask, asked, .. }: QuestionView<'_>, shown: &OptionSnapshot) {
    let (labels, text) = (card.labels(), &shown.label.text);
    if let Some(own) = labels.own(asked.input.as_ref().map(|input| input.kind), text) {
        return w.text(own);
    }
    let plain = labels.without_badge(text).filter(|_| shown.closed);
    growing(w, ask, plain.unwrap_or(text));
    if plain.is_some() {
        w.element("span", part::BADGE, 0, labels.text(Word::Recommended));
    }
}

/// Refers to the description and the picture of an option, if there are such, and to the reason if it is inert.
fn described(w: &mut Writer, place: QuestionView<'_>, option: usize, shown: &OptionSnapshot, is_inert: bool) {
    let ids = place.card.ids();
    let describes = [shown.description.is_some(), shown.picture().is_some(), is_inert];
    let stamp = describes.iter().fold(0, |stamp, describes| stamp << 1 | usize::from(*describes));
    w.stamped("aria-describedby", stamp, &|| {
        let all = [ids.description(place.index, option), ids.picture(place.index, option), ids.wait()];
        let ids: Vec<String> = all.into_iter().zip(describes).filter_map(|(id, is_one)| is_one.then_some(id)).collect();
        joined(&ids, " ")
    });
}

/// Opens a radio button or check box, and leaves it open for more attributes.
fn open_input(
    w: &mut Writer,
    QuestionView { card, index, .. }: QuestionView<'_>,
    control: Control,
    kind: ChoiceKind,
    is_chosen: bool,
) {
    let is_new = w.open("input", part::OPTION_INPUT, 0);
    w.word("type", Some(if kind == ChoiceKind::Single { "radio" } else { "checkbox" }));
    if is_new {
        w.set("id", &card.ids().control(control));
        w.set("name", &card.ids().name(index));
        match control {
            Control::Option { option, .. } => w.set("value", &option.to_string()),
            _ => w.set("value", "other"),
        }
    }
    w.checked(is_chosen);
    w.truth("aria-disabled", card.is_latched());
}

/// A digit, for sighted users; screen readers take it from `aria-keyshortcuts`.
fn digit(w: &mut Writer, digit: Option<&'static str>) {
    if let Some(digit) = digit {
        if w.open("kbd", part::KBD, 0) {
            w.set("aria-hidden", "true");
        }
        w.text(digit);
        w.close();
    }
}

/// The free-text row, the last of a question. It is created early, and shown once no further option can push it down: when the arguments
/// end and the user can answer, little is left to do.
fn other_row(w: &mut Writer, place: QuestionView<'_>, rows: usize) {
    let QuestionView { card, index: question, asked, .. } = place;
    let is_pick = card.manner() == Manner::OnPick;
    if !asked.takes_words() || card.manner() == Manner::Undecided || (is_pick && !is_whole(asked)) {
        return;
    }
    if w.open("div", OTHER_ROW, is_pick.into()) {
        w.set("id", &card.ids().control(Control::OtherRow { question }));
    }
    let text = Control::OtherText { question };
    let is_unsent = card.is_unsent(question);
    if !is_pick {
        let kind = asked.multi_select.map_or(ChoiceKind::Single, |multi| ChoiceKind::of(multi, None));
        let is_chosen = card.draft().is_other_chosen(question);
        w.flag("hidden", !is_whole(asked));
        w.flag("data-chosen", is_chosen);
        w.flag("data-unsent", is_unsent);
        open_input(w, place, Control::Other { question }, kind, is_chosen);
        w.truth("aria-invalid", kind == ChoiceKind::Multi && card.error(question).is_some_and(Problem::is_missing));
        w.close();
    }
    let labelled = if is_pick { text } else { Control::Other { question } };
    let word = if asked.asks_for(InputKind::Approval) { Word::RejectWith } else { Word::Other };
    label_of(w, card, part::OPTION_LABEL, &|| card.ids().other_label(question), labelled, word);
    let shortcut = card.shortcut_of_text(asked, rows);
    digit(w, shortcut);
    // Without options, it is not "Other".
    let is_open = asked.options.is_empty();
    let labels = || match is_open {
        true => card.ids().legend(question),
        false => joined(&[card.ids().other_label(question), card.ids().legend(question)], " "),
    };
    text_field(w, card, question, Field::Other, (1 + usize::from(is_open), &labels), shortcut);
    if is_pick {
        submit_button(w, card, card.labels().text(Word::Send));
        field_error(w, place, Field::Other);
    }
    counter(w, card, question, Field::Other);
    if is_unsent {
        w.line(part::UNSENT, &|| card.ids().unsent(question), card.labels().text(Word::OtherUnsent));
    }
    if let Some(files) = card.options().files.as_ref().filter(|_| takes_files(asked)) {
        (files.code.draw)(w, card, question, &files.limits);
    }
    w.close();
}

/// A text field. Only a new field gets the text of the draft; later walks do not write it, because that would end the composition of an
/// input method.
pub(super) fn text_field(
    w: &mut Writer,
    card: &Card,
    question: usize,
    field: Field,
    (stamp, labelled_by): (usize, &dyn Fn() -> String),
    shortcut: Option<&'static str>,
) {
    let control = field.control(question);
    let typed = card.draft().text(question, field);
    let problem = card.error(question).filter(|problem| problem.field() == field);
    let input = card.draft().input(question).filter(|_| field == Field::Other);
    let native = input.and_then(Input::field);
    if w.open(if native.is_some() { "input" } else { "textarea" }, part::OTHER_INPUT, 0) {
        w.set("id", &card.ids().control(control));
        match native {
            Some(attributes) => attributes.into_iter().for_each(|(name, value)| w.set(name, value)),
            None => w.set("rows", "1"),
        }
        w.value(typed);
    }
    w.stamped("aria-labelledby", stamp, labelled_by);
    match field {
        Field::Other => w.put("placeholder", card.labels().text(Word::OtherPlaceholder)),
        Field::Note => w.word("placeholder", None),
    }
    w.word("enterkeyhint", Some(card.enter_does(field)));
    let describes = [problem.is_some(), field == Field::Other && card.is_unsent(question), card.draft().is_limited()];
    let stamp = describes.iter().fold(0, |stamp, describes| stamp << 1 | usize::from(*describes));
    w.stamped("aria-describedby", stamp, &|| {
        let mut ids = Vec::new();
        for (at, id) in [card.ids().error(question), card.ids().unsent(question), card.ids().counter(control)]
            .into_iter()
            .enumerate()
        {
            if describes[at] {
                ids.push(id);
            }
        }
        joined(&ids, " ")
    });
    // `auto` only for typed text: a placeholder, and the caret in an empty field, have the card's direction.
    w.word("dir", (!typed.is_empty()).then_some("auto"));
    w.truth("aria-invalid", problem.is_some_and(|problem| problem != Problem::Unanswered));
    w.word("aria-keyshortcuts", shortcut);
    w.flag("readonly", card.is_latched());
    w.close();
}

/// The bounds and the unit of what is typed.
fn bounds(input: &Input) -> String {
    let unit = input.unit.as_deref().map(isolate).unwrap_or_default();
    let bounds = match (&input.min, &input.max) {
        (Some(min), Some(max)) => concat(&[&isolate(min), " – ", &isolate(max)]),
        (Some(min), None) => concat(&["≥ ", &isolate(min)]),
        (None, Some(max)) => concat(&["≤ ", &isolate(max)]),
        (None, None) => return unit,
    };
    if unit.is_empty() { bounds } else { concat(&[&bounds, " ", &unit]) }
}

/// The label of a control in the card's own words.
fn label_of(w: &mut Writer, card: &Card, class: &'static str, id: &dyn Fn() -> String, control: Control, word: Word) {
    if w.open("label", class, 0) {
        w.set("id", &id());
        w.set("for", &card.ids().control(control));
    }
    w.text(card.labels().text(word));
    w.close();
}

/// The error of a text. If one tap answers, it is shown at the field.
fn field_error(w: &mut Writer, place: QuestionView<'_>, field: Field) {
    if place.card.manner() == Manner::OnPick {
        let error = place.card.error(place.index);
        error_line(w, place, error.filter(|problem| problem.field() == field));
    }
}

/// The number of characters left, below a field.
pub(super) fn counter(w: &mut Writer, card: &Card, question: usize, field: Field) {
    let (text, is_over) = match card.draft().room(question, field) {
        None => return,
        Some(Remaining::Left(left)) => (card.labels().plural(Word::CharsLeft, left, &[]), false),
        Some(Remaining::Over(over)) => (card.labels().plural(Word::CharsOver, over, &[]), true),
    };
    if w.open("p", part::COUNTER, 0) {
        w.set("id", &card.ids().counter(field.control(question)));
    }
    w.flag("data-over", is_over);
    w.text(&text);
    w.close();
}

/// The preview beside the options: that of the focused or chosen one.
fn preview(w: &mut Writer, QuestionView { card, ask, index, asked }: QuestionView<'_>) {
    w.open("div", part::PREVIEW, 0);
    let peeked = card.peeked().filter(|(question, _)| *question == index).map(|(_, option)| option);
    let first = || asked.options.iter().position(|option| option.preview.is_some());
    let shown = peeked.or_else(|| card.draft().chosen(index)).or_else(first);
    let option = shown.and_then(|option| asked.options.get(option)).filter(|option| option.closed);
    if let (Some(shown), Some(option)) = (shown, option)
        && let Some(preview) = &option.preview
    {
        if w.open("div", "", shown) {
            w.set("role", "group");
        }
        w.put(
            "aria-label",
            &card.labels().filled(Word::Preview, &[("label", &isolate(&marks::plain(&option.label.text)))]),
        );
        if w.open("pre", part::PREVIEW_TEXT, 0) {
            w.speak(ask.lang.as_deref());
            w.set("dir", "auto");
            // Its lines may be too long for the place, and without a pointer it can only be scrolled by the keyboard.
            w.set("tabindex", "0");
        }
        w.grow(&preview.text);
        w.close();
        w.close();
    }
    w.close();
}

/// The extras of a question: Skip and note. Like the free-text row, they are created early, and shown once no further option can push them
/// down.
fn extras(w: &mut Writer, place: QuestionView<'_>) {
    let QuestionView { card, asked, .. } = place;
    let (skip, notes) = (card.options().skip, card.options().notes);
    if skip.is_none() && notes.is_none() {
        return;
    }
    w.open("div", part::EXTRAS, 0);
    w.flag("hidden", !is_whole(asked) || card.manner() == Manner::Undecided);
    if let Some(skip) = skip {
        (skip.0)(w, place);
    }
    if let Some(notes) = notes {
        (notes.0)(w, place);
    }
    w.close();
}

/// The button that opens the note's field, or the field.
pub(crate) fn note(w: &mut Writer, place: QuestionView<'_>) {
    let QuestionView { card, index: question, .. } = place;
    if card.is_noted(question) {
        return note_field(w, place);
    }
    let control = Control::AddNote { question };
    open_button(w, card, QUIET_BUTTON, control, card.labels().text(Word::AddNote));
    named_by_question(w, card, control, question);
    w.truth("aria-disabled", card.is_latched());
    w.stamped("aria-describedby", card.is_latched().into(), &|| card.ids().wait());
    w.close();
}

/// The Skip button. If one tap answers, this one does too; otherwise it is a toggle.
pub(crate) fn skip(w: &mut Writer, QuestionView { card, index: question, .. }: QuestionView<'_>) {
    let control = Control::Skip { question };
    let answers = card.manner() == Manner::OnPick;
    let is_pressed = card.draft().is_skipped(question) && !answers;
    let is_inert = card.is_latched() || (answers && !card.is_open());
    open_button(w, card, "qc-button qc-quiet qc-skip", control, card.labels().text(Word::Skip));
    named_by_question(w, card, control, question);
    w.word("aria-pressed", (!answers).then_some(if is_pressed { "true" } else { "false" }));
    w.truth("aria-disabled", is_inert);
    match is_inert {
        true => w.stamped("aria-describedby", 2, &|| card.ids().wait()),
        false => w.stamped("aria-describedby", is_pressed.into(), &|| card.ids().skipping(question)),
    }
    w.close();
    if is_pressed {
        w.line(part::SKIPPING, &|| card.ids().skipping(question), card.labels().text(Word::Skipping));
    }
}

fn note_field(w: &mut Writer, place: QuestionView<'_>) {
    let QuestionView { card, index: question, .. } = place;
    let label = || card.ids().note_label(question);
    w.open("div", "", 0);
    label_of(w, card, part::NOTE, &label, Control::Note { question }, Word::Note);
    let labels = || joined(&[label(), card.ids().legend(question)], " ");
    text_field(w, card, question, Field::Note, (1, &labels), None);
    field_error(w, place, Field::Note);
    counter(w, card, question, Field::Note);
    w.close();
}

/// A text field for a message about an ask that cannot be read.
pub(super) fn message_field(w: &mut Writer, card: &Card) {
    w.open("div", part::OPTIONS, 0);
    let label = || card.ids().other_label(0);
    label_of(w, card, part::OPTION_LABEL, &label, Control::OtherText { question: 0 }, Word::MalformedAnswer);
    if let Some(problem) = card.error(0) {
        error_text(w, card, 0, &card.error_text(0, problem));
    }
    text_field(w, card, 0, Field::Other, (1, &label), None);
    counter(w, card, 0, Field::Other);
    w.close();
}
