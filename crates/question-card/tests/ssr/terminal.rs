//! The card in a terminal, which draws the machine by plain lines.

#[allow(dead_code, unreachable_pub, reason = "its `main` is the example's, and a test binary has no outside")]
#[path = "../../examples/terminal.rs"]
mod example;

use ask_user_question::condition::ShowIf;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase, Question};
use std::cell::Cell;

/// The output of the terminal for these lines, and the result of the tool.
fn typed(lines: &str) -> (String, Option<String>) {
    let database = Question::new("Which database?", ["Postgres", "SQLite"]).with_multi_select(false);
    let features = Question::new("Which features?", ["Search", "Export"]).with_multi_select(true);
    run(AskUserQuestion::new([database, features]), lines)
}

fn run(ask: AskUserQuestion, lines: &str) -> (String, Option<String>) {
    at(AskSnapshot::complete("call", ask, Phase::Answerable), &|| 0, lines)
}

fn at(ask: AskSnapshot, date: &dyn Fn() -> u64, lines: &str) -> (String, Option<String>) {
    let mut shown = Vec::new();
    let result = example::run(ask, date, lines.as_bytes(), &mut shown);
    (String::from_utf8(shown).expect("it is text"), result.expect("a list of bytes takes all"))
}

#[test]
fn a_terminal_answers_by_digits_and_text() {
    let (shown, result) = typed("2\nq 2\n1\no and a map\n\n");
    assert!(
        shown.contains("(x) SQLite") && shown.contains("[x] Search") && shown.contains("other: and a map"),
        "{shown}"
    );
    let result = result.expect("an answer");
    assert!(result.contains("SQLite") && result.contains("and a map"), "{result}");
}

#[test]
fn a_terminal_says_what_is_missing_and_goes_there() {
    let (shown, result) = typed("1\n\n");
    assert_eq!(result, None);
    let end = &shown[shown.rfind("  1. ").expect("the first question")..];
    assert!(end.contains("> 2. Which features?") && end.contains("! "), "{end}");
}

#[test]
fn a_terminal_asks_before_answers_are_lost() {
    let (shown, result) = typed("1\nx\n");
    assert!(shown.contains("x: Discard your answer") && result.is_none(), "{shown}");
    let (_, result) = typed("1\nx\nx\n");
    assert!(result.is_some_and(|result| result.contains("cancel")));
}

#[test]
fn a_terminal_takes_a_number_of_two_digits() {
    let labels = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"];
    let (_, result) = run(AskUserQuestion::new([Question::new("Which letter?", labels)]), "10\n11\n\n");
    assert_eq!(result.as_deref(), Some(r#"{"answers":{"Which letter?":"J"}}"#));
}

#[test]
fn a_terminal_gets_no_commands_of_a_model() {
    let ask = AskUserQuestion::new([Question::new("Red \u{1b}[31m?", ["A\u{1b}]0;x\u{7}", "B\u{9b}2J\r\n"])]);
    let (shown, result) = run(ask, "1\n\n");
    assert!(result.is_some() && !shown.contains(|it: char| it.is_control() && it != '\n'), "{shown:?}");
}

#[test]
fn a_terminal_shows_the_time_left_grants_more_and_asks_again_afterwards() {
    let question = Question::new("Which database?", ["Postgres", "SQLite"]).with_multi_select(false);
    let mut ask = AskSnapshot::complete("call", AskUserQuestion::new([question]), Phase::Answerable);
    ask.expires_at = Some(5000);
    let date = Cell::new(0);
    // Each look at the clock is one second after the one before.
    let ticks = || date.replace(date.get() + 1000);
    let (shown, result) = at(ask.clone(), &ticks, "b 1\n");
    assert!(shown.contains("5 seconds left") && shown.contains("b 1: More time"), "{shown}");
    assert!(shown.contains("1 minute left") && result.is_none(), "{shown}");

    date.set(2000);
    let (shown, result) = at(ask, &ticks, "o DuckDB\n\nb 1\nb 1\n");
    let end = &shown[shown.find("Time ran out").expect("its receipt")..];
    assert!(end.contains("b 1: Ask again") && end.contains("b 2: Send as a message"), "{end}");
    assert!(end.contains("* To the agent: Ask again: Which database?"), "{end}");
    assert!(end.contains("* To the agent: DuckDB") && result.is_none(), "{end}");
}

#[test]
fn a_terminal_says_what_may_be_typed_and_leaves_out_what_is_not_asked() {
    let size = Input::new(InputKind::Integer).with_min("1").with_max("64").with_unit("GB");
    let ask = AskUserQuestion::new([
        Question::new("Which disk?", ["Local", "Network"]).with_header("Disk"),
        Question::new("Which size?", [""; 0]).with_input(size).with_show_if(ShowIf::new("Disk", "Local")),
        Question::new("Which name?", [""; 0]),
    ]);
    let (shown, result) = run(ask, "2\nq 3\no data\nq 1\n1\nq 2\no 80\n\no 8\n\n");
    let shown = shown.replace(['\u{2068}', '\u{2069}'], "");
    let screens: Vec<_> = shown.split("x: Don’t answer").collect();
    assert!(!screens[0].contains("Which size?") && screens[0].contains("3. Which name?"), "{}", screens[0]);
    assert!(screens[5].contains("2. Which size?\n     1 – 64 GB"), "{}", screens[5]);
    assert!(screens[8].contains("! Allowed up to 64"), "{}", screens[8]);
    assert!(result.expect("an answer").contains("\"value\":8"));
}
