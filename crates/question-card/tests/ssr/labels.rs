//! Rules for every language.

use question_card::{Direction, LANGUAGES, Labels, Plural, Word, Words, isolate};
use std::path::Path;

#[test]
fn a_tag_finds_its_language_whatever_its_region() {
    let cases = [
        ("en", "en"),
        ("de-AT", "de"),
        ("DE", "de"),
        ("ar-EG", "ar"),
        ("ja-Jpan-JP", "ja"),
        ("es_419", "es"),
        ("deu", "en"),
        ("tlh", "en"),
        ("", "en"),
    ];
    for (tag, language) in cases {
        assert_eq!(Labels::for_lang(tag).lang(), language, "{tag:?}");
    }
}

#[test]
fn every_language_that_ships_has_every_word() {
    assert!(LANGUAGES.len() > 5, "{LANGUAGES:?}");
    for (file, (tag, name)) in files().zip(&LANGUAGES[1..]) {
        let (labels, problems) = Labels::read(&file);
        assert_eq!(problems, [], "{tag}");
        assert_eq!(labels.missing().next(), None, "{tag}");
        assert_eq!((labels.lang(), name.is_empty()), (*tag, false));
        assert_eq!(labels.dir() == Direction::RightToLeft, *tag == "ar");
        for word in Word::ALL {
            assert!(!labels.text(*word).is_empty(), "{tag}: {word:?}");
        }
    }
    assert_eq!(Labels::ENGLISH.missing().next(), None);
}

/// A translation that was forgotten is English.
#[test]
fn no_two_languages_share_a_sentence() {
    let all: Vec<_> = LANGUAGES.iter().map(|(tag, _)| Labels::for_lang(tag)).collect();
    for (index, labels) in all.iter().enumerate() {
        for word in Word::ALL {
            let text = labels.text(*word);
            // One word may be the same in relatives.
            if text.split(' ').filter(|piece| piece.starts_with(char::is_alphabetic)).count() > 1 {
                let same = all[..index].iter().find(|other| other.text(*word) == text);
                assert_eq!(same, None, "{}: {text:?}", labels.lang());
            }
        }
    }
}

/// As the files are, in the order of the list.
fn files() -> impl Iterator<Item = String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    LANGUAGES[1..].iter().map(move |(tag, _)| {
        std::fs::read_to_string(folder.join(format!("{tag}.json"))).expect("a sheet is named by its tag")
    })
}

#[test]
fn no_text_gets_out_of_its_isolate() {
    assert_eq!(isolate("Oil"), "\u{2068}Oil\u{2069}");
    assert_eq!(isolate(""), "");
    assert_eq!(isolate("a\u{2069}b\u{202e}c\u{2066}d\u{202c}"), "\u{2068}abcd\u{2069}");
    // Marks turn nothing beyond themselves.
    assert_eq!(isolate("a\u{200f}b"), "\u{2068}a\u{200f}b\u{2069}");
}

#[test]
fn a_language_is_the_same_sheet_each_time() {
    assert_eq!(Labels::for_lang("de"), Labels::for_lang("de-AT"));
    assert_ne!(Labels::for_lang("de"), Labels::for_lang("fr"));
}

#[test]
fn numbers_agree() {
    let said = |tag: &str| {
        let labels = Labels::for_lang(tag).with_plurals(rule);
        let of_seven = |word, count| labels.plural(word, count, &[("all", "7")]);
        let progress = [0, 1, 2].map(|answered| of_seven(Word::Progress, answered));
        let unanswered = [1, 2, 5].map(|open| of_seven(Word::Unanswered, open));
        [&progress[..], &unanswered].concat()
    };
    assert_eq!(
        said("en"),
        [
            "0 of 7 answered",
            "1 of 7 answered",
            "2 of 7 answered",
            "1 of 7 questions still needs an answer",
            "2 of 7 questions still need an answer",
            "5 of 7 questions still need an answer",
        ]
    );
    assert_eq!(
        said("ar"),
        [
            "تمت الإجابة: صفر أسئلة من أصل 7",
            "تمت الإجابة: سؤال واحد من أصل 7",
            "تمت الإجابة: سؤالان من أصل 7",
            "بقي بلا إجابة: سؤال واحد من أصل 7",
            "بقي بلا إجابة: سؤالان من أصل 7",
            "بقي بلا إجابة: 5 أسئلة من أصل 7",
        ]
    );
    assert_eq!(
        said("pl"),
        [
            "0 odpowiedzi z 7",
            "1 odpowiedź z 7",
            "2 odpowiedzi z 7",
            "1 z 7 pytań wymaga jeszcze odpowiedzi",
            "2 z 7 pytań wymagają jeszcze odpowiedzi",
            "5 z 7 pytań wymaga jeszcze odpowiedzi",
        ]
    );
    assert_eq!(said("ja")[..3], ["7件中0件回答済み", "7件中1件回答済み", "7件中2件回答済み"]);
}

/// The rules of some languages, as a host gives them to a server.
fn rule(lang: &str, count: usize) -> Plural {
    match (lang, count, count % 100) {
        ("ar", 0..=2, _) => Plural::ALL[count],
        ("ar", _, 3..=10) | ("pl", 2..=4, _) => Plural::Few,
        ("ar", _, 11..=99) => Plural::Many,
        ("pl", 2.., _) => Plural::Many,
        _ => Plural::english(count),
    }
}

