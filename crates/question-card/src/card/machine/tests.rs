//! The part of a walk that is left out, which no host sees.

use super::*;
use ask_user_question::arriving::Arriving;

#[test]
fn what_is_complete_is_not_looked_at_again() {
    let question = |text: &str| {
        let options = r#"[{"label":"A","description":"x"},{"label":"B","description":"y"}]"#;
        format!(r#"{{"question":"{text}","header":"H","multiSelect":false,"options":{options}}}"#)
    };
    let arguments = format!(r#"{{"questions":[{},{}]}}"#, question("Which?"), question("What?"));
    let (mut arriving, mut ask) = (Arriving::default(), AskSnapshot::new("call"));
    let mut card = Card::new(&ask, Options::default());
    let mut seen = (0, 0);
    for letter in arguments.chars() {
        arriving.feed(letter.encode_utf8(&mut [0; 4]), |patch| ask.apply(patch));
        card.take(Now::default(), &ask, Input::Ask);
        assert!(card.unchanged >= seen, "{:?} after {seen:?}", card.unchanged);
        seen = card.unchanged;
    }
    assert_eq!(seen, (2, 0));
    card.take(Now::default(), &ask, Input::Choose(Control::Option { question: 0, option: 0 }));
    assert_eq!(card.unchanged, (0, 0), "all of it may look different now");
}
