//! Replies: what may be answered, how it travels, and that nothing is lost on the way.

use ask_user_question::reply::Selection;
use ask_user_question::validate::{MAX_REPLY_BYTES, Violation};
use ask_user_question::{AskUserQuestion, Question, Reply};
use json_tree::Json;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn ask() -> AskUserQuestion {
    AskUserQuestion::new([
        Question::new("Which database?", ["PostgreSQL", "SQLite"]).with_header("Database"),
        Question::new("Which features?", ["Login", "Search", "CSV, JSON"]).with_multi_select(true),
    ])
}

fn one(multi_select: bool, labels: &[&str]) -> AskUserQuestion {
    let options = labels.iter().copied();
    AskUserQuestion::new([Question::new("Which one?", options).with_header("One").with_multi_select(multi_select)])
}

pub(crate) fn pick(question: usize, selected: &[usize]) -> Selection {
    Selection::picked(question, selected)
}

fn typed(question: usize, selected: &[usize], other: &str) -> Selection {
    pick(question, selected).with_other(other)
}

fn skip(question: usize) -> Selection {
    Selection::skipped(question)
}

pub(crate) fn noted(selection: Selection, note: &str) -> Selection {
    selection.with_note(note)
}

#[track_caller]
fn reply(selections: Vec<Selection>) -> Reply {
    let reply = Reply::check(&ask(), selections.clone()).unwrap();
    assert_eq!(Reply::parse(&ask(), &reply.to_json()), Ok(reply.clone()));
    assert_eq!(Reply::check(&ask(), reply.selections()), Ok(reply.clone()));
    reply
}

#[track_caller]
fn refused(result: Result<Reply, Vec<Violation>>, expected: &[(&str, &str)]) {
    let violations = result.unwrap_err();
    let codes: Vec<(&str, &str)> = violations.iter().map(|v| (v.path.as_str(), v.code.as_str())).collect();
    assert_eq!(codes, expected, "{violations:?}");
}

#[test]
fn a_plain_pick_of_labels_is_the_flat_map_alone() {
    let reply = reply(vec![pick(1, &[1, 0]), pick(0, &[1])]);
    assert_eq!(reply.to_json(), json!({"answers": {"Which database?": "SQLite", "Which features?": "Login, Search"}}));
    assert_eq!(reply.message(), "Database: SQLite\nWhich features?: Login, Search");
}

#[test]
fn answers_are_written_in_the_order_of_the_questions() {
    let ask = AskUserQuestion::new([Question::new("Z?", ["1"]), Question::new("A?", ["2"])]);
    let reply = Reply::check(&ask, vec![pick(0, &[0]), pick(1, &[0])]).unwrap();
    let written = r#"{"answers":{"Z?":"1","A?":"2"}}"#;
    assert_eq!(
        (serde_json::to_string(&reply).unwrap().as_str(), reply.to_json().to_string().as_str()),
        (written, written)
    );
}

#[test]
fn one_question_reads_as_its_label() {
    let ask = AskUserQuestion::new([ask().questions.remove(0)]);
    let answered = |selection| Reply::check(&ask, vec![selection]).unwrap().message();
    assert_eq!(answered(pick(0, &[0])), "PostgreSQL");
    assert_eq!(answered(typed(0, &[], " my own\nwords ")), " my own\nwords ");
    assert_eq!(answered(noted(pick(0, &[0]), "16 or later")), "PostgreSQL (note: 16 or later)");
    assert_eq!(answered(skip(0)), "(skipped)");
}

#[test]
fn details_say_what_the_flat_map_would_lose() {
    let comma = reply(vec![pick(0, &[0]), pick(1, &[0, 2])]);
    assert_eq!(
        comma.to_json(),
        json!({
            "answers": {"Which database?": "PostgreSQL", "Which features?": "Login, CSV, JSON"},
            "details": [
                {"index": 0, "header": "Database", "selected": [{"index": 0, "label": "PostgreSQL"}], "status": "answered"},
                {"index": 1, "selected": [{"index": 0, "label": "Login"}, {"index": 2, "label": "CSV, JSON"}], "status": "answered"},
            ],
        })
    );
    let skipped = reply(vec![typed(0, &[], "DuckDB"), noted(skip(1), "later")]);
    assert_eq!(
        skipped.to_json(),
        json!({
            "answers": {"Which database?": "DuckDB"},
            "details": [
                {"index": 0, "header": "Database", "selected": [], "other": "DuckDB", "status": "answered"},
                {"index": 1, "selected": [], "note": "later", "status": "skipped"},
            ],
            "message": "Questions marked skipped in `details` are not answered; do not take them as consent. What is `other` in `details` was typed by the user and is none of the options.",
        })
    );
    let message = |selections| reply(selections).to_json().into_value()["message"].as_str().map(str::to_owned);
    let all = message(vec![skip(0), skip(1)]).unwrap();
    assert_eq!(all, "The user skipped every question. This is no answer and no consent.");
    let one = message(vec![pick(0, &[0]), skip(1)]).unwrap();
    assert!(one.starts_with("Questions marked skipped") && !one.contains("typed"), "{one}");
    let own = message(vec![typed(0, &[], "What would you take?"), pick(1, &[0])]).unwrap();
    assert!(own.contains("typed by the user") && !own.contains("skipped"), "{own}");
    assert_eq!(message(vec![noted(pick(0, &[0]), "n"), pick(1, &[0])]), None);
    let both = reply(vec![pick(0, &[0]), typed(1, &[1], "Export")]);
    assert_eq!(both.to_json().into_value()["answers"]["Which features?"], "Search, Export");
    assert_eq!(both.to_json().into_value()["details"][1]["other"], "Export");
}

