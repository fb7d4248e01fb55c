//! What holds for every language.

use super::*;
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
        ("fr", "en"),
        ("", "en"),
    ];
    for (tag, language) in cases {
        assert_eq!(Labels::for_lang(tag).lang, language, "{tag:?}");
    }
}

#[test]
fn arabic_alone_is_written_from_right_to_left() {
    for labels in Labels::ALL {
        let is_rtl = labels.dir == Direction::RightToLeft;
        assert_eq!(is_rtl, labels.lang == "ar", "{}", labels.lang);
    }
    assert_eq!(Labels::ARABIC.dir.as_str(), "rtl");
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
fn every_language_says_what_it_is_given() {
    for labels in Labels::ALL {
        for count in [1, 2, 3, 4, 11] {
            let ready = (labels.ready)(count, "Header", "Question?", 0);
            assert!(ready.contains("Header") && ready.ends_with("Question?"), "{ready}");
            let with_options = (labels.ready)(count, "Header", "Question?", 17);
            assert!(with_options.starts_with(&ready) && with_options.contains("17"), "{with_options}");
            assert!((labels.ready)(count, "Header", "Question?", 1).len() > ready.len());
            let bare = (labels.ready)(count, "", "Question?", 0);
            assert!(!bare.contains(':') && !bare.contains('：'), "{bare}");
        }
        assert!((labels.unanswered)(3, 4).contains('4'), "{}", labels.lang);
        assert!((labels.progress)(3, 4).contains('3') && (labels.progress)(3, 4).contains('4'), "{}", labels.lang);
        assert!((labels.step)(17).contains("17"), "{}", labels.lang);
        assert!((labels.preview)("Label").contains("Label"));
        assert!((labels.error_select)("Header").contains("Header"));
        assert!((labels.noted)("Note text").ends_with("Note text"));
        assert!((labels.failed)("offline").ends_with("offline"));
        for say in [labels.chars_left, labels.chars_over, labels.error_too_long] {
            assert!(say(17).contains("17"), "{}", say(17));
        }
    }
}

#[test]
fn numbers_agree() {
    let unanswered = |labels: Labels| [(1, 1), (1, 3), (2, 3)].map(|(open, count)| (labels.unanswered)(open, count));
    assert_eq!(
        unanswered(Labels::ENGLISH),
        [
            "The question still needs an answer",
            "1 of 3 questions still needs an answer",
            "2 of 3 questions still need an answer",
        ]
    );
    let progress = Labels::ALL.map(|labels| [0, 1, 2].map(|answered| (labels.progress)(answered, 3)));
    assert_eq!(
        progress,
        [
            ["0 of 3 answered", "1 of 3 answered", "2 of 3 answered"],
            ["0 von 3 beantwortet", "1 von 3 beantwortet", "2 von 3 beantwortet"],
            ["تمت الإجابة: صفر أسئلة من أصل 3", "تمت الإجابة: سؤال واحد من أصل 3", "تمت الإجابة: سؤالان من أصل 3"],
            ["3件中0件回答済み", "3件中1件回答済み", "3件中2件回答済み"],
            ["0 de 3 respondidas", "1 de 3 respondida", "2 de 3 respondidas"],
        ]
    );
    assert_eq!(
        unanswered(Labels::GERMAN),
        ["Die Frage ist noch offen", "1 von 3 Fragen ist noch offen", "2 von 3 Fragen sind noch offen",]
    );
    assert_eq!(
        unanswered(Labels::SPANISH),
        [
            "Falta responder la pregunta",
            "Falta por responder 1 de 3 preguntas",
            "Faltan por responder 2 de 3 preguntas",
        ]
    );
    assert_eq!(
        unanswered(Labels::JAPANESE),
        ["質問が未回答です", "3件中1件の質問が未回答です", "3件中2件の質問が未回答です",]
    );
    assert_eq!(
        unanswered(Labels::ARABIC),
        ["بقي السؤال بلا إجابة", "بقي بلا إجابة: سؤال واحد من أصل 3", "بقي بلا إجابة: سؤالان من أصل 3",]
    );
}

#[test]
fn time_agrees_with_its_number() {
    let said = |labels: Labels| {
        let left = [(1, Unit::Minutes), (2, Unit::Minutes), (30, Unit::Seconds), (2, Unit::Days)];
        left.map(|(count, unit)| (labels.time_left)(TimeLeft { count, unit }))
    };
    assert_eq!(
        said(Labels::ENGLISH),
        ["1 minute left to answer", "2 minutes left to answer", "30 seconds left to answer", "2 days left to answer"]
    );
    assert_eq!(
        said(Labels::GERMAN),
        [
            "Noch 1 Minute Zeit zum Antworten",
            "Noch 2 Minuten Zeit zum Antworten",
            "Noch 30 Sekunden Zeit zum Antworten",
            "Noch 2 Tage Zeit zum Antworten"
        ]
    );
    assert_eq!(
        said(Labels::SPANISH),
        [
            "Queda 1 minuto para responder",
            "Quedan 2 minutos para responder",
            "Quedan 30 segundos para responder",
            "Quedan 2 días para responder"
        ]
    );
    assert_eq!(
        said(Labels::JAPANESE),
        ["回答期限まであと1分", "回答期限まであと2分", "回答期限まであと30秒", "回答期限まであと2日"]
    );
    assert_eq!(
        said(Labels::ARABIC),
        [
            "الوقت المتبقي للإجابة: دقيقة واحدة",
            "الوقت المتبقي للإجابة: دقيقتان",
            "الوقت المتبقي للإجابة: 30 ثانية",
            "الوقت المتبقي للإجابة: يومان",
        ]
    );
}

/// A translation that was forgotten is English, or empty.
#[test]
fn no_two_languages_share_a_sentence() {
    let texts = Labels::ALL.map(texts);
    for (index, all) in texts.iter().enumerate() {
        for text in all {
            assert!(!text.trim().is_empty(), "{}", Labels::ALL[index].lang);
            let shared = texts[..index].iter().flatten().any(|other| other == text);
            assert!(!shared, "{}: {text:?}", Labels::ALL[index].lang);
        }
    }
}

/// Every text of a language, read from what `Debug` says, so that a new field can't be missed.
fn texts(labels: &Labels) -> Vec<String> {
    let debug = format!("{labels:?}");
    let mut texts: Vec<String> = debug.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(texts.len() > 30, "the texts were found");
    // "A:" is the same in many.
    texts.retain(|text| text.chars().count() > 2);
    texts
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
    assert!(is_found(r#"w.say("cancel");"#));
    assert!(is_found(r#""cancel""#));
    assert!(is_found(r#"w.set("aria-label", "Close");"#));
    assert!(is_found(r#"let text = "not sent";"#));
    assert!(!is_found(r#"w.open("div", "qc-status qc-visually-hidden", 0); w.text(" ");"#));
    assert!(!is_found(r#"Phase::Answered => "answered","#));
}

/// The literals of a line, each with what stands before and after it.
fn literals(line: &str) -> Vec<[&str; 3]> {
    let pieces: Vec<&str> = line.split('"').collect();
    let literals = pieces.windows(3).step_by(2);
    literals.map(|around| [around[0], around[1], around[2]]).collect()
}

/// Whether a literal is for people: the text of an element, a word with a capital, or several words.
fn is_said([before, text, after]: [&str; 3]) -> bool {
    let has_letters = text.chars().any(char::is_alphabetic);
    let is_alone = before.trim().is_empty() && after.trim().is_empty();
    let is_child = is_alone || before.ends_with(".text(") || before.ends_with(".say(");
    let is_capital = text.starts_with(char::is_uppercase);
    let words = text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic));
    has_letters && (is_child || is_capital || words.count() > 1)
}

fn is_for_programmers(line: &str) -> bool {
    line.trim_start().starts_with("//") || line.contains(".expect(")
}
