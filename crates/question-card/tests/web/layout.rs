//! The layout of the parts: nothing covers another part, and nothing is cut off.

use crate::asks::{ask, before, has_begun, mixed, picks, ready, service, stream};
use crate::card_page::{CardPage, Setting, computed, fresh_id, on_pick, speaking, stepped, text_of};
use crate::faces::{Face, lay_out};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use leptos::prelude::document;
use question_card::{LANGUAGES, Labels, SubmitMode, Word, Words as _};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{DomRect, Element, HtmlElement};

const WIDTHS: [u32; 2] = [320, 704];

#[test]
async fn header_hint_and_question_do_not_cover_each_other() {
    for setting in [on_pick(), stepped()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        for width in WIDTHS {
            lay_out(&card, width, Face::Wide).await;
            let parts = [".qc-chip", ".qc-hint", ".qc-question-text", ".qc-options"].map(|part| card.find(part));
            let [chip, hint, text, options] = parts.map(|part| rect(&part.expect("it is shown")));
            let edges = [&chip, &text, &hint, &options].map(|part| (part.top(), part.bottom()));
            assert!(edges.is_sorted_by(|above, below| above.1 <= below.0), "{edges:?}");
            assert!(text.top() - chip.bottom() < 16.0, "no line is kept for what a single question does not have");
            assert!(text.width() > 200.0, "the question has the whole line: {} of {width} px", text.width());
        }
    }
}

#[test]
async fn the_first_question_stays_where_it_is_when_the_second_one_comes() {
    let mut untitled = mixed();
    untitled.questions[0].header = None;
    let root = document().document_element().expect("a root");
    for (language, _) in LANGUAGES {
        for (asked, size) in [(mixed(), 16), (mixed(), 32), (untitled.clone(), 16)] {
            root.set_attribute("style", &format!("font-size: {size}px")).expect("a size");
            for width in [288, 450, 704] {
                let setting = Setting { labels: Some(Labels::for_lang(language)), ..stepped() };
                let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
                lay_out(&card, width, Face::Wide).await;
                let (first, rest) = before(stream(&asked), has_begun(2));
                card.receives_slowly(first).await;
                let places = |header: &str| {
                    let edge = rect(&card.card());
                    let parts = [header, ".qc-question-text", ".qc-question > .qc-hint", ".qc-option"];
                    parts.map(|part| {
                        let place = text_rect(&card.find(part).expect("it is shown"));
                        [place.left() - edge.left(), place.right() - edge.left(), place.top() - edge.top()]
                    })
                };
                let [header, stands @ ..] = places(".qc-chip");
                card.receives_slowly(rest.into_iter().take(1)).await;
                let [step, stood @ ..] = places(".qc-step > span");
                assert_eq!(stands, stood, "{language}, {size} px at {width} px");
                if asked.questions[0].header.is_some() {
                    let apart = (0..3).map(|edge| (header[edge] - step[edge]).abs()).fold(0.0, f64::max);
                    assert!(apart < 1.0, "{header:?} and {step:?}, {language}, {size} px at {width} px");
                }
            }
        }
    }
    root.remove_attribute("style").expect("it is taken back");
}

#[test]
async fn a_question_without_a_header_has_the_name_of_its_card_on_that_line() {
    let mut asked = mixed();
    for question in &mut asked.questions {
        question.header = None;
    }
    let shown = |card: &CardPage| card.all(".qc-chip").iter().map(text_of).collect::<Vec<_>>();
    let snapshot = |asked: AskUserQuestion| AskSnapshot::complete(fresh_id(), asked, Phase::Answerable);
    for setting in [Setting::default(), stepped()] {
        let card = CardPage::open(snapshot(ask(asked.questions[..1].to_vec())), setting).await;
        assert_eq!(shown(&card), [Word::Title.english()]);
    }
    let mut billing = ask(asked.questions[..1].to_vec());
    billing.asked_by = Some("billing".to_owned());
    let card = CardPage::open(snapshot(billing), Setting::default()).await;
    assert_eq!(shown(&card), ["Question from \u{2068}billing\u{2069}"]);
    assert!(card.find(".qc-origin").is_none(), "said once");
    let card = CardPage::open(snapshot(asked.clone()), Setting::default()).await;
    assert_eq!(shown(&card), ["Question 1", "Question 2", "Question 3"]);
    assert_eq!(shown(&CardPage::open(snapshot(asked), stepped()).await), [""; 0], "the steps have it");
}

