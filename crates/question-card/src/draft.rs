//! What the user has chosen and typed so far, and every rule of choosing. Knows nothing of a browser.

use ask_user_question::AskUserQuestion;
use ask_user_question::reply::Selection;

/// The unfinished answer to one ask.
///
/// - Getters: [`is_chosen`](Self::is_chosen), [`is_other_chosen`](Self::is_other_chosen), [`is_other_unsent`](Self::is_other_unsent),
///   [`other_text`](Self::other_text), [`problem`](Self::problem), [`problems`](Self::problems), [`is_dirty`](Self::is_dirty),
///   [`selections`](Self::selections).
/// - What the stream tells: [`know`](Self::know), [`reconcile`](Self::reconcile).
/// - What the user does: [`choose`](Self::choose), [`toggle`](Self::toggle), [`choose_other`](Self::choose_other),
///   [`toggle_other`](Self::toggle_other), [`type_other`](Self::type_other).
///
/// A question whose [`Kind`] is not known yet cannot be answered: what the user does to it changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    questions: Vec<QuestionDraft>,
}

/// How many options of a question may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Exactly one, or a text of one's own.
    Single,
    /// Any number, and a text of one's own beside them.
    Multi,
}

impl Kind {
    /// The kind that `multiSelect` stands for.
    pub(crate) fn of(multi_select: bool) -> Self {
        match multi_select {
            true => Self::Multi,
            false => Self::Single,
        }
    }
}

/// Why a question cannot be sent as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Problem {
    /// Nothing is chosen.
    Unanswered,
    /// "Other" is chosen and its text is blank.
    OtherBlank,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct QuestionDraft {
    kind: Option<Kind>,
    /// In the order of the options.
    picks: Vec<Pick>,
    other: String,
    other_chosen: bool,
    /// What a text took the place of; it comes back when the text is emptied.
    before_other: Option<Pick>,
}

/// A chosen option. The label is kept to know the option again should a later snapshot move it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pick {
    option: usize,
    label: String,
}

impl Draft {
    /// Whether this option is chosen.
    pub(crate) fn is_chosen(&self, question: usize, option: usize) -> bool {
        self.question(question)
            .is_some_and(|draft| draft.position(option).is_some())
    }

    /// The first chosen option of a question.
    pub(crate) fn chosen(&self, question: usize) -> Option<usize> {
        Some(self.question(question)?.picks.first()?.option)
    }

    /// Whether the own answer is chosen.
    pub(crate) fn is_other_chosen(&self, question: usize) -> bool {
        self.question(question)
            .is_some_and(|draft| draft.other_chosen)
    }

    /// Whether a text stands in the field that is not part of the answer.
    pub(crate) fn is_other_unsent(&self, question: usize) -> bool {
        self.question(question)
            .is_some_and(QuestionDraft::other_unsent)
    }

    /// What stands in the text field, as typed.
    pub(crate) fn other_text(&self, question: usize) -> &str {
        self.question(question)
            .map_or("", |draft| draft.other.as_str())
    }

    /// What keeps this question from being sent.
    pub(crate) fn problem(&self, question: usize) -> Option<Problem> {
        self.question(question)
            .map_or(Some(Problem::Unanswered), QuestionDraft::problem)
    }

    /// What keeps each of the first `count` questions from being sent, in order.
    pub(crate) fn problems(&self, count: usize) -> Vec<(usize, Problem)> {
        (0..count)
            .filter_map(|question| Some((question, self.problem(question)?)))
            .collect()
    }

    /// Whether anything would be lost.
    pub(crate) fn is_dirty(&self) -> bool {
        self.questions
            .iter()
            .any(|draft| !draft.picks.is_empty() || !is_blank(&draft.other))
    }

    /// Everything that is part of the answer: one selection for each question that has any.
    pub(crate) fn selections(&self) -> Vec<Selection> {
        let selection = |(question, draft): (usize, &QuestionDraft)| Selection {
            question,
            selected: draft.picks.iter().map(|pick| pick.option).collect(),
            other: draft.sent_other().map(str::to_owned),
            ..Selection::default()
        };
        let has_any =
            |selection: &Selection| !selection.selected.is_empty() || selection.other.is_some();
        self.questions
            .iter()
            .enumerate()
            .map(selection)
            .filter(has_any)
            .collect()
    }

