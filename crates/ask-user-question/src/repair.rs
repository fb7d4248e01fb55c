//! Reads the arguments that models really send.
//!
//! Repair knows no profile: it brings arguments into the plain shape and reports each change as data.
//! [`validate`](crate::validate::validate) judges if the result is legal, so a merged "Other" may leave too few options.

mod code;
mod lenient;
mod markup;
mod other;
mod shapes;

pub use code::RepairCode;
pub use other::{Meaning, meaning};
pub(crate) use shapes::{Stands, flag_word, stands};

use crate::members::{self, Kind, Member, Of};
use crate::parts::member_mut;
use crate::text::{find, is_blank};
use crate::validate::MAX_REPORTED;
use json_tree::{Json, NotUnique};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use shapes::{ANSWERS, Field, as_flag, is_question};
use std::fmt::{self, Display};
use std::mem;

/// One thing that [`repair`] changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The place in the original arguments, such as `questions[0].options`; empty for the whole input.
    pub path: String,
    /// The kind of repair; its `Display`/`as_str` form is the code in JSON.
    pub code: RepairCode,
}

/// A sentence that says what was done.
impl Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.code {
            RepairCode::AlmostJson => "The text is not quite JSON, but has only one reading.",
            RepairCode::JsonString => "The JSON in this string was read as if it stood there itself.",
            RepairCode::Unwrapped => "The object around the arguments was removed.",
            RepairCode::SingleQuestion => "One question was wrapped into a list of questions.",
            RepairCode::BareQuestions => "The list of questions was wrapped into an object.",
            RepairCode::PlainQuestion => "The plain text was read as one question without options.",
            RepairCode::PlainOption => "The plain value was read as the option's label.",
            RepairCode::OptionMap => "The names in this object were read as labels, their texts as descriptions.",
            RepairCode::OptionLines => "Each line of this text was read as an option.",
            RepairCode::YesNo => "The options \"Yes\" and \"No\" were added to this question.",
            RepairCode::RenamedField => "This name was read as that of the field that was missing.",
            RepairCode::BooleanText => "The value was read as the flag that it names.",
            RepairCode::AnswersDropped => "This was left out: only the user answers.",
            RepairCode::MarkupRemoved => {
                "The markup of the call was removed from this text; parameters in it were read."
            }
            RepairCode::OtherMerged => "This option was left out: every question already has \"Other\".",
            RepairCode::Trimmed => "The white space around this text was removed.",
            RepairCode::EmptyRemoved => "The null or blank text was removed.",
        })
    }
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut repair = serializer.serialize_struct("Repair", 3)?;
        repair.serialize_field("path", &self.path)?;
        repair.serialize_field("code", &self.code)?;
        repair.serialize_field("message", &self.to_string())?;
        repair.end()
    }
}

/// Turns the JSON value of the arguments into the plain shape, reporting each change (the first
/// [`MAX_REPORTED`]). Never fails: what is beyond repair stays for [`validate`](crate::validate::validate).
#[must_use]
pub fn repair<'a>(input: impl Into<Json<'a>>) -> (Json<'a>, Vec<Repair>) {
    let (mut ask, mut repairs) = (input.into(), Vec::new());
    Shape(&mut repairs).arguments(&mut ask);
    (ask, repairs)
}

/// As [`repair`], for a card, which asks for no report.
pub(crate) fn repair_unheard(input: &mut Json<'_>) {
    Shape(&mut Unheard).arguments(input);
}

/// Receives repairs. A program that ignores them has no words for them.
trait Hears {
    fn hear(&mut self, place: Place<'_>, code: RepairCode);
}

impl Hears for Vec<Repair> {
    fn hear(&mut self, place: Place<'_>, code: RepairCode) {
        if self.len() < MAX_REPORTED {
            self.push(Repair { path: place.to_string(), code });
        }
    }
}

struct Unheard;

impl Hears for Unheard {
    fn hear(&mut self, _: Place<'_>, _: RepairCode) {}
}

/// A place in the arguments.
#[derive(Clone, Copy)]
enum Place<'k> {
    Arguments(&'k str),
    Question(usize, &'k str),
    Option(usize, usize, &'k str),
}

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self {
            Self::Arguments(key) => return f.write_str(key),
            Self::Question(q, key) => {
                write!(f, "questions[{q}]")?;
                key
            }
            Self::Option(q, o, key) => {
                write!(f, "questions[{q}].options[{o}]")?;
                key
            }
        };
        if key.is_empty() { Ok(()) } else { write!(f, ".{key}") }
    }
}

impl Place<'_> {
    fn key(self, key: &str) -> Place<'_> {
        match self {
            Self::Question(q, _) => Place::Question(q, key),
            Self::Option(q, o, _) => Place::Option(q, o, key),
            Self::Arguments(_) => Place::Arguments(key),
        }
    }
}

