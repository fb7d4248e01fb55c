//! Typed messages: what is certain is a pick, everything else stays the user's own words.

use crate::{noted, pick};
use ask_user_question::attachment::Attachment;
use ask_user_question::condition::ShowIf;
use ask_user_question::examples;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::outcome::OutcomeKind;
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Question, Reply};
use question_compat::match_message;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

pub(crate) fn one(multi_select: bool, labels: &[&str]) -> AskUserQuestion {
    let options = labels.iter().copied();
    AskUserQuestion::new([Question::new("Which one?", options).with_header("One").with_multi_select(multi_select)])
}

/// The picks in a message, or `None` if it is taken as the user's own words.
#[track_caller]
fn picked(ask: &AskUserQuestion, text: &str) -> Option<Vec<usize>> {
    let Outcome::Answered(reply) = match_message(ask, text, vec![]) else {
        panic!("{text:?} answers one question");
    };
    let selection = reply.selections().remove(0);
    match selection.other {
        Some(other) => {
            assert_eq!(other, text);
            None
        }
        None => Some(selection.selected),
    }
}

#[test]
fn labels_whole_words_and_numbers_pick() {
    let ask = one(false, &["PostgreSQL", "SQLite (Recommended)", "**MySQL**", "Straße", "İstanbul", "οδος"]);
    for (text, option) in [
        ("PostgreSQL", 0),
        ("postgresql", 0),
        ("“PostgreSQL”!", 0),
        ("ＰｏｓｔｇｒｅＳＱＬ", 0),
        ("sqlite", 1),
        ("SQLite (recommended)", 1),
        ("mysql.", 2),
        ("option 3", 2),
        ("3)", 2),
        ("3", 2),
        ("#3", 2),
        ("3.", 2),
        ("(3)", 2),
        ("٣", 2),
        ("３", 2),
        ("STRASSE", 3),
        ("İSTANBUL", 4),
        ("istanbul", 4),
        ("i\u{307}stanbul", 4),
        ("ΟΔΟΣ", 5),
        ("οδοσ", 5),
        ("One: sqlite", 1),
        ("which one?: 4", 3),
    ] {
        assert_eq!(picked(&ask, text), Some(vec![option]), "{text}");
    }
    for text in [
        "7",
        "0",
        "-1",
        "99999999999999999999",
        "Oracle",
        "PostgreSQL and SQLite",
        "1, 2",
        "Postgres please",
        "post",
        "p",
        "not sure",
        "One: Oracle",
    ] {
        assert_eq!(picked(&ask, text), None, "{text}");
    }
}

#[test]
fn who_asks_back_has_not_answered() {
    let ask = one(false, &["PostgreSQL", "SQLite", "Why not both?"]);
    for text in [
        "Actually, what are your opening hours?",
        "PostgreSQL?",
        "2?",
        "One: SQLite?",
        "?",
        "Is SQLite enough?!",
        "Is it free? ",
        "Is it free?\n",
        "Is it free? :)",
        "SQLite (or is that too small?)",
        "无服务器吗？",
        "ما هي ساعات العمل؟",
        "Τι ώρα ανοίγετε;",
        "Τι ώρα ανοίγετε\u{37E}",
        "¿Y eso?",
        "Is it free? 😊",
        "Is it free ⁉️",
        "Is it free ❓",
        "Is it free?~",
        "Is it free？！",
        "*Is it free?*",
        "Really⁉",
    ] {
        let partial = vec![pick(0, &[1])];
        let replied = Outcome::RepliedInChat { text: text.into(), partial: partial.clone() };
        assert_eq!(match_message(&ask, text, partial), replied, "{text}");
        let line = format!("Which features: first version?: Search\nDatabase: {text}");
        assert!(matches!(match_message(&several(), &line, vec![]), Outcome::RepliedInChat { .. }), "{line}");
    }
    assert_eq!(picked(&ask, "why not both?"), Some(vec![2]), "a label may ask");
    for text in ["Is it? No: DuckDB", "DuckDB;", "Which? The small one", "DuckDB!"] {
        assert_eq!(picked(&ask, text), None, "{text}");
    }
}