#[test]
async fn a_card_has_room_in_a_dialog_and_fits_a_narrow_column() {
    let place = document().create_element("dialog").expect("a dialog");
    document().body().expect("a body").append_child(&place).expect("it is appended");
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    lay_out(&card, 320, Face::Plain).await;
    card.root.remove_attribute("style").expect("it has no width of its own");
    place.append_child(&card.root).expect("it is appended");
    let width = || rect(&card.card()).width();
    place.set_attribute("open", "").expect("it is open");
    assert!(width() > 300.0, "{} px in a dialog", width());
    for column in ["display: grid; inline-size: 250px", "display: flex; inline-size: 250px"] {
        place.set_attribute("style", &[column, "; padding: 0"].concat()).expect("a column");
        assert!(width() <= 250.0, "{} px in a column", width());
        assert!(card.find(".qc-form").expect("a form").scroll_width() <= 250, "{column}");
    }
    card.ends(Phase::Superseded, None).await;
    assert!(card.find(".qc-receipt-actions").is_some() && width() <= 250.0, "{} px as a receipt", width());
    place.remove_attribute("style").expect("a dialog again");
    assert!(width() > 200.0, "{} px as a receipt", width());
    place.remove();
}

#[test]
async fn a_row_is_as_high_as_its_text_whatever_the_width_was() {
    let mut described = service();
    described.questions[0].options[0].description =
        Some("New oil and a new filter, and a look at the rest. ".repeat(2));
    let mut pictured = described.clone();
    for option in &mut pictured.questions[0].options {
        let dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
        (option.image, option.alt) = (Some(dot.to_owned()), Some("A drawing".to_owned()));
    }
    for (asked, narrow) in [(described, 320), (pictured, 380)] {
        let card = CardPage::tap_to_reply(asked).await;
        lay_out(&card, 704, Face::Plain).await;
        let list: HtmlElement = card.find(".qc-options").expect("options").unchecked_into();
        let heights = || card.all(".qc-option > *").iter().map(|part| rect(part).height()).collect::<Vec<_>>();
        for width in [704, narrow, 704, narrow] {
            card.root.style().set_property("inline-size", &format!("{width}px")).expect("it is a width");
            card.stands_still().await;
            let shown = heights();
            list.style().set_property("display", "none").expect("it is hidden");
            assert_ne!(heights(), shown);
            list.style().remove_property("display").expect("it is laid out anew");
            assert_eq!(heights(), shown, "{width} px");
        }
    }
}

#[test]
async fn a_text_field_grows_with_its_text() {
    for setting in [on_pick(), stepped()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        lay_out(&card, 320, Face::Plain).await;
        let field = card.text_field(0);
        let before = field.offset_height();
        assert_eq!(computed(&field, "resize"), "none", "it needs no grip");
        card.type_other(0, "One line\nand another\nand a third one").await;
        assert!(field.offset_height() >= before + 30, "{before} px before, {} after", field.offset_height());
        assert!(field.scroll_height() <= field.client_height() + 1, "{} px are cut", field.scroll_height());
        card.type_other(0, "").await;
        assert_eq!(field.offset_height(), before, "and shrinks again");
        card.type_other(0, &"line\n".repeat(60)).await;
        assert!(field.offset_height() <= 200, "{} px", field.offset_height());
    }
}

