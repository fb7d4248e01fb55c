//! The look of each state under the pointer, focused and pressed, and with larger text.

use crate::asks::{ask, before, mixed, picks, question, ready, service, stream};
use crate::card_page::{CardPage, Setting, computed, fresh_id, on_pick, stepped, text_of};
use crate::faces::{Face, lay_out, lay_out_with};
use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question};
use leptos::prelude::document;
use question_card::STYLESHEET;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{DomRect, Element};

/// The contrast that text needs (WCAG 1.4.3).
const TEXT: f64 = 4.5;
/// All that can be pressed, and the texts beside it.
const CONTROLS: &str = ".qc-button, .qc-step, .qc-option-button, .qc-option-label, .qc-option-desc, summary";
/// The states that only a person brings about, each as the class that stands for it here.
const BY_HAND: [(&str, &str); 3] = [(":hover", "hovers"), (":focus-visible", "has-focus"), (":active", "presses")];

#[test]
async fn every_control_is_legible_under_the_pointer_focused_and_pressed() {
    let sheet = by_hand();
    let root = document().document_element().expect("a root");
    root.set_attribute("style", "--qc-motion: 0ms").expect("no change takes time");
    for (state, card) in states().await {
        lay_out_with(&card, 704, Face::Plain, &sheet).await;
        let room = card.root.get_attribute("style").unwrap_or_default();
        for scheme in ["light", "dark"] {
            card.root.set_attribute("style", &format!("{room}; color-scheme: {scheme}")).expect("colours");
            for control in card.all(CONTROLS) {
                for classes in ["", "hovers", "has-focus", "hovers has-focus presses"] {
                    let touched = [Some(control.clone()), control.closest(".qc-option").expect("a good selector")];
                    for element in touched.iter().flatten() {
                        mark(element, classes);
                    }
                    let contrast = contrast(&control);
                    assert!(contrast >= TEXT, "{contrast:.2} {state} {scheme} {classes:?}: {}", control.outer_html());
                    for element in touched.iter().flatten() {
                        mark(element, "");
                    }
                }
            }
        }
    }
    root.remove_attribute("style").expect("it is taken back");
}

#[test]
async fn a_question_takes_room_only_while_its_condition_holds() {
    let call = question("When may we call?", "Call", false, &["In the morning", "In the evening"]);
    let asked = vec![
        question("How should we tell you?", "Notice", false, &["By e-mail", "By phone"]),
        call.with_show_if(ShowIf::new("Notice", "By phone")),
    ];
    let card = CardPage::waiting(ask(asked)).await;
    lay_out_with(&card, 704, Face::Plain, STYLESHEET).await;
    let second =
        card.root.query_selector(".qc-question:nth-of-type(2)").expect("a good selector").expect("a second question");
    let height = || second.client_height();
    assert_eq!(height(), 0);
    card.choose("By phone").await;
    assert!(height() > 0);
    card.choose("By e-mail").await;
    assert_eq!(height(), 0);
}

/// The style sheet with classes in the place of what only a person brings about.
fn by_hand() -> String {
    let sheet = BY_HAND
        .iter()
        .fold(STYLESHEET.to_owned(), |sheet, (state, class)| sheet.replace(state, &[".", class].concat()));
    assert!(sheet.contains(".hovers") && sheet.contains("(hover: hover)"), "the states were found");
    sheet.replace("(hover: hover)", "all").replace("(hover: none)", "not all")
}

/// Sets the classes that stand for a person's doing.
fn mark(element: &Element, classes: &str) {
    for (_, class) in BY_HAND {
        element.class_list().remove_1(class).expect("a class");
    }
    for class in classes.split_whitespace() {
        element.class_list().add_1(class).expect("a class");
    }
}