#[test]
fn nothing_is_guessed_between_two() {
    let ask = one(false, &["Standard", "Standard plus", "Stand by", "yes", "YES"]);
    assert_eq!(picked(&ask, "standard"), Some(vec![0]), "the whole label");
    assert_eq!(picked(&ask, "standard p"), None, "half a word");
    assert_eq!(picked(&ask, "stand"), None);
    assert_eq!(picked(&ask, "YES"), Some(vec![4]), "exactly as written");
    assert_eq!(picked(&ask, "Yes"), None);
    let marked = one(false, &["Go", "Go!", "(go)"]);
    assert_eq!(picked(&marked, "go!"), Some(vec![1]), "with its mark");
    assert_eq!(picked(&marked, "'go'"), Some(vec![0]), "without any");
    let signs = one(false, &["!", "?!", "..."]);
    assert_eq!(picked(&signs, "..."), Some(vec![2]), "nothing but marks");
    assert_eq!(picked(&one(false, &["`", "Xyz"]), "```"), None);
    for (label, text) in [
        ("Don't deploy", "don’t deploy"),
        ("Don’t deploy", "don't deploy"),
        ("Say “hi”", "say \"hi\""),
        ("Opt\u{2011}in", "opt-in"),
        ("Mon–Fri", "mon-fri"),
        ("Use `serde`, then", "use serde, then"),
        ("**Yes**", "yes"),
    ] {
        assert_eq!(picked(&one(false, &[label, "Xyz"]), text), Some(vec![0]), "{text}");
    }
    let equal = one(false, &["Same", "Same"]);
    assert_eq!(picked(&equal, "Same"), None);
    assert_eq!(picked(&equal, "2"), Some(vec![1]));
}

#[test]
fn what_is_typed_answers_a_number_or_a_date_where_it_is_one() {
    let seats = || Input::new(InputKind::Integer).with_min("1").with_unit("seats");
    let date = || Input::new(InputKind::Date);
    for (input, text, expected) in [
        (seats(), " 8 ", Some("8")),
        (seats(), "Booking: 8", Some("8")),
        (seats(), "0", None),
        (seats(), "8?", None),
        (seats(), "about 8", None),
        (seats(), "8 or 9", None),
        (seats(), "Go ahead", None),
        (date(), "2026-12-24", Some("\"2026-12-24\"")),
        (date(), "2026-02-30", None),
        (date(), "tomorrow", None),
    ] {
        let question = Question::new("For what?", [""; 0]).with_header("Booking").with_input(input);
        let value = match match_message(&AskUserQuestion::new([question]), text, vec![]) {
            Outcome::Answered(reply) => reply.answers()[0].given.value().map(|value| value.text()),
            _ => None,
        };
        assert_eq!(value.as_deref(), expected, "{text}");
    }
    // A line for each, and none for what is not asked after the others.
    let notice = Question::new("How?", ["By e-mail", "By phone"]).with_header("Notice");
    let number = Question::new("Which?", [""; 0]).with_header("Number").with_input(Input::new(InputKind::Integer));
    let ask = AskUserQuestion::new([notice, number.with_show_if(ShowIf::new("Notice", "By phone"))]);
    for (text, answered) in [
        ("Notice: By phone\nNumber: 117", true),
        ("Notice: By phone\nNumber: mine", false),
        ("Notice: By phone", false),
        ("Notice: By e-mail", true),
    ] {
        let outcome = match_message(&ask, text, vec![]);
        assert_eq!(matches!(outcome, Outcome::Answered(_)), answered, "{text}");
    }
}

