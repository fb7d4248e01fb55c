//! Rules for every language.

use agent_chat::Trouble;
use app::words::{Say, Words};
use json_tree::Json;
use question_card::{LANGUAGES, Sheet, Words as _};

#[test]
fn the_first_language_that_there_is_is_taken() {
    for (languages, taken) in [
        (&["de-AT", "en"][..], "de"),
        (&["tlh", "es-419", "de"], "es"),
        (&["", "AR-eg"], "ar"),
        (&["ja_JP"], "ja"),
        (&["tlh", "jam"], "en"),
        (&[], "en"),
    ] {
        assert_eq!(Words::language_of(languages.iter().copied()), taken, "{languages:?}");
    }
}

/// The words of every language, as a page has them once it has fetched their sheets.
fn all() -> impl Iterator<Item = Words> {
    LANGUAGES.iter().map(|(tag, _)| in_language(tag))
}

fn in_language(tag: &str) -> Words {
    Words::spoken(tag).unwrap_or_else(|| Words::read(tag, &sheet(tag)).expect("it is a sheet"))
}

fn sheet(tag: &str) -> String {
    let path = format!("{}/../crates/question-card/languages/{tag}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("every language has a sheet")
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
        (Trouble::Refused { status: 404, message: None }, ""),
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
    for words in all() {
        let mut told: Vec<_> = troubles
            .iter()
            .map(|(trouble, reported)| {
                let told = words.explain(trouble);
                assert!(told.contains(reported), "{told}");
                assert!(told.len() > reported.len() + 8, "{told}");
                for word_for_developers in ["event 3", "429", "401", "404", "418", "500"] {
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
        let said = sheet(language).to_lowercase();
        let words = said.split(|letter: char| !letter.is_alphabetic());
        let found: Vec<_> = words.filter(|word| others.split(' ').any(|other| other == *word)).collect();
        assert!(found.is_empty(), "{language}: {found:?}");
    }
}

/// While the program loads, the page's frame has the words of the page.
#[test]
fn the_frame_says_what_the_page_says() {
    let (boot, frame) = (include_str!("../../boot.js"), include_str!("../../../index.html"));
    let of_the_frame: Vec<_> = Say::ALL.iter().take_while(|say| **say != Say::Stop).collect();
    assert!(of_the_frame.len() > 14, "{of_the_frame:?}");
    for say in of_the_frame {
        let text = say.english();
        let found =
            [format!(">{text}<"), format!("\"{text}\"")].iter().any(|said| frame.contains(said) || boot.contains(said));
        assert!(found || *say == Say::Conversation, "index.html and boot.js have no {text:?}");
    }
}

#[test]
fn every_language_has_every_word_of_the_page_and_its_frame() {
    for (tag, _) in &LANGUAGES[1..] {
        let sheet = sheet(tag);
        let sheet = Json::parse(&sheet).expect("it is JSON");
        let (page, problems) = Sheet::<Say>::ENGLISH.with(sheet.get("page").expect("it has the words of the page"));
        assert_eq!((problems, page.missing().next()), (Vec::new(), None), "{tag}");
        let frame = sheet.get("frame").and_then(Json::as_object).expect("it has the words of the frame");
        for word in ["loading", "held", "failure", "stopped", "noPrograms"] {
            assert!(frame.find(word).and_then(Json::as_str).is_some_and(|text| !text.is_empty()), "{tag}: {word}");
        }
        assert_eq!(frame.len(), 5, "{tag}");
    }
}

#[test]
fn what_is_no_sheet_of_a_language_is_not_read() {
    let german = sheet("de");
    for (tag, other) in
        [("de", ""), ("de", "<!doctype html>"), ("de", "[]"), ("es", &german), ("de", r#"{"lang": "de"}"#)]
    {
        assert_eq!(Words::read(tag, other), None);
    }
    let words = Words::read("de", &german).expect("it is one");
    assert_eq!(
        Words::spoken("de").map(|words| words.text(Say::Title).to_owned()).as_deref(),
        Some(words.text(Say::Title))
    );
    assert_eq!(Words::spoken("tlh"), None);
}

/// The build lists what is in the folder.
#[test]
fn the_page_lists_every_language() {
    let folder = std::env::temp_dir().join(format!("languages-{}", std::process::id()));
    let sheets = folder.join("languages");
    std::fs::create_dir_all(&sheets).expect("a folder for a page");
    for (tag, _) in &LANGUAGES[1..] {
        std::fs::write(sheets.join(format!("{tag}.json")), "{}").expect("a file");
    }
    // As it is written, and as a minifier writes it.
    for page in [r#"<meta name="languages" content="languages">"#, "<meta content=languages name=languages>"] {
        std::fs::write(folder.join("index.html"), page).expect("a page");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/languages.sh");
        let ended = std::process::Command::new("sh").arg(script).env("TRUNK_STAGING_DIR", &folder).status();
        assert!(ended.expect("a shell").success());
        let listed = std::fs::read_to_string(folder.join("index.html")).expect("the page");
        let tags: Vec<_> = LANGUAGES[1..].iter().map(|(tag, _)| *tag).collect();
        assert!(listed.contains(&format!("content=\"{}\"", tags.join(" "))), "{listed}");
    }
    assert!(include_str!("../../../index.html").contains(r#"<meta name="languages" content="languages">"#));
    std::fs::remove_dir_all(folder).expect("it goes");
}
