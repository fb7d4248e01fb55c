//! Lenient reading of what models really send.
//!
//! Repair knows no profile: it brings arguments into the plain shape and reports each change as data. Whether the result is
//! legal is for [`validate`](crate::validate::validate) to say, so a merged "Other" may leave too few options.

mod other;

pub use other::{Meaning, meaning};

use crate::text::is_blank;
use crate::validate::MAX_REPORTED;
use crate::wire::member_mut;
use json_tree::{Json, members};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::fmt::{self, Display};
use std::mem;

/// One thing that [`repair`] changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Where, such as `questions[0].options`, in the arguments as they came; empty for the whole input.
    pub path: String,
    /// What kind of repair; its `Display`/`as_str` form is the code in JSON.
    pub code: RepairCode,
}

/// A sentence that says what was done.
impl Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.code {
            RepairCode::JsonString => "The JSON in this string was read as if it stood there itself.",
            RepairCode::SingleQuestion => "One question was wrapped into a list of questions.",
            RepairCode::BareQuestions => "The list of questions was wrapped into an object.",
            RepairCode::PlainQuestion => "The plain text was read as one question without options.",
            RepairCode::PlainOption => "The plain text was read as the option's label.",
            RepairCode::RenamedField => "This was read as `multiSelect`.",
            RepairCode::BooleanText => "The text was read as the flag that it names.",
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

/// The kinds of repair, by a code that stays what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairCode {
    /// The arguments, questions or options were given as a JSON string.
    JsonString,
    /// One question was given where the list of questions belongs.
    SingleQuestion,
    /// The list of questions was given without the object around it.
    BareQuestions,
    /// The questions were given as one plain text.
    PlainQuestion,
    /// An option was given as a plain text (or number) instead of an object.
    PlainOption,
    /// `multiple` or `multi_select` was given for `multiSelect`.
    RenamedField,
    /// A flag was given as the text "true" or "false".
    BooleanText,
    /// The model gave an "Other" of its own; the card has one.
    OtherMerged,
    /// White space around a text was removed.
    Trimmed,
    /// An optional field without content (null, or a blank description) was removed.
    EmptyRemoved,
}

impl RepairCode {
    /// Every kind of repair.
    pub const ALL: [Self; 10] = [
        Self::JsonString,
        Self::SingleQuestion,
        Self::BareQuestions,
        Self::PlainQuestion,
        Self::PlainOption,
        Self::RenamedField,
        Self::BooleanText,
        Self::OtherMerged,
        Self::Trimmed,
        Self::EmptyRemoved,
    ];

    /// The stable code, in `snake_case`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonString => "json_string",
            Self::SingleQuestion => "single_question",
            Self::BareQuestions => "bare_questions",
            Self::PlainQuestion => "plain_question",
            Self::PlainOption => "plain_option",
            Self::RenamedField => "renamed_field",
            Self::BooleanText => "boolean_text",
            Self::OtherMerged => "other_merged",
            Self::Trimmed => "trimmed",
            Self::EmptyRemoved => "empty_removed",
        }
    }
}

impl Display for RepairCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RepairCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
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

/// What hears of repairs. A program in which nobody does has no words for them.
trait Hears {
    fn hear(&mut self, place: Place, code: RepairCode);
}

impl Hears for Vec<Repair> {
    fn hear(&mut self, place: Place, code: RepairCode) {
        if self.len() < MAX_REPORTED {
            self.push(Repair { path: place.to_string(), code });
        }
    }
}

struct Unheard;

impl Hears for Unheard {
    fn hear(&mut self, _: Place, _: RepairCode) {}
}