#[test]
fn a_label_that_two_options_share_needs_details() {
    let ask = one(false, &["A", "A", "B"]);
    for (picked, has_details) in [(0, true), (1, true), (2, false)] {
        let reply = Reply::check(&ask, vec![pick(0, &[picked])]).unwrap();
        assert_eq!(reply.to_json().get("details").is_some(), has_details, "{reply:?}");
        assert_eq!(Reply::parse(&ask, &reply.to_json()), Ok(reply));
    }
}

#[test]
fn equal_questions_share_a_key_and_are_told_apart_by_index() {
    let same = |labels: [&'static str; 2]| Question::new("Same?", labels);
    for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for (others, answer) in [(["Yes", "Yes"], "Yes, Yes"), (["No", "No"], "Yes, No")] {
            let ask = AskUserQuestion::new([same(["Yes", "Yes"]), same(others)]);
            let reply = Reply::check(&ask, vec![pick(0, &[first]), pick(1, &[second])]).unwrap();
            assert_eq!(reply.to_json().into_value()["answers"], json!({"Same?": answer}));
            assert_eq!(Reply::parse(&ask, &reply.to_json()), Ok(reply));
        }
    }
}

#[test]
fn a_reply_is_refused_with_all_its_violations() {
    let check = |selections| Reply::check(&ask(), selections);
    refused(check(vec![]), &[("questions[0]", "unanswered"), ("questions[1]", "unanswered")]);
    refused(check(vec![pick(0, &[]), pick(1, &[0])]), &[("selections[0]", "unanswered")]);
    refused(check(vec![noted(pick(0, &[]), "only a note"), pick(1, &[0])]), &[("selections[0]", "unanswered")]);
    refused(check(vec![pick(0, &[0, 1]), pick(1, &[0])]), &[("selections[0]", "too_many_answers")]);
    refused(check(vec![typed(0, &[0], "and more"), pick(1, &[0])]), &[("selections[0]", "too_many_answers")]);
    refused(check(vec![typed(0, &[], " \u{200B}"), pick(1, &[0])]), &[("selections[0].other", "blank_other")]);
    refused(
        check(vec![pick(0, &[2]), pick(1, &[0, usize::MAX])]),
        &[("selections[0].selected[0]", "unknown_option"), ("selections[1].selected[1]", "unknown_option")],
    );
    refused(check(vec![pick(1, &[0, 1, 0]), pick(0, &[0])]), &[("selections[0].selected[2]", "repeated_option")]);
    refused(check(vec![pick(0, &[0]), pick(1, &[0]), pick(0, &[1])]), &[("selections[2]", "repeated_question")]);
    refused(
        check(vec![pick(0, &[0]), pick(2, &[0])]),
        &[("selections[1].question", "unknown_question"), ("questions[1]", "unanswered")],
    );
    let mut skipped_and_answered = pick(0, &[0]);
    skipped_and_answered.skipped = true;
    refused(check(vec![skipped_and_answered, pick(1, &[0])]), &[("selections[0]", "answered_and_skipped")]);
    let huge = "x".repeat(MAX_REPLY_BYTES + 1);
    refused(check(vec![typed(0, &[], &huge), pick(1, &[0])]), &[("", "too_large")]);
}

#[test]
fn an_ask_without_questions_cannot_be_answered() {
    let ask = AskUserQuestion::empty();
    refused(Reply::check(&ask, vec![]), &[("questions", "unanswered")]);
    refused(Reply::parse(&ask, &json!({"answers": {}})), &[("questions", "unanswered")]);
}

