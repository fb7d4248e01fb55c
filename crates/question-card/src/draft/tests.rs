mod kept;

use super::*;
use ask_user_question::{Question, Reply};

fn single() -> AnswerDraft {
    let mut draft = AnswerDraft::default();
    draft.know(0, ChoiceKind::Single);
    draft
}

fn multi() -> AnswerDraft {
    let mut draft = AnswerDraft::default();
    draft.know(0, ChoiceKind::Multi);
    draft
}

fn ask(multi_select: bool, labels: &[&str]) -> AskUserQuestion {
    AskUserQuestion::new([Question::new("Which?", labels.iter().copied()).with_multi_select(multi_select)])
}

#[track_caller]
fn check(draft: &AnswerDraft, selected: &[usize], other: Option<&str>) {
    let sent = draft.selections();
    let (got, text) = sent.first().map_or((vec![], None), |s| (s.selected.clone(), s.other.clone()));
    assert_eq!((got.as_slice(), text.as_deref()), (selected, other), "of {draft:?}");
}

#[test]
fn of_an_ask_that_cannot_be_read_one_text_is_left() {
    let mut draft = AnswerDraft::default();
    draft.know(0, ChoiceKind::Multi);
    draft.know(1, ChoiceKind::Single);
    assert!(!draft.is_more_than_text());
    draft.type_text(0, Field::Other, "own");
    assert!(!draft.is_more_than_text());
    draft.toggle(0, 1, "B");
    assert!(draft.is_more_than_text());
    draft.toggle(0, 1, "B");
    draft.type_text(1, Field::Note, "note");
    assert!(draft.is_more_than_text());
    draft.become_message("all of it");
    assert!(!draft.is_more_than_text());
    assert_eq!(draft.text(0, Field::Other), "all of it");
    assert_eq!((draft.kind(0), draft.problem(0)), (Some(ChoiceKind::Single), None));
    assert!(draft.text(1, Field::Note).is_empty());
}

#[test]
fn a_single_choice_replaces_the_one_before() {
    let mut draft = single();
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
    draft.toggle(0, 0, "A");
    draft.toggle(0, 1, "B");
    check(&draft, &[1], None);
    assert_eq!(draft.problem(0), None);
    draft.toggle(0, 1, "B");
    check(&draft, &[1], None);
}

#[test]
fn several_choices_toggle_and_keep_the_order_of_the_options() {
    let mut draft = multi();
    draft.toggle(0, 2, "C");
    draft.toggle(0, 0, "A");
    check(&draft, &[0, 2], None);
    draft.toggle(0, 2, "C");
    check(&draft, &[0], None);
}

#[test]
fn nothing_can_be_chosen_before_the_kind_is_known() {
    let mut draft = AnswerDraft::default();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "mine");
    draft.know(1, ChoiceKind::Single);
    draft.toggle(0, 0, "A");
    assert_eq!(draft.selections(), []);
    assert!(!draft.is_dirty());
}

/// OTH-02: typing in a single choice moves the answer to the text.
#[test]
fn typing_takes_the_place_of_the_option() {
    let mut draft = single();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "x");
    assert!(draft.is_other_chosen(0) && !draft.is_chosen(0, 0));
    check(&draft, &[], Some("x"));
}

/// OTH-03: emptying the field hands the answer back.
#[test]
fn emptying_the_text_brings_the_option_back() {
    let mut draft = single();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "x");
    draft.type_text(0, Field::Other, "xy");
    draft.type_text(0, Field::Other, " \n");
    assert!(!draft.is_other_chosen(0) && draft.is_chosen(0, 0));
    check(&draft, &[0], None);
}

#[test]
fn emptying_the_text_without_an_option_before_leaves_no_answer() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "x");
    draft.type_text(0, Field::Other, "");
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
}

/// OTH-04: an option chosen after typing keeps the text, unsent.
#[test]
fn choosing_an_option_keeps_the_text_on_screen_and_out_of_the_answer() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "long text");
    draft.toggle(0, 1, "B");
    assert!(draft.is_other_unsent(0));
    assert_eq!(draft.text(0, Field::Other), "long text");
    check(&draft, &[1], None);
    draft.type_text(0, Field::Other, "");
    check(&draft, &[1], None);
}

/// OTH-05: several options and a text together.
#[test]
fn a_text_joins_several_options() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.toggle(0, 2, "C");
    draft.type_text(0, Field::Other, "abc");
    check(&draft, &[0, 2], Some("abc"));
}

