//! The card's own words, in other languages than English.

use crate::asks::{AskPatch, Scripted as _, ask, mixed, ready, service, stream};
use crate::card_page::{CardPage, Setting, fresh_id, on_pick, speaking};
use ask_user_question::snapshot::ReplyState;
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question, QuestionOption};
use question_card::{LANGUAGES, Labels, Layout, Notes, Options, Plural, Word, Words as _};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
async fn the_card_has_the_language_of_its_words() {
    let german = CardPage::open(AskSnapshot::new(fresh_id()), speaking(Labels::for_lang("de-AT"))).await;
    assert_eq!(german.card().get_attribute("lang").as_deref(), Some("de"));
    assert_eq!(german.card().get_attribute("dir").as_deref(), Some("ltr"));
    let arabic = CardPage::open(AskSnapshot::new(fresh_id()), speaking(Labels::for_lang("ar"))).await;
    assert_eq!(arabic.card().get_attribute("dir").as_deref(), Some("rtl"));
    let untold = CardPage::composing().await;
    for name in ["lang", "dir"] {
        assert_eq!(untold.card().get_attribute(name), None, "the page's own {name} holds");
    }
}

#[test]
async fn what_the_agent_wrote_has_the_language_that_its_call_names() {
    let mut snapshot = AskSnapshot::new(fresh_id());
    snapshot.apply(AskPatch::Lang("en-GB".to_owned()));
    let card = CardPage::open(snapshot, speaking(Labels::for_lang("de"))).await;
    card.receives_slowly(stream(&service())).await;
    card.receives_slowly(ready(&service())).await;
    for text in ["Service", "What does your car need?", "Oil change", "About Oil change"] {
        assert_eq!(card.language_of(text).as_deref(), Some("en-GB"), "{text}");
    }
    for word in [Labels::for_lang("de").text(Word::SelectOne), &Labels::for_lang("de").plural(Word::Submit, 1, &[])] {
        assert_eq!(card.language_of(word).as_deref(), Some("de"), "{word}");
    }
    card.choose("Oil change").await;
    card.press_button(&Labels::for_lang("de").plural(Word::Submit, 1, &[])).await;
    let reply = card.only_reply();
    card.ends(Phase::Answered, Some(Outcome::Answered(reply))).await;
    for text in ["Service", "Oil change"] {
        assert_eq!(card.language_of(text).as_deref(), Some("en-GB"), "{text}");
    }
    let answered = card.language_of(Labels::for_lang("de").text(Word::Answered));
    assert_eq!(answered.as_deref(), Some("de"));
}

#[test]
async fn what_the_user_typed_is_in_no_language_of_the_agent() {
    let mut snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
    snapshot.apply(AskPatch::Lang("ja".to_owned()));
    let card = CardPage::open(snapshot, speaking(Labels::for_lang("de"))).await;
    card.type_other(0, "Nur schauen").await;
    card.press_button(&Labels::for_lang("de").plural(Word::Submit, 1, &[])).await;
    let reply = card.only_reply();
    card.ends(Phase::Answered, Some(Outcome::Answered(reply))).await;
    assert_eq!(card.answers().len(), 1);
    let typed = card.language_of("Nur schauen");
    assert_eq!(typed.as_deref(), Some("de"));
}

#[test]
async fn an_empty_field_has_the_direction_of_the_card_and_a_text_its_own() {
    let snapshot = AskSnapshot::complete(fresh_id(), service(), Phase::Answerable);
    let card = CardPage::open(snapshot, speaking(Labels::for_lang("ar"))).await;
    card.press_button(Labels::for_lang("ar").text(Word::AddNote)).await;
    for field in [card.text_field(0), card.note_field(0)] {
        assert!(field.matches(":dir(rtl)").expect("a selector"));
    }
    card.type_other(0, "brakes").await;
    let field = card.text_field(0);
    assert!(field.matches(":dir(ltr)").expect("a selector"), "a text");
    card.type_other(0, "").await;
    assert!(field.matches(":dir(rtl)").expect("a selector"), "empty");
}

