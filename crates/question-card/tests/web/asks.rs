//! Asks for tests, and their streams.

use ask_user_question::arriving::Arriving;
use ask_user_question::reply::Selection;
use ask_user_question::snapshot::{QuestionSnapshot, ReplyState};
use ask_user_question::{AskSnapshot, AskUserQuestion, Outcome, Phase, Question, QuestionOption, Reply};
use std::borrow::Borrow;

pub fn question(text: &str, header: &str, multi_select: bool, labels: &[&str]) -> Question {
    let option = |label: &&str| QuestionOption::new(*label).with_description(format!("About {label}"));
    Question::new(text, labels.iter().map(option)).with_header(header).with_multi_select(multi_select)
}

pub fn ask(questions: Vec<Question>) -> AskUserQuestion {
    AskUserQuestion::new(questions)
}

/// One question, one answer: the customer chat's.
pub fn service() -> AskUserQuestion {
    let labels = ["Oil change", "Brake service", "Inspection"];
    ask(vec![question("What does your car need?", "Service", false, &labels)])
}

pub fn toppings() -> AskUserQuestion {
    ask(vec![question("Which toppings?", "Toppings", true, &["Basil", "Olives", "Capers"])])
}

/// Three questions of both kinds.
pub fn mixed() -> AskUserQuestion {
    ask(vec![
        question("Which database?", "Database", false, &["Postgres", "SQLite"]),
        question("Which features?", "Features", true, &["Search", "Export"]),
        question("Which style?", "Style", false, &["Plain", "Fancy"]),
    ])
}

/// The reply that picks this option of each question.
pub fn picks(ask: &AskUserQuestion, option: usize) -> Reply {
    let pick = |question| Selection::picked(question, [option]);
    Reply::check(ask, (0..ask.questions.len()).map(pick).collect()).expect("a legal reply")
}

/// A step of a script: what happens to an ask while it arrives, and after.
#[derive(Clone, Debug)]
pub enum AskPatch {
    /// The questions come as far as this.
    Grow(Vec<QuestionSnapshot>),
    Complete(Box<AskUserQuestion>),
    Phase(Phase),
    Outcome(Outcome),
    Replaced(Reply),
    Result(String),
    ExpiresAt(Option<u64>),
    Lang(String),
    Reply(ReplyState),
    /// It comes as far as this later state of it.
    Follow(Box<AskSnapshot>),
}

/// Scripts for snapshots.
pub trait Scripted {
    fn apply(&mut self, patch: impl Borrow<AskPatch>);
}

impl Scripted for AskSnapshot {
    fn apply(&mut self, patch: impl Borrow<AskPatch>) {
        match patch.borrow() {
            AskPatch::Grow(questions) => self.questions.clone_from(questions),
            AskPatch::Complete(ask) => self.finish((**ask).clone()),
            AskPatch::Phase(phase) => self.set_phase(*phase),
            AskPatch::Outcome(outcome) => self.outcome = Some(outcome.clone()),
            AskPatch::Replaced(reply) => self.replaced = Some(reply.clone()),
            AskPatch::Result(result) => (self.outcome, self.result) = (None, Some(result.clone())),
            AskPatch::ExpiresAt(deadline) => self.expires_at = *deadline,
            AskPatch::Lang(lang) => self.lang = Some(lang.clone()),
            AskPatch::Reply(reply) => self.reply = reply.clone(),
            AskPatch::Follow(later) => self.follow(later),
        }
    }
}

/// What the arguments of this ask make of its questions while they arrive letter by letter, up to their end.
pub fn stream(ask: &AskUserQuestion) -> Vec<AskPatch> {
    stream_of(&serde_json::to_string(ask).expect("an ask is JSON"))
}

/// The same of arguments in any order.
pub fn stream_of(arguments: &str) -> Vec<AskPatch> {
    let (mut arriving, mut ask) = (Arriving::default(), AskSnapshot::new(""));
    let mut feed = |letter: char| {
        let growth = arriving.feed(letter.encode_utf8(&mut [0; 4]), &mut ask);
        growth.map(|_| AskPatch::Grow(ask.questions.clone()))
    };
    arguments.chars().filter_map(&mut feed).collect()
}

/// A call whose ask has arrived up to the middle of an option, and the rest of its stream.
#[cfg(any(feature = "hydrate", feature = "ssr"))]
pub fn arriving(id: &str, ask: &AskUserQuestion) -> (AskSnapshot, Vec<AskPatch>) {
    let closes =
        |asked: &[QuestionSnapshot]| asked.get(1).is_some_and(|it| it.options.first().is_some_and(|it| it.closed));
    let (arrived, rest) = before(stream(ask), closes);
    let mut snapshot = AskSnapshot::new(id);
    for patch in arrived {
        snapshot.apply(patch);
    }
    (snapshot, rest)
}

/// The end of a complete stream.
pub fn ready(ask: &AskUserQuestion) -> Vec<AskPatch> {
    vec![AskPatch::Complete(Box::new(ask.clone())), AskPatch::Phase(Phase::Ready)]
}

/// The patches before the first that brings the questions so far, and those from it on.
pub fn before(patches: Vec<AskPatch>, is_so: impl Fn(&[QuestionSnapshot]) -> bool) -> (Vec<AskPatch>, Vec<AskPatch>) {
    let is_first = |patch: &AskPatch| matches!(patch, AskPatch::Grow(questions) if is_so(questions));
    let at = patches.iter().position(is_first).expect("the patch is among them");
    let (before, after) = patches.split_at(at);
    (before.to_vec(), after.to_vec())
}

/// True once this many questions have begun.
pub fn has_begun(count: usize) -> impl Fn(&[QuestionSnapshot]) -> bool {
    move |questions| questions.len() >= count
}