#[test]
fn braces_in_what_comes_in_stay_as_they_are() {
    assert_eq!(Labels::ENGLISH.filled(Word::Noted, &[("note", "{note} {x}")]), "Note: {note} {x}");
}

#[test]
fn what_a_sheet_has_wrong_is_told_with_its_place() {
    let cases = [
        ("{", ": it is no JSON"),
        ("[]", ": it is no object"),
        (r#"{"sumbit": "Go"}"#, "sumbit: there is no such word"),
        (r#"{"submit": 7}"#, "submit: it is no text"),
        (r#"{"send": {"other": "Go"}}"#, "send: it has one form"),
        (r#"{"submit": "Go {now}"}"#, "submit: it has no placeholder {now}"),
        (r#"{"submit": "Go {"}"#, "submit: it has no placeholder {}"),
        (r#"{"noted": "Note"}"#, "noted: it lacks the placeholder {note}"),
        (r#"{"charsLeft": "left"}"#, "charsLeft: it lacks the placeholder {count}"),
        (r#"{"charsLeft": {"one": "one"}}"#, "charsLeft: it lacks the form other"),
        (r#"{"charsLeft": {"other": "{count}", "several": ""}}"#, "charsLeft.several: there is no such form"),
        (r#"{"charsLeft": {"other": "{count}", "few": 3}}"#, "charsLeft.few: it is no text"),
        (r#"{"charsLeft": {"other": "{count}", "few": "{n}"}}"#, "charsLeft.few: it has no placeholder {n}"),
        (r#"{"dir": "up"}"#, "dir: it is ltr or rtl"),
    ];
    for (sheet, told) in cases {
        let (labels, problems) = Labels::read(sheet);
        assert_eq!(problems.iter().map(ToString::to_string).collect::<Vec<_>>(), [told], "{sheet}");
        for word in Word::ALL {
            assert_eq!(labels.text(*word), word.english(), "{sheet}");
        }
    }
}

#[test]
fn some_words_are_changed_and_the_others_stay() {
    let german = Labels::for_lang("de");
    let own = r#"{"submit": "Los", "charsLeft": {"one": "noch eins", "other": "noch {count}"}, "page": {"x": 1}}"#;
    let (own, problems) = german.with(&json_tree::Json::parse(own).expect("JSON"));
    assert_eq!(problems, []);
    assert_eq!([own.text(Word::Submit), own.text(Word::Send), own.lang()], ["Los", "Senden", "de"]);
    assert_eq!([1, 2].map(|left| own.plural(Word::CharsLeft, left, &[])), ["noch eins", "noch 2"]);
    assert_eq!([1, 2].map(|count| own.plural(Word::Submit, count, &[])), ["Los", "Los"]);
    assert_eq!([1, 2].map(|count| german.plural(Word::Submit, count, &[])), ["Absenden", "Antworten absenden"]);
    assert_eq!(Labels::ENGLISH.with_text(Word::Submit, "Go").text(Word::Submit), "Go");
    assert!(own == own.clone() && own != german && Labels::ENGLISH == Labels::default());
}

/// I18N-02. Beside this, the browser tests look for Latin letters in an Arabic card.
#[test]
fn views_hold_no_words_of_their_own() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![src.join("card.rs"), src.join("receipt.rs")];
    for folder in ["card", "card/machine", "card/view"] {
        let entries = std::fs::read_dir(src.join(folder)).expect("the folder can be read");
        files.extend(entries.map(|entry| entry.expect("the folder can be read").path()));
    }
    files.retain(|file| file.is_file() && !file.ends_with("tests.rs"));
    assert!(files.len() > 10, "the views were found");
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source can be read");
        for line in source.lines().filter(|line| !is_for_programmers(line)) {
            let said = literals(line).into_iter().find(|literal| is_said(*literal));
            assert_eq!(said, None, "{}", file.display());
        }
    }
}

#[test]
fn words_in_views_would_be_found() {
    let is_found = |line| literals(line).into_iter().any(is_said);
    assert!(is_found(r#"w.text("cancel");"#));
    assert!(is_found(r#"w.put("title", "Cancel");"#));
    assert!(is_found(r#""cancel""#));
    assert!(is_found(r#"w.set("aria-label", "Close");"#));
    assert!(is_found(r#"let text = "not sent";"#));
    assert!(!is_found(r#"w.open("div", "qc-status qc-visually-hidden", 0); w.text(" ");"#));
    assert!(!is_found(r#"Phase::Answered => "answered","#));
}

/// The literals of a line, each with the text before and after it.
fn literals(line: &str) -> Vec<[&str; 3]> {
    let pieces: Vec<&str> = line.split('"').collect();
    let literals = pieces.windows(3).step_by(2);
    literals.map(|around| [around[0], around[1], around[2]]).collect()
}

/// Returns true if a literal is for people: the text of an element, a word with a capital, or several words.
fn is_said([before, text, after]: [&str; 3]) -> bool {
    let has_letters = text.chars().any(char::is_alphabetic);
    let is_alone = before.trim().is_empty() && after.trim().is_empty();
    let is_child = is_alone || before.ends_with(".text(");
    let is_capital = text.starts_with(char::is_uppercase);
    let words = text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic));
    has_letters && (is_child || is_capital || words.count() > 1)
}

fn is_for_programmers(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") || line.starts_with("#[doc") || line.contains(".expect(")
}