/// Where something is in the arguments.
#[derive(Clone, Copy)]
enum Place {
    Arguments,
    Questions,
    Question(usize, &'static str),
    Option(usize, usize, &'static str),
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self {
            Self::Arguments => return Ok(()),
            Self::Questions => return f.write_str("questions"),
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

impl Place {
    fn key(self, key: &'static str) -> Self {
        match self {
            Self::Question(q, _) => Self::Question(q, key),
            Self::Option(q, o, _) => Self::Option(q, o, key),
            Self::Arguments | Self::Questions => self,
        }
    }
}

/// Brings arguments into the plain shape; its methods do so with one part each.
struct Shape<'h, H>(&'h mut H);

impl<H: Hears> Shape<'_, H> {
    fn arguments(&mut self, arguments: &mut Json<'_>) {
        self.unpack(arguments, Place::Arguments);
        if is_question(arguments) {
            self.0.hear(Place::Arguments, RepairCode::SingleQuestion);
            *arguments = Json::List(vec![mem::take(arguments)]);
        } else if let Json::List(_) = arguments {
            self.0.hear(Place::Arguments, RepairCode::BareQuestions);
        }
        if let Json::List(_) = arguments {
            *arguments = Json::object([("questions", mem::take(arguments))]);
        }
        if let Some(questions) = member_mut(arguments, "questions") {
            self.questions(questions);
        }
    }

    fn questions(&mut self, questions: &mut Json<'_>) {
        self.unpack(questions, Place::Questions);
        let code = match questions {
            Json::Object(_) => Some(RepairCode::SingleQuestion),
            Json::Text(text) if is_plain(text) => {
                let no_options = Json::List(Vec::new());
                *questions = Json::object([("question", mem::take(questions)), ("options", no_options)]);
                Some(RepairCode::PlainQuestion)
            }
            _ => None,
        };
        if let Some(code) = code {
            self.0.hear(Place::Questions, code);
            *questions = Json::List(vec![mem::take(questions)]);
        }
        let Json::List(questions) = questions else {
            return;
        };
        for (q, question) in questions.iter_mut().enumerate() {
            self.unpack_object(question, Place::Question(q, ""));
            self.question(question, q);
        }
    }

    fn question(&mut self, question: &mut Json<'_>, q: usize) {
        let place = Place::Question(q, "");
        self.trim(question, place, "question");
        self.remove_null(question, place, "header");
        self.trim(question, place, "header");
        self.multi_select(question, place);
        if let Some(options) = member_mut(question, "options") {
            self.unpack(options, place.key("options"));
            if let Json::List(options) = options {
                self.options(options, q);
            }
        }
    }

    fn multi_select(&mut self, question: &mut Json<'_>, place: Place) {
        const NAME: &str = "multiSelect";
        self.remove_null(question, place, NAME);
        for &alias in &["multiple", "multi_select"] {
            if has(question, NAME) {
                break;
            }
            if rename(question, alias, NAME) {
                self.0.hear(place.key(alias), RepairCode::RenamedField);
                self.remove_null(question, place, NAME);
            }
        }
        let Some(flag) = member_mut(question, NAME) else {
            return;
        };
        let text = flag.as_str().unwrap_or_default().trim();
        let meant = text.eq_ignore_ascii_case("true");
        if meant || text.eq_ignore_ascii_case("false") {
            *flag = Json::Bool(meant);
            self.0.hear(place.key(NAME), RepairCode::BooleanText);
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

    fn option(&mut self, option: &mut Json<'_>, place: Place) {
        self.unpack_object(option, place);
        if let Json::Number(label) = option {
            *option = Json::Text(label.text().into());
        }
        if let Json::Text(_) = option {
            self.0.hear(place, RepairCode::PlainOption);
            *option = Json::object([("label", mem::take(option))]);
        }
        self.trim(option, place, "label");
        // A preview keeps its indentation.
        self.trim(option, place, "description");
        for &key in &["description", "preview"] {
            self.remove_if(option, place, key, |value| match value {
                Json::Null => true,
                Json::Text(text) => is_blank(text),
                _ => false,
            });
        }
    }

    /// Puts what a JSON string says into its place, where it says an object or a list.
    fn unpack(&mut self, value: &mut Json<'_>, place: Place) {
        self.unpack_if(value, place, |_| true);
    }

    /// As [`unpack`](Self::unpack) where only an object makes sense, so that a label such as `[x]` stays a label.
    fn unpack_object(&mut self, value: &mut Json<'_>, place: Place) {
        self.unpack_if(value, place, |inner| matches!(inner, Json::Object(_)));
    }

    fn unpack_if(&mut self, value: &mut Json<'_>, place: Place, fits: fn(&Json<'_>) -> bool) {
        if let Json::Text(text) = value
            && let Some(inner) = unpack(text)
            && fits(&inner)
        {
            *value = inner;
            self.0.hear(place, RepairCode::JsonString);
        }
    }

    fn trim(&mut self, object: &mut Json<'_>, place: Place, key: &'static str) {
        let Some(Json::Text(text)) = member_mut(object, key) else {
            return;
        };
        let trimmed = text.trim();
        if trimmed.len() != text.len() {
            *text = trimmed.to_owned().into();
            self.0.hear(place.key(key), RepairCode::Trimmed);
        }
    }

    fn remove_null(&mut self, object: &mut Json<'_>, place: Place, key: &'static str) {
        self.remove_if(object, place, key, |value| matches!(value, Json::Null));
    }

    fn remove_if(&mut self, object: &mut Json<'_>, place: Place, key: &'static str, is_empty: fn(&Json<'_>) -> bool) {
        if let Json::Object(members) = object
            && let Some(at) = members::position(members, key)
            && is_empty(&members[at].1)
        {
            members.remove(at);
            self.0.hear(place.key(key), RepairCode::EmptyRemoved);
        }
    }
}

fn has(object: &Json<'_>, key: &str) -> bool {
    object.get(key).is_some()
}

/// Gives the last member of a name another one, and says whether there is one.
fn rename(object: &mut Json<'_>, from: &str, to: &'static str) -> bool {
    if let Json::Object(members) = object
        && let Some(at) = members::position(members, from)
    {
        members[at].0 = to.into();
        return true;
    }
    false
}

fn is_question(value: &Json<'_>) -> bool {
    !has(value, "questions") && has(value, "question") && has(value, "options")
}

/// Whether a text is one for people, and not JSON that can't be read.
fn is_plain(text: &str) -> bool {
    !is_blank(text) && !may_be_json(text.trim_start())
}

fn may_be_json(text: &str) -> bool {
    matches!(text.bytes().next(), Some(b'{' | b'[' | b'"'))
}

/// The object or list in a JSON text, which may have been packed more than once: what [`repair`] puts into the place of such a string where
/// one belongs.
#[must_use]
pub fn unpack(text: &str) -> Option<Json<'static>> {
    const MOST_LAYERS: usize = 3;
    let mut layer = text.trim().to_owned();
    for _ in 0..MOST_LAYERS {
        if !may_be_json(&layer) {
            return None;
        }
        let inner = match json_tree::parse_unique(&layer).ok()? {
            Json::Text(inner) => inner.trim().to_owned(),
            value => return Some(value.into_static()),
        };
        layer = inner;
    }
    None
}