/// OTH-06: an unchecked Other keeps its text out.
#[test]
fn leaving_other_out_keeps_its_text() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "abc");
    draft.change(0, QuestionDraft::toggle_other);
    check(&draft, &[0], None);
    assert!(draft.is_other_unsent(0));
    draft.change(0, QuestionDraft::toggle_other);
    check(&draft, &[0], Some("abc"));
}

/// OTH-07: Other without text is an error of its own.
#[test]
fn other_without_text_is_no_answer() {
    let mut draft = single();
    draft.change(0, QuestionDraft::choose_other);
    draft.type_text(0, Field::Other, "  ");
    assert_eq!(draft.problem(0), Some(Problem::OtherBlank));
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.change(0, QuestionDraft::toggle_other);
    assert_eq!(draft.problem(0), Some(Problem::OtherBlank));
}

#[test]
fn text_is_sent_as_typed_except_line_breaks_at_the_end() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "  a\n b \r\n\n");
    check(&draft, &[], Some("  a\n b "));
}

/// SEL-09: a pick follows its label and goes with it.
#[test]
fn picks_follow_their_labels_into_the_complete_ask() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.toggle(0, 1, "B");
    draft.toggle(0, 2, "C");
    draft.reconcile(&ask(true, &["X", "A", "C"]));
    check(&draft, &[1, 2], None);
    draft.reconcile(&ask(true, &["Y"]));
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
}

/// SEL-11: equal labels are told apart by their place.
#[test]
fn equal_labels_keep_their_place() {
    let mut draft = single();
    draft.toggle(0, 1, "Same");
    draft.reconcile(&ask(false, &["Same", "Same"]));
    check(&draft, &[1], None);
}

/// `fits` returns the truth about `reconcile`, without doing it.
#[test]
fn what_fits_is_what_reconciling_would_not_change() {
    let asks = [
        ask(false, &["A", "B"]),
        ask(true, &["A", "B"]),
        ask(true, &["B", "A"]),
        ask(true, &["A"]),
        AskUserQuestion::default(),
    ];
    let acts: [fn(&mut AnswerDraft); 6] = [
        |_| {},
        |draft| draft.toggle(0, 1, "B"),
        |draft| draft.toggle(0, 0, "A"),
        |draft| draft.type_text(0, Field::Other, "own"),
        |draft| draft.change(0, QuestionDraft::toggle_skip),
        |draft| draft.know(1, ChoiceKind::Single),
    ];
    let mut seen = [0, 0];
    for kind in [ChoiceKind::Single, ChoiceKind::Multi] {
        for first in acts {
            for second in acts {
                let mut draft = AnswerDraft::default();
                draft.know(0, kind);
                first(&mut draft);
                second(&mut draft);
                for ask in &asks {
                    let mut reconciled = draft.clone();
                    reconciled.reconcile(ask);
                    assert_eq!(draft.fits(ask), draft == reconciled, "{draft:?} {ask:?}");
                    seen[usize::from(draft.fits(ask))] += 1;
                }
            }
        }
    }
    assert!(seen[0] > 20 && seen[1] > 20, "both were seen: {seen:?}");
}

/// STR-09: the part that fits the new kind survives, and nothing is guessed.
#[test]
fn a_change_of_kind_keeps_what_fits() {
    let mut draft = single();
    draft.toggle(0, 1, "B");
    draft.reconcile(&ask(true, &["A", "B"]));
    check(&draft, &[1], None);
    draft.toggle(0, 0, "A");
    draft.reconcile(&ask(false, &["A", "B"]));
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
}

#[test]
fn problems_name_the_questions_in_order() {
    let mut draft = single();
    draft.know(2, ChoiceKind::Single);
    draft.toggle(0, 0, "A");
    draft.change(2, QuestionDraft::choose_other);
    assert_eq!(draft.problems(3), [(1, Problem::Unanswered), (2, Problem::OtherBlank)]);
}

/// An invisible blank is a blank too, as it is for the agent.
#[test]
fn invisible_text_is_no_answer() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "\u{200B}\u{2060} ");
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
    assert!(!draft.is_dirty());
}

#[test]
fn a_note_goes_along_and_is_no_answer() {
    let mut draft = single();
    draft.type_text(0, Field::Note, "only on weekdays\n");
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
    assert!(draft.is_dirty());
    draft.toggle(0, 1, "B");
    let sent = draft.selections();
    assert_eq!(sent[0].note.as_deref(), Some("only on weekdays"));
    assert_eq!(sent[0].selected, [1]);
    draft.type_text(0, Field::Note, "  ");
    assert_eq!(draft.selections()[0].note, None);
}