/// Brings arguments into the plain shape; its methods do so with one part each.
struct Shape<'h, H>(&'h mut H);

impl<H: Hears> Shape<'_, H> {
    fn arguments(&mut self, arguments: &mut Json<'_>) {
        let place = Place::Arguments("");
        self.unpack(arguments, place);
        // A list of one call.
        if let Json::List(items) = arguments
            && let [only @ Json::Object(_)] = &mut items[..]
            && !is_question(only)
        {
            *arguments = mem::take(only);
            self.0.hear(place, RepairCode::Unwrapped);
        }
        self.unwrap(arguments);
        if is_question(arguments) {
            self.0.hear(place, RepairCode::SingleQuestion);
            *arguments = Json::List(vec![mem::take(arguments)]);
        } else if let Json::List(_) = arguments {
            self.0.hear(place, RepairCode::BareQuestions);
        }
        if let Json::List(_) = arguments {
            *arguments = Json::object([("questions", mem::take(arguments))]);
        }
        self.rename(arguments, place, &Field::of(Member::Questions));
        if let Some(questions) = member_mut(arguments, "questions") {
            self.questions(questions);
            self.drop_answers(arguments, place);
        }
    }

    fn questions(&mut self, questions: &mut Json<'_>) {
        let place = Place::Arguments("questions");
        self.unpack(questions, place);
        self.take_inner(questions, "questions", place);
        let code = match questions {
            Json::Object(_) => Some(RepairCode::SingleQuestion),
            _ => make_plain_question(questions).then_some(RepairCode::PlainQuestion),
        };
        if let Some(code) = code {
            self.0.hear(place, code);
            *questions = Json::List(vec![mem::take(questions)]);
        }
        let Json::List(questions) = questions else {
            return;
        };
        let are_plain = questions.iter().all(|question| question.as_str().is_some());
        for (q, question) in questions.iter_mut().enumerate() {
            if are_plain && make_plain_question(question) {
                self.0.hear(Place::Question(q, ""), RepairCode::PlainQuestion);
            }
            self.unpack_object(question, Place::Question(q, ""));
            self.question(question, q);
        }
    }

    fn question(&mut self, question: &mut Json<'_>, q: usize) {
        let place = Place::Question(q, "");
        self.rename(question, place, &Field::of(Member::Question));
        self.markup(question, place);
        self.tidy(question, place, Of::Question);
        self.rename(question, place, &ANSWERS);
        self.by_type(question, place);
        self.drop_answers(question, place);
        if let Some(options) = member_mut(question, "options") {
            self.unpack(options, place.key("options"));
            self.list_of_options(options, place.key("options"));
            if let Json::List(options) = options {
                self.options(options, q);
            }
        }
    }

    fn options(&mut self, options: &mut Vec<Json<'_>>, q: usize) {
        for (o, option) in options.iter_mut().enumerate() {
            self.option(option, Place::Option(q, o, ""));
        }
        let mut o = 0;
        options.retain(|option| {
            let label = option.get("label").and_then(Json::as_str);
            let is_other = label.is_some_and(|label| meaning(label) == Meaning::Other);
            if is_other {
                self.0.hear(Place::Option(q, o, ""), RepairCode::OtherMerged);
            }
            o += 1;
            !is_other
        });
    }

    fn option(&mut self, option: &mut Json<'_>, place: Place<'_>) {
        self.unpack_object(option, place);
        if option.as_str().is_some() {
            self.0.hear(place, RepairCode::PlainOption);
        }
        if option.as_str().is_some() || self.plain_label(option, place) {
            *option = Json::object([("label", mem::take(option))]);
        }
        self.rename(option, place, &Field::of(Member::Label));
        if let Some(label) = member_mut(option, "label") {
            self.plain_label(label, place.key("label"));
        }
        self.trim(option, place, "label");
        self.tidy(option, place, Of::Option);
    }

    /// Brings the members of an object under their names: without those that say nothing, texts without white space around them, and flags
    /// as such.
    fn tidy(&mut self, object: &mut Json<'_>, place: Place<'_>, kind: Of) {
        for row in members::of(kind) {
            if row.may_be_absent() {
                self.remove_empty(object, place, row.name);
            }
        }
        for row in members::of(kind) {
            self.rename(object, place, &Field::of(row.member));
            if row.trims {
                self.trim(object, place, row.name);
            } else if row.kind == Kind::Flag {
                self.flag(object, place, row.name);
            }
        }
    }

    /// Puts what a JSON string says into its place, where it says an object or a list.
    fn unpack(&mut self, value: &mut Json<'_>, place: Place<'_>) {
        self.unpack_if(value, place, |_| true);
    }

    /// As [`unpack`](Self::unpack) where only an object makes sense, so that a label such as `[x]` stays a label.
    fn unpack_object(&mut self, value: &mut Json<'_>, place: Place<'_>) {
        self.unpack_if(value, place, |inner| matches!(inner, Json::Object(_)));
    }

    fn unpack_if(&mut self, value: &mut Json<'_>, place: Place<'_>, fits: fn(&Json<'_>) -> bool) {
        if let Json::Text(text) = value
            && let Some((inner, is_strict)) = unpacked(text)
            && fits(&inner)
        {
            *value = inner;
            self.0.hear(place, RepairCode::JsonString);
            if !is_strict {
                self.0.hear(place, RepairCode::AlmostJson);
            }
        }
    }

    fn trim(&mut self, object: &mut Json<'_>, place: Place<'_>, key: &'static str) {
        let Some(Json::Text(text)) = member_mut(object, key) else {
            return;
        };
        let trimmed = text.trim();
        if trimmed.len() != text.len() {
            *text = trimmed.to_owned().into();
            self.0.hear(place.key(key), RepairCode::Trimmed);
        }
    }

    /// Makes a flag of the value that names it.
    fn flag(&mut self, object: &mut Json<'_>, place: Place<'_>, key: &'static str) {
        if let Some(flag) = member_mut(object, key)
            && let Some(meant) = as_flag(flag)
            && flag.as_bool().is_none()
        {
            *flag = Json::Bool(meant);
            self.0.hear(place.key(key), RepairCode::BooleanText);
        }
    }

    /// Removes an optional field that is null or a blank text.
    fn remove_empty(&mut self, object: &mut Json<'_>, place: Place<'_>, key: &str) {
        if let Json::Object(members) = object
            && let Some(at) = members.position(key)
            && match &members[at].1 {
                Json::Null => true,
                Json::Text(text) => is_blank(text),
                _ => false,
            }
        {
            members.remove(at);
            self.0.hear(place.key(key), RepairCode::EmptyRemoved);
        }
    }
}