#[test]
async fn a_long_invitation_to_type_is_not_cut() {
    let field = async |labels: Labels| {
        let setting = Setting { mode: SubmitMode::OnPick, ..speaking(labels) };
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        // The widest that a window of 320 px leaves, and the narrower of the faces that its words are measured in.
        lay_out(&card, 288, Face::Plain).await;
        card.stands_still().await;
        let field = card.text_field(0);
        (field.offset_height(), field.scroll_height() - field.client_height())
    };
    let (low, _) = field(Labels::ENGLISH).await;
    for (language, _) in LANGUAGES {
        assert_eq!(field(Labels::for_lang(language)).await, (low, 0), "{language} has room on one line");
    }
    let long = "An answer in words of your own, as many as you like";
    let (high, cut) = field(Labels::ENGLISH.with_text(Word::OtherPlaceholder, long)).await;
    assert!(high >= low + 12 && cut <= 1, "{low} px, then {high} px, of which {cut} are cut");
}

#[test]
async fn a_text_that_comes_back_is_not_cut() {
    let id = fresh_id();
    let open = async || {
        let card = CardPage::open(AskSnapshot::complete(&*id, service(), Phase::Answerable), on_pick()).await;
        lay_out(&card, 320, Face::Plain).await;
        card
    };
    let card = open().await;
    let text = "One line\nand another\nand a third one";
    card.type_other(0, text).await;
    drop(card);
    let card = open().await;
    card.stands_still().await;
    let field = card.text_field(0);
    assert_eq!(field.value(), text);
    assert!(field.scroll_height() <= field.client_height() + 1, "{} px are cut", field.scroll_height());
}

#[test]
async fn no_row_moves_when_its_kind_becomes_certain() {
    let left = |card: &CardPage| {
        rect(&card.row_text("Oil change").unwrap_or_else(|| card.control("Oil change").into())).left()
    };
    let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
    lay_out(&card, 704, Face::Plain).await;
    card.receives_slowly(stream(&service())).await;
    assert_eq!(card.mode(), "undecided");
    let undecided = left(&card);
    card.receives_slowly(ready(&service())).await;
    assert_eq!((card.mode().as_str(), left(&card)), ("on-pick", undecided));

    let card = CardPage::open(AskSnapshot::new(fresh_id()), on_pick()).await;
    lay_out(&card, 704, Face::Plain).await;
    let (_, second) = before(stream(&ask([service().questions, mixed().questions].concat())), has_begun(2));
    card.receives_slowly(stream(&service())).await;
    card.receives_slowly(second.into_iter().take(1)).await;
    assert_eq!((card.mode().as_str(), left(&card)), ("explicit", undecided));
}

#[test]
async fn a_question_stays_where_it_began_to_arrive() {
    let asked = mixed();
    let card = CardPage::open(AskSnapshot::new(fresh_id()), Setting::default()).await;
    lay_out(&card, 704, Face::Plain).await;
    let second = || rect(&card.all(".qc-question-text")[1]).top() - rect(&card.card()).top();
    let (first, rest) = before(stream(&asked), |asked| asked.get(1).is_some_and(|it| !it.options.is_empty()));
    card.receives_slowly(first).await;
    let began = second();
    card.receives_slowly(rest.into_iter().chain(ready(&asked))).await;
    assert_eq!(second(), began);
}

#[test]
async fn steps_are_one_line_in_which_the_current_one_has_its_name() {
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    for width in WIDTHS {
        lay_out(&card, width, Face::Wide).await;
        let steps: Vec<DomRect> = card.all(".qc-step").iter().map(rect).collect();
        assert!(steps.iter().all(|step| step.top() == steps[0].top() && step.height() < 50.0), "{width} px");
        assert!(steps[2].right() <= rect(&card.card()).right(), "none is cut, {width} px");
    }
    assert_eq!(card.steps(), ["Database", "Features", "Style"], "each keeps its name");
}

#[test]
async fn an_early_submit_marks_what_is_missing_once() {
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable), stepped()).await;
    card.choose("Postgres").await;
    card.submit().await;
    assert!(card.find(".qc-summary").is_none(), "the steps say it");
    assert_eq!(card.errors().len(), 1);
    card.sees_focus_on(&card.control("Search"));
    let missing = card.all(".qc-step[data-invalid]");
    assert_eq!(missing.iter().map(text_of).collect::<Vec<_>>(), ["Features", "Style"]);
}