/// A card in each state that has controls of its own.
async fn states() -> Vec<(&'static str, CardPage)> {
    let open = async |asked: AskUserQuestion, setting: Setting| {
        CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), setting).await
    };
    let skips = Setting { allow_skip: true, ..stepped() };
    let mut states = vec![("one tap", open(service(), on_pick()).await), ("stepped", open(mixed(), skips).await)];
    let arriving = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
    arriving.receives_slowly(stream(&service())).await;
    states.push(("arriving", arriving));

    let typed = open(service(), on_pick()).await;
    typed.type_other(0, "Brakes").await;
    typed.press_button("Don’t answer").await;
    states.push(("typed and confirming", typed));

    let failed = open(service(), on_pick()).await;
    failed.stands_still().await;
    failed.choose("Oil change").await;
    failed.host_says(ReplyState::Sending).await;
    failed.host_says(ReplyState::Failed("No network.".to_owned())).await;
    states.push(("failed", failed));

    let answered = open(mixed(), stepped()).await;
    for (step, label) in [("Database", "SQLite"), ("Features", "Search"), ("Style", "Plain")] {
        answered.press_button(step).await;
        answered.choose(label).await;
    }
    answered.press_button("Database, Answered").await;
    states.push(("answered", answered));

    let invalid = open(mixed(), Setting::default()).await;
    invalid.submit().await;
    states.push(("invalid", invalid));

    let held = open(service(), on_pick()).await;
    held.stands_still().await;
    held.choose("Oil change").await;
    held.host_keeps_the_reply().await;
    states.push(("held", held));

    let over = open(service(), Setting::default()).await;
    over.ends(Phase::Answered, Some(Outcome::Answered(picks(&service(), 0)))).await;
    states.push(("receipt", over));

    let late = open(service(), Setting::default()).await;
    late.choose("Oil change").await;
    late.ends(Phase::Superseded, None).await;
    states.push(("late", late));
    states
}

#[test]
async fn what_steps_share_stands_at_one_place_in_all_of_them() {
    let mut asked = mixed();
    asked.questions[1].options.truncate(1);
    asked.questions[2].header = None;
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), stepped()).await;
    for width in [320, 704] {
        lay_out(&card, width, Face::Wide).await;
        let places = || {
            let top = rect(&card.card()).top();
            let tops = [".qc-hint", ".qc-question-text", ".qc-options", ".qc-actions"]
                .map(|part| (part, card.all(part).first().map(|part| rect(part).top() - top)));
            // The last step has Submit in the corner of Next.
            let leads_on = rect(&card.all(".qc-main > button").pop().expect("a button"));
            (tops, leads_on.right().round(), leads_on.top() - top)
        };
        let first = places();
        for _ in 0..2 {
            card.press_button("Next").await;
            assert_eq!(places(), first, "{width} px");
        }
        card.press_button("Back").await;
        card.press_button("Back").await;
    }
}

#[test]
async fn large_text_neither_sticks_out_nor_stands_a_letter_a_line() {
    let mut asked = mixed();
    asked.questions[0].question = "Which framework should the service use?".to_owned();
    asked.questions[0].header = Some("Framework".to_owned());
    asked.questions[0].options[0].label = "Axum (Recommended)".to_owned();
    for size in [28, 32] {
        let root = document().document_element().expect("a root");
        root.set_attribute("style", &format!("font-size: {size}px")).expect("a size");
        for width in [288, 358] {
            let rank = Question::new("Which order?", ["Speed", "Cost"]).with_input(Input::new(InputKind::Rank));
            let ranking = AskSnapshot::complete(fresh_id(), AskUserQuestion::new([rank]), Phase::Answerable);
            let ranking = CardPage::open(ranking, Setting::default()).await;
            ranking.choose("Speed").await;
            // That of a history, which has no button beside it.
            let over = AskSnapshot::complete(fresh_id(), asked.clone(), Phase::Superseded);
            let over = CardPage::open(over, Setting::default()).await;
            let snapshot = AskSnapshot::complete(fresh_id(), asked.clone(), Phase::Answerable);
            let card = CardPage::open(snapshot, stepped()).await;
            for card in [&ranking, &over, &card] {
                lay_out(card, width, Face::Plain).await;
                let edge = rect(&card.card());
                let parts = ".qc-question-text, .qc-option, .qc-badge, .qc-option-label, .qc-steps, .qc-actions > *, \
                    .qc-option .qc-button, .qc-receipt > *";
                for part in card.all(parts).into_iter().filter(|part| rect(part).width() > 0.0) {
                    let place = rect(&part);
                    let name = part.outer_html();
                    assert!(
                        place.left() >= edge.left() && place.right() <= edge.right(),
                        "{size} px at {width}: {name}"
                    );
                }
            }
            let [label, up] = [".qc-option-label", ".qc-option .qc-button"].map(|part| ranking.find(part));
            let [label, up] = [label, up].map(|part| rect(&part.expect("it is shown")));
            // Firefox rounds each edge to its own units.
            let is_apart = up.top() > label.bottom() - 1.0 || up.left() > label.right() - 1.0;
            assert!(is_apart, "{size} px at {width}: beside its label");
            for step in card.all(".qc-step") {
                let height = rect(&step).height();
                assert!(height < f64::from(size) * 5.0, "{height} px for {size} px at {width}");
            }
        }
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), on_pick()).await;
        lay_out(&card, 288, Face::Plain).await;
        card.type_other(0, "The horn").await;
        let field = rect(&card.find(".qc-other-input").expect("a field"));
        assert!(field.width() > f64::from(size) * 4.0 && field.height() < f64::from(size) * 4.0, "beside Send");
        root.remove_attribute("style").expect("it is taken back");
    }
}