#[test]
async fn values_stand_apart_from_the_sentence_around_them() {
    let card = CardPage::open(AskSnapshot::new(fresh_id()), speaking(Labels::for_lang("de"))).await;
    card.receives_slowly(stream(&service())).await;
    card.receives_slowly(ready(&service())).await;
    let announced = "Der Agent stellt eine Frage. \u{2068}Service\u{2069}: \u{2068}What does your car need?\u{2069} (3 Antworten zur Wahl)";
    assert_eq!(card.announced().await, announced);
    card.press_button("Absenden").await;
    assert_eq!(card.errors(), ["Bitte eine Antwort auswählen"]);
    card.choose("Oil change").await;
    card.press_button("Absenden").await;
    card.host_says(ReplyState::Failed("שגיאה".to_owned())).await;
    assert_eq!(card.alerts(), ["Die Antwort wurde nicht gesendet. \u{2068}שגיאה\u{2069}"]);
}

/// I18N-02: if the agent and the host speak Arabic, a Latin letter can only be a word that was not translated.
#[test]
async fn i18n_02_an_arabic_card_has_no_word_in_another_language() {
    let asked = arabic_ask();
    let card = CardPage::open(AskSnapshot::new(fresh_id()), speaking(Labels::for_lang("ar"))).await;
    speaks_arabic(&card, "composing");
    card.receives_slowly(stream(&asked)).await;
    speaks_arabic(&card, "streaming");
    card.receives_slowly(ready(&asked)).await;
    card.receives([AskPatch::ExpiresAt(Some(js_sys::Date::now() as u64 + 300_000))]);
    card.announced().await;
    assert!(card.time_left().is_some());
    speaks_arabic(&card, "awaiting");
    card.press_button(Labels::for_lang("ar").text(Word::Submit)).await;
    speaks_arabic(&card, "invalid");
    card.type_other(0, "بحر").await;
    card.choose("أحمر").await;
    card.press_button(Labels::for_lang("ar").text(Word::Cancel)).await;
    assert!(card.button(Labels::for_lang("ar").text(Word::KeepAnswering)).is_some());
    speaks_arabic(&card, "invalid");
    card.choose("خبز").await;
    card.choose("دائرة").await;
    speaks_arabic(&card, "awaiting");
    card.press_button(Labels::for_lang("ar").text(Word::Submit)).await;
    speaks_arabic(&card, "submitting");
    card.host_says(ReplyState::Failed("انقطع الاتصال".to_owned())).await;
    speaks_arabic(&card, "failed");
    card.ends(Phase::Superseded, Some(Outcome::Superseded)).await;
    assert!(card.button(Labels::for_lang("ar").text(Word::SendAsMessage)).is_some());
    speaks_arabic(&card, "superseded");
}

#[test]
async fn an_arabic_card_of_every_end_has_no_word_in_another_language() {
    let ends = [
        (Phase::Answered, "answered"),
        (Phase::Declined, "declined"),
        (Phase::Expired, "expired"),
        (Phase::Interrupted, "interrupted"),
        (Phase::Settled, "settled"),
        (Phase::Malformed, "malformed"),
    ];
    for (phase, state) in ends {
        let snapshot = AskSnapshot::complete(fresh_id(), arabic_ask(), phase);
        let card = CardPage::open(snapshot, speaking(Labels::for_lang("ar"))).await;
        speaks_arabic(&card, state);
    }
    let one = ask(vec![arabic_ask().questions.remove(0)]);
    let snapshot = AskSnapshot::complete(fresh_id(), one, Phase::Answerable);
    let setting = Setting { labels: Some(Labels::for_lang("ar")), ..on_pick() };
    speaks_arabic(&CardPage::open(snapshot, setting).await, "awaiting");
}

#[track_caller]
fn speaks_arabic(card: &CardPage, state: &str) {
    assert_eq!(card.state(), state);
    for words in card.words() {
        assert!(!words.contains(|c: char| c.is_ascii_alphabetic()), "{state}: {words:?}");
    }
}

