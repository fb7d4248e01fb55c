//! Questions that are asked only after a certain answer.

use crate::inputs::check_deliveries;
use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::limits::ExtraMember;
use ask_user_question::reply::Selection;
use ask_user_question::validate::{Code, MAX_REPLY_BYTES, validate};
use ask_user_question::{AskUserQuestion, Limits, Question, QuestionOption, Reply};
use question_compat::check;
use serde_json::{Value, json};
use std::slice;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const LIMITS: Limits = Limits::RUNTIME.with(ExtraMember::ShowIf).with(ExtraMember::Input);

/// A question of two options, and two more: one for each.
fn deploy() -> AskUserQuestion {
    let cloud = QuestionOption::new("In the cloud").with_value("cloud");
    AskUserQuestion::new([
        Question::new("Where does it run?", [cloud, "On our machines".into()]).with_header("Place"),
        Question::new("Which region?", ["Europe", "Asia"]).with_show_if(ShowIf::new("Place", "cloud")),
        Question::new("Which zone?", ["A", "B"]).with_show_if(ShowIf::new(" Which region? ", "Europe")),
        Question::new("Which machine?", [""; 0]).with_show_if(ShowIf::new("Where does it run?", "On our machines")),
    ])
}

fn pick(question: usize, option: usize) -> Selection {
    Selection::picked(question, [option])
}

fn machine() -> Selection {
    Selection::typed(3, "blade-4")
}

#[test]
fn a_question_is_hidden_unless_the_earlier_answer_is_given() {
    let ask = deploy();
    for (answers, hidden) in [
        (vec![], [false, true, true, true]),
        (vec![pick(0, 0)], [false, false, true, true]),
        (vec![pick(0, 0), pick(1, 0)], [false, false, false, true]),
        (vec![pick(0, 0), pick(1, 1)], [false, false, true, true]),
        // The zone depends on a region that is not asked for any more.
        (vec![pick(0, 1), pick(1, 0)], [false, true, true, false]),
        (vec![pick(0, 7), pick(9, 0)], [false, true, true, true]),
    ] {
        assert_eq!(ask.hidden(&answers), hidden, "{answers:?}");
    }
}

#[test]
fn a_typed_answer_meets_a_condition_by_its_value_however_it_is_written() {
    for (kind, is, said, is_met) in [
        (InputKind::Integer, "1", "01", true),
        (InputKind::Integer, "1", "1.0", true),
        (InputKind::Integer, "01", "1", true),
        (InputKind::Integer, "1", "10", false),
        (InputKind::Number, "0.5", ".50", true),
        (InputKind::DateTime, "2026-11-28 09:30", "2026-11-28T09:30", true),
        (InputKind::DateTime, "2026-11-28T09:30", "2026-11-28 09:30", true),
        (InputKind::Email, "a@b.example", " a@b.example ", true),
        (InputKind::Text, "a", "A", false),
        // One that no answer can meet.
        (InputKind::Integer, "many", "1", false),
    ] {
        let why = Question::new("Why?", [""; 0]).with_show_if(ShowIf::new("Say", is));
        let ask = AskUserQuestion::new([Question::new("Say", [""; 0]).with_input(Input::new(kind)), why]);
        let (said, so) = (Selection::typed(0, said), Selection::typed(1, "So"));
        assert_eq!(ask.hidden(slice::from_ref(&said)), [false, !is_met], "{kind} {is}: {said:?}");
        // The rule for a reply is the same, so what a card shows can be sent, and is.
        let reply = Reply::check(&ask, vec![said.clone(), so]).expect("all are answered");
        assert_eq!(reply.answers()[1].given.is_skipped(), !is_met, "{kind} {is}: {said:?}");
        assert_eq!(Reply::of(&ask, vec![said.clone()]).is_none(), is_met, "{kind} {is}: {said:?}");
        check_deliveries(&ask, &reply);
    }
}

#[test]
fn a_hidden_question_is_skipped_whatever_is_said_about_it() {
    let ask = deploy();
    let reply = Reply::check(&ask, vec![pick(0, 1), machine()]).expect("the others are not asked");
    assert_eq!(
        reply.message(),
        "Place: On our machines\nWhich region?: (skipped)\nWhich zone?: (skipped)\nWhich machine?: blade-4"
    );
    let json: Value = serde_json::to_value(&reply).unwrap();
    assert_eq!(json["answers"], json!({"Where does it run?": "On our machines", "Which machine?": "blade-4"}));
    assert_eq!(json["details"][1]["status"], "skipped");
    check_deliveries(&ask, &reply);
    // What was chosen before the user changed the first answer.
    let changed = Reply::check(&ask, vec![pick(0, 1), pick(1, 0), pick(2, 1), machine()]);
    assert_eq!(changed.as_ref(), Ok(&reply));
    // A client that knows no conditions, and only the flat map.
    let flat = json!({"answers": {"Where does it run?": "On our machines", "Which machine?": "blade-4"}});
    assert_eq!(Reply::parse(&ask, &flat).as_ref(), Ok(&reply));
    let missing = Reply::check(&ask, vec![pick(0, 1)]).unwrap_err();
    assert_eq!(missing[0].path, "questions[3]");
}

