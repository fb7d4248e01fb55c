//! Asks for tests, and their streams.

#[cfg(any(feature = "hydrate", feature = "ssr"))]
use ask_user_question::AskSnapshot;
use ask_user_question::snapshot::{AskPatch, MemberPath};
use ask_user_question::{AskUserQuestion, Phase, Question, QuestionOption};

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

/// The patches that a parser makes while the arguments of this ask arrive letter by letter, up to their end.
pub fn stream(ask: &AskUserQuestion) -> Vec<AskPatch> {
    let mut patches = Vec::new();
    for (q, question) in ask.questions.iter().enumerate() {
        patches.push(AskPatch::OpenQuestion { question: q });
        text(&mut patches, MemberPath::question(q), &question.question);
        if let Some(header) = &question.header {
            text(&mut patches, MemberPath::header(q), header);
        }
        patches.push(AskPatch::Flag { flag: MemberPath::multi_select(q), value: question.multi_select });
        for (o, option) in question.options.iter().enumerate() {
            patches.push(AskPatch::OpenOption { question: q, option: o });
            text(&mut patches, MemberPath::label(q, o), &option.label);
            if let Some(description) = &option.description {
                text(&mut patches, MemberPath::description(q, o), description);
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
    vec![AskPatch::Complete(ask.clone().into()), AskPatch::Phase(Phase::Ready)]
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