#[test]
fn the_flat_map_of_other_clients_is_read() {
    let selections = |answers: Value| Reply::parse(&ask(), &json!({"answers": answers})).unwrap().selections();
    let features = |text: &str| selections(json!({"Which database?": "SQLite", "Which features?": text})).remove(1);
    assert_eq!(features("Search,Login"), pick(1, &[0, 1]));
    assert_eq!(features("  Login ,  Search"), pick(1, &[0, 1]));
    assert_eq!(features("CSV, JSON, Login"), pick(1, &[0, 2]));
    assert_eq!(features("CSV, JSON"), pick(1, &[2]));
    assert_eq!(features("Login, Login"), typed(1, &[], "Login, Login"));
    assert_eq!(features("Login, something new"), typed(1, &[], "Login, something new"));
    assert_eq!(features("login"), typed(1, &[], "login"));
    assert_eq!(
        selections(json!({"Which database?": " my own ", "Which features?": "Login"}))[0],
        typed(0, &[], " my own ")
    );
}

#[test]
fn of_an_answer_that_comes_twice_the_last_counts() {
    let text =
        r#"{"answers": {"Which database?": "SQLite", "Which features?": "Login", "Which database?": "PostgreSQL"}}"#;
    let json = Json::parse(text).unwrap();
    let labels = |json: Json<'_>| Reply::parse(&ask(), &json).unwrap().answers()[0].given.options()[0].label.clone();
    assert_eq!(labels(json.clone()), "PostgreSQL");
    assert_eq!(labels(json.into_value().into()), "PostgreSQL");
}

#[test]
fn the_wire_form_is_refused_where_it_does_not_fit() {
    let parse = |json: Value| Reply::parse(&ask(), &json);
    let fine = json!({"Which database?": "SQLite", "Which features?": "Login"});
    refused(parse(json!(null)), &[("answers", "missing_field")]);
    refused(parse(json!({"answers": ["SQLite"]})), &[("answers", "wrong_type")]);
    refused(parse(json!({"answers": {}})), &[("questions[0]", "unanswered"), ("questions[1]", "unanswered")]);
    refused(parse(json!({"answers": {"Which database?": "SQLite"}})), &[("questions[1]", "unanswered")]);
    refused(
        parse(json!({"answers": {"Which database?": "", "Which features?": 5, "Who \"else\"?": "x"}})),
        &[
            ("answers[\"Which database?\"]", "blank_other"),
            ("answers[\"Which features?\"]", "wrong_type"),
            ("answers[\"Who \\\"else\\\"?\"]", "unknown_question"),
        ],
    );
    refused(parse(json!({"answers": fine, "details": {}})), &[("details", "wrong_type")]);
    refused(
        parse(json!({"answers": fine, "details": [5, {"index": 7}]})),
        &[("details[0].index", "wrong_type"), ("details[1].question", "unknown_question")],
    );
    refused(
        parse(json!({"answers": fine, "details": [{"index": 0, "selected": [{"index": 0, "label": "SQLite"}]}]})),
        &[("details[0].selected[0].label", "contradiction")],
    );
    refused(
        parse(json!({"answers": fine, "details": [{"index": 0, "selected": [{"index": 0, "label": "PostgreSQL"}]}]})),
        &[("answers[\"Which database?\"]", "contradiction")],
    );
    refused(
        parse(json!({"answers": fine, "details": [{"index": 0, "status": "skipped"}]})),
        &[("answers[\"Which database?\"]", "contradiction")],
    );
    refused(parse(json!({"answers": fine, "details": [{"index": 0}]})), &[("details[0]", "unanswered")]);
    refused(parse(json!({"answers": {"Which database?": "x".repeat(5 * MAX_REPLY_BYTES)}})), &[("", "too_large")]);
}

#[test]
fn details_that_cannot_be_read_say_where() {
    let answers = json!({"Which database?": "SQLite", "Which features?": "Login"});
    for (detail, place, must_be) in [
        (json!({"index": -1}), "index", "the index of a question"),
        (json!({"index": 0, "selected": 1}), "selected", "an array"),
        (json!({"index": 0, "selected": [{"index": 1}]}), "selected[0]", "an object with `index` and `label`"),
        (json!({"index": 0, "selected": [{"label": "SQLite"}]}), "selected[0]", "an object with `index` and `label`"),
        (json!({"index": 0, "other": 5}), "other", "a string"),
        (json!({"index": 0, "note": []}), "note", "a string"),
        (json!({"index": 0, "status": "declined"}), "status", "\"answered\" or \"skipped\""),
        (json!({"index": 0, "status": null}), "status", "\"answered\" or \"skipped\""),
    ] {
        let refusal = Reply::parse(&ask(), &json!({"answers": answers, "details": [detail]}));
        assert_eq!(refusal.as_ref().unwrap_err()[0].message, format!("This must be {must_be}."));
        refused(refusal, &[(format!("details[0].{place}").as_str(), "wrong_type")]);
    }
}

