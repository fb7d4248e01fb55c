//! Laws that hold for whatever comes.

use crate::args::{check, grows_into};
use crate::fixtures::FIXTURES;
use crate::reading::transcript;
use crate::sse::frames;
use ag_ui_stream::args::ArgsValue;
use ag_ui_stream::{Asks, Event, Message, Thread};
use ask_user_question::snapshot::TextSnapshot;
use ask_user_question::validate::check_text;
use ask_user_question::{AskSnapshot, Limits, Phase};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Natively each run takes other cases, and a failure prints its seed; wasm32 has no randomness of its own and takes always the same.
fn law<S: Strategy>(
    cases: u32,
    strategy: &S,
    holds: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let rng_seed = if cfg!(target_arch = "wasm32") {
        RngSeed::Fixed(7)
    } else {
        RngSeed::Random
    };
    let config = Config {
        cases,
        rng_seed,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(strategy, holds)
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Where to cut something, by any numbers.
fn cut(length: usize, cuts: &[usize]) -> Vec<usize> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (length + 1)).collect();
    places.extend([0, length]);
    places.sort_unstable();
    places
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    cut(bytes.len(), cuts)
        .windows(2)
        .map(|ends| &bytes[ends[0]..ends[1]])
        .collect()
}

fn text_pieces<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let places = cut(text.len(), cuts);
    let places: Vec<usize> = places
        .into_iter()
        .map(|place| text.floor_char_boundary(place))
        .collect();
    places
        .windows(2)
        .map(|ends| &text[ends[0]..ends[1]])
        .collect()
}

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<usize>(), 0..20)
}

/// Lines that look like server-sent events, with every line end.
fn stream() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "(data|event|id|retry|other)?:? ?[a-z0-9 :+ä🛢\u{feff}]{0,6}",
        3 => Just(String::new()),
        1 => Just("\u{feff}".to_owned()),
    ];
    let end = prop_oneof![Just("\n"), Just("\r"), Just("\r\n")];
    prop::collection::vec((line, end), 0..24)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~ä€🛢\u{0}-\u{1f}\u{2028}]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-cä\"\\\\]{0,3}", inner, 0..4)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

/// JSON text, with escapes and white space where they may be.
fn json_text() -> impl Strategy<Value = String> {
    (json(), any::<bool>(), any::<bool>()).prop_map(|(value, pretty, escaped)| {
        let text = if pretty {
            serde_json::to_string_pretty(&value)
        } else {
            serde_json::to_string(&value)
        }
        .unwrap();
        if !escaped {
            return text;
        }
        let mut units = [0; 2];
        text.chars()
            .map(|character| match character {
                character if character.is_ascii() => character.to_string(),
                character => character
                    .encode_utf16(&mut units)
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}"))
                    .collect(),
            })
            .collect()
    })
}

#[test]
fn a_stream_says_the_same_in_any_chunks() {
    law(300, &(0..FIXTURES.len(), cuts()), |(index, cuts)| {
        let fixture = &FIXTURES[index];
        prop_assert_eq!(
            transcript(pieces(fixture.stream, &cuts)),
            transcript([fixture.stream]),
            "{}",
            fixture.name
        );
        Ok(())
    });
}

#[test]
fn frames_are_the_same_in_any_chunks() {
    law(500, &(stream(), cuts()), |(stream, cuts)| {
        prop_assert_eq!(
            frames(pieces(stream.as_bytes(), &cuts)),
            frames([stream.as_bytes()])
        );
        Ok(())
    });
}

#[test]
fn arguments_are_what_serde_json_makes_of_them() {
    law(200, &json_text(), |text| {
        check(&text);
        Ok(())
    });
}

