//! Rules of choosing that a page does not show by themselves.

mod kept;

use super::*;
use ask_user_question::Question;

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

#[test]
fn emptying_the_text_without_an_option_before_leaves_no_answer() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "x");
    draft.type_text(0, Field::Other, "");
    assert_eq!(draft.problem(0), Some(Problem::Unanswered));
}

#[test]
fn text_is_sent_as_typed_except_line_breaks_at_the_end() {
    let mut draft = single();
    draft.type_text(0, Field::Other, "  a\n b \r\n\n");
    check(&draft, &[], Some("  a\n b "));
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
                draft.know_text(0, &asks[0].questions[0].question);
                first(&mut draft);
                second(&mut draft);
                for ask in &asks {
                    let mut reconciled = draft.clone();
                    reconciled.reconcile(ask);
                    assert_eq!(draft.fits(ask), draft.questions == reconciled.questions, "{draft:?} {ask:?}");
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
    let other = Selection::picked(0, [1]);
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
