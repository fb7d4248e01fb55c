//! What holds for every language.

use agent_chat::Trouble;
use app::words::Words;
use question_card::{TimeLeft, Unit};

#[test]
fn the_first_language_that_there_is_is_taken() {
    for (languages, taken) in [
        (&["de-AT", "en"][..], "de"),
        (&["fr", "es-419", "de"], "es"),
        (&["", "AR-eg"], "ar"),
        (&["ja_JP"], "ja"),
        (&["fr", "jam"], "en"),
        (&[], "en"),
    ] {
        assert_eq!(Words::language_of(languages.iter().copied()), taken, "{languages:?}");
    }
}

fn in_language(tag: &str) -> &'static Words {
    Words::all().iter().find(|words| words.labels.lang == tag).expect("there is such a language")
}

fn refused(status: u16, message: &str) -> Trouble {
    let message = Some(message.to_owned());
    Trouble::Refused { status, message }
}

#[test]
fn every_trouble_is_told_with_what_was_reported() {
    let troubles = [
        (Trouble::Unreachable, ""),
        (Trouble::Refused { status: 418, message: None }, ""),
        (Trouble::Refused { status: 500, message: None }, ""),
        (refused(503, "Out of disk."), "Out of disk."),
        (refused(429, "7 runs a minute"), ""),
        (refused(401, "no token"), ""),
        (Trouble::Elsewhere { origin: "https://b.example".to_owned() }, "https://b.example"),
        (refused(400, "Too long."), "Too long."),
        (Trouble::NotAllowed { agent: "https://a.example".to_owned() }, "https://a.example"),
        (Trouble::Gone, ""),
        (Trouble::DeliveryUnknown, ""),
        (Trouble::RunOpen, ""),
        (Trouble::NotWaiting, ""),
        (Trouble::OthersWait, ""),
        (Trouble::Stopped, ""),
        (Trouble::BrokeOff, ""),
        (Trouble::Agent("Out of tokens".to_owned()), "Out of tokens"),
        (Trouble::Unreadable("event 3".to_owned()), ""),
        (Trouble::AgentWaits, ""),
        (Trouble::NothingToResume, ""),
        (Trouble::Unfit("no number".to_owned()), "no number"),
    ];
    for words in Words::all() {
        let mut told: Vec<_> = troubles
            .iter()
            .map(|(trouble, reported)| {
                let told = words.explain(trouble);
                assert!(told.contains(reported), "{told}");
                assert!(told.len() > reported.len() + 8, "{told}");
                for word_for_developers in ["event 3", "429", "401", "418", "500"] {
                    assert!(!told.contains(word_for_developers), "{told}");
                }
                told
            })
            .collect();
        told.sort();
        told.dedup();
        assert_eq!(told.len(), troubles.len(), "each is told apart: {told:#?}");
    }
}

/// To one and the same person, card and page speak in one manner.
#[test]
fn each_language_keeps_to_one_form_of_address() {
    // Words of the other form: in Spanish of *usted*, in German of *du*.
    let others = [
        ("es", "usted le ayudarle diga dígalo empiece escriba pregúnteme ayúdeme seleccione responda inténtelo"),
        ("de", "du dich dein deine deiner wähle gib schreib versuche"),
    ];
    for (language, others) in others {
        let said = format!("{:?}", in_language(language)).to_lowercase();
        let words = said.split(|letter: char| !letter.is_alphabetic());
        let found: Vec<_> = words.filter(|word| others.split(' ').any(|other| other == *word)).collect();
        assert!(found.is_empty(), "{language}: {found:?}");
    }
}

/// While the program loads, the page's frame says what the page will say.
#[test]
fn the_frame_says_what_the_page_says() {
    let boot = include_str!("../../boot.js");
    let frame = include_str!("../../../index.html");
    for words in Words::all() {
        let lang = words.labels.lang;
        let begin = boot.find(&format!("\n  {lang}: {{")).unwrap_or_else(|| panic!("boot.js speaks no {lang}"));
        let of_lang = &boot[begin..begin + boot[begin..].find("\n  },").expect("its end")];
        for (name, said) in words.of_the_frame() {
            let quoted: Vec<_> = said.iter().map(|text| format!("\"{text}\"")).collect();
            let said = match &quoted[..] {
                [text] => text.clone(),
                texts => format!("[{}]", texts.join(", ")),
            };
            let line = format!("\n    {name}: {said},\n");
            assert!(of_lang.contains(&line), "boot.js has no {line} in {lang}");
        }
    }
    let english = Words::all()[0].of_the_frame().into_iter();
    // The suggestions depend on the agent.
    for (name, said) in english.filter(|(_, said)| said.len() == 1) {
        let around = [format!(">{}<", said[0]), format!("\"{}\"", said[0])];
        assert!(around.iter().any(|said| frame.contains(said)), "index.html has no {name}: {around:?}");
    }
}

/// What a page fetches: `UPDATE_FILES=1` writes it again.
#[test]
fn sheets_say_what_their_languages_say() {
    for words in &Words::all()[1..] {
        let path = format!("{}/words/{}.txt", env!("CARGO_MANIFEST_DIR"), words.labels.lang);
        let sheet = words.sheet();
        if std::env::var_os("UPDATE_FILES").is_some() {
            std::fs::write(&path, &sheet).expect("the sheet is written");
        }
        assert_eq!(
            std::fs::read_to_string(&path).ok().as_ref(),
            Some(&sheet),
            "{path} is not what UPDATE_FILES=1 writes"
        );
        let read = Words::read(&sheet).expect("its own version reads it");
        assert_eq!(texts(read), texts(words));
        assert_eq!(Words::spoken(words.labels.lang), Some(read));
        for number in 0..=210 {
            assert_eq!(phrases(read, number), phrases(words, number));
        }
    }
}

/// Everything but where functions are.
fn texts(words: &Words) -> String {
    let said = format!("{words:?}");
    let parts = said.split("0x").map(|part| part.trim_start_matches(|letter: char| letter.is_ascii_hexdigit()));
    parts.collect::<Vec<_>>().join("function")
}

/// What depends on a number or has something to fill in.
fn phrases(words: &Words, number: usize) -> Vec<String> {
    let labels = words.labels;
    let left = |unit| (labels.time_left)(TimeLeft { count: number, unit });
    let mut phrases = vec![
        (labels.preview)("A {1} B"),
        (labels.noted)("{0}|x"),
        (labels.failed)("why"),
        (labels.error_select)("Which?"),
        (labels.chars_left)(number),
        (labels.chars_over)(number),
        (labels.error_too_long)(number),
        (labels.step)(number),
        (labels.ready)(number, "Header", "Question?", 3),
        (labels.ready)(1, "", "Question?", number),
        left(Unit::Days),
        left(Unit::Hours),
        left(Unit::Minutes),
        left(Unit::Seconds),
    ];
    for count in [1, 2, 11] {
        phrases.extend([(labels.progress)(number, count), (labels.unanswered)(number, count)]);
    }
    phrases
}

#[test]
fn a_sheet_of_another_version_is_not_read() {
    let sheet = in_language("de").sheet();
    let shorter = sheet.trim_end().rsplit_once('\n').expect("more than one line").0;
    for other in ["", "<!doctype html>", shorter, &format!("{sheet}one more\n")] {
        assert_eq!(Words::read(other), None);
    }
}
