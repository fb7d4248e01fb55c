//! A call, as its host describes it.

use ask_user_question::outcome::DECLINED_TEXT;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase};
use json_tree::Json;
use question_element::call::DescribedCall;

const ASK: &str =
    r#"{"questions":[{"question":"Which size?","multiSelect":false,"options":[{"label":"S"},{"label":"M"}]}]}"#;
const ANSWER: &str = r#"{"answers":{"Which size?":"M"}}"#;

/// The ask after the host has said each of these, and shown it each time.
fn shown(said: &[(&str, &str)]) -> AskSnapshot {
    let (mut call, mut ask) = (DescribedCall::default(), AskSnapshot::new("call-1"));
    for (word, text) in said {
        assert!(call.take(word, text), "{word}");
        call.show(&mut ask);
    }
    ask
}

/// The same, shown once at the end.
fn shown_at_once(said: &[(&str, &str)]) -> AskSnapshot {
    let (mut call, mut ask) = (DescribedCall::default(), AskSnapshot::new("call-1"));
    for (word, text) in said {
        call.take(word, text);
    }
    call.show(&mut ask);
    ask
}

#[test]
fn a_text_that_is_cut_anywhere_becomes_the_same_ask() {
    let whole = shown(&[("append", ASK), ("finish", "")]);
    assert_eq!((whole.phase, whole.questions.len()), (Phase::Answerable, 1));
    for cut in 1..ASK.len() {
        let (first, rest) = ASK.split_at(cut);
        assert_eq!(shown(&[("append", first), ("append", rest), ("finish", "")]), whole, "{cut}");
        assert_eq!(shown(&[("args", first), ("args", ASK)]), whole, "{cut}");
        assert_eq!(shown_at_once(&[("args", first), ("append", rest), ("finish", "")]), whole, "{cut}");
        assert_eq!(
            shown(&[("status", "running"), ("args", first), ("status", "call"), ("args", ASK)]).phase,
            match cut {
                // The part that had come by then is not the question.
                cut if AskUserQuestion::from_arguments(&ASK[..cut]).is_none() => Phase::Malformed,
                _ => Phase::Answerable,
            }
        );
    }
}

