//! What holds for every language.

use agent_chat::Trouble;
use app::words::Words;

#[test]
fn the_first_language_that_there_is_is_taken() {
    for (languages, taken) in [
        (&["de-AT", "en"][..], "de"),
        (&["fr", "es-419", "de"], "es"),
        (&["", "AR-eg"], "ar"),
        (&["fr", "jam"], "en"),
        (&[], "en"),
    ] {
        let words = Words::for_languages(languages.iter().copied());
        assert_eq!(words.labels.lang, taken, "{languages:?}");
    }
}

#[test]
fn every_trouble_is_told_with_what_was_reported() {
    let troubles = [
        (Trouble::Unreachable, ""),
        (
            Trouble::Refused {
                status: 429,
                message: None,
            },
            "429",
        ),
        (
            Trouble::Refused {
                status: 400,
                message: Some("Too long.".to_owned()),
            },
            "Too long.",
        ),
        (
            Trouble::NotAllowed {
                agent: "https://a.example".to_owned(),
            },
            "https://a.example",
        ),
        (Trouble::Gone, ""),
        (Trouble::Unknown, ""),
        (Trouble::RunOpen, ""),
        (Trouble::NotWaiting, ""),
        (Trouble::OthersWait, ""),
        (Trouble::Stopped, ""),
        (Trouble::BrokeOff, ""),
        (Trouble::Agent("Out of tokens".to_owned()), "Out of tokens"),
        (Trouble::Unreadable("event 3".to_owned()), "event 3"),
        (Trouble::Unsendable("no call".to_owned()), "no call"),
    ];
    for words in Words::all() {
        let mut told: Vec<_> = troubles
            .iter()
            .map(|(trouble, reported)| {
                let told = words.explain(trouble);
                assert!(told.contains(reported), "{told}");
                assert!(told.len() > reported.len() + 8, "{told}");
                told
            })
            .collect();
        told.sort();
        told.dedup();
        assert_eq!(told.len(), troubles.len(), "each is told apart: {told:#?}");
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
    for element in [
        format!("<title>{title}<"),
        format!("<h1>{title}<"),
        format!("<p>{subtitle}<"),
    ] {
        assert!(shell.contains(&element), "index.html has no {element}");
    }
}