#[test]
fn spoilt_arguments_are_refused_where_serde_json_refuses_them() {
    let spoilt = (
        json_text(),
        any::<usize>(),
        "[\\[\\]{}\",:\\\\u0-9a-f.eE+\\- \n\u{0}tn]{0,3}",
        0..3_usize,
    );
    law(800, &spoilt, |(text, place, inserted, removed)| {
        let place = text.floor_char_boundary(place % (text.len() + 1));
        let after = text.ceil_char_boundary((place + removed).min(text.len()));
        check(&format!("{}{inserted}{}", &text[..place], &text[after..]));
        Ok(())
    });
}

#[test]
fn arguments_never_take_back_what_they_showed() {
    law(200, &(json_text(), cuts()), |(text, cuts)| {
        let mut arguments = ArgsValue::default();
        let mut before = None;
        for piece in text_pieces(&text, &cuts) {
            arguments.feed(piece).unwrap();
            let after = arguments.value();
            prop_assert!(
                before.is_none()
                    || after
                        .as_ref()
                        .zip(before.as_ref())
                        .is_some_and(|(after, before)| grows_into(before, after))
            );
            before = after;
        }
        Ok(())
    });
}

#[test]
fn an_ask_shows_nothing_that_it_takes_back() {
    let text = "[A-Za-z0-9 ?]{1,6}[a-z]";
    let options = prop::collection::vec((text, prop::option::of(text)), 2..4);
    let question = (text, text, any::<bool>(), options);
    law(
        100,
        &(prop::collection::vec(question, 1..4), cuts()),
        |(questions, cuts)| {
            let questions: Vec<Value> = questions
            .into_iter()
            .enumerate()
            .map(|(index, (question, header, several, options))| {
                let options: Vec<Value> = options
                    .into_iter()
                    .enumerate()
                    .map(|(index, (label, description))| match description {
                        Some(description) => json!({"label": format!("{index}{label}"), "description": description}),
                        None => json!({"label": format!("{index}{label}")}),
                    })
                    .collect();
                json!({"question": format!("{index}{question}"), "header": header, "multiSelect": several, "options": options})
            })
            .collect();
            let text = json!({"questions": questions}).to_string();
            let mut asks = Asks::new();
            let mut take = |event: Value| {
                asks.handle_event(0, &serde_json::from_value(event).unwrap());
                asks.ask("c").map(shown).unwrap_or_default()
            };
            let mut before = take(
                json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "ask_user_question"}),
            );
            for piece in text_pieces(&text, &cuts) {
                let after =
                    take(json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": piece}));
                prop_assert!(grows_into(&before, &after), "{before} became {after}");
                before = after;
            }
            let complete = take(json!({"type": "TOOL_CALL_END", "toolCallId": "c"}));
            prop_assert_eq!(before, complete);
            Ok(())
        },
    );
}

/// What models might write into the members of an ask, legal and not.
fn odd_member() -> impl Strategy<Value = Value> {
    let text = "(Other|other|OTHER |Others|Something else|[ (]please| specify|’|: your own|[ \u{200b}\t]|A|b|[?é]|[{\"]|true){0,3}";
    prop_oneof![
        6 => text.prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i8>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!([])),
        1 => Just(json!("{\"label\":\"A\",\"question\":\"B?\"}")),
        1 => Just(json!({"label": "A", "question": "B?", "options": ["C"]})),
    ]
}

/// An object of an ask: members of those names, in any order.
fn odd_object(
    names: &'static [&'static str],
    list: Option<(&'static str, BoxedStrategy<Value>)>,
) -> BoxedStrategy<Value> {
    let members = prop::collection::vec((prop::sample::select(names), odd_member()), 0..5);
    let list = match list {
        Some((name, items)) => prop::collection::vec(items, 0..4)
            .prop_map(move |items| Some((name, items)))
            .boxed(),
        None => Just(None).boxed(),
    };
    (members, list)
        .prop_map(|(members, list)| {
            let mut object: Map<String, Value> = members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            object.extend(list.map(|(name, items)| (name.to_owned(), Value::from(items))));
            Value::Object(object)
        })
        .boxed()
}