#[test]
async fn a_card_folds_into_its_receipt_and_what_comes_fades_in() {
    for (motion, moves) in [("300ms", true), ("0ms", false)] {
        let open = async |snapshot, setting| {
            let card = CardPage::open(snapshot, setting).await;
            lay_out(&card, 704, Face::Plain).await;
            let room = card.root.get_attribute("style").expect("room");
            card.root.set_attribute("style", &room.replace("0ms", motion)).expect("room");
            card
        };
        let card = open(AskSnapshot::new(fresh_id()), on_pick()).await;
        card.receives(stream(&service()));
        card.settled().await;
        let row = card.find("[data-pending]").expect("a row");
        assert_eq!(motions(&row), u32::from(moves), "a row, {motion}");
        let card = open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
        at_rest(&card.root).await;
        card.press_button("Next").await;
        let shown = card.find(".qc-question:not([hidden])").expect("the second");
        assert_eq!(motions(&shown), u32::from(moves), "a step, {motion}");
        at_rest(&card.root).await;
        let high = rect(&card.card()).height();
        card.ends(Phase::Superseded, None).await;
        assert_eq!(motions(&card.card()), u32::from(moves), "a receipt, {motion}");
        let folding = rect(&card.card()).height();
        at_rest(&card.root).await;
        let folded = rect(&card.card()).height();
        assert!(folded < high - 100.0, "a receipt of {folded} px, from {high} px, {motion}");
        assert_eq!(folding > folded + 50.0, moves, "{folding} px, from {high} px, {motion}");
    }
}

#[test]
async fn sending_failure_and_discard_are_one_line_of_the_same_height() {
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), on_pick()).await;
    // The page's column, and the room of "Reply in chat instead", which it does not have.
    lay_out(&card, 880, Face::Plain).await;
    let line = || rect(&card.find(".qc-actions").expect("a line")).height();
    let asked = line();
    card.type_other(0, "Brakes").await;
    card.press_button("Don’t answer").await;
    assert_eq!(line(), asked, "discard");
    card.press_button("Keep answering").await;
    card.stands_still().await;
    card.choose("Oil change").await;
    card.host_says(ReplyState::Sending).await;
    assert_eq!(line(), asked, "sending");
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    assert!(line() < asked + 1.0, "{} px for {asked} when it failed", line());

    let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    lay_out(&card, 880, Face::Plain).await;
    let line = || rect(&card.find(".qc-actions").expect("a line")).height();
    let asked = line();
    for (label, next) in [("SQLite", "Next"), ("Search", "Next"), ("Plain", "Back")] {
        card.choose(label).await;
        card.press_button(next).await;
    }
    card.submit().await;
    card.host_says(ReplyState::Sending).await;
    card.host_says(ReplyState::Failed("No network.".to_owned())).await;
    assert!(card.button("Back").is_some() && card.button("Next").is_some());
    assert!(line() < asked + 1.0, "{} px for {asked} when several failed", line());
}