#[test]
fn details_for_some_questions_complete_the_flat_map() {
    let json = json!({
        "answers": {"Which database?": "SQLite", "Which features?": "Login"},
        "details": [{"index": 0, "selected": [{"index": 1, "label": "SQLite"}], "note": "small", "other": null}],
    });
    let reply = Reply::parse(&ask(), &json).unwrap();
    assert_eq!(reply.selections(), [noted(pick(0, &[1]), "small"), pick(1, &[0])]);
}

#[test]
fn answers_say_where_they_belong() {
    let reply = reply(vec![pick(0, &[1]), skip(1)]);
    let [first, second] = reply.answers() else { panic!("two answers") };
    assert_eq!((first.title(), first.text().as_deref()), ("Database", Some("SQLite")));
    assert_eq!((second.title(), second.text()), ("Which features?", None));
}

#[test]
fn selections_travel_as_json() {
    let selection: Selection = serde_json::from_value(json!({"question": 1, "selected": [0], "note": "n"})).unwrap();
    assert_eq!(selection, noted(pick(1, &[0]), "n"));
    assert_eq!(serde_json::to_value(pick(0, &[1])).unwrap(), json!({"question": 0, "selected": [1]}));
    assert_eq!(serde_json::to_value(skip(1)).unwrap(), json!({"question": 1, "selected": [], "skipped": true}));
}

#[test]
fn a_question_that_is_left_out_is_named() {
    for selections in [vec![pick(0, &[1])], vec![pick(0, &[1]), pick(1, &[])]] {
        let violations = Reply::check(&ask(), selections).unwrap_err();
        assert_eq!(violations[0].message, "Question 'Which features?' is neither answered nor marked skipped.");
    }
}

#[test]
fn an_option_out_of_range_is_refused_once() {
    let answers = json!({"Which database?": "SQLite", "Which features?": "Login"});
    let detail = |index: usize| json!([{"index": 0, "selected": [{"index": index, "label": "SQLite"}]}]);
    for index in [2, 3] {
        let refusal = Reply::parse(&ask(), &json!({"answers": answers, "details": detail(index)})).unwrap_err();
        let codes: Vec<&str> = refusal.iter().map(|violation| violation.code.as_str()).collect();
        assert_eq!(codes, ["unknown_option"], "{refusal:?}");
    }
}

#[test]
fn as_much_is_typed_as_a_reply_may_have() {
    let long = one(false, &["A", "B"]);
    let check = |bytes: usize| Reply::check(&long, vec![typed(0, &[], &"x".repeat(bytes))]);
    let reply = check(MAX_REPLY_BYTES).unwrap();
    assert_eq!(Reply::parse(&long, &reply.to_json()), Ok(reply));
    refused(check(MAX_REPLY_BYTES + 1), &[("", "too_large")]);
    // The texts of a large ask come twice, and so does what was typed.
    let mut ask = one(false, &["A", "B"]);
    ask.questions[0].question = "q".repeat(ask_user_question::validate::MAX_ASK_BYTES - 100);
    let reply = Reply::check(&ask, vec![typed(0, &[], &"x".repeat(MAX_REPLY_BYTES))]).unwrap();
    assert_eq!(Reply::parse(&ask, &reply.to_json()), Ok(reply));
}

#[test]
fn joined_labels_are_read_for_as_many_options_as_anybody_shows() {
    let read = |options: usize, text: &str| {
        let labels: Vec<String> = (0..options).map(|option| format!("o{option}")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        Reply::parse(&one(true, &labels), &json!({"answers": {"Which one?": text}})).unwrap().selections().remove(0)
    };
    assert_eq!(read(1000, "o1, o0"), pick(0, &[0, 1]));
    assert_eq!(read(1001, "o1, o0"), typed(0, &[], "o1, o0"));
    assert_eq!(read(2, "o1, o0"), pick(0, &[0, 1]));
    assert_eq!(read(2, "o1, o0, o1"), typed(0, &[], "o1, o0, o1"));
}

#[test]
fn own_words_in_a_message_are_told_from_picks() {
    let read = |multi_select: bool, text: &str| {
        Reply::read_message(&one(multi_select, &["A", "B"]), text).map(|reply| reply.selections().remove(0))
    };
    for (multi_select, text, expected) in [
        (false, "A, mine", Some(typed(0, &[], "A, mine"))),
        (true, "A, mine", Some(typed(0, &[0], "mine"))),
        (true, "A, ", Some(typed(0, &[], "A, "))),
        (true, "A, A", Some(typed(0, &[0], "A"))),
        (true, "A, B, A", Some(typed(0, &[0, 1], "A"))),
        (true, "mine (note: soon)", Some(noted(typed(0, &[], "mine"), "soon"))),
        (true, " (note: soon)", Some(typed(0, &[], " (note: soon)"))),
        (true, " ", None),
    ] {
        assert_eq!(read(multi_select, text), expected, "{text:?}");
    }
}