    /// What a question's answer would lose: all that was chosen and typed, or, where the answer itself was sent, the text beside it.
    pub(crate) fn left_over(&self, question: usize, answer_sent: bool) -> Option<String> {
        let draft = self.question(question)?;
        let labels = draft
            .picks
            .iter()
            .map(|pick| pick.label.as_str())
            .filter(|_| !answer_sent);
        let text_sent = answer_sent && draft.other_chosen;
        let keeps_text = !text_sent && !is_blank(&draft.other);
        let parts: Vec<&str> = labels
            .chain(keeps_text.then_some(draft.other.as_str()))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// How many questions, from the first, it has heard of.
    pub(crate) fn known(&self) -> usize {
        self.questions.len()
    }

    /// The kind of a question, once known.
    pub(crate) fn kind(&self, question: usize) -> Option<Kind> {
        self.question(question)?.kind
    }

    /// Whether every pick is where the complete ask has it, so that [`reconcile`](Self::reconcile) would change nothing.
    pub(crate) fn fits(&self, ask: &AskUserQuestion) -> bool {
        let mut reconciled = self.clone();
        reconciled.reconcile(ask);
        reconciled == *self
    }

    /// Takes over of which kind a question is. Where that changes after a choice, what fits the new kind stays.
    pub(crate) fn know(&mut self, question: usize, kind: Kind) {
        self.grow(question).become_kind(kind);
    }

    /// Takes over the complete ask: a pick follows its label, and is dropped where the label is gone.
    pub(crate) fn reconcile(&mut self, ask: &AskUserQuestion) {
        self.questions.truncate(ask.questions.len());
        for (index, question) in ask.questions.iter().enumerate() {
            let draft = self.grow(index);
            let labels: Vec<&str> = question
                .options
                .iter()
                .map(|option| option.label.as_str())
                .collect();
            draft.follow_labels(&labels);
            draft.become_kind(Kind::of(question.multi_select));
        }
    }

    /// Chooses an option, as a radio button does; among several, it is added.
    pub(crate) fn choose(&mut self, question: usize, option: usize, label: &str) {
        if let Some(draft) = self.question_mut(question) {
            draft.choose(Pick {
                option,
                label: label.to_owned(),
            });
        }
    }

    /// Chooses an option, or takes it back where several may be chosen.
    pub(crate) fn toggle(&mut self, question: usize, option: usize, label: &str) {
        let Some(draft) = self.question_mut(question) else {
            return;
        };
        match (draft.kind, draft.position(option)) {
            (Some(Kind::Multi), Some(position)) => drop(draft.picks.remove(position)),
            _ => self.choose(question, option, label),
        }
    }

    /// Chooses the own answer; in a single choice it takes the place of the option.
    pub(crate) fn choose_other(&mut self, question: usize) {
        if let Some(draft) = self.question_mut(question) {
            draft.choose_other();
        }
    }

    /// Chooses the own answer, or leaves it out where several may be chosen; its text stays.
    pub(crate) fn toggle_other(&mut self, question: usize) {
        let Some(draft) = self.question_mut(question) else {
            return;
        };
        match draft.kind {
            Some(Kind::Multi) if draft.other_chosen => draft.other_chosen = false,
            _ => draft.choose_other(),
        }
    }

    /// Takes over what stands in the text field. Text chooses the own answer; emptying it takes that back.
    pub(crate) fn type_other(&mut self, question: usize, text: &str) {
        if let Some(draft) = self.question_mut(question) {
            draft.type_other(text);
        }
    }

    fn question(&self, index: usize) -> Option<&QuestionDraft> {
        self.questions.get(index)
    }

    fn question_mut(&mut self, index: usize) -> Option<&mut QuestionDraft> {
        self.questions
            .get_mut(index)
            .filter(|draft| draft.kind.is_some())
    }

    fn grow(&mut self, index: usize) -> &mut QuestionDraft {
        if self.questions.len() <= index {
            self.questions
                .resize_with(index + 1, QuestionDraft::default);
        }
        &mut self.questions[index]
    }
}

impl QuestionDraft {
    fn position(&self, option: usize) -> Option<usize> {
        self.picks.iter().position(|pick| pick.option == option)
    }

    fn problem(&self) -> Option<Problem> {
        match (self.other_chosen, is_blank(&self.other)) {
            (true, true) => Some(Problem::OtherBlank),
            (true, false) => None,
            (false, _) => self.picks.is_empty().then_some(Problem::Unanswered),
        }
    }

    fn other_unsent(&self) -> bool {
        !self.other_chosen && !is_blank(&self.other)
    }

    /// The text as it is sent: untouched but for the line breaks at its end.
    fn sent_other(&self) -> Option<&str> {
        let is_sent = self.other_chosen && !is_blank(&self.other);
        is_sent.then(|| self.other.trim_end_matches(['\n', '\r']))
    }

    fn choose(&mut self, pick: Pick) {
        match self.kind {
            Some(Kind::Multi) => {
                if let Err(position) = self
                    .picks
                    .binary_search_by_key(&pick.option, |pick| pick.option)
                {
                    self.picks.insert(position, pick);
                }
            }
            Some(Kind::Single) | None => {
                self.picks = vec![pick];
                self.other_chosen = false;
                self.before_other = None;
            }
        }
    }

    fn choose_other(&mut self) {
        if self.kind == Some(Kind::Single) && !self.other_chosen {
            self.before_other = self.picks.pop();
        }
        self.other_chosen = true;
    }

    fn type_other(&mut self, text: &str) {
        let had_text = !is_blank(&self.other);
        text.clone_into(&mut self.other);
        match is_blank(text) {
            false => self.choose_other(),
            true if had_text && self.other_chosen => self.give_back(),
            true => {}
        }
    }

    fn give_back(&mut self) {
        self.other_chosen = false;
        if let Some(pick) = self.before_other.take() {
            self.picks = vec![pick];
        }
    }

    fn become_kind(&mut self, kind: Kind) {
        let was = self.kind.replace(kind);
        if was == Some(Kind::Multi) && kind == Kind::Single {
            // Of several picks none is the one; guessing would put words into the user's mouth.
            if self.picks.len() > 1 {
                self.picks.clear();
            }
            if !self.picks.is_empty() {
                self.other_chosen = false;
            }
        }
        if kind == Kind::Multi {
            self.before_other = None;
        }
    }

    fn follow_labels(&mut self, labels: &[&str]) {
        let now_at = |pick: &Pick| match labels.get(pick.option) {
            Some(&label) if label == pick.label => Some(pick.option),
            _ => labels.iter().position(|&label| label == pick.label),
        };
        let follow = |pick: Pick| now_at(&pick).map(|option| Pick { option, ..pick });
        self.picks = std::mem::take(&mut self.picks)
            .into_iter()
            .filter_map(follow)
            .collect();
        self.picks.sort_by_key(|pick| pick.option);
        self.picks.dedup_by_key(|pick| pick.option);
        self.before_other = self.before_other.take().and_then(follow);
    }
}

/// Whether a text counts as no answer.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests;
