//! Repairs the arguments that models really send.
//!
//! Repair is independent of profiles: it brings arguments into the tool's form and reports each change as data.
//! [`validate`](ask_user_question::validate::validate) then decides if the result is valid; merging an "Other", for example, may leave too few
//! options.

mod lenient;
mod markup;
mod other;
mod parts;
mod report;
mod shapes;

pub use report::{Repair, RepairCode};

pub(crate) use lenient::parsed;
pub(crate) use markup::tag;
pub(crate) use other::{IS_SIGN, meaning};
pub(crate) use shapes::{stands, without_bullet};

use ask_user_question::repairs::{Kind, Meaning, Member, Of};
use ask_user_question::text::is_blank;
use json_tree::Json;
use lenient::{may_be_json, unpacked};
use markup::begin;
use parts::{is_markup, member_mut, says_nothing};
use report::{NoReport, RepairPlace, Repairer, Reporter};
use shapes::{ANSWERS, Field, PREVIEW, as_flag, is_question};
use std::mem;

/// Brings the arguments into the tool's form, and reports each change (the first [`MAX_REPORTED`](ask_user_question::validate::MAX_REPORTED)). Never
/// fails: what can't be repaired is left for [`validate`](ask_user_question::validate::validate).
#[must_use]
pub fn repair<'a>(input: impl Into<Json<'a>>) -> (Json<'a>, Vec<Repair>) {
    let (mut ask, mut repairs) = (input.into(), Vec::new());
    Repairer(&mut repairs).arguments(&mut ask);
    (ask, repairs)
}

/// As [`repair`], without a report, for a card.
pub(crate) fn repair_quietly(input: &mut Json<'_>) {
    Repairer(&mut NoReport).arguments(input);
}