/// Makes a question without options of a text for people.
fn make_plain_question(value: &mut Json<'_>) -> bool {
    let is_plain = value.as_str().is_some_and(is_plain);
    if is_plain {
        *value = Json::object([("question", mem::take(value)), ("options", Json::List(Vec::new()))]);
    }
    is_plain
}

/// Returns true for a text for people, and false for unreadable JSON or markup.
fn is_plain(text: &str) -> bool {
    let text = text.trim_start();
    let is_markup = text.starts_with('<') && find(text, "</").is_some();
    !is_blank(text) && !may_be_json(text) && !is_markup
}

fn may_be_json(text: &str) -> bool {
    matches!(text.bytes().next(), Some(b'{' | b'[' | b'"')) || text.starts_with(['`', '\u{FEFF}'])
}

/// The JSON of a text: as it stands, or if that is none and [only one reading](lenient::read) makes it JSON; and whether it is the former.
pub(crate) fn parsed(text: &str) -> Result<(Json<'_>, bool), NotUnique> {
    json_tree::parse_unique(text).map(|json| (json, true)).or_else(|error| match error {
        NotUnique::NotJson(_) => lenient::read(text).map(|json| (json, false)).ok_or(error),
        NotUnique::RepeatedKey(_) => Err(error),
    })
}

/// The object or list in a JSON text, which may have been packed more than once: what [`repair`] puts into the place of such a string where
/// one belongs.
#[must_use]
pub fn unpack(text: &str) -> Option<Json<'static>> {
    unpacked(text).map(|(value, _)| value)
}

fn unpacked(text: &str) -> Option<(Json<'static>, bool)> {
    const MOST_LAYERS: usize = 3;
    let mut layer = text.trim().to_owned();
    let mut all_strict = true;
    for _ in 0..MOST_LAYERS {
        if !may_be_json(&layer) {
            return None;
        }
        let (value, is_strict) = parsed(&layer).ok()?;
        all_strict &= is_strict;
        let inner = match value {
            Json::Text(inner) => inner.trim().to_owned(),
            Json::List(_) | Json::Object(_) => return Some((value.into_static(), all_strict)),
            _ => return None,
        };
        layer = inner;
    }
    None
}
