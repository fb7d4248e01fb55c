//! What holds for every language.

use agent_chat::Trouble;
use app::words::Words;

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
        let words = Words::for_languages(languages.iter().copied());
        assert_eq!(words.labels.lang, taken, "{languages:?}");
    }
}

fn refused(status: u16, message: &str) -> Trouble {
    let message = Some(message.to_owned());
    Trouble::Refused { status, message }
}

#[test]
fn every_trouble_is_told_with_what_was_reported() {
    let troubles = [
        (Trouble::Unreachable, ""),
        (Trouble::Refused { status: 418, message: None }, "418"),
        (refused(503, "Out of disk."), "Out of disk."),
        (refused(429, "7 runs a minute"), ""),
        (refused(401, "no token"), ""),
        (Trouble::Elsewhere { origin: "https://b.example".to_owned() }, "https://b.example"),
        (refused(400, "Too long."), "Too long."),
        (Trouble::NotAllowed { agent: "https://a.example".to_owned() }, "https://a.example"),
        (Trouble::Gone, ""),
        (Trouble::Unknown, ""),
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
                for word_for_developers in ["event 3", "429", "401"] {
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
        let said = format!("{:?}", Words::for_languages([language])).to_lowercase();
        let words = said.split(|letter: char| !letter.is_alphabetic());
        let found: Vec<_> = words.filter(|word| others.split(' ').any(|other| other == *word)).collect();
        assert!(found.is_empty(), "{language}: {found:?}");
    }
}

/// While the program loads, the page speaks the language that it will speak.
#[test]
fn the_shell_says_what_the_page_says() {
    let boot = include_str!("../../boot.js");
    let shell = include_str!("../../../index.html");
    for words in Words::all() {
        let (title, subtitle) = words.titles();
        let line = format!("  {}: [\"{title}\", \"{subtitle}\", ", words.labels.lang);
        assert!(boot.contains(&line), "boot.js has no {line}");
    }
    let (title, subtitle) = Words::all()[0].titles();
    for element in [format!("<title>{title}<"), format!("<h1>{title}<"), format!("<p>{subtitle}<")] {
        assert!(shell.contains(&element), "index.html has no {element}");
    }
}