#[test]
async fn a_held_answer_stands_below_its_question_and_above_what_can_be_done() {
    let mut bare = service();
    bare.questions[0].header = None;
    for (asked, setting, picks) in [
        (mixed(), stepped(), &[("Database", "SQLite"), ("Features", "Search"), ("Style", "Plain")][..]),
        (bare, Setting::default(), &[("", "Oil change")]),
    ] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), setting).await;
        lay_out(&card, 704, Face::Plain).await;
        for (step, label) in picks {
            if !step.is_empty() {
                card.press_button(step).await;
            }
            card.choose(label).await;
        }
        card.submit().await;
        card.host_keeps_the_reply().await;
        let parts = [".qc-question-text", ".qc-option[data-chosen]", ".qc-actions"];
        let tops = parts.map(|part| card.all(part).last().map(|part| rect(part).top()));
        assert!(tops.is_sorted() && tops[0].is_some(), "{tops:?}");
    }
}

#[test]
async fn a_field_without_options_has_an_edge_that_is_seen() {
    let card = CardPage::waiting(ask(vec![question("Which port?", "Port", false, &[])])).await;
    lay_out(&card, 704, Face::Plain).await;
    let row = card.find(".qc-other").expect("a field");
    let edge = ["color: ", &computed(&row, "border-top-color")].concat();
    row.set_attribute("style", &edge).expect("its text has the colour of its edge");
    assert!(contrast(&row) >= 3.0, "{:.2}", contrast(&row));
}

#[test]
async fn many_short_labels_fill_a_second_list_and_nothing_moves_as_they_come() {
    let week = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Any day"];
    let mut days = question("Which day?", "Day", false, &week);
    for day in &mut days.options {
        day.description = None;
    }
    let mut described = days.clone();
    described.options[5].description = Some("Until noon".to_owned());
    for (question, width, columns) in [(days.clone(), 704, 2), (days, 358, 1), (described, 704, 1)] {
        let asked = ask(vec![question]);
        let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
        lay_out(&card, width, Face::Wide).await;
        let places = || {
            let top = rect(&card.card()).top();
            card.all(".qc-option:not(.qc-other)").iter().map(|row| rect(row).top() - top).collect::<Vec<_>>()
        };
        let (six, rest) = before(stream(&asked), |asked| asked.iter().any(|it| it.options.len() > 6));
        card.receives_slowly(six).await;
        let first = places();
        card.receives_slowly(rest.into_iter().chain(ready(&asked))).await;
        let all = places();
        assert_eq!(all[..6], first, "{columns} at {width} px");
        assert_eq!(all[6] == all[0] && all[7] == all[1], columns == 2, "{columns} at {width} px: {all:?}");
        let own = rect(&card.find(".qc-other").expect("an own answer"));
        assert!(card.all(".qc-option:not(.qc-other)").iter().all(|row| rect(row).bottom() < own.top() + 2.0));
    }
}

#[test]
async fn the_step_that_is_shown_is_in_view_however_large_the_text_is() {
    let root = document().document_element().expect("a root");
    root.set_attribute("style", "font-size: 32px").expect("a size");
    let mut asked = mixed();
    for (question, header) in asked.questions.iter_mut().zip(["Framework", "Dependencies", "Appearance"]) {
        question.header = Some(header.to_owned());
    }
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), stepped()).await;
    lay_out(&card, 358, Face::Wide).await;
    let room = card.root.get_attribute("style").expect("room");
    card.root.set_attribute("style", &[&room, "; position: relative; overflow: auto"].concat()).expect("room");
    assert!(card.root.scroll_width() <= card.root.client_width(), "what is cut of the steps makes no page wider");
    let steps = card.find(".qc-steps").expect("steps");
    for _ in 0..3 {
        let (place, shown) = (rect(&steps), rect(&card.find("[aria-current]").expect("one is shown")));
        let header = card.find("[aria-current]").map(|step| text_of(&step));
        assert!(shown.left() >= place.left() - 1.0 && shown.right() <= place.right() + 1.0, "{header:?}");
        if let Some(next) = card.button("Next") {
            next.click();
            card.settled().await;
        }
    }
    root.remove_attribute("style").expect("it is taken back");
}

fn rect(element: &Element) -> DomRect {
    element.get_bounding_client_rect()
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    fn contrast(element: &Element) -> f64;
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    /// The number of changes of an element that take their time.
    fn motions(element: &Element) -> u32;
    /// Waits until nothing moves.
    async fn at_rest(root: &Element);
}
