//! Asks for tests, and their streams.

use ask_user_question::reply::Selection;
use ask_user_question::snapshot::{OptionSnapshot, QuestionSnapshot, ReplyState, TextSnapshot};
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
#[derive(Clone, Debug, PartialEq)]
pub enum AskPatch {
    Append {
        text: MemberPath,
        delta: String,
    },
    CloseText {
        text: MemberPath,
    },
    Flag {
        flag: MemberPath,
        value: bool,
    },
    OpenOption {
        question: usize,
        option: usize,
    },
    CloseOption {
        question: usize,
        option: usize,
    },
    OpenQuestion {
        question: usize,
    },
    CloseQuestion {
        question: usize,
    },
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

/// A text or flag of a question, or of an option of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberPath {
    Question(usize),
    Header(usize),
    MultiSelect(usize),
    Label(usize, usize),
    Description(usize, usize),
}

/// Scripts for snapshots.
pub trait Scripted {
    fn apply(&mut self, patch: impl Borrow<AskPatch>);
}

impl Scripted for AskSnapshot {
    fn apply(&mut self, patch: impl Borrow<AskPatch>) {
        match patch.borrow() {
            AskPatch::Append { text, delta } => self.text(*text).text.push_str(delta),
            AskPatch::CloseText { text } => self.text(*text).closed = true,
            AskPatch::Flag { flag, value } => question_at(self, flag.question()).multi_select = Some(*value),
            AskPatch::OpenOption { question, option } => {
                option_at(self, *question, *option);
            }
            AskPatch::CloseOption { question, option } => option_at(self, *question, *option).closed = true,
            AskPatch::OpenQuestion { question } => {
                question_at(self, *question);
            }
            AskPatch::CloseQuestion { question } => {
                let question = question_at(self, *question);
                question.multi_select.get_or_insert(false);
                question.closed = true;
            }
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

trait Texts {
    fn text(&mut self, path: MemberPath) -> &mut TextSnapshot;
}

impl Texts for AskSnapshot {
    fn text(&mut self, path: MemberPath) -> &mut TextSnapshot {
        match path {
            MemberPath::Question(question) => &mut question_at(self, question).question,
            MemberPath::Header(question) => question_at(self, question).header.get_or_insert_default(),
            MemberPath::Label(question, option) => &mut option_at(self, question, option).label,
            MemberPath::Description(question, option) => {
                option_at(self, question, option).description.get_or_insert_default()
            }
            MemberPath::MultiSelect(_) => panic!("it is no text"),
        }
    }
}

impl MemberPath {
    fn question(self) -> usize {
        match self {
            Self::Question(question) | Self::Header(question) | Self::MultiSelect(question) => question,
            Self::Label(question, _) | Self::Description(question, _) => question,
        }
    }
}

/// A question, which may be the next one.
fn question_at(ask: &mut AskSnapshot, question: usize) -> &mut QuestionSnapshot {
    if question == ask.questions.len() {
        ask.questions.push(QuestionSnapshot::default());
    }
    &mut ask.questions[question]
}

fn option_at(ask: &mut AskSnapshot, question: usize, option: usize) -> &mut OptionSnapshot {
    let options = &mut question_at(ask, question).options;
    if option == options.len() {
        options.push(OptionSnapshot::default());
    }
    &mut options[option]
}

/// The patches that a parser makes while the arguments of this ask arrive letter by letter, up to their end.
pub fn stream(ask: &AskUserQuestion) -> Vec<AskPatch> {
    let mut patches = Vec::new();
    for (q, question) in ask.questions.iter().enumerate() {
        patches.push(AskPatch::OpenQuestion { question: q });
        text(&mut patches, MemberPath::Question(q), &question.question);
        if let Some(header) = &question.header {
            text(&mut patches, MemberPath::Header(q), header);
        }
        patches.push(AskPatch::Flag { flag: MemberPath::MultiSelect(q), value: question.multi_select });
        for (o, option) in question.options.iter().enumerate() {
            patches.push(AskPatch::OpenOption { question: q, option: o });
            text(&mut patches, MemberPath::Label(q, o), &option.label);
            if let Some(description) = &option.description {
                text(&mut patches, MemberPath::Description(q, o), description);
            }
            patches.push(AskPatch::CloseOption { question: q, option: o });
        }
        patches.push(AskPatch::CloseQuestion { question: q });
    }
    patches
}

/// A call whose ask has arrived up to the middle of an option, and the rest of its stream.
#[cfg(any(feature = "hydrate", feature = "ssr"))]
pub fn arriving(id: &str, ask: &AskUserQuestion) -> (AskSnapshot, Vec<AskPatch>) {
    let closes = AskPatch::CloseOption { question: 1, option: 0 };
    let (arrived, rest) = before(stream(ask), &closes);
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

/// The patches before the first that fits.
pub fn before(patches: Vec<AskPatch>, first: &AskPatch) -> (Vec<AskPatch>, Vec<AskPatch>) {
    let at = patches.iter().position(|patch| patch == first).expect("the patch is among them");
    let (before, after) = patches.split_at(at);
    (before.to_vec(), after.to_vec())
}

fn text(patches: &mut Vec<AskPatch>, path: MemberPath, whole: &str) {
    let letters = whole.chars().map(|letter| AskPatch::Append { text: path, delta: letter.to_string() });
    patches.extend(letters);
    patches.push(AskPatch::CloseText { text: path });
}