#[test]
fn a_skipped_question_is_answered_and_says_so() {
    let mut draft = single();
    draft.change(0, QuestionDraft::toggle_skip);
    assert_eq!(draft.problem(0), None);
    assert!(draft.is_skipped(0) && draft.is_dirty());
    assert!(draft.selections()[0].skipped);
    let reply = Reply::check(&ask(false, &["A", "B"]), draft.selections());
    assert_eq!(reply.expect("a legal reply").message(), ask_user_question::reply::SKIPPED_TEXT);
}

#[test]
fn taking_a_skip_back_brings_the_choice_back() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "mine");
    draft.change(0, QuestionDraft::toggle_skip);
    check(&draft, &[], None);
    assert!(!draft.is_chosen(0, 0) && !draft.is_other_chosen(0));
    assert!(draft.is_other_unsent(0), "the text is still on the screen");
    draft.change(0, QuestionDraft::toggle_skip);
    check(&draft, &[0], Some("mine"));
    assert!(!draft.is_skipped(0));
}

#[test]
fn answering_takes_a_skip_back_and_starts_from_nothing() {
    for mut draft in [single(), multi()] {
        draft.toggle(0, 0, "A");
        draft.change(0, QuestionDraft::skip);
        draft.change(0, QuestionDraft::skip);
        draft.toggle(0, 1, "B");
        assert!(!draft.is_skipped(0));
        check(&draft, &[1], None);
        draft.change(0, QuestionDraft::skip);
        draft.type_text(0, Field::Other, "mine");
        assert!(!draft.is_skipped(0));
        check(&draft, &[], Some("mine"));
    }
}

#[test]
fn what_a_skip_keeps_follows_its_labels() {
    let mut draft = single();
    draft.toggle(0, 1, "B");
    draft.change(0, QuestionDraft::toggle_skip);
    draft.reconcile(&ask(false, &["A"]));
    assert_eq!(draft.problem(0), None);
    draft.change(0, QuestionDraft::toggle_skip);
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
}

#[test]
fn a_text_that_is_too_long_is_kept_whole_and_not_sent() {
    let mut draft = AnswerDraft::default();
    draft.limit(Some(3));
    draft.know(0, ChoiceKind::Single);
    assert_eq!(draft.room(0, Field::Other), Some(Remaining::Left(3)));
    draft.type_text(0, Field::Other, "äö😀");
    assert_eq!(draft.room(0, Field::Other), Some(Remaining::Left(0)));
    assert_eq!(draft.problem(0), None);
    draft.type_text(0, Field::Other, "äö😀ßx");
    assert_eq!(draft.room(0, Field::Other), Some(Remaining::Over(2)));
    assert_eq!(draft.problem(0), Some(Problem::OtherTooLong { over: 2 }));
    assert_eq!(draft.text(0, Field::Other), "äö😀ßx");
    draft.toggle(0, 0, "A");
    assert_eq!(draft.problem(0), None, "it would not be sent");
    draft.type_text(0, Field::Note, "four");
    assert_eq!(draft.problem(0), Some(Problem::NoteTooLong { over: 1 }));
}

#[test]
fn without_a_limit_there_is_nothing_to_count() {
    let mut draft = single();
    draft.type_text(0, Field::Other, &"long ".repeat(1000));
    assert_eq!((draft.room(0, Field::Other), draft.problem(0)), (None, None));
}

fn left(draft: &AnswerDraft, sent: Option<&Selection>) -> (Option<String>, Option<String>) {
    draft.left_over(0, sent, ", ")
}

#[test]
fn nothing_is_left_of_what_was_sent() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "mine\n");
    draft.type_text(0, Field::Note, "soon");
    let sent = draft.selections();
    assert_eq!(left(&draft, sent.first()), Default::default());
    assert_eq!(left(&AnswerDraft::default(), None), Default::default());
}

#[test]
fn what_was_not_sent_is_left() {
    let mut draft = multi();
    draft.toggle(0, 0, "A");
    draft.type_text(0, Field::Other, "mine");
    draft.type_text(0, Field::Note, "soon");
    let all = (Some("A, mine".to_owned()), Some("soon".to_owned()));
    assert_eq!(left(&draft, None), all);
    let other = Selection { selected: vec![1], ..Selection::default() };
    assert_eq!(left(&draft, Some(&other)), all, "another answer won");
    let own = draft.selections();
    draft.change(0, QuestionDraft::toggle_other);
    let sent = draft.selections();
    assert_eq!(left(&draft, sent.first()), (Some("mine".to_owned()), None), "the text stood beside the answer");
    draft.forget();
    assert_eq!(left(&draft, own.first()), Default::default());
    draft.toggle(0, 0, "A");
    check(&draft, &[0], None);
}