#[test]
fn nothing_that_is_said_about_a_hidden_question_is_refused() {
    let ask = deploy();
    let reply = Reply::check(&ask, vec![pick(0, 1), machine()]).expect("the others are not asked");
    let whole = serde_json::to_value(&reply).unwrap();
    let with = |path: &str, value: Value| {
        let mut json = whole.clone();
        *json.pointer_mut(path).expect("the reply has it") = value;
        json
    };
    let mut flat = with("/answers", json!({"Where does it run?": "On our machines", "Which machine?": "blade-4"}));
    flat["answers"]["Which region?"] = json!("Asia");
    let bad = |answer: Value| with("/details/1", answer);
    for (what, json) in [
        ("the flat map beside the details", flat),
        ("an option that there is not", bad(json!({"index": 1, "selected": [{"index": 7, "label": "Mars"}]}))),
        ("another label", bad(json!({"index": 1, "selected": [{"index": 0, "label": "Asia"}]}))),
        ("a wrong type", bad(json!({"index": 1, "other": 3}))),
        ("two options where one is asked for", {
            bad(json!({"index": 1, "selected": [{"index": 0, "label": "Europe"}, {"index": 1, "label": "Asia"}]}))
        }),
        ("skipped and answered", bad(json!({"index": 1, "status": "skipped", "other": "Asia"}))),
        ("nothing", bad(json!({"index": 1}))),
        ("more than a reply may have", bad(json!({"index": 1, "other": "x".repeat(MAX_REPLY_BYTES + 1)}))),
    ] {
        assert_eq!(Reply::parse(&ask, &json).as_ref(), Ok(&reply), "{what}");
    }
    let twice = [pick(0, 1), machine(), pick(1, 0), pick(1, 1), pick(2, 9)].to_vec();
    assert_eq!(Reply::check(&ask, twice).as_ref(), Ok(&reply));
    // The same about a question that is asked is refused.
    let mut asked = whole.clone();
    asked["answers"]["Which machine?"] = json!("blade-5");
    assert!(Reply::parse(&ask, &asked).is_err());
    let unknown =
        with("/answers", json!({"Where does it run?": "On our machines", "Which machine?": "blade-4", "Why?": "x"}));
    assert!(Reply::parse(&ask, &unknown).is_err());
}

#[test]
fn every_set_of_answers_comes_back_from_every_delivery() {
    let ask = deploy();
    for place in 0..2 {
        for region in 0..2 {
            for zone in 0..2 {
                let answers = vec![pick(0, place), pick(1, region), pick(2, zone), machine()];
                check_deliveries(&ask, &Reply::check(&ask, answers).expect("all are answered"));
            }
        }
    }
}

#[test]
fn a_condition_is_about_an_earlier_question() {
    let ask = |condition: Value| {
        json!({"questions": [
            {"question": "Really?", "header": "First", "options": [{"label": "Yes"}, {"label": "No"}]},
            {"showIf": condition, "question": "Why?", "header": "Second", "input": {"type": "text"}},
            {"question": "How?", "header": "Third", "options": [{"label": "So"}, {"label": "Not so"}]},
        ]})
    };
    let question = "questions[1].showIf.question";
    for (condition, expected) in [
        (json!({"question": "Really?", "is": "Yes"}), None),
        (json!({"question": "First", "is": "No"}), None),
        (json!({"question": "First", "is": "Maybe"}), Some(("questions[1].showIf.is", Code::BadCondition))),
        // A circle of one, and one that leads forward.
        (json!({"question": "Why?", "is": "Yes"}), Some((question, Code::BadCondition))),
        (json!({"question": "Third", "is": "So"}), Some((question, Code::BadCondition))),
        (json!({"question": "Nowhere", "is": "So"}), Some((question, Code::BadCondition))),
        (json!({"is": "Yes"}), Some((question, Code::MissingField))),
        (json!({"question": 0, "is": "Yes"}), Some((question, Code::WrongType))),
        (json!("Yes"), Some(("questions[1].showIf", Code::WrongType))),
    ] {
        let violations = validate(&LIMITS, &ask(condition.clone()));
        let found = violations.first().map(|violation| (violation.path.as_str(), violation.code));
        assert_eq!(found, expected, "{condition}");
        // Profiles that do not offer it do not judge it, and a card shows the question all the same.
        assert!(validate(&Limits::RUNTIME.with(ExtraMember::Input), &ask(condition.clone())).is_empty());
        let shown = check(&LIMITS, ask(condition.clone())).ask.unwrap();
        assert_eq!(shown.hidden(&[pick(0, 0), pick(2, 0)])[1], condition["question"] == "First", "{condition}");
    }
}
