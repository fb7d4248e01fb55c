//! The text before a question, the question, its options and the main button are visible at once.

use crate::asks::{ask, picks, question};
use crate::card_page::{CardPage, Setting, fresh_id, on_pick};
use crate::faces::{FACES, Face, lay_out};
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question, Reply};
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The width of the chat page's column in windows of 1280 and 390 px.
const WIDE: u32 = 704;
const NARROW: u32 = 358;

fn service(header: &str) -> Question {
    let mut asked = question("Which service do you need?", header, false, &["Cleaning", "Repair", "Setup", "Check"]);
    let about = [
        "In a home or an office, once or often",
        "Something works again",
        "New lamps or shelves",
        "An expert tells you more",
    ];
    for (option, about) in asked.options.iter_mut().zip(about) {
        option.description = Some(about.to_owned());
    }
    asked
}

fn four() -> AskUserQuestion {
    let mut asked = ask(["Service", "Place", "Time", "Payment"].map(service).into());
    for (index, question) in asked.questions.iter_mut().enumerate() {
        question.question = format!("Which of these is number {index}?");
    }
    asked
}

async fn height(snapshot: AskSnapshot, setting: Setting, width: u32, face: Face) -> i32 {
    let card = CardPage::open(snapshot, setting).await;
    lay_out(&card, width, face).await;
    card.card().get_bounding_client_rect().height().ceil() as i32
}

fn answered(asked: AskUserQuestion) -> AskSnapshot {
    let outcome = Outcome::Answered(picks(&asked, 0));
    AskSnapshot::complete(fresh_id(), asked, Phase::Answered).with_outcome(outcome)
}

#[test]
async fn a_single_question_of_four_described_options_is_not_high() {
    for (width, face, most) in
        [(WIDE, Face::Plain, 490), (WIDE, Face::Wide, 490), (NARROW, Face::Plain, 530), (NARROW, Face::Wide, 560)]
    {
        for setting in [on_pick(), Setting::default()] {
            let mode = setting.mode;
            let snapshot = AskSnapshot::complete(fresh_id(), ask(vec![service("Service")]), Phase::Answerable);
            let height = height(snapshot, setting, width, face).await;
            assert!(height <= most && height > 300, "{mode:?}: {height} px at {width} px, {face:?}");
        }
    }
}

#[test]
async fn receipts_are_not_high() {
    for (asked, most) in [(ask(vec![service("Service")]), 110), (four(), 290)] {
        for face in FACES {
            let height = height(answered(asked.clone()), Setting::default(), WIDE, face).await;
            assert!(height <= most && height > 50, "{height} px, {face:?}");
        }
    }
}

#[test]
async fn a_long_answer_is_shortened_in_its_receipt_and_can_be_again() {
    let asked = ask(vec![service("Service")]);
    let own = Selection::typed(0, "All that I know of it. ".repeat(800));
    let reply = Reply::check(&asked, vec![own]).expect("it fits");
    let mut snapshot = AskSnapshot::complete(fresh_id(), asked, Phase::Answered);
    snapshot.outcome = Some(Outcome::Answered(reply));
    let card = CardPage::open(snapshot, Setting::default()).await;
    lay_out(&card, WIDE, Face::Plain).await;
    let height = || card.card().get_bounding_client_rect().height();
    let before = height();
    assert!(before < 250.0, "{before}");
    let more: web_sys::HtmlElement =
        wasm_bindgen::JsCast::unchecked_into(card.find(".qc-more > summary").expect("a way to the rest"));
    more.focus().expect("it takes the focus");
    more.click();
    assert!(height() > 1000.0, "{}", height());
    card.sees_focus_on(&more);
    more.click();
    assert_eq!(height(), before);
}

#[test]
async fn a_long_question_is_shortened_in_its_receipt_until_the_rest_is_wanted() {
    let mut asked = ask(vec![service("Service")]);
    asked.questions[0].question = "Which one, after all that was said? ".repeat(100);
    let card = CardPage::open(answered(asked), Setting::default()).await;
    lay_out(&card, WIDE, Face::Plain).await;
    let height = || card.card().get_bounding_client_rect().height();
    assert!(height() < 220.0, "{}", height());
    let more: web_sys::HtmlElement =
        wasm_bindgen::JsCast::unchecked_into(card.find(".qc-more > summary").expect("a way to the rest"));
    assert_eq!(crate::card_page::text_of(&more), "Show all");
    more.click();
    assert!(height() > 400.0, "{}", height());
    let short = CardPage::open(answered(four()), Setting::default()).await;
    assert!(short.find(".qc-more").is_none());
}
