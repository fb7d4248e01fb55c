//! Arguments that repair has to do something about, as texts.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Questions in any of the shapes in which models send them.
pub(crate) fn odd_arguments() -> impl Strategy<Value = String> {
    (odd_questions(), 0..8, stray_members(), any::<usize>()).prop_map(|(mut questions, shape, stray, place)| {
        let arguments = match shape {
            0 => return beside(&stray, place, &questions),
            1 => questions.get(0).cloned().unwrap_or_default(),
            2 => questions,
            3 => json!({"questions": questions[0]["question"]}),
            4 => json!({"questions": questions}).to_string().into(),
            5 => json!({"questions": questions.to_string()}),
            6 => {
                for question in questions.as_array_mut().into_iter().flatten() {
                    if let Some(options) = question.get_mut("options") {
                        *options = options.to_string().into();
                    }
                }
                json!({"questions": questions})
            }
            _ => json!({"questions": questions}),
        };
        arguments.to_string()
    })
}

/// Questions in a text of which some characters are others.
pub(crate) fn spoilt_arguments() -> impl Strategy<Value = String> {
    let inserted = "[\\[\\]{}\",:\\\\ ]{0,2}|\"questions\":|\"label\":\"x\",|\"options\":\\[|\"question\":\"Q\",";
    (odd_questions(), any::<usize>(), inserted, 0..4_usize).prop_map(|(questions, place, inserted, removed)| {
        let text = json!({"questions": questions}).to_string();
        let place = text.floor_char_boundary(place % (text.len() + 1));
        let after = text.ceil_char_boundary((place + removed).min(text.len()));
        format!("{}{inserted}{}", &text[..place], &text[after..])
    })
}

/// Questions that repair has to do something about.
fn odd_questions() -> impl Strategy<Value = Value> {
    const QUESTION: [&str; 5] = ["question", "header", "multiSelect", "multiple", "multi_select"];
    const OPTION: [&str; 4] = ["label", "description", "preview", "x"];
    let option = prop_oneof![4 => odd_object(&OPTION, None), 1 => odd_member()].boxed();
    let question = odd_object(&QUESTION, Some(("options", option)));
    let question = prop_oneof![8 => question, 1 => odd_member()];
    prop::collection::vec(question, 0..4).prop_map(Value::from)
}

/// Values that models might write into the members of an ask, legal and not.
fn odd_member() -> impl Strategy<Value = Value> {
    let text = "(Other|other|OTHER |Others|Something else|[ (]please| specify|’|: your own|[ \u{200b}\t]|A|b|[?é]|[{\"]|true){0,3}";
    prop_oneof![
        6 => text.prop_map(Value::from),
        // White space is repaired away, however much there is of it.
        1 => ("(|Other|something|A|true|false)", "[ \n]{15,120}", "(| else|b|\\(S3\\)|true|x)", " {0,120}")
            .prop_map(|(begins, gap, goes_on, end)| Value::from(begins + &gap + &goes_on + &end)),
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
        Some((name, items)) => prop::collection::vec(items, 0..4).prop_map(move |items| Some((name, items))).boxed(),
        None => Just(None).boxed(),
    };
    (members, list)
        .prop_map(|(members, list)| {
            let mut object: Map<String, Value> =
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            object.extend(list.map(|(name, items)| (name.to_owned(), Value::from(items))));
            Value::Object(object)
        })
        .boxed()
}

/// Members that belong into a question, each at most once.
fn stray_members() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let names =
        prop::sample::subsequence(vec!["question", "header", "options", "multiSelect", "multiple", "note"], 0..5);
    let value = prop_oneof![
        2 => odd_member(),
        1 => Just(json!(["A", "B"])),
        1 => Just(json!([{"label": "A"}, {"label": "B"}])),
    ];
    (names.prop_shuffle(), prop::collection::vec(value, 5))
        .prop_map(|(names, values)| names.into_iter().zip(values).collect())
}

/// The questions as a member among others, in that order, which an object of `serde_json` would not keep.
fn beside(stray: &[(&str, Value)], place: usize, questions: &Value) -> String {
    let member = |(name, value): &(&str, Value)| format!("{}:{value}", json!(name));
    let mut members: Vec<String> = stray.iter().map(member).collect();
    let place = place % (members.len() + 2);
    // Sometimes there are none, and the others are the question.
    if place <= members.len() {
        members.insert(place, member(&("questions", questions.clone())));
    }
    format!("{{{}}}", members.join(","))
}