fn arabic_ask() -> AskUserQuestion {
    let option = |label: &str| QuestionOption::new(label).with_description("وصف");
    let colour = Question::new("ما لونك المفضل؟", ["أحمر", "أزرق"].map(option)).with_header("اللون");
    let food = Question::new("ماذا تأكل؟", ["خبز", "جبن"].map(option)).with_multi_select(true);
    let shapes = [option("دائرة").with_preview("○"), option("مربع").with_preview("□")];
    let shape = Question::new("أي شكل؟", shapes).with_header("الشكل");
    ask(vec![colour, food, shape])
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Intl)]
    type PluralRules;
    #[wasm_bindgen(constructor, js_namespace = Intl)]
    fn new(lang: &str) -> PluralRules;
    #[wasm_bindgen(method)]
    fn select(this: &PluralRules, count: u32) -> String;
}

#[test]
fn every_language_has_each_form_that_its_numbers_take() {
    for (tag, _) in LANGUAGES {
        let (labels, rules) = (Labels::for_lang(tag), PluralRules::new(tag));
        let mut forms = BTreeMap::<String, Vec<usize>>::new();
        for count in 0..=1200 {
            forms.entry(rules.select(count)).or_default().push(count as usize);
        }
        // Some words are only chosen by their number.
        for word in Word::ALL.iter().filter(|word| word.english().contains("{count}")) {
            let has: Vec<_> = labels.forms(*word).map(Plural::as_str).collect();
            for (form, counts) in &forms {
                assert!(has.len() == 1 || has.contains(&form.as_str()), "{tag}: {word:?} lacks {form}");
                // A number that has a form for itself may be said by that.
                let is_alone = counts.len() == 1;
                for count in counts.iter().take(3).chain(counts.last()) {
                    let others = [("all", "ALL"), ("question", "QUESTION"), ("size", "SIZE"), ("types", "TYPES")];
                    let said = labels.plural(*word, *count, &others);
                    assert!(is_alone || said.contains(&labels.number(*count)), "{tag}: {said} for {count}");
                    assert!(!said.contains(['{', '}']), "{tag}: {said}");
                }
            }
        }
    }
    let polish = Labels::for_lang("pl");
    let left = [1, 2, 5, 22, 112].map(|left| polish.plural(Word::CharsLeft, left, &[]));
    assert_eq!(
        left,
        ["Pozostał 1 znak", "Pozostały 2 znaki", "Pozostało 5 znaków", "Pozostały 22 znaki", "Pozostało 112 znaków"]
    );
    let (own, problems) =
        Labels::read(r#"{"lang": "no language at all", "charsLeft": {"one": "{count} a", "other": "{count} b"}}"#);
    assert_eq!(
        ([1, 2].map(|left| own.plural(Word::CharsLeft, left, &[])), problems),
        (["1 a".to_owned(), "2 b".to_owned()], Vec::new())
    );
}

#[test]
async fn a_card_changes_its_language_at_any_moment_and_keeps_what_was_typed() {
    let words = |at: usize| Some(Labels::for_lang(LANGUAGES[at % LANGUAGES.len()].0));
    let mut at = 0;
    let options = Options { notes: Some(Notes::field()), max_length: Some(100), ..Options::default() };
    let ask = AskSnapshot::complete(fresh_id(), mixed(), Phase::Answerable);
    let (page, card) = CardPage::without_framework(ask, &options);
    let mut change = || {
        at += 1;
        card.set(&Options { labels: words(at), ..options.clone() });
    };
    for piece in ["like", "like a", "like a news", "like a newspaper"] {
        change();
        page.type_other(2, piece).await;
        change();
    }
    page.choose("SQLite").await;
    change();
    page.choose("Search").await;
    change();
    card.set(&options);
    page.submit().await;
    assert_eq!(page.only_reply().message(), "Database: SQLite\nFeatures: Search\nStyle: like a newspaper");
}

#[test]
async fn numbers_have_the_digits_of_the_language() {
    let (persian, problems) = Labels::read(r#"{"lang": "fa", "dir": "rtl", "step": "پرسش {number}"}"#);
    assert!(problems.is_empty());
    let setting = Setting { layout: Layout::Stepped, ..speaking(persian) };
    let unnamed = |text| Question::new(text, ["Yes", "No"].map(QuestionOption::new));
    let asked = ask(["Hot?", "Sweet?", "Large?"].map(unnamed).into());
    let card = CardPage::open(AskSnapshot::complete(fresh_id(), asked, Phase::Answerable), setting).await;
    assert_eq!(card.steps(), ["پرسش ۱", "پرسش ۲", "پرسش ۳"]);
}