/// Questions that repair has to do something about.
fn odd_questions() -> impl Strategy<Value = Value> {
    const QUESTION: [&str; 5] = [
        "question",
        "header",
        "multiSelect",
        "multiple",
        "multi_select",
    ];
    const OPTION: [&str; 4] = ["label", "description", "preview", "x"];
    let option = prop_oneof![4 => odd_object(&OPTION, None), 1 => odd_member()].boxed();
    let question = odd_object(&QUESTION, Some(("options", option)));
    let question = prop_oneof![8 => question, 1 => odd_member()];
    prop::collection::vec(question, 0..4).prop_map(Value::from)
}

/// Reads arguments as they arrive and holds the ask to never taking anything back; gives its last phase.
fn grow(text: &str, cuts: &[usize]) -> Result<Phase, TestCaseError> {
    let mut asks = Asks::new();
    let mut before = Value::Array(Vec::new());
    let mut take = |event: Value| {
        asks.handle_event(0, &serde_json::from_value(event).unwrap());
        let ask = asks.ask("c").unwrap();
        let after = shown(ask);
        prop_assert!(
            grows_into(&before, &after),
            "{before} became {after} of {text}"
        );
        before = after;
        Ok(ask.phase)
    };
    take(
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "ask_user_question"}),
    )?;
    for piece in text_pieces(text, cuts) {
        take(json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": piece}))?;
    }
    take(json!({"type": "TOOL_CALL_END", "toolCallId": "c"}))
}

#[test]
fn repair_takes_nothing_back_and_spoils_no_ask() {
    let packings = prop::sample::select(vec![
        "plain",
        "bare",
        "packed",
        "packed questions",
        "packed options",
    ]);
    law(
        600,
        &(odd_questions(), packings, cuts()),
        |(questions, packing, cuts)| {
            let arguments = match packing {
                "bare" => questions,
                "packed" => json!({"questions": questions}).to_string().into(),
                "packed questions" => json!({"questions": questions.to_string()}),
                "packed options" => {
                    let mut questions = questions;
                    for question in questions.as_array_mut().into_iter().flatten() {
                        if let Some(options) = question.get_mut("options") {
                            *options = options.to_string().into();
                        }
                    }
                    json!({"questions": questions})
                }
                _ => json!({"questions": questions}),
            };
            let text = arguments.to_string();
            let is_readable = check_text(&Limits::RUNTIME, &text).ask.is_some();
            let phase = grow(&text, &cuts)?;
            prop_assert_eq!(
                phase,
                if is_readable {
                    Phase::Ready
                } else {
                    Phase::Malformed
                },
                "{}",
                text
            );
            Ok(())
        },
    );
}

#[test]
fn an_ask_that_is_spoilt_takes_nothing_back() {
    let spoilt = (
        odd_questions(),
        any::<usize>(),
        "[\\[\\]{}\",:\\\\ ]{0,2}|\"questions\":|\"label\":\"x\",|\"options\":\\[|\"question\":\"Q\",",
        0..4_usize,
        cuts(),
    );
    law(
        600,
        &spoilt,
        |(questions, place, inserted, removed, cuts)| {
            let text = json!({"questions": questions}).to_string();
            let place = text.floor_char_boundary(place % (text.len() + 1));
            let after = text.ceil_char_boundary((place + removed).min(text.len()));
            grow(
                &format!("{}{inserted}{}", &text[..place], &text[after..]),
                &cuts,
            )
            .map(|_| ())
        },
    );
}

/// What an ask shows, as a value that only grows: what may come is a list that is empty before.
fn shown(ask: &AskSnapshot) -> Value {
    let text = |text: &TextSnapshot| json!({"text": text.text, "closed": closed(text.closed)});
    let questions = ask.questions.iter().map(|question| {
        let options = question.options.iter().map(|option| {
            json!({
                "label": text(&option.label),
                "description": option.description.iter().map(text).collect::<Value>(),
                "preview": option.preview.iter().map(text).collect::<Value>(),
                "closed": closed(option.closed),
            })
        });
        json!({
            "question": text(&question.question),
            "header": question.header.iter().map(text).collect::<Value>(),
            "multiSelect": question.multi_select.into_iter().collect::<Value>(),
            "options": options.collect::<Value>(),
            "closed": closed(question.closed),
        })
    });
    questions.collect()
}

