//! The card without a browser: rendered to a string as on a server, its machine, its words and its styles. A call to a browser (for its
//! time, storage, language or random numbers) would panic.

#[path = "../web/asks.rs"]
#[allow(dead_code, unreachable_pub, reason = "the browser tests use the rest, and a test binary has no outside")]
mod asks;
mod labels;
mod machine;
mod page;
mod styles;
mod terminal;

use ask_user_question::arriving::Arriving;
use ask_user_question::examples;
use ask_user_question::outcome::Via;
use ask_user_question::reply::Selection;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question, Reply};
use page::card;
use question_card::machine::{Card, Part};
use question_card::{Labels, Options, SubmitMode, receipt_text};
use question_compat::REPAIRS;
use std::collections::BTreeSet;

#[test]
fn the_server_renders_what_the_browser_takes_over() {
    card(&waiting(), None).is_kept_as("card.html");
    card(&arriving(), None).is_kept_as("arriving.html");
    card(&answered(), None).is_kept_as("receipt.html");
}

#[test]
fn every_id_that_is_named_is_there_once() {
    for page in [card(&waiting(), None), card(&answered(), None)] {
        let ids = page.ids();
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
        let naming = ["for", "aria-labelledby", "aria-describedby"];
        for named in naming.iter().flat_map(|name| page.values(name)) {
            for id in named.split_whitespace() {
                assert!(distinct.contains(id), "{id} is named and not there");
            }
        }
    }
}

#[test]
fn no_attribute_is_among_the_words() {
    for page in [card(&waiting(), None), card(&arriving(), None), card(&answered(), None)] {
        let texts = page.html().split('<').filter_map(|part| part.split_once('>'));
        for (tag, text) in texts {
            assert!(!text.contains('"'), "{text:?} after {tag}");
        }
    }
}

#[test]
fn a_card_and_its_receipt_have_all_that_is_to_be_read() {
    let page = card(&waiting(), None);
    for text in ["Which database?", "Postgres", "About SQLite", "Select all that apply", "Submit answers"] {
        assert!(page.says(text), "{text:?} in {page:?}");
    }
    let page = card(&answered(), None);
    for text in ["Answered", "Which database?", "SQLite"] {
        assert!(page.says(text), "{text:?} in {page:?}");
    }
    assert!(page.says("Postgres"), "the options: {page:?}");
    assert!(page.values("type").is_empty(), "{page:?}");
}

#[test]
fn a_receipt_says_who_answered_elsewhere_and_by_which_way() {
    for (name, person, told) in [
        ("slack", Some("Ann (U1)"), ">Answered by \u{2068}Ann (U1)\u{2069} through \u{2068}slack\u{2069}<"),
        ("telegram", None, ">Answered through \u{2068}telegram\u{2069}<"),
        (Via::REST, Some("Ann"), ">Answered by \u{2068}Ann\u{2069}<"),
        (Via::REST, None, ">Answered<"),
    ] {
        let (mut ask, mut later) = (waiting(), answered());
        later.via = Some(Via { answered_by: person.map(str::to_owned), ..Via::named(name) });
        ask.follow(&later);
        assert!(card(&ask, None).says(told), "{told}: {:?}", card(&ask, None));
    }
}

#[test]
fn what_was_replied_in_the_chat_is_copied_as_that() {
    let mut snapshot = AskSnapshot::complete("call", asks::mixed(), Phase::Answered);
    snapshot.outcome = Some(Outcome::RepliedInChat {
        text: "Please stop asking".to_owned(),
        partial: vec![Selection::picked(0, [1])],
    });
    assert_eq!(
        receipt_text(&snapshot, &Labels::ENGLISH),
        "Q: Which database?\nA: SQLite\n\nQ: Which features?\n\nQ: Which style?\n\nA: Please stop asking"
    );
}

#[test]
fn a_receipt_is_copied_in_the_words_of_its_language() {
    let asked = asks::ask(vec![
        asks::question("Which toppings?", "Toppings", true, &["Basil", "Olives"]),
        asks::question("Which size?", "Size", false, &["Small"]),
    ]);
    let toppings = Selection::picked(0, [0, 1]).with_note("not too many");
    let size = Selection::skipped(1);
    let reply = Reply::check(&asked, vec![toppings, size]).expect("a legal reply");
    let mut snapshot = AskSnapshot::complete("call", asked, Phase::Answered);
    snapshot.outcome = Some(Outcome::Answered(reply));
    assert_eq!(
        receipt_text(&snapshot, &Labels::ENGLISH),
        "Q: Which toppings?\nA: Basil, Olives\nNote: not too many\n\nQ: Which size?\nA: Skipped"
    );
    let japanese = receipt_text(&snapshot, &Labels::for_lang("ja"));
    assert!(japanese.contains("Basil、Olives"), "{japanese}");
    let spanish = receipt_text(&snapshot, &Labels::for_lang("es"));
    assert!(spanish.starts_with("P: Which toppings?\nR: Basil"), "{spanish}");
    let declined = AskSnapshot::complete("call", asks::mixed(), Phase::Declined);
    assert!(receipt_text(&declined, &Labels::ENGLISH).starts_with("Q: Which database?\nA:"));
}