#[test]
fn an_object_grows_and_ends_by_the_status_alone() {
    let short = r#"{"questions":[{"question":"Which si"}]}"#;
    let ask = shown(&[("object", "{}"), ("object", short), ("object", ASK)]);
    assert_eq!((ask.phase, ask.questions[0].question.text.as_str()), (Phase::Streaming, "Which size?"));
    let ask = shown(&[("object", short), ("object", ASK), ("status", r#"{"type":"requires-action"}"#)]);
    assert_eq!(ask.phase, Phase::Answerable);
    assert_eq!(ask.ask, shown(&[("args", ASK)]).ask);
}

#[test]
fn arguments_that_are_written_in_another_way_come_once_more() {
    let other = r#"{"questions":[{"options":[{"label":"L"}],"question":"Which other?"}]}"#;
    let ask = shown(&[("object", ASK), ("object", other), ("finish", "")]);
    assert_eq!((ask.questions.len(), ask.questions[0].question.text.as_str()), (1, "Which other?"));
}

#[test]
fn a_call_is_read_under_the_names_of_each_protocol() {
    let quoted = Json::from(ASK).text();
    for call in [
        format!(r#"{{"id":"1","args":{ASK}}}"#),
        format!(r#"{{"toolCallId":"1","input":{ASK},"state":"input-available"}}"#),
        format!(r#"{{"id":"1","arguments":{quoted}}}"#),
        format!(r#"{{"id":"1","function":{{"name":"ask","arguments":{quoted}}}}}"#),
    ] {
        assert_eq!(shown(&[("call", &call)]), shown(&[("args", ASK)]), "{call}");
    }
    for result in ["result", "output"] {
        let call = format!(r#"{{"args":{ASK},"{result}":{ANSWER}}}"#);
        let ask = shown(&[("call", &call)]);
        assert!(matches!(ask.outcome, Some(Outcome::Answered(_))), "{call}");
        assert_eq!(ask.phase, Phase::Answered);
    }
}

#[test]
fn a_part_of_the_ai_sdk_is_followed_from_its_first_piece() {
    let part = |state: &str, rest: &str| format!(r#"{{"type":"tool-ask","toolCallId":"1","state":"{state}"{rest}}}"#);
    let (mut call, mut ask) = (DescribedCall::default(), AskSnapshot::new("1"));
    for (part, phase) in [
        (part("input-streaming", ""), Phase::Streaming),
        (part("input-streaming", r#","input":{"questions":[{"question":"Which size?"}]}"#), Phase::Streaming),
        (part("input-available", &format!(r#","input":{ASK}"#)), Phase::Answerable),
        (part("output-available", &format!(r#","input":{ASK},"output":{ANSWER}"#)), Phase::Answered),
    ] {
        call.take("call", &part);
        call.show(&mut ask);
        assert_eq!(ask.phase, phase, "{part}");
    }
    assert!(matches!(ask.outcome, Some(Outcome::Answered(_))));
    let failed = part("output-error", &format!(r#","input":{ASK},"errorText":"Gone""#));
    assert_eq!(shown(&[("call", &failed)]).phase, Phase::Interrupted);
}

#[test]
fn the_result_tells_best_how_a_call_ended() {
    for declined in [&["status", "complete"], &["status", "superseded"]].map(|[word, text]| (*word, *text)) {
        let ask = shown_at_once(&[("args", ASK), declined, ("result", "User cancelled the question")]);
        assert_eq!(ask.phase, Phase::Declined, "{declined:?}");
    }
    // One that says nothing of an answer leaves the word to the status.
    assert_eq!(shown(&[("args", ASK), ("result", r#"{"ok":true}"#)]).phase, Phase::Answerable);
    assert_eq!(shown(&[("args", ASK), ("result", r#"{"ok":true}"#), ("status", "complete")]).phase, Phase::Answerable);
    assert_eq!(
        shown_at_once(&[("args", ASK), ("result", r#"{"ok":true}"#), ("status", "complete")]).phase,
        Phase::Answered
    );
}

#[test]
fn a_reply_that_has_arrived_ends_the_call() {
    let ask = shown(&[("args", ASK), ("sent", ANSWER)]);
    assert!(matches!((ask.phase, &ask.outcome), (Phase::Answered, Some(Outcome::Answered(_)))));
    assert_eq!(shown(&[("args", ASK), ("sent", DECLINED_TEXT)]).phase, Phase::Declined);
    assert_eq!(shown(&[("args", ASK), ("sent", ANSWER), ("result", DECLINED_TEXT)]).phase, Phase::Declined);
    let damaged = |said: &[(&str, &str)]| shown(&[&[("append", "7"), ("finish", "")], said].concat()).phase;
    assert_eq!(damaged(&[]), Phase::Malformed);
    assert_eq!(damaged(&[("status", "executing")]), Phase::Malformed);
    assert_eq!(damaged(&[("sent", DECLINED_TEXT)]), Phase::Declined);
    assert_eq!(damaged(&[("sent", r#"{"answers":{"x":"y"}}"#)]), Phase::Answered);
}

#[test]
fn every_word_of_a_status_has_its_phase() {
    for (phase, words) in [
        (Phase::Streaming, &["streaming", "inProgress", "running", "input-streaming", "partial-call"][..]),
        (Phase::Answerable, &["executing", "requires-action", "input-available", "call", "approval-requested"]),
        (Phase::Answered, &["complete", "result", "output-available", "ANSWERED"]),
        (Phase::Declined, &["output-denied", "declined"]),
        (Phase::Interrupted, &["incomplete", "error", "output-error"]),
    ] {
        for word in words {
            for status in [(*word).to_owned(), format!(r#"{{"type":"{word}","reason":"x"}}"#)] {
                assert_eq!(shown_at_once(&[("args", ASK), ("status", &status)]).phase, phase, "{status}");
            }
        }
    }
    for word in ["", "malformed", "completed", "7", "{}", r#"{"type":7}"#] {
        assert_eq!(shown_at_once(&[("args", ASK), ("status", word)]).phase, Phase::Answerable, "{word} says nothing");
    }
}
