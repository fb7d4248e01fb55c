//! Member names and shapes of other tools, which replace missing members.

use super::lenient::unpacked;
use super::parts::{is_markup, says_nothing};
use super::report::{RepairCode, RepairPlace, Repairer, Reporter};
use crate::case::{folded, lower};
use crate::words::{place, words};
use ask_user_question::input::{Input, InputKind};
use ask_user_question::repairs::{Kind, Member, Of, Stands};
use ask_user_question::text::{CharClass, is_blank};
use json_tree::{Json, WireValue};
use std::mem;

/// A member, and the values that fit it.
pub(super) struct Field {
    name: &'static str,
    /// The folded name, followed by aliases that are used if the member is missing.
    names: &'static str,
    fits: fn(&Json<'_>) -> bool,
    /// The values that fit a key that only contains one of the aliases.
    fits_loosely: fn(&Json<'_>) -> bool,
}

/// An older name of the preview.
pub(super) const PREVIEW: Field = Field { name: "preview", names: "markdown", fits: is_text, fits_loosely: is_text };
/// A list under this name may be options; an object would be the user's answers, which the model must not give.
pub(super) const ANSWERS: Field =
    Field { name: "options", names: "answers", fits: |value| value.as_list().is_some(), fits_loosely: |_| false };
/// Members whose value is true if several options may be chosen.
const SEVERAL: [Field; 3] = [
    Field {
        name: "multiSelect",
        names: "type|kind|mode|select|selection|selectmode|selecttype|selectionmode|selectiontype|choicetype|answertype|\
            inputtype|questiontype|responsetype|widget|variant|cardinality|choose",
        fits: |value| as_flag(value) == Some(true),
        fits_loosely: |_| false,
    },
    Field {
        name: "multiSelect",
        names: "single|issingle|singleselect|singleselection|singlechoice|singleanswer|exclusive|mutuallyexclusive",
        fits: |value| as_flag(value) == Some(false),
        fits_loosely: |_| false,
    },
    Field {
        name: "multiSelect",
        names: "maxselect|maxselectable|maxselected|maxselection|maxselections|maxchoices|maxanswers|maxitems|selectionlimit",
        fits: |value| {
            let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            as_flag(value).is_none() && value.as_str().map_or(matches!(value, Json::Number(_)), is_number)
        },
        fits_loosely: |_| false,
    },
];

/// The folded name of a member, followed by aliases that are used if it is missing. An alias with a star matches any key that contains it.
fn near(member: Member) -> &'static str {
    match member {
        Member::Questions => "questions",
        Member::Question => "question|prompt|text|title|message|query|questiontext",
        Member::Header => "header",
        Member::MultiSelect => {
            "multiselect|multiple|*multiple|*multiselect|*multichoice|*multianswer|*several|*thatapply|multi|ismulti|allowmulti|many|\
                selectmany|allowmany|pickmany|choosemany|checkbox|checkboxes"
        }
        Member::Options => {
            "options|choices|items|suggestions|followup|followups|alternatives|answeroptions|answerchoices|possibleanswers|\
                suggestedanswers|suggestedresponses|quickreplies|buttons"
        }
        Member::Label => {
            "label|text|title|name|value|option|choice|answer|content|displaytext|optiontext|optionlabel|key|id"
        }
        Member::Description => "description|*desc|*detail|*explan|*subtitle|*summary|*hint|*caption|*tooltip|*subtext",
        Member::Preview => "preview",
        _ => "",
    }
}

impl Field {
    pub(super) fn of(member: Member) -> Self {
        let row = member.row();
        let fits: fn(&Json<'_>) -> bool = match row.kind {
            Kind::Key | Kind::Text => is_text,
            Kind::Plain | Kind::Flag => is_plain_value,
            Kind::Input | Kind::Condition => is_some_object,
            Kind::List(Of::Option) => is_some_list,
            Kind::List(_) => |_| true,
        };
        // A text in a member that looks like a flag may be about it, such as `multipleHint`.
        let fits_loosely: fn(&Json<'_>) -> bool =
            if row.kind == Kind::Flag { |value: &Json<'_>| as_flag(value).is_some() } else { fits };
        Self { name: row.name, names: near(row.member), fits, fits_loosely }
    }

    /// The index of the alias that replaces the member, if the member is missing.
    fn stand_in(&self, object: &Json<'_>) -> Option<usize> {
        let members = object.as_object()?;
        if is_said(object, self.name) {
            return None;
        }
        let mut found: Option<(usize, usize)> = None;
        for (at, (key, value)) in members.iter().enumerate() {
            if *key != *self.name
                && let Some(rank) = rank(self.names, key)
                && found.is_none_or(|(first, _)| rank < first)
                && if is_starred(self.names, rank) { (self.fits_loosely)(value) } else { (self.fits)(value) }
            {
                found = Some((rank, at));
            }
        }
        found.map(|(_, at)| at)
    }
}

/// The index of the first folded name that matches a key; a name with a star matches any key that contains it.
fn rank(names: &str, key: &str) -> Option<usize> {
    // Keys may be long, but no name of a member is.
    const LONGEST: usize = 40;
    if key.len() > LONGEST {
        return None;
    }
    let key = folded(key);
    place(names, &mut |name| match name.strip_prefix('*') {
        Some(part) => key.contains(part),
        None => key == name,
    })
}

fn is_starred(names: &str, rank: usize) -> bool {
    words(names).nth(rank).is_some_and(|name| name.starts_with('*'))
}

fn is_among(names: &str, key: &str) -> bool {
    rank(names, key).is_some()
}

/// The kind of member that a member with this name may replace in a question or option.
pub(crate) fn stands(object: Of, key: &str) -> Option<Stands> {
    let others = match object {
        Of::Arguments => return None,
        Of::Question if is_among(ANSWERS.names, key) => return Some(Stands::Needed),
        Of::Question => &SEVERAL[..],
        Of::Option => &[PREVIEW],
    };
    let mut near = object.members().iter().filter(|row| is_among(near(row.member), key)).peekable();
    let is_near = near.peek().is_some() || others.iter().any(|field| is_among(field.names, key));
    match near.any(|row| row.is_needed()) {
        true => Some(Stands::Needed),
        false => is_near.then_some(Stands::Optional),
    }
}

fn is_text(value: &Json<'_>) -> bool {
    value.as_str().is_some_and(|text| !is_blank(text))
}

fn is_plain_value(value: &Json<'_>) -> bool {
    is_text(value) || matches!(value, Json::Number(_) | Json::Bool(_))
}

fn is_some_object(value: &Json<'_>) -> bool {
    matches!(value, Json::Object(_))
}

fn is_some_list(value: &Json<'_>) -> bool {
    match value {
        Json::List(_) | Json::Object(_) => true,
        Json::Text(text) => unpacked(text).is_some() || text.trim().contains('\n') || suggested(text).is_some(),
        _ => false,
    }
}

/// The boolean that a value means: a boolean, 0 or 1, or a word.
pub(crate) fn as_flag(value: &Json<'_>) -> Option<bool> {
    match value {
        Json::Bool(flag) => Some(*flag),
        Json::Number(number) => flag_word(number.text()),
        Json::Text(text) => flag_word(text),
        _ => None,
    }
}

pub(crate) fn flag_word(text: &str) -> Option<bool> {
    // No word for a flag is longer.
    const LONGEST: usize = 20;
    const WORDS: &str = "true|yes|on|1|multi|multiple|many|several|checkbox|checkboxes|checklist|multiselect|multichoice|multianswer|\
        multiselection|multipleselect|multipleselection|multipleanswers|selectmany|selectmultiple|manyof|anyof|\
        false|no|off|0|single|one|radio|singleselect|singlechoice|singleanswer|singleselection|selectone|oneof";
    let mut word = String::new();
    for c in text.trim().chars() {
        if word.len() > LONGEST || word.is_empty() && c == '-' {
            return None;
        }
        if !matches!(c, '-' | '_') {
            word.push(lower(c));
        }
    }
    place(WORDS, &mut |known| known == word).map(|place| place < 22)
}

/// Returns true if an object is a single question: it has a question text and no list of questions.
pub(super) fn is_question(value: &Json<'_>) -> bool {
    let has_field = |field: &Field| is_said(value, field.name) || field.stand_in(value).is_some();
    let has = |member| has_field(&Field::of(member));
    !has(Member::Questions)
        && (value.get(Member::Question.row().name).is_some()
            || has(Member::Question) && (has(Member::Options) || has_field(&ANSWERS)))
}

/// Returns true if an object has the member, neither null nor blank. Models write null or blank values for omitted members.
fn is_said(object: &Json<'_>, name: &str) -> bool {
    object.get(name).is_some_and(|value| !says_nothing(value))
}

impl<R: Reporter> Repairer<'_, R> {
    /// Moves the value of an alias to the missing member.
    pub(super) fn rename(&mut self, object: &mut Json<'_>, place: RepairPlace<'_>, field: &Field) {
        if let Some(at) = field.stand_in(object)
            && let Json::Object(members) = object
        {
            let empty = members.position(field.name);
            let name = mem::replace(&mut members[at].0, field.name.into());
            if let Some(empty) = empty {
                members.remove(empty);
            }
            self.0.report(place.key(&name), RepairCode::RenamedField);
        }
    }

    /// Removes wrapper objects that a model, or a program in between, put around the arguments.
    pub(super) fn unwrap(&mut self, arguments: &mut Json<'_>) {
        const MOST_LAYERS: usize = 3;
        for _ in 0..MOST_LAYERS {
            if Field::of(Member::Questions).stand_in(arguments).is_some()
                || arguments.get(Member::Questions.row().name).is_some()
                || is_question(arguments)
            {
                return;
            }
            let names =
                "input|arguments|parameters|args|params|toolinput|kwargs|function|body|data|request|askuserquestion";
            if !self.take_inner(arguments, names, RepairPlace::Arguments("")) {
                return;
            }
        }
    }

    /// Replaces an object by the value of one of these members, if it has exactly one of them. The value may be packed in a string.
    pub(super) fn take_inner(&mut self, object: &mut Json<'_>, names: &str, place: RepairPlace<'_>) -> bool {
        let Json::Object(members) = object else {
            return false;
        };
        let mut only = None;
        for (key, value) in members.iter_mut() {
            if !is_among(names, key) && value.get(Member::Questions.row().name).is_none() {
                continue;
            }
            let packed = value.as_str().and_then(unpacked).map(|(value, _)| value);
            let opens = packed.is_some() || matches!(value, Json::List(_) | Json::Object(_));
            if opens && only.replace((value, packed)).is_some() {
                return false;
            }
        }
        let Some((value, packed)) = only else {
            return false;
        };
        let inner = packed.unwrap_or_else(|| mem::take(value));
        *object = inner;
        self.0.report(place, RepairCode::Unwrapped);
        true
    }

    /// Removes answers that the model gave in the user's name.
    pub(super) fn drop_answers(&mut self, object: &mut Json<'_>, place: RepairPlace<'_>) {
        let Json::Object(members) = object else {
            return;
        };
        members.retain(|(key, _)| {
            let is_answer =
                is_among("answers|answer|annotations|response|responses|selected|chosen|useranswer|userresponse", key);
            if is_answer {
                self.0.report(place.key(key), RepairCode::AnswersDropped);
            }
            !is_answer
        });
    }

    /// Applies the `type` that other tools give a question, and other hints that several options may be chosen.
    pub(super) fn by_type(&mut self, question: &mut Json<'_>, place: RepairPlace<'_>) {
        let input = question.get(Member::Input.row().name).and_then(Input::of);
        if input.as_ref().is_some_and(|input| input.is_typed() || input.kind == InputKind::YesNo)
            && let Json::Object(members) = &mut *question
            && let Some(at) = members.position(Member::Options.row().name)
            && members[at].1.as_list().is_some_and(<[_]>::is_empty)
        {
            // A question with an input is written without `options`, not with an empty list.
            members.remove(at);
        }
        let kind = question.get("type").and_then(Json::as_str);
        let is_yes_or_no = input.is_some_and(|input| input.kind == InputKind::YesNo)
            || kind.is_some_and(|kind| is_among("yesno|confirm|confirmation|boolean|bool", kind));
        for field in &SEVERAL {
            if let Some(at) = field.stand_in(question)
                && let Json::Object(members) = question
            {
                let (name, _) = mem::replace(&mut members[at], (field.name.into(), Json::Bool(true)));
                self.0.report(place.key(&name), RepairCode::RenamedField);
            }
        }
        if let Json::Object(members) = question
            && is_yes_or_no
            && members.position(Member::Options.row().name).is_none()
        {
            let options = ["Yes", "No"].map(|label| Json::object([("label", Json::Text(label.into()))]));
            members.push((Member::Options.row().name.into(), Json::List(options.into())));
            self.0.report(place.key("type"), RepairCode::YesNo);
        }
    }

    /// Converts an object to a list if its keys number its values from 0 or 1, as some programs between model and tool encode lists, or if all its
    /// values are questions.
    pub(super) fn number_off(&mut self, value: &mut Json<'_>, place: RepairPlace<'_>, fits: fn(&Json<'_>) -> bool) {
        let Json::Object(members) = value else {
            return;
        };
        let counts_from =
            |first: usize| members.iter().zip(first..).all(|((key, _), number)| *key == number.to_string());
        let counts = || (counts_from(0) || counts_from(1)) && members.iter().all(|(_, value)| fits(value));
        let are_questions =
            || members.iter().all(|(key, value)| *key != *Member::Questions.row().name && is_question(value));
        if members.is_empty() || !counts() && !are_questions() {
            return;
        }
        *value = Json::List(mem::take(members).into_iter().map(|(_, value)| value).collect());
        self.0.report(place, RepairCode::NumberedList);
    }

    /// Converts an object or lines of text to a list of options.
    pub(super) fn list_of_options(&mut self, options: &mut Json<'_>, place: RepairPlace<'_>) {
        let (list, code) = match options {
            Json::Object(members) => match map(members) {
                Some(list) => (list, RepairCode::OptionMap),
                None => return,
            },
            Json::Text(text) => match lines(text) {
                Some(list) => (list, RepairCode::OptionLines),
                None => return,
            },
            _ => return,
        };
        *options = Json::List(list);
        self.0.report(place, code);
    }

    /// Converts a label that is a number or boolean to text, exactly as it was written.
    pub(super) fn plain_label(&mut self, label: &mut Json<'_>, place: RepairPlace<'_>) -> bool {
        let text = match label {
            Json::Number(number) => number.text(),
            Json::Bool(true) => "true",
            Json::Bool(false) => "false",
            _ => return false,
        };
        *label = text.into();
        self.0.report(place, RepairCode::PlainOption);
        true
    }
}

/// The options in an object: its keys with texts as descriptions, or options as its values.
fn map<'a>(members: &mut json_tree::Members<'a>) -> Option<Vec<Json<'a>>> {
    let label = Field::of(Member::Label);
    let is_option = |value: &Json<'_>| value.get(label.name).is_some() || label.stand_in(value).is_some();
    let are_options = members.iter().all(|(_, value)| is_option(value));
    let are_texts = members.iter().all(|(_, value)| matches!(value, Json::Text(_) | Json::Null));
    // An object with a label is a single option.
    let is_one = members.iter().any(|(key, _)| is_among("label", key));
    if members.is_empty() || is_one || !are_options && !are_texts {
        return None;
    }
    let mut list = Vec::new();
    for (key, value) in mem::take(members) {
        list.push(match are_options {
            true => value,
            false => Json::object([("label", Json::Text(key)), ("description", value)]),
        });
    }
    Some(list)
}

/// The options in the lines of a text, without bullets if every line has one, or in its tags.
fn lines(text: &str) -> Option<Vec<Json<'static>>> {
    if is_markup(text) {
        return suggested(text);
    }
    let (mut lines, mut have_bullets) = (Vec::new(), true);
    for line in text.split('\n') {
        if !is_blank(line) {
            lines.push(line.trim());
            have_bullets &= without_bullet(line.trim()).is_some();
        }
    }
    let mut options = Vec::new();
    for line in lines {
        let label = without_bullet(line).filter(|_| have_bullets).unwrap_or(line);
        options.push(Json::object([("label", label.into())]));
    }
    (options.len() > 1).then_some(options)
}

/// The options in tags, as in calls of `Roo Code`'s tool: `<suggest>Now</suggest><suggest mode="code">Later</suggest>`.
pub(super) fn suggested(text: &str) -> Option<Vec<Json<'static>>> {
    let (suggestions, _) = text.rsplit_once("</suggest>")?;
    let label = |suggestion: &str| {
        let (_, label) = suggestion.split_once("<suggest")?.1.split_once('>')?;
        Some(Json::object([("label", label.trim().into())]))
    };
    suggestions.split("</suggest>").map(label).collect()
}

pub(crate) fn without_bullet(line: &str) -> Option<&str> {
    const IS_DIGIT: CharClass = |c| c.is_ascii_digit();
    let numbered = line.trim_start_matches(IS_DIGIT);
    let behind = match numbered.len() < line.len() {
        true => numbered.strip_prefix(['.', ')']),
        false => line.strip_prefix(['-', '*', '•', '–']),
    };
    behind?.strip_prefix(' ').map(str::trim_start)
}
