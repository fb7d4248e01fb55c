//! Arbitrary asks, replies and JSON for the property tests.

use ask_user_question::reply::Selection;
use ask_user_question::text::is_blank;
use ask_user_question::{AskUserQuestion, Question, QuestionOption};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::ops::Range;

/// No files of failures: they would be written next to the sources, and wasm32 has nowhere to put them.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Texts that are likely to clash, and texts of any kind.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[AB,] ?[AB, ]{0,4}",
        2 => "[a-c1-3 \"\\\\:(]{0,6}",
        2 => any::<String>(),
        1 => prop::sample::select(vec!["Other", "Something else", "", " ", "\u{200B}", "A (Recommended)", "__proto__", "(skipped)", "ß", "SS"]).prop_map(str::to_owned),
    ]
}

/// JSON of any shape, with the crate's own field names among the keys.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Quarters: serde_json may read other fractions back one bit off.
        any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        text().prop_map(Value::from),
    ];
    let names = [
        "questions",
        "question",
        "header",
        "options",
        "label",
        "multiSelect",
        "answers",
        "details",
        "index",
        "selected",
    ];
    let key = prop_oneof![prop::sample::select(names.to_vec()).prop_map(str::to_owned), text()];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(key.clone(), inner, 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// JSON that is nearly an ask: every field is usually right, sometimes of another type, missing, packed as text or misnamed.
pub(crate) fn ask_like_json() -> impl Strategy<Value = Value> {
    let label = || prop_oneof![6 => "[A-Z][a-z]{1,8}", 1 => text()].prop_map(Value::from);
    let option = prop_oneof![
        12 => object([("label", usually(label()), 0.97), ("description", usually(text().prop_map(Value::from)), 0.4), ("preview", usually(label()), 0.1), ("value", usually(label()), 0.1)]),
        1 => label(),
    ];
    let header = prop_oneof![4 => "[A-Z][a-zé]{0,11}", 1 => "\\PC{10,15}"].prop_map(Value::from);
    let flag = |yes| object([("multiSelect", usually(any::<bool>().prop_map(Value::from)), yes)]);
    let question = (
        object([
            ("question", usually(prop_oneof![6 => "[A-Z][a-z]{1,12}\\?", 1 => text()].prop_map(Value::from)), 0.97),
            ("header", usually(header), 0.85),
            ("options", usually(packed(list(usually(option), 2..5).prop_map(Value::from))), 0.97),
            ("multiple", any::<bool>().prop_map(Value::from).boxed(), 0.05),
            ("input", usually(input_json()), 0.1),
            ("showIf", usually(object([("question", usually(label()), 0.9), ("is", usually(label()), 0.9)])), 0.05),
        ]),
        flag(0.5),
    )
        .prop_map(|(mut question, flag)| {
            question
                .as_object_mut()
                .expect("made as an object")
                .extend(flag.as_object().expect("made as an object").clone());
            question
        });
    let questions = prop_oneof![9 => list(usually(question.clone()), 1..3).prop_map(Value::from), 1 => question];
    packed(object([("questions", packed(usually(questions)), 0.98)]))
}

/// What is asked for instead of a choice: sound, odd, or nearly so.
fn input_json() -> impl Strategy<Value = Value> {
    let words =
        ["text", "lines", "email", "url", "number", "integer", "date", "datetime", "rank", "boolean", "json", "money"];
    let kind = prop::sample::select(words.to_vec()).prop_map(Value::from);
    let bound = || {
        prop_oneof![
            any::<i16>().prop_map(Value::from),
            "20[0-9]{2}-[01][0-9]-[0-3][0-9]".prop_map(Value::from),
            text().prop_map(Value::from)
        ]
    };
    object([
        ("type", usually(kind), 0.97),
        ("min", usually(bound()), 0.3),
        ("max", usually(bound()), 0.3),
        ("step", usually(bound()), 0.1),
        ("unit", usually(text().prop_map(Value::from)), 0.2),
        ("default", usually(bound()), 0.2),
    ])
}

fn usually(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![60 => value, 1 => any_json()].boxed()
}

/// A list of the usual length, or of any.
fn list(item: BoxedStrategy<Value>, usual: Range<usize>) -> impl Strategy<Value = Vec<Value>> {
    prop_oneof![8 => vec(item.clone(), usual), 1 => vec(item, 0..8)]
}

pub(crate) fn packed(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    (value, prop::bool::weighted(0.05))
        .prop_map(|(value, packed)| if packed { Value::String(value.to_string()) } else { value })
        .boxed()
}

fn object<const N: usize>(fields: [(&'static str, BoxedStrategy<Value>, f64); N]) -> BoxedStrategy<Value> {
    let field = |(key, value, present): (&'static str, BoxedStrategy<Value>, f64)| {
        option::weighted(present, value.prop_map(move |value| (key.to_owned(), value)))
    };
    let fields: Vec<_> = fields.into_iter().map(field).collect();
    fields.prop_map(|fields| Value::Object(fields.into_iter().flatten().collect::<Map<_, _>>())).boxed()
}

/// Any ask that the types can hold, legal or not.
pub(crate) fn any_ask() -> impl Strategy<Value = AskUserQuestion> {
    let option = (text(), option::of(text()), option::weighted(0.1, text()), option::weighted(0.1, text())).prop_map(
        |(label, description, preview, value)| {
            let mut option = QuestionOption::new(label);
            (option.description, option.preview, option.value) = (description, preview, value);
            option
        },
    );
    let question = (text(), option::of(text()), any::<bool>(), vec(option, 0..6)).prop_map(
        |(text, header, multi_select, options)| {
            let mut question = Question::new(text, options).with_multi_select(multi_select);
            question.header = header;
            question
        },
    );
    vec(question, 1..4).prop_map(AskUserQuestion::new)
}

/// An ask as repair leaves it and the rules want it: texts trimmed, visible and distinct.
pub(crate) fn repaired_ask() -> impl Strategy<Value = AskUserQuestion> {
    any_ask().prop_map(|mut ask| {
        let mut questions = HashSet::new();
        ask.questions.retain_mut(|question| {
            question.question = question.question.trim().to_owned();
            let mut labels = HashSet::new();
            question.options.retain_mut(|option| {
                option.label = option.label.trim().to_owned();
                !is_blank(&option.label) && labels.insert(option.label.clone())
            });
            questions.insert(question.question.clone())
        });
        ask
    })
}

/// A legal answer to every question.
pub(crate) fn picks_for(ask: AskUserQuestion) -> impl Strategy<Value = Vec<Selection>> {
    let selection = |(index, question): (usize, Question)| {
        let options = question.options.len();
        let own_words = text().prop_filter("visible", |text| !is_blank(text));
        (
            vec(any::<bool>(), options),
            any::<prop::sample::Index>(),
            option::weighted(0.2, own_words),
            option::weighted(0.2, text()),
            prop::bool::weighted(0.1),
        )
            .prop_map(move |(chosen, only, other, note, skipped)| {
                let mut picks = Selection::of(index);
                picks.selected = chosen.iter().enumerate().filter_map(|(o, chosen)| chosen.then_some(o)).collect();
                (picks.other, picks.note) = (other, note.filter(|note| !is_blank(note)));
                if !question.multi_select {
                    picks.selected =
                        if options == 0 || picks.other.is_some() { vec![] } else { vec![only.index(options)] };
                }
                picks.skipped = skipped || picks.selected.is_empty() && picks.other.is_none();
                if picks.skipped {
                    picks.selected = vec![];
                    picks.other = None;
                }
                picks
            })
    };
    ask.questions.into_iter().enumerate().map(selection).collect::<Vec<_>>()
}

/// An ask of which each text is known by its first letter, with commas, notes and line breaks in them.
pub(crate) fn distinct_ask() -> impl Strategy<Value = AskUserQuestion> {
    let label = "[a-z]{1,3}(, [a-z]{2}| \\(note: [a-z]\\)|\n[a-z])?";
    let question = (any::<bool>(), any::<bool>(), vec(label, 1..5)).prop_map(|(has_header, multi_select, labels)| {
        let labels = labels.into_iter().zip('A'..).map(|(label, letter)| format!("{letter}{label}"));
        let mut question = Question::new("?", labels).with_multi_select(multi_select);
        question.header = has_header.then(|| "#".to_owned());
        question
    });
    vec(question, 1..4).prop_map(|mut questions| {
        for (q, question) in questions.iter_mut().enumerate() {
            question.question = format!("Q{q}: which?");
            question.header = question.header.take().map(|_| format!("H{q}"));
        }
        AskUserQuestion::new(questions)
    })
}

/// A legal answer to every question of a [`distinct_ask`], in words that are none of its labels.
pub(crate) fn distinct_picks_for(ask: AskUserQuestion) -> impl Strategy<Value = Vec<Selection>> {
    let words = "[0-9]{1,2}(, [a-z]{2}|\n[a-z]{2}| \\(z\\))?";
    let texts = vec((words, words), ask.questions.len());
    (picks_for(ask), texts).prop_map(|(mut selections, texts)| {
        for (picks, (other, note)) in selections.iter_mut().zip(texts) {
            picks.other = picks.other.take().map(|_| other);
            picks.note = picks.note.take().map(|_| note);
        }
        selections
    })
}

/// Selections that may fit an ask, or not.
pub(crate) fn any_selections() -> impl Strategy<Value = Vec<Selection>> {
    let index = || prop_oneof![12 => 0..4usize, 1 => any::<usize>()];
    let selection = (
        index(),
        vec(index(), 0..3),
        option::weighted(0.3, text()),
        option::weighted(0.2, text()),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(question, selected, other, note, skipped)| {
            let mut selection = Selection::picked(question, selected);
            (selection.other, selection.note, selection.skipped) = (other, note, skipped);
            selection
        });
    // Often one for each of the first questions, in order, or nothing would ever be legal.
    vec((selection, prop::bool::weighted(0.9)), 0..4).prop_map(|selections| {
        let place = |(q, (mut selection, in_order)): (usize, (Selection, bool))| {
            if in_order {
                selection.question = q;
            }
            selection
        };
        selections.into_iter().enumerate().map(place).collect()
    })
}