impl<R: Reporter> Repairer<'_, R> {
    fn arguments(&mut self, arguments: &mut Json<'_>) {
        let place = RepairPlace::Arguments("");
        self.unpack(arguments, place);
        // Unwraps a list of a single call.
        if let Json::List(items) = arguments
            && let [only @ Json::Object(_)] = &mut items[..]
            && !is_question(only)
        {
            *arguments = mem::take(only);
            self.0.report(place, RepairCode::Unwrapped);
        }
        self.unwrap(arguments);
        self.number_off(arguments, place, is_question);
        if is_question(arguments) {
            self.0.report(place, RepairCode::SingleQuestion);
            *arguments = Json::List(vec![mem::take(arguments)]);
        } else if let Json::List(_) = arguments {
            self.0.report(place, RepairCode::BareQuestions);
        }
        if let Json::List(_) = arguments {
            *arguments = Json::object([("questions", mem::take(arguments))]);
        }
        self.rename(arguments, place, &Field::of(Member::Questions));
        for row in Of::Arguments.members() {
            match row.kind {
                Kind::Text => {
                    self.remove_empty(arguments, place, row.name);
                    self.trim(arguments, place, row.name);
                }
                Kind::Flag => {
                    self.remove_empty(arguments, place, row.name);
                    self.flag(arguments, place, row.name);
                }
                _ => {}
            }
        }
        if let Some(questions) = member_mut(arguments, "questions") {
            self.questions(questions);
            self.drop_answers(arguments, place);
        }
    }

    fn questions(&mut self, questions: &mut Json<'_>) {
        let place = RepairPlace::Arguments("questions");
        self.unpack(questions, place);
        self.take_inner(questions, "questions", place);
        self.number_off(questions, place, |_| true);
        let code = match questions {
            Json::Object(_) => Some(RepairCode::SingleQuestion),
            _ => make_plain_question(questions).then_some(RepairCode::PlainQuestion),
        };
        if let Some(code) = code {
            self.0.report(place, code);
            *questions = Json::List(vec![mem::take(questions)]);
        }
        let Json::List(questions) = questions else {
            return;
        };
        let are_plain = questions.iter().all(|question| question.as_str().is_some());
        for (q, question) in questions.iter_mut().enumerate() {
            if are_plain && make_plain_question(question) {
                self.0.report(RepairPlace::Question(q, ""), RepairCode::PlainQuestion);
            }
            self.unpack_object(question, RepairPlace::Question(q, ""));
            self.question(question, q);
        }
    }

    fn question(&mut self, question: &mut Json<'_>, q: usize) {
        let place = RepairPlace::Question(q, "");
        self.rename(question, place, &Field::of(Member::Question));
        self.markup(question, place, "question");
        self.markup(question, place, "header");
        self.tidy(question, place, Of::Question);
        self.rename(question, place, &ANSWERS);
        if let Some(options) = member_mut(question, "options") {
            self.unpack(options, place.key("options"));
            self.number_off(options, place.key("options"), |_| true);
            self.list_of_options(options, place.key("options"));
            if let Json::List(options) = options {
                self.options(options, q);
            }
        }
        self.by_type(question, place);
        self.drop_answers(question, place);
    }

    fn options(&mut self, options: &mut Vec<Json<'_>>, q: usize) {
        for (o, option) in options.iter_mut().enumerate() {
            let place = RepairPlace::Option(q, o, "");
            self.option(option, place);
            self.rename(option, place, &PREVIEW);
        }
        let mut o = 0;
        options.retain(|option| {
            let label = option.get("label").and_then(Json::as_str);
            let is_other = label.is_some_and(|label| meaning(label) == Meaning::Other);
            if is_other {
                self.0.report(RepairPlace::Option(q, o, ""), RepairCode::OtherMerged);
            }
            o += 1;
            !is_other
        });
    }

    fn option(&mut self, option: &mut Json<'_>, place: RepairPlace<'_>) {
        self.unpack_object(option, place);
        if option.as_str().is_some() {
            self.0.report(place, RepairCode::PlainOption);
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

    /// Tidies the members of an object: finds them under other names, removes empty ones, trims texts and converts flags.
    fn tidy(&mut self, object: &mut Json<'_>, place: RepairPlace<'_>, kind: Of) {
        for row in kind.members() {
            if row.may_be_absent() {
                self.remove_empty(object, place, row.name);
            }
        }
        for row in kind.members() {
            self.rename(object, place, &Field::of(row.member));
            if row.trims {
                self.trim(object, place, row.name);
            } else if row.kind == Kind::Flag {
                self.flag(object, place, row.name);
            }
        }
    }

    fn unpack(&mut self, value: &mut Json<'_>, place: RepairPlace<'_>) {
        self.unpack_if(value, place, |_| true);
    }

    /// As [`unpack`](Self::unpack), but only for objects, so that a label such as `[x]` stays a label.
    fn unpack_object(&mut self, value: &mut Json<'_>, place: RepairPlace<'_>) {
        self.unpack_if(value, place, |inner| matches!(inner, Json::Object(_)));
    }

    fn unpack_if(&mut self, value: &mut Json<'_>, place: RepairPlace<'_>, fits: fn(&Json<'_>) -> bool) {
        if let Json::Text(text) = value
            && let Some((inner, is_strict)) = unpacked(text)
            && fits(&inner)
        {
            *value = inner;
            self.0.report(place, RepairCode::JsonString);
            if !is_strict {
                self.0.report(place, RepairCode::AlmostJson);
            }
        }
    }

    fn trim(&mut self, object: &mut Json<'_>, place: RepairPlace<'_>, key: &'static str) {
        let Some(Json::Text(text)) = member_mut(object, key) else {
            return;
        };
        let said = text.get(..begin(text, key).unwrap_or(text.len())).unwrap_or_default();
        let code = if said.len() < text.len() { RepairCode::MarkupRemoved } else { RepairCode::Trimmed };
        let trimmed = said.trim();
        if trimmed.len() != text.len() {
            *text = trimmed.to_owned().into();
            self.0.report(place.key(key), code);
        }
    }

    fn flag(&mut self, object: &mut Json<'_>, place: RepairPlace<'_>, key: &'static str) {
        if let Some(flag) = member_mut(object, key)
            && let Some(meant) = as_flag(flag)
            && flag.as_bool().is_none()
        {
            *flag = Json::Bool(meant);
            self.0.report(place.key(key), RepairCode::BooleanText);
        }
    }

    fn remove_empty(&mut self, object: &mut Json<'_>, place: RepairPlace<'_>, key: &str) {
        if let Json::Object(members) = object
            && let Some(at) = members.position(key)
            && says_nothing(&members[at].1)
        {
            members.remove(at);
            self.0.report(place.key(key), RepairCode::EmptyRemoved);
        }
    }
}

fn make_plain_question(value: &mut Json<'_>) -> bool {
    let is_plain = value.as_str().is_some_and(is_plain);
    if is_plain {
        *value = Json::object([("question", mem::take(value)), ("options", Json::List(Vec::new()))]);
    }
    is_plain
}

/// Returns true for readable text, and false for broken JSON or markup.
fn is_plain(text: &str) -> bool {
    !is_blank(text) && !may_be_json(text.trim_start()) && !is_markup(text)
}
