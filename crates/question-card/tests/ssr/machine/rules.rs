//! Rules of choosing and typing.

use super::{Stage, question, sent};
use crate::asks::AskPatch;
use ask_user_question::{AskSnapshot, AskUserQuestion, Phase};
use question_card::SubmitMode;
use question_card::dom::Control;
use question_card::machine::{Field, Input, Problem};

#[derive(Clone, Copy)]
enum Act {
    Choose(usize),
    Type(&'static str),
    Skip,
    /// The arguments say at last that several may be chosen, or one.
    Several(bool),
    /// They end with these options alone.
    Offer(&'static [&'static str]),
}
use Act::*;

fn ask(multi_select: bool, labels: &[&str]) -> AskUserQuestion {
    AskUserQuestion::new([question("Size", multi_select, labels)])
}

#[test]
fn what_is_sent_is_what_was_chosen_and_typed_last() {
    type Given = Option<(&'static [usize], Option<&'static str>)>;
    let cases: [(bool, &[Act], Given); 15] = [
        (false, &[Choose(0), Choose(1)], Some((&[1], None))),
        (false, &[Choose(1), Choose(1)], Some((&[1], None))),
        (true, &[Choose(2), Choose(0)], Some((&[0, 2], None))),
        (true, &[Choose(2), Choose(0), Choose(2)], Some((&[0], None))),
        (false, &[Type("x"), Type("")], None),
        (false, &[Choose(1), Type("x"), Type("")], Some((&[1], None))),
        (false, &[Type("  a\n b \r\n\n")], Some((&[], Some("  a\n b ")))),
        // It is blank to the agent, too.
        (false, &[Type("\u{200B}\u{2060} ")], None),
        (false, &[Choose(0), Skip, Choose(1)], Some((&[1], None))),
        (true, &[Choose(0), Skip, Choose(1)], Some((&[1], None))),
        (true, &[Choose(0), Skip, Type("mine")], Some((&[], Some("mine")))),
        (true, &[Choose(0), Skip, Skip], Some((&[0], None))),
        // STR-09: the part that fits the new kind stays, and nothing is guessed.
        (false, &[Choose(1), Several(true)], Some((&[1], None))),
        (true, &[Choose(0), Choose(1), Several(false)], None),
        // What a skip keeps follows its labels.
        (false, &[Choose(1), Skip, Offer(&["A", "C"]), Skip], None),
    ];
    for (at, (multi_select, acts, given)) in cases.into_iter().enumerate() {
        let asked = ask(multi_select, &["A", "B", "C"]);
        let mut stage = Stage::new(AskSnapshot::complete("call", asked, Phase::Answerable), SubmitMode::Explicit);
        for act in acts {
            match *act {
                Choose(option) => stage.take(Input::Choose(Control::Option { question: 0, option })),
                Type(text) => stage.take(Input::Typed(0, Field::Other, text)),
                Skip => stage.press(Control::Skip { question: 0 }),
                Several(is_so) => stage.receive([AskPatch::Complete(Box::new(ask(is_so, &["A", "B", "C"])))]),
                Offer(labels) => stage.receive([AskPatch::Complete(Box::new(ask(multi_select, labels)))]),
            };
        }
        if given.is_none() {
            assert_eq!(stage.card.draft().problem(0), Some(Problem::Unanswered), "case {at}");
        }
        let reply = sent(&stage.take(Input::Submit)).map(|reply| reply.selections());
        let reply = reply.as_ref().map(|said| (&said[0].selected[..], said[0].other.as_deref()));
        assert_eq!(reply, given, "case {at}");
    }
}

#[test]
fn problems_name_the_questions_in_order() {
    let asked = AskUserQuestion::new(["Size", "Colour", "Style"].map(|header| question(header, false, &["A", "B"])));
    let mut stage = Stage::new(AskSnapshot::complete("call", asked, Phase::Answerable), SubmitMode::Explicit);
    stage.take(Input::Choose(Control::Option { question: 0, option: 0 }));
    stage.take(Input::Choose(Control::Other { question: 2 }));
    assert_eq!(stage.card.problems(&stage.ask), [(1, Problem::Unanswered), (2, Problem::OtherBlank)]);
}
