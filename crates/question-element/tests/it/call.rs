//! A call, as JavaScript tells it.

use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, Outcome, Phase};
use question_element::call::{News, take};

/// The arguments of one question, in pieces.
const GROWING: [(&str, &str, usize, usize); 9] = [
    ("question", " Which", 0, 0),
    ("question", " size?", 0, 0),
    ("question!", "", 0, 0),
    ("multiSelect", "true", 0, 0),
    ("label", "S", 0, 0),
    ("option!", "", 0, 0),
    ("label", "M", 0, 1),
    ("option!", "", 0, 1),
    ("whole", "", 0, 0),
];

fn shown(news: &[(&str, &str, usize, usize)]) -> AskSnapshot {
    let mut ask = AskSnapshot::new("call-1");
    let news: Vec<News> = news
        .iter()
        .map(|&(word, text, question, option)| News { word: word.to_owned(), text: text.to_owned(), question, option })
        .collect();
    take(&mut ask, &news);
    ask
}

/// The complete ask, and what is told then.
fn after(news: &[(&str, &str, usize, usize)]) -> AskSnapshot {
    shown(&[&GROWING[..], &[("complete", "", 0, 0)], news].concat())
}

#[test]
fn an_ask_grows_and_is_complete() {
    let growing = shown(&GROWING[..6]);
    assert_eq!((growing.phase, growing.questions[0].options.len()), (Phase::Streaming, 1));
    assert!(growing.questions[0].options[0].closed && !growing.questions[0].closed);
    let whole = after(&[]);
    assert_eq!((whole.phase, whole.questions[0].question.text.as_str()), (Phase::Answerable, "Which size?"));
    let ask = whole.ask.expect("it is complete");
    assert_eq!((ask.questions[0].question.as_str(), ask.questions[0].multi_select), (" Which size?", true));
    assert_eq!(shown(&[&GROWING[..], &[("anew", "", 0, 0)]].concat()), AskSnapshot::new("call-1"));
    // Nothing comes of a part whose place is not there yet.
    assert_eq!(shown(&[("label", "S", 3, 0), ("label", "S", 0, 7)]).questions.len(), 1);
}

#[test]
fn a_condition_and_what_an_option_has_beside_its_label_are_kept() {
    let notice = [("question", "Notice?", 0, 0), ("label", "Mail", 0, 0), ("value", "m", 0, 0), ("whole", "", 0, 0)];
    let address = [("question", "Address?", 1, 0), ("showIf", "Notice?", 1, 0), ("is", "Mail", 1, 0)];
    let home = [("label", "Home", 1, 0), ("image", "data:image/png;base64,AA==", 1, 0), ("alt", "a house", 1, 0)];
    let ask = shown(&[&notice[..], &address, &home, &[("complete", "", 0, 0)]].concat()).ask.expect("it is complete");
    let condition = ask.questions[1].show_if.as_ref().expect("it has a condition");
    assert_eq!((condition.question.as_str(), condition.is.as_str()), ("Notice?", "Mail"));
    let home = &ask.questions[1].options[0];
    assert_eq!((home.image.is_some(), home.alt.as_deref()), (true, Some("a house")));
    assert_eq!(ask.questions[0].options[0].value.as_deref(), Some("m"));
}

#[test]
fn what_an_ask_says_of_itself_and_asks_for_is_kept() {
    let input = [("type", "integer", 0, 0), ("min", "1024", 0, 0)];
    let about = [("askedBy", "deploy", 0, 0), ("why", "It is taken.", 0, 0), ("complete", "", 0, 0)];
    let ask = shown(&[&[("question", "Which port?", 0, 0)], &input[..], &about].concat());
    let whole = ask.ask.as_ref().expect("it is complete");
    assert_eq!((whole.asked_by.as_deref(), whole.why.as_deref()), (Some("deploy"), Some("It is taken.")));
    let input = whole.questions[0].input.as_ref().expect("it asks for a number");
    assert_eq!(input.min.as_deref(), Some("1024"));
    let answered = |detail: &str, flat: &str| {
        let mut ask = ask.clone();
        let news = [("detail", ""), ("other", detail), ("answer", flat), ("answered", "")];
        let news =
            news.map(|(word, text)| News { word: word.to_owned(), text: text.to_owned(), question: 0, option: 0 });
        take(&mut ask, &news);
        ask.phase
    };
    assert_eq!(answered("8080", "08080"), Phase::Answered, "the same number");
    assert_eq!(answered("8080", "8081"), Phase::Answerable);
}