#[test]
fn the_live_region_is_there_and_says_nothing() {
    let page = card(&waiting(), None);
    let (_, region) = page.html().split_once("role=\"status\"").expect("a live region");
    let (_, content) = region.split_once('>').expect("a tag ends");
    let (content, _) = content.split_once("</div>").expect("an element ends");
    assert!(!content.contains(char::is_alphabetic), "{content:?}");
    assert!(!card(&answered(), None).html().contains("role=\"status\""));
}

#[test]
fn every_example_is_rendered_in_every_phase_and_always_the_same() {
    for example in examples::all() {
        let Some(ask) = question_compat::from_json(&example.ask) else {
            continue;
        };
        for phase in Phase::ALL {
            let snapshot = AskSnapshot::complete("call-1", ask.clone(), phase);
            for labels in [None, Some(Labels::for_lang("ar"))] {
                let page = card(&snapshot, labels.clone());
                assert!(!page.html().contains("<script"), "{}", example.name);
                assert_eq!(page, card(&snapshot, labels), "{} {phase}", example.name);
            }
        }
    }
}

#[test]
fn every_control_of_every_example_has_a_name_while_it_arrives_and_after() {
    let mut seen = 0;
    for example in examples::all() {
        let text = example.ask.to_string();
        for mode in [SubmitMode::Explicit, SubmitMode::OnPick] {
            let options = Options { mode, ..Options::default() };
            let (mut arriving, mut ask) = (Arriving::new(&REPAIRS), AskSnapshot::new("call"));
            let mut all = vec![ask.clone()];
            for piece in text.chars() {
                if arriving.feed(piece.encode_utf8(&mut [0; 4]), &mut ask).is_some() && piece == '"' {
                    all.push(ask.clone());
                }
            }
            let is_readable = arriving.finish(&text, &mut ask);
            let phases = Phase::ALL.iter().filter(|phase| is_readable || !phase.takes_answer());
            all.extend(phases.map(|phase| ask.clone().with_phase(*phase)));
            for ask in all {
                seen += named_controls(&Card::new(&ask, options.clone()).connect(&ask), &example.name);
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// The number of radio buttons, check boxes and buttons of a card; each has a name that says something.
fn named_controls(card: &Part, name: &str) -> usize {
    let mut parts = vec![card];
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        parts.extend(&part.children);
        at += 1;
    }
    let says = |part: &&&Part| part.words().chars().any(char::is_alphanumeric);
    let with = |key: &str, id: &str| parts.iter().find(|part| part.get(key) == Some(id)).filter(says).is_some();
    let mut seen = 0;
    for part in &parts {
        let is_input = matches!(part.get("type"), Some("radio" | "checkbox"));
        if is_input || part.tag == "button" {
            let named = part.get("aria-labelledby").unwrap_or_default();
            let is_named = part.get("aria-label").is_some_and(|label| !label.trim().is_empty())
                || named.split(' ').any(|id| with("id", id))
                || (!is_input && says(&part))
                || with("for", part.get("id").unwrap_or_default());
            assert!(is_named, "{name}: {part:?}");
            seen += 1;
        }
    }
    seen
}

#[test]
fn an_option_without_a_label_is_nothing_to_press() {
    let ask = AskUserQuestion::new([Question::new("Which?", ["", "B"]), Question::new("And?", [" ", "D"])]);
    for mode in [SubmitMode::Explicit, SubmitMode::OnPick] {
        let ask = AskSnapshot::complete("call", ask.clone(), Phase::Answerable);
        let card = Card::new(&ask, Options { mode, ..Options::default() });
        assert!(named_controls(&card.connect(&ask), "blank") >= 2, "the others stay");
    }
}

#[test]
fn an_ask_that_has_not_started_is_rendered_too() {
    assert!(card(&AskSnapshot::new("call-1"), None).says("Preparing a question"));
}

#[test]
fn the_readmes_lines_are_those_of_the_example() {
    let (readme, example) = (include_str!("../../README.md"), include_str!("../../examples/own_page.rs"));
    let blocks: Vec<_> = readme.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        assert!(example.contains(block), "{block}");
    }
}

fn waiting() -> AskSnapshot {
    AskSnapshot::complete("call-1", asks::mixed(), Phase::Answerable)
}

fn arriving() -> AskSnapshot {
    asks::arriving("call-2", &asks::mixed()).0
}

fn answered() -> AskSnapshot {
    let pick = |question, option| Selection::picked(question, [option]);
    let picks = vec![pick(0, 1), pick(1, 0), pick(2, 0)];
    let reply = Reply::check(&asks::mixed(), picks).expect("a legal reply");
    waiting().with_outcome(Outcome::Answered(reply)).with_phase(Phase::Answered)
}