#[test]
fn a_bare_number_is_no_position_where_labels_have_digits() {
    for (labels, text, expected) in [
        (&["10", "4", "2", "1"][..], "2", Some(2)),
        (&["10", "4", "2", "1"], "1", Some(3)),
        (&["10", "4", "2", "1"], "3", None),
        (&["2", "4", "8"], "1", None),
        (&["2", "4", "8"], "8", Some(2)),
        (&["2", "4", "8"], "#3", Some(2)),
        (&["2", "4", "8"], "1)", Some(0)),
        (&["2", "4", "8"], "option 1", Some(0)),
        (&["2", "4", "8"], "2)", Some(1)),
        (&["Two", "Four", "Eight"], "2", None),
        (&["Zero", "One"], "1", None),
        (&["两个", "四个"], "2", None),
        (&["Tend bar", "Even"], "2", Some(1)),
        (&["2 guests", "4 guests", "6 guests"], "3", None),
        (&["2 guests", "4 guests", "6 guests"], "2", None),
        (&["May 2", "May 3"], "2", None),
        (&["Room 3", "Room 1", "Room 2"], "1", None),
        (&["$5", "$10", "$20"], "2", None),
        (&["v2", "v1"], "1", None),
        (&["9:00", "10:30"], "10", None),
        (&["1,000 users", "5,000 users"], "5", None),
        (&["٥", "١٠"], "2", None),
        (&["๓ คน", "๕ คน"], "2", None),
        (&["①", "③"], "2", None),
        (&["2 weeks", "1 week"], "2", None),
        (&["2 weeks", "1 week"], "2 weeks", Some(0)),
        (&["1 week", "2 weeks"], "2", Some(1)),
        (&["1 week", "2 weeks", "2 weeks, then 3"], "2", None),
        (&["1 GB", "2 GB", "4 GB"], "3", None),
        (&["#2 pencil", "#1 pencil"], "#2", None),
        (&["Option 10", "Option 20"], "option 1", None),
        (&["Tea", "Coffee"], "2", Some(1)),
        (&["Tea", "Coffee"], "#3", None),
        (&["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"], "٪", None),
        (&["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"], "12", Some(11)),
    ] {
        assert_eq!(picked(&one(false, labels), text), expected.map(|option| vec![option]), "{text} of {labels:?}");
    }
}