#[test]
fn what_is_typed_already_is_kept_and_no_member_of_an_input_is_an_option() {
    let input = [("type", "email", 0, 0), ("default", "kim@example.test", 0, 0), ("schema", "{}", 0, 0)];
    let ask = shown(
        &[&[("question", "To whom?", 0, 0)], &input[..], &[("whole", "", 0, 0), ("complete", "", 0, 0)]].concat(),
    );
    let asked = &ask.ask.expect("it is complete").questions[0];
    assert_eq!(asked.options, []);
    assert_eq!(asked.input.as_ref().and_then(|input| input.default.as_deref()), Some("kim@example.test"));
}

#[test]
fn damaged_arguments_stay_so_until_they_are_over() {
    for (told, phase) in [
        (&[("damaged", "", 0, 0)][..], Phase::Malformed),
        (&[("damaged", "answerable", 0, 0)], Phase::Malformed),
        (&[("damaged", "", 0, 0), ("phase", "answerable", 0, 0)], Phase::Malformed),
        (&[("damaged", "", 0, 0), ("phase", "answered", 0, 0)], Phase::Answered),
        // Arguments that broke off are not damaged.
        (&[("damaged", "interrupted", 0, 0)], Phase::Interrupted),
    ] {
        assert_eq!(shown(told).phase, phase, "{told:?}");
    }
}

#[test]
fn an_answer_that_was_changed_stays_beside_the_new_one() {
    let first = [("answer", "S", 0, 0), ("answered", "", 0, 0)];
    let ask = after(&[&first[..], &[("answer", "M", 0, 0), ("replaced", "", 0, 0)]].concat());
    assert!(matches!(&ask.outcome, Some(Outcome::Answered(reply)) if reply.message() == "S"), "{:?}", ask.outcome);
    assert_eq!((ask.phase, ask.replaced.map(|reply| reply.message())), (Phase::Answered, Some("M".to_owned())));
    let ask = after(&[&first[..], &[("answer", "L", 0, 0), ("detail", "", 0, 0), ("replaced", "", 0, 0)]].concat());
    assert_eq!(ask.replaced, None, "it does not fit");
}

#[test]
fn a_result_ends_the_ask_if_it_fits() {
    let picks = |ask: AskSnapshot| match ask.outcome {
        Some(Outcome::Answered(reply)) => reply.selections(),
        outcome => panic!("{outcome:?}"),
    };
    let both = Selection::picked(0, [0, 1]);
    assert_eq!(picks(after(&[("answer", "S, M", 0, 0), ("answered", "", 0, 0)])), std::slice::from_ref(&both));
    let detail = [("detail", "", 0, 0), ("pick", "", 0, 1), ("pick", "", 0, 0)];
    assert_eq!(picks(after(&[&detail[..], &[("answer", "S, M", 0, 0), ("answered", "", 0, 0)]].concat())), [both]);
    for (otherwise, phase) in [("", Phase::Answerable), ("answered", Phase::Answered)] {
        // The two say different things, so neither counts.
        let ask = after(&[&detail[..], &[("answer", "S", 0, 0), ("answered", otherwise, 0, 0)]].concat());
        assert_eq!((ask.phase, ask.outcome), (phase, None));
        let ask = after(&[("detail", "", 0, 0), ("pick", "", 0, 7), ("answered", otherwise, 0, 0)]);
        assert_eq!((ask.phase, ask.outcome), (phase, None));
    }
    assert_eq!(after(&[("outcome", "declined", 0, 0)]).phase, Phase::Declined);
    let chat = after(&[("detail", "", 0, 0), ("pick", "", 0, 1), ("chat", "Neither", 0, 0)]);
    assert!(
        matches!(chat.outcome, Some(Outcome::RepliedInChat { text, partial }) if text == "Neither" && partial.len() == 1)
    );
    let asked_again = after(&[("outcome", "declined", 0, 0), ("phase", "answerable", 0, 0)]);
    assert_eq!((asked_again.phase, asked_again.outcome), (Phase::Answerable, None));
}