#[test]
async fn an_answer_that_waits_for_others_is_a_receipt_in_waiting() {
    for setting in [on_pick(), stepped()] {
        let is_pick = setting.mode == SubmitMode::OnPick;
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        lay_out(&card, 704, Face::Plain).await;
        card.stands_still().await;
        card.choose("Brake service").await;
        if !is_pick {
            card.submit().await;
        }
        card.host_keeps_the_reply().await;
        let shown = |part: &str| {
            let all = card.all(part).into_iter().filter(|element| element.client_height() > 0);
            all.map(|element| text_of(&element)).collect::<Vec<_>>()
        };
        assert_eq!(shown(".qc-option").len(), 1, "only what was chosen");
        if is_pick {
            let row = card.find(".qc-option[data-chosen]").expect("it");
            let window = web_sys::window().expect("a window");
            let style = window.get_computed_style_with_pseudo_elt(&row, "::before").ok().flatten().expect("a style");
            let mark = style.get_property_value("content").expect("a property");
            assert!(mark.contains('✓'), "{mark}: its number would be that of the first row");
        }
        assert!(shown(".qc-button").contains(&Word::Change.english().to_owned()));
        assert!(!shown(".qc-button").contains(&Word::ReplyInChat.english().to_owned()));
        assert_eq!(shown(".qc-wait"), [Word::Held.english()]);
    }
}

#[test]
async fn copy_answers_covers_nothing_else_of_a_receipt() {
    for asked in [service(), mixed()] {
        for (language, _) in LANGUAGES {
            let setting = Setting { mode: SubmitMode::OnPick, ..speaking(Labels::for_lang(language)) };
            let snapshot = AskSnapshot::complete(fresh_id(), asked.clone(), Phase::Answerable);
            let card = CardPage::open(snapshot, setting).await;
            card.ends(Phase::Answered, Some(Outcome::Answered(picks(&asked, 0)))).await;
            for width in [288, 358, 640, 704] {
                lay_out(&card, width, Face::Wide).await;
                let copy = rect(&card.find(".qc-receipt-actions > button").expect("a way to copy"));
                for part in card.all(".qc-receipt-state, summary, .qc-receipt-question, .qc-answer > span:last-child") {
                    let place = text_rect(&part);
                    let is_apart = copy.left() >= place.right()
                        || copy.right() <= place.left()
                        || copy.top() >= place.bottom() - 1.0
                        || copy.bottom() <= place.top() + 1.0;
                    assert!(is_apart, "{language}, {width} px: {}", part.outer_html());
                }
                let edge = rect(&card.card());
                assert!(copy.left() >= edge.left() && copy.right() <= edge.right(), "{language}, {width} px");
                let state = rect(&card.find(".qc-receipt-state").expect("how it ended"));
                let is_beside = copy.top() < state.bottom() && copy.bottom() > state.top();
                assert_eq!(is_beside, width >= 640, "{language}, {width} px: a card of the usual width has room");
            }
        }
    }
}

#[test]
async fn the_pencil_of_a_receipt_stands_on_its_first_line_and_so_does_the_way_to_the_options() {
    for (language, _) in LANGUAGES {
        let outcome = Outcome::Answered(picks(&service(), 0));
        let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Answered).with_outcome(outcome);
        let setting = Setting { can_update: true, ..speaking(Labels::for_lang(language)) };
        let card = CardPage::open(snapshot, setting).await;
        for width in [288, 358, 640, 704] {
            lay_out(&card, width, Face::Wide).await;
            let [state, choice, pencil] = [".qc-receipt-state", ".qc-choice > summary", ".qc-change"]
                .map(|part| rect(&card.find(part).expect("it is shown")));
            for part in [&choice, &pencil] {
                let is_beside = part.top() < state.bottom() && part.bottom() > state.top();
                assert!(is_beside, "{language}, {width} px");
            }
            let is_apart = choice.right() <= pencil.left() || pencil.right() <= choice.left();
            assert!(is_apart, "{language}, {width} px");
            assert!(choice.height() < 30.0 || width < 358, "{language}, {width} px: in one line");
        }
    }
}