#[test]
fn several_options_are_picked_with_commas_where_that_is_allowed() {
    let labels = ["Login", "Search", "CSV, JSON", "Audit"];
    let multi = one(true, &labels);
    assert_eq!(picked(&multi, "search, LOGIN"), Some(vec![0, 1]));
    assert_eq!(picked(&multi, "1,4,1"), Some(vec![0, 3]));
    assert_eq!(picked(&multi, "login; audit"), Some(vec![0, 3]));
    assert_eq!(picked(&multi, "login\nsearch"), Some(vec![0, 1]));
    assert_eq!(picked(&multi, "csv, json"), Some(vec![2]));
    assert_eq!(picked(&multi, "csv, json, LOGIN."), Some(vec![0, 2]));
    assert_eq!(picked(&multi, "login, teleport"), None);
    assert_eq!(picked(&multi, "login,"), Some(vec![0]));
    assert_eq!(picked(&multi, "login,, search"), None);
    assert_eq!(picked(&multi, &"1,".repeat(100_000)), None);
    assert_eq!(picked(&one(false, &labels), "login, search"), None);
    let many: Vec<String> = (0..65).map(|option| format!("label {option}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(picked(&one(true, &many), &many[..64].join(", ")), Some((0..64).collect()));
    assert_eq!(
        Reply::read_message(&one(true, &many), &many[..64].join(", ")).unwrap().selections()[0].selected.len(),
        64
    );
    let typed = many.join("; ");
    assert_eq!(picked(&one(true, &many), &typed), None, "more than anybody types");
}

#[test]
fn a_label_is_not_picked_by_its_first_words() {
    for (label, text) in [
        ("Now", "no"),
        ("No limits", "No."),
        ("No, delete nothing", "NO"),
        ("Nein, danke", "nein"),
        ("いいえ、結構です", "いいえ"),
        ("Nein danke, später", "nein danke"),
        ("No thanks, ask me later", "no thanks"),
        ("не сейчас", "Не!"),
        ("Không giới hạn", "không"),
        ("Tidak ada batas", "tidak"),
        ("ไม่ จำกัด", "ไม่"),
        ("نه، فعلا", "نه"),
        ("Hapana, baadaye", "hapana"),
        ("Nē, vēlāk", "nē"),
        ("Ez, gero", "ez"),
        ("না, পরে", "না"),
        ("نہیں، بعد میں", "نہیں"),
        ("არა, მერე", "არა"),
        ("Hindi muna", "hindi"),
        ("Keinesfalls heute", "keinesfalls"),
        ("Definitely not", "definitely"),
        ("Yes, delete the backups too", "yes"),
        ("The cheap one", "the"),
        ("In Berlin", "in"),
        ("I decide", "I"),
        ("A first", "a"),
        ("No 5", "no"),
        ("Node.js", "node"),
        ("GPT-4.1", "GPT-4"),
        ("GPT 4.1", "GPT 4"),
        ("C++", "c"),
        ("Plan +", "plan"),
    ] {
        for multi_select in [false, true] {
            assert_eq!(picked(&one(multi_select, &[label, "Xyz"]), text), None, "{text} of {label}");
        }
    }
    assert_eq!(picked(&one(false, &["Node 22", "Nodejitsu"]), "node"), None);
    assert_eq!(picked(&one(false, &["Node 22", "Node 24"]), "node"), None);
    assert_eq!(picked(&one(false, &["Node 22", "Deno 2"]), "node"), Some(vec![0]));
    assert_eq!(picked(&one(false, &["PostgreSQL 17.2", "SQLite"]), "postgresql!"), Some(vec![0]));
    assert_eq!(picked(&one(false, &["Yes", "No"]), "no!"), Some(vec![1]));
    assert_eq!(picked(&one(false, &["No, never", "No"]), "no"), Some(vec![1]));
    assert_eq!(picked(&one(false, &["ガソリン", "Diesel"]), "ｶﾞｿﾘﾝ"), Some(vec![0]));
}

#[test]
fn ticks_are_kept_beside_what_is_typed() {
    let ask = one(true, &["A", "B", "C"]);
    let ticked = || vec![noted(pick(0, &[1, 0, 9]), "n")];
    for (text, selected, other) in
        [("call me first", vec![0, 1], Some("call me first")), ("c", vec![0, 1, 2], None), ("a", vec![0, 1], None)]
    {
        let Outcome::Answered(reply) = match_message(&ask, text, ticked()) else { panic!("{text}") };
        let mut expected = noted(pick(0, &selected), "n");
        expected.other = other.map(str::to_owned);
        assert_eq!(reply.selections(), [expected], "{text}");
    }
    let Outcome::Answered(reply) = match_message(&ask, "(skipped)", ticked()) else { panic!("skipped") };
    assert!(reply.answers()[0].given.is_skipped());
    let single = one(false, &["A", "B"]);
    let Outcome::Answered(reply) = match_message(&single, "call me first", ticked()) else { panic!("single") };
    assert_eq!(reply.message(), "call me first (note: n)");
    let Outcome::Answered(reply) = match_message(&single, "a", ticked()) else { panic!("a label") };
    assert_eq!(reply.message(), "A (note: n)");
    let partial = vec![pick(1, &[0])];
    let text = "Database: SQLite\nWhich features: first version?: Search";
    let Outcome::Answered(reply) = match_message(&several(), text, partial) else { panic!("lines") };
    assert_eq!(reply.answers()[1].text().as_deref(), Some("Login, Search"));
}

#[test]
fn what_a_reply_says_is_read_back() {
    let ask = one(true, &["Red, dark", "Blue", "Rush (note: fast)"]);
    let reply = |selected: &[usize], other: Option<&str>, note: Option<&str>| {
        let mut picks = pick(0, selected);
        (picks.other, picks.note) = (other.map(str::to_owned), note.map(str::to_owned));
        Reply::check(&ask, vec![picks]).unwrap()
    };
    for reply in [
        reply(&[0, 1], None, None),
        reply(&[2], None, None),
        reply(&[1, 2], None, Some("asap")),
        reply(&[0], None, Some("not (too) dark")),
    ] {
        let text = reply.message();
        assert_eq!(match_message(&ask, &text, vec![]), Outcome::Answered(reply.clone()), "{text}");
        assert_eq!(Reply::read_message(&ask, &text), Some(reply), "{text}");
    }
    let reply = reply(&[0, 1], Some("or green"), Some("2 coats"));
    assert_eq!(reply.message(), "Red, dark, Blue, or green (note: 2 coats)");
    assert_eq!(Reply::read_message(&ask, &reply.message()), Some(reply));
}

#[test]
fn blank_messages_answer_nothing() {
    let ask = one(false, &["A", "B"]);
    for text in ["", " \n", "\u{200B}"] {
        let partial = pick(0, &[0]);
        assert_eq!(
            match_message(&ask, text, vec![partial.clone()]),
            Outcome::RepliedInChat { text: text.into(), partial: vec![partial] }
        );
    }
}

#[test]
fn files_stay_beside_a_typed_answer_and_are_one_without_it() {
    let ask = one(false, &["PostgreSQL", "SQLite"]);
    let cat = Attachment { name: "cat.png".into(), media_type: "image/png".into(), ..Attachment::default() };
    let attached = |question| Selection::of(question).with_attachments([cat.clone()]);
    for (text, selected, other) in [("SQLite", vec![1], None), ("DuckDB", vec![], Some("DuckDB")), (" ", vec![], None)]
    {
        let Outcome::Answered(reply) = match_message(&ask, text, vec![attached(0)]) else { panic!("{text:?}") };
        let mut expected = attached(0);
        (expected.selected, expected.other) = (selected, other.map(str::to_owned));
        assert_eq!(reply.selections(), [expected], "{text:?}");
    }
    for (ask, text) in [(&ask, "Which is faster?"), (&several(), "")] {
        let outcome = Outcome::RepliedInChat { text: text.into(), partial: vec![attached(0)] };
        assert_eq!(match_message(ask, text, vec![attached(0)]), outcome);
    }
}

fn several() -> AskUserQuestion {
    AskUserQuestion::new([
        Question::new("Which database?", ["PostgreSQL", "SQLite"]).with_header("Database"),
        Question::new("Which features: first version?", ["Login", "Search"]).with_multi_select(true),
    ])
}

#[test]
fn lines_for_every_question_are_a_reply() {
    for text in [
        "Database: SQLite\nWhich features: first version?: Login, Search",
        "\n which  FEATURES: first version? : 2, 1 \n\n database：sqlite\n",
    ] {
        let Outcome::Answered(reply) = match_message(&several(), text, vec![]) else { panic!("{text}") };
        assert_eq!(reply.message(), "Database: SQLite\nWhich features: first version?: Login, Search");
    }
    let text = "Database: DuckDB, I think\nWhich features: first version?: (skipped)";
    let Outcome::Answered(reply) = match_message(&several(), text, vec![]) else { panic!("{text}") };
    assert_eq!(reply.message(), text);
    assert_eq!(reply.answers()[0].given.typed().as_deref(), Some("DuckDB, I think"));
    assert!(reply.answers()[1].given.is_skipped());
}

#[test]
fn anything_else_is_never_spread_over_several_questions() {
    for text in [
        "SQLite",
        "1",
        "1, 2",
        "SQLite\nLogin",
        "Database: SQLite",
        "Database: SQLite\nDatabase: PostgreSQL\nWhich features: first version?: Login",
        "Database: SQLite\nWhich features: first version?:  ",
        "Database: SQLite\nWhich features: first version?: Login\nand hurry",
        "Which features: Login\nDatabase: SQLite",
    ] {
        let partial = vec![pick(1, &[0])];
        assert_eq!(
            match_message(&several(), text, partial.clone()),
            Outcome::RepliedInChat { text: text.into(), partial },
            "{text}"
        );
    }
}

#[test]
fn lines_are_read_for_as_many_questions_as_anybody_asks() {
    for (count, is_read) in [(64, true), (65, false)] {
        let ask = AskUserQuestion::new((0..count).map(|q| Question::new(format!("Q{q}"), ["A", "B"])));
        let lines: String = (0..count).map(|q| format!("Q{q}: B\n")).collect();
        assert_eq!(matches!(match_message(&ask, &lines, vec![]), Outcome::Answered(_)), is_read, "{count}");
    }
}

#[test]
fn a_line_names_one_question_or_none() {
    let ask = |titles: [(&str, &str); 2]| {
        AskUserQuestion::new(titles.map(|(text, header)| Question::new(text, ["A", "B"]).with_header(header)))
    };
    let (equal, crossed) = ([("Q1", "H"), ("Q2", "H")], [("Q", "Size"), ("Size", "Other size")]);
    for (titles, text, is_read) in [
        (equal, "H: A\nH: B", false),
        (equal, "Q1: A\nQ2: B", true),
        (crossed, "Size: A\nOther size: B", false),
        (crossed, "Q: A\nOther size: B", true),
    ] {
        let outcome = match_message(&ask(titles), text, vec![]);
        assert_eq!(outcome.kind() == OutcomeKind::Answered, is_read, "{text}");
    }
}

#[test]
fn the_message_of_a_pick_is_matched_to_the_same_pick() {
    for example in examples::all().into_iter().filter(|example| example.valid) {
        let ask = question_compat::from_json(&example.ask).unwrap();
        for option in 0..ask.questions.iter().map(|question| question.options.len()).min().unwrap() {
            let picks = (0..ask.questions.len()).map(|question| pick(question, &[option])).collect();
            // A ranking is every option.
            let Ok(reply) = Reply::check(&ask, picks) else { continue };
            let text = reply.message();
            // A label over several lines cannot stand on one line of several.
            if ask.questions.len() == 1 || !text.contains("\n\n") {
                assert_eq!(match_message(&ask, &text, vec![]), Outcome::Answered(reply), "{}: {text}", example.name);
            }
        }
    }
}

#[test]
fn hostile_asks_and_messages_end() {
    let colons = ":".repeat(200_000);
    let ask = AskUserQuestion::new([Question::new(&*colons, [&*colons, "B"])]);
    assert_eq!(picked(&ask, &colons), Some(vec![0]));
    assert_eq!(picked(&ask, &format!("{colons}:B")), Some(vec![1]));
    let ask = AskUserQuestion::new((0..20_000).map(|q| Question::new(format!("Q{q}"), ["A"])));
    assert!(matches!(match_message(&ask, &"Q1: A\n".repeat(20_000), vec![]), Outcome::RepliedInChat { .. }));
    let labels: Vec<String> = (0..3000).map(|option| format!("A{option}")).collect();
    let ask = one(true, &labels.iter().map(String::as_str).collect::<Vec<_>>());
    let text = format!("{}, B{})", labels.join(", "), " (note: C".repeat(3000));
    assert!(Reply::read_message(&ask, &text).is_some());
    assert!(matches!(match_message(&ask, &text, vec![]), Outcome::Answered(_)));
}

#[test]
fn kana_of_half_width_and_marks_of_their_own_are_read() {
    let ask = one(false, &["ヴィラ", "パン", "ガラス", "ハン", "z\u{307}", "İ"]);
    for (text, expected) in [
        ("ｳﾞｨﾗ", Some(0)),
        ("ﾊﾟﾝ", Some(1)),
        ("ｶﾞﾗｽ", Some(2)),
        ("ﾊﾝ", Some(3)),
        ("Z\u{307}", Some(4)),
        ("z", None),
        ("i\u{307}", Some(5)),
    ] {
        assert_eq!(picked(&ask, text), expected.map(|option| vec![option]), "{text}");
    }
}