/// As something that may come and not go.
fn closed(closed: bool) -> Value {
    closed.then_some(true).into_iter().collect()
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let types = FIXTURES.iter().flat_map(|fixture| {
        std::str::from_utf8(fixture.stream)
            .unwrap_or_default()
            .lines()
    });
    let lines: Vec<&'static str> = types.filter(|line| line.starts_with("data: {")).collect();
    let picked = prop::collection::vec((0..lines.len(), any::<bool>()), 1..40);
    law(400, &picked, |picked| {
        let started =
            "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t1\",\"runId\":\"r1\"}\n\n".to_owned();
        let stream: String = picked
            .into_iter()
            .map(|(index, ends)| lines[index].to_owned() + if ends { "\n\n" } else { "\r\r" })
            .collect();
        let said = transcript([(started + &stream).as_bytes()]);
        prop_assert!(said.contains("\nend "));
        Ok(())
    });
}

#[test]
fn no_events_in_any_order_make_thread_or_asks_panic() {
    let lines = FIXTURES.iter().flat_map(|fixture| {
        std::str::from_utf8(fixture.stream)
            .unwrap_or_default()
            .lines()
    });
    let events: Vec<Event> = lines
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    assert!(events.len() > 100);
    law(
        400,
        &prop::collection::vec(0..events.len(), 1..60),
        |picked| {
            let (mut thread, mut asks) = (Thread::default(), Asks::new());
            for event in picked.into_iter().map(|index| &events[index]) {
                thread.handle_event(event);
                asks.handle_event(0, event);
            }
            // What a thread says about its calls must agree with its messages.
            for call in thread.messages().iter().flat_map(Message::tool_calls) {
                prop_assert!(
                    thread.call(&call.id).is_some() && thread.arguments(&call.id).is_some()
                );
            }
            for message in thread.messages() {
                prop_assert_eq!(
                    thread.message(message.id()).map(Message::id),
                    Some(message.id())
                );
            }
            let ids: BTreeSet<&str> = asks.asks().map(|ask| ask.tool_call_id.as_str()).collect();
            prop_assert_eq!(ids.len(), asks.asks().len());
            Ok(())
        },
    );
}

#[cfg(not(target_arch = "wasm32"))]
mod oracle {
    use super::{cuts, frames, law, pieces, stream};
    use ag_ui_stream::sse::Frame;
    use futures_util::{FutureExt, StreamExt, stream as chunks};
    use proptest::prelude::*;
    use sse_stream::{Sse, SseByteStream};
    use std::convert::Infallible;

    /// The frames that another reader of the same bytes gives. It tells blocks as they are written, so ids are carried on here.
    fn of_sse_stream(pieces: Vec<&[u8]>) -> Vec<Frame> {
        let pieces = chunks::iter(pieces.into_iter().map(Ok::<_, Infallible>));
        let blocks: Vec<Sse> = SseByteStream::new(pieces)
            .map(Result::unwrap)
            .collect()
            .now_or_never()
            .unwrap();
        let mut last_id = String::new();
        let mut frames = Vec::new();
        for block in blocks {
            last_id = block.id.unwrap_or(last_id);
            if let Some(data) = block.data {
                let event = block
                    .event
                    .filter(|event| !event.is_empty())
                    .unwrap_or_else(|| "message".to_owned());
                frames.push(Frame {
                    event,
                    data,
                    id: last_id.clone(),
                });
            }
        }
        frames
    }

    #[test]
    fn frames_are_those_of_sse_stream() {
        law(1000, &(stream(), cuts()), |(stream, cuts)| {
            let ours = frames([stream.as_bytes()]);
            prop_assert_eq!(ours, of_sse_stream(pieces(stream.as_bytes(), &cuts)));
            Ok(())
        });
    }
}