#[test]
async fn a_field_that_is_wrong_has_one_frame() {
    for setting in [on_pick(), Setting::default()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), service(), Phase::Answerable), setting).await;
        lay_out(&card, 704, Face::Plain).await;
        card.type_other(0, "x").await;
        card.type_other(0, " ").await;
        match card.button("Send") {
            Some(_) => card.press_button("Send").await,
            None => {
                card.choose("Other").await;
                card.submit().await;
            }
        }
        let field = card.text_field(0);
        assert!(field.has_attribute("aria-invalid"));
        let frames = [computed(&field, "border-top-width"), computed(&field, "box-shadow")];
        assert_eq!(frames, ["0px", "none"], "the row is the frame");
        let row = computed(&card.find(".qc-other").expect("its row"), "border-top-color");
        assert_eq!(row, computed(&card.find(".qc-error").expect("why"), "color"));
    }
}

#[test]
async fn a_recommendation_is_a_badge_and_the_answer_the_label_as_it_came() {
    let mut asked = service();
    asked.questions[0].options[0].label = "Oil change (Recommended)".to_owned();
    asked.questions[0].options[1].label = "(Recommended) first".to_owned();
    for setting in [on_pick(), stepped()] {
        let is_pick = setting.mode == SubmitMode::OnPick;
        let card = CardPage::open(AskSnapshot::new(fresh_id()), setting).await;
        card.receives_slowly(stream(&asked)).await;
        card.receives_slowly(ready(&asked)).await;
        let badges: Vec<_> = card.all(".qc-badge").iter().map(text_of).collect();
        assert_eq!(badges, ["Recommended"]);
        card.stands_still().await;
        card.choose("Oil change Recommended").await;
        if !is_pick {
            card.submit().await;
        }
        assert_eq!(card.only_reply().message(), "Oil change (Recommended)");
        card.ends(Phase::Answered, Some(Outcome::Answered(card.only_reply()))).await;
        assert_eq!(text_of(&card.find(".qc-answer > span:last-child").expect("an answer")), "Oil change");
    }
}

#[test]
async fn a_badge_is_in_the_cards_words_whatever_the_agent_calls_it() {
    for (language, label) in
        [("de", "Ölwechsel (Empfohlen)"), ("ja", "オイル（おすすめ）"), ("fr", "Huile (recommended)")]
    {
        let mut asked = service();
        asked.questions[0].options[0].label = label.to_owned();
        let labels = Labels::for_lang(language);
        let card =
            CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), speaking(labels.clone())).await;
        let badges: Vec<_> = card.all(".qc-badge").iter().map(text_of).collect();
        assert_eq!(badges, [labels.text(Word::Recommended)], "{language}");
    }
}

#[test]
async fn buttons_are_as_far_from_the_lower_edge_as_from_the_side() {
    for asked in [service(), mixed()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), stepped()).await;
        for width in WIDTHS {
            lay_out(&card, width, Face::Plain).await;
            let (edge, main) = (rect(&card.card()), rect(&card.all(".qc-main > button").pop().expect("a button")));
            let lowest = card.all(".qc-actions button").iter().map(|button| rect(button).bottom()).fold(0.0, f64::max);
            let gaps = (edge.bottom() - lowest, edge.right() - main.right());
            assert!((gaps.0 - gaps.1).abs() < 1.0, "{gaps:?} at {width} px");
        }
    }
}

#[test]
async fn a_question_without_options_has_a_field_that_is_called_as_it_is() {
    let mut asked = service();
    asked.questions[0].options.clear();
    for setting in [on_pick(), stepped()] {
        let card = CardPage::open(AskSnapshot::complete(fresh_id(), asked.clone(), Phase::Answerable), setting).await;
        let names = card.text_field(0).get_attribute("aria-labelledby").expect("a name");
        assert!(names.ends_with("-legend") && !names.contains(' '), "{names}");
        assert_eq!(text_of(&card.find(".qc-hint").expect("its line")), "");
    }
}

fn rect(element: &Element) -> DomRect {
    element.get_bounding_client_rect()
}

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    /// The place of the text of an element, without the empty rest of its lines.
    fn text_rect(element: &Element) -> DomRect;
}
