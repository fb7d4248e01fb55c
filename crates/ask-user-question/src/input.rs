//! The kinds of answers beside choices: those that are typed, a ranking, and a yes or no. Each is a row of one table.

use crate::text::{folded, is_among, is_blank, joined};
use json_tree::{Json, Number, WireValue, codes};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::slice;

/// The members that a number or a date may be given for.
pub(crate) const BOUNDS: [&str; 3] = ["min", "max", "step"];

/// All that is to be known of a kind.
struct Row {
    /// Its names in other schemas, without case and hyphens.
    near: &'static str,
    /// What a model is told that the answer must be.
    must_be: &'static str,
    family: Family,
    /// The `type` of its value in a JSON Schema, and the `format` if it has one.
    schema: (&'static str, Option<&'static str>),
    /// Reads a typed text.
    read: fn(&str) -> Option<Typed>,
}

/// What was typed where a question asks for that, with the type of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Typed {
    /// Text of one line or several, and addresses.
    Text(String),
    /// A number, whole if that was asked for.
    Number(Number<'static>),
    /// A date, as `2026-11-28`.
    Date(String),
    /// A date and a time, as `2026-11-28T09:30`: the user's own, unless an offset is written.
    DateTime(String),
    /// Any JSON.
    Json(Json<'static>),
}

impl Typed {
    /// The text in the spelling of its kind, from which it is read again.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Date(text) | Self::DateTime(text) => Cow::Borrowed(text),
            Self::Number(number) => Cow::Borrowed(number.text()),
            Self::Json(json) => Cow::Owned(json.text()),
        }
    }

    /// The value with its JSON type: a text, a number, or the JSON itself.
    #[must_use]
    pub fn to_json(&self) -> Json<'static> {
        match self {
            Self::Text(text) | Self::Date(text) | Self::DateTime(text) => text.as_str().into(),
            Self::Number(number) => Json::Number(number.clone()),
            Self::Json(json) => json.clone(),
        }
    }

    /// Times are compared as they are written, whatever their offsets.
    fn order(&self, other: &Self) -> Ordering {
        const MINUTES: usize = "2026-11-28T09:30".len();
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.cmp(other),
            (Self::Date(one), Self::Date(other)) | (Self::DateTime(one), Self::DateTime(other)) => {
                one.bytes().take(MINUTES).cmp(other.bytes().take(MINUTES))
            }
            _ => Ordering::Equal,
        }
    }
}

/// What kinds have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A text of any length.
    Text,
    /// A number, which may have bounds, a step and a unit.
    Number,
    /// A date, which may have bounds.
    Time,
    /// Answered by the question's options, and not typed.
    Options,
}

macro_rules! kinds {
    ($( $(#[$doc:meta])* $kind:ident $word:literal $family:ident $near:literal $must_be:literal $schema:expr, $read:expr; )*) => {
        codes! {
            /// The kinds of answers that a question may ask for instead of a choice.
            #[non_exhaustive]
            InputKind {
                $( $(#[$doc])* $kind $word, )*
            }
        }

        static ROWS: [Row; InputKind::ALL.len()] =
            [$( Row { near: $near, must_be: $must_be, family: Family::$family, schema: $schema, read: $read } ),*];
    };
}

kinds! {
    /// One line of text.
    Text "text" Text "text|string|line|shorttext" "a text" ("string", None), text;
    /// A text of several lines.
    Lines "lines" Text "lines|multiline|textarea|longtext" "a text" ("string", None), text;
    /// An address for e-mail.
    Email "email" Text "email" "an e-mail address" ("string", Some("email")), email;
    /// An absolute URL.
    Url "url" Text "url|uri|link" "an absolute URL" ("string", Some("uri")), url;
    /// A number.
    Number "number" Number "number|float|decimal" "a number" ("number", None), |text| number(text).map(Typed::Number);
    /// A whole number.
    Integer "integer" Number "integer|int" "a whole number" ("integer", None), |text| integer(text).map(Typed::Number);
    /// A date, as `2026-11-28`.
    Date "date" Time "date" "a date such as 2026-11-28" ("string", Some("date")), date;
    /// A date and a time, as `2026-11-28T09:30`: the user's own, unless an offset is written.
    DateTime "datetime" Time "datetime|datetimelocal" "a date and time such as 2026-11-28T09:30" ("string", Some("date-time")), date_time;
    /// Any JSON.
    Json "json" Text "json" "JSON" ("string", None), json;
    /// The order of all options, the first one first.
    Rank "rank" Options "rank|ranking|ranked|order" "every option once, in order" ("string", None), |_| None;
    /// A yes or no: the first of two options is the yes.
    YesNo "boolean" Options "boolean|bool|yesno|confirm|confirmation" "one of the two options" ("string", None), |_| None;
    /// One of the options, in no other words. A form has such members; models are not offered it.
    Choice "choice" Options "choice" "one of the options" ("string", None), |_| None;
    /// The decision on a call of the agent's: as it is, with changes, or not, for which own words are the reason. Interrupts ask for it;
    /// models are not offered it.
    Approval "approval" Options "approval" "one of the options" ("string", None), |_| None;
}

impl InputKind {
    /// Those that models may ask for.
    pub(crate) fn offered() -> Vec<&'static str> {
        Self::ALL.iter().take(Self::Choice as usize).map(|kind| kind.as_str()).collect()
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// What it has in common with others.
    #[must_use]
    pub fn family(self) -> Family {
        self.row().family
    }

    /// The `type` of its value in a JSON Schema, and the `format` if it has one. An option is a string, whatever it stands for.
    #[must_use]
    pub fn schema(self) -> (&'static str, Option<&'static str>) {
        self.row().schema
    }

    /// The kind of this name, or of a name that other schemas have for it.
    fn near(word: &str) -> Option<Self> {
        let word = folded(word);
        Self::ALL.iter().copied().find(|kind| is_among(kind.row().near, &word))
    }
}

/// What a question asks for instead of a choice.
///
/// ```
/// use ask_user_question::input::{Flaw, Input, InputKind};
/// let port = Input::new(InputKind::Integer).with_min("1024").with_max("65535");
/// assert_eq!(port.value("8080").map(|typed| typed.to_json()), Ok(8080.into()));
/// assert_eq!(port.value("80"), Err(Flaw::TooLow));
/// assert_eq!(port.value("http"), Err(Flaw::Unreadable));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// The kind of answer.
    pub kind: InputKind,
    /// The least number, or the first date.
    pub min: Option<String>,
    /// The greatest number, or the last date.
    pub max: Option<String>,
    /// The distance between two numbers, counted from `min` or 0.
    pub step: Option<String>,
    /// The unit of a number, to be shown beside it.
    pub unit: Option<String>,
    /// What is typed already, for the user to change; of a [`Choice`](InputKind::Choice) or a yes or no, the label that is chosen already.
    pub default: Option<String>,
    /// What JSON or a text must be like, as a JSON Schema, of which these count: `type`, `enum`, `items`, `properties`, `required`, and the least
    /// and most of items and of characters. A `pattern` is for the agent to judge: matching one of a stranger's can take for ever.
    pub schema: Option<Json<'static>>,
}

/// Why a typed text is no answer of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// It is of another kind.
    Unreadable,
    /// It is under the minimum, or before the first date.
    TooLow,
    /// It is over the maximum, or after the last date.
    TooHigh,
    /// It is between two steps.
    OffStep,
    /// It does not fit the [schema](Input::schema).
    Misfit,
}

impl Input {
    /// An answer of this kind without bounds.
    #[must_use]
    pub fn new(kind: InputKind) -> Self {
        Self { kind, min: None, max: None, step: None, unit: None, default: None, schema: None }
    }

    /// The same with this least number or first date.
    #[must_use]
    pub fn with_min(mut self, min: impl Into<String>) -> Self {
        self.min = Some(min.into());
        self
    }

    /// The same with this greatest number or last date.
    #[must_use]
    pub fn with_max(mut self, max: impl Into<String>) -> Self {
        self.max = Some(max.into());
        self
    }

    /// The same in steps of this number.
    #[must_use]
    pub fn with_step(mut self, step: impl Into<String>) -> Self {
        self.step = Some(step.into());
        self
    }

    /// The same in this unit.
    #[must_use]
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// The same with this text to begin with.
    #[must_use]
    pub fn with_default(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// The same for JSON or a text that fits this JSON Schema.
    #[must_use]
    pub fn with_schema(mut self, schema: Json<'static>) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Returns true if the answer is typed, and not made of the question's options.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        self.kind.family() != Family::Options
    }

    /// Returns true if the answer is made of the question's options in no other words: a ranking, a [`Choice`](InputKind::Choice), and a yes
    /// or no that is answered from the start.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match self.kind {
            InputKind::Rank | InputKind::Choice => true,
            kind => kind == InputKind::YesNo && self.default.is_some(),
        }
    }

    /// The attributes of the browser's own field for what is typed: `type` and those that go with it; none for plain text.
    #[must_use]
    pub fn field(&self) -> Option<Vec<(&'static str, &str)>> {
        let kind = match self.kind {
            InputKind::Email => "email",
            InputKind::Url => "url",
            InputKind::Number | InputKind::Integer => "number",
            InputKind::Date => "date",
            InputKind::DateTime => "datetime-local",
            _ => return None,
        };
        let mut field = vec![("type", kind)];
        for (name, bound) in [("min", &self.min), ("max", &self.max)] {
            field.extend(bound.as_deref().map(|bound| (name, bound)));
        }
        if self.kind.family() == Family::Number {
            let is_whole = self.kind == InputKind::Integer;
            field.push(("step", self.step.as_deref().unwrap_or(if is_whole { "1" } else { "any" })));
            // The keys of these have no minus on some phones.
            if self.min.as_ref().is_some_and(|min| !min.starts_with('-')) {
                field.push(("inputmode", if is_whole { "numeric" } else { "decimal" }));
            }
        }
        Some(field)
    }

    /// Reads a typed text.
    ///
    /// # Errors
    /// Why it is no answer of this kind.
    pub fn value(&self, typed: &str) -> Result<Typed, Flaw> {
        let value = self.read(typed).ok_or(Flaw::Unreadable)?;
        if self.kind.family() == Family::Text {
            let is_misfit = self.schema.as_ref().is_some_and(|schema| !fits(&value.to_json(), schema));
            return if is_misfit { Err(Flaw::Misfit) } else { Ok(value) };
        }
        let bound = |bound: &Option<String>| self.read(bound.as_deref()?);
        let (min, max) = (bound(&self.min), bound(&self.max));
        if min.as_ref().is_some_and(|min| value.order(min) == Ordering::Less) {
            Err(Flaw::TooLow)
        } else if max.is_some_and(|max| value.order(&max) == Ordering::Greater) {
            Err(Flaw::TooHigh)
        } else if !self.is_on_step(&value, min) {
            Err(Flaw::OffStep)
        } else {
            Ok(value)
        }
    }

    /// The text that a user would type for a value, and from which it is read again.
    #[must_use]
    pub fn spelled(&self, value: &Json<'_>) -> String {
        if self.kind == InputKind::Json { value.text() } else { value.plain_text() }
    }

    /// Reads a text of this kind, whatever its bounds are.
    pub(crate) fn read(&self, text: &str) -> Option<Typed> {
        (self.kind.row().read)(text)
    }

    /// The faults that leave no possible answer, each with its member.
    pub(crate) fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let family = self.kind.family();
        for (name, bound) in [("min", &self.min), ("max", &self.max)] {
            match bound.as_deref().map(|bound| self.read(bound)) {
                Some(_) if matches!(family, Family::Text | Family::Options) => {
                    faults.push((name, format!("`{name}` is for numbers and dates.")));
                }
                Some(None) => faults.push((name, format!("`{name}` must be {}.", self.must_be()))),
                _ => {}
            }
        }
        let bound = |bound: &Option<String>| self.read(bound.as_deref()?);
        if let (Some(min), Some(max)) = (bound(&self.min), bound(&self.max))
            && min.order(&max) == Ordering::Greater
        {
            faults.push(("min", "`min` is above `max`, so that no answer is possible.".to_owned()));
        }
        for (name, value) in [("step", &self.step), ("unit", &self.unit)] {
            if value.is_some() && family != Family::Number {
                faults.push((name, format!("`{name}` is for numbers.")));
            }
        }
        match self.default.as_deref().map(|default| self.value(default)) {
            Some(_) if family == Family::Options => {
                faults.push(("default", "`default` is for what is typed.".to_owned()));
            }
            Some(Err(flaw)) => faults.push(("default", "`default` is no answer. ".to_owned() + &self.sentence(flaw))),
            _ => {}
        }
        if let Some(step) = &self.step
            && number(step).is_none_or(|step| step <= 0_u64.into())
        {
            faults.push(("step", "`step` must be a number above 0.".to_owned()));
        }
        faults
    }

    /// A number whose digits cannot be counted in 64 bits is not held to a step.
    fn is_on_step(&self, value: &Typed, min: Option<Typed>) -> bool {
        let Some(step) = self.step.as_deref().and_then(number) else {
            return true;
        };
        let (value, step) = (value.text(), step.text());
        let base = min.as_ref().map_or(Cow::Borrowed("0"), Typed::text);
        let places =
            [&*value, step, &*base].map(|text| cut(text, |byte| byte == b'.').map_or(0, |(_, places)| places.len()));
        let places = places[0].max(places[1]).max(places[2]);
        let whole = |text: &str| match Json::parse(&(text.to_owned() + "e" + &places.to_string())) {
            Ok(Json::Number(number)) => number.as_whole(),
            _ => None,
        };
        match (whole(&value), whole(&base), whole(step)) {
            (Some(value), Some(base), Some(step @ 1..)) => value.checked_sub(base).is_none_or(|far| far % step == 0),
            _ => true,
        }
    }

    /// The sentence about a text that is no answer, for a model or a client.
    pub(crate) fn sentence(&self, flaw: Flaw) -> String {
        let limit = |limit: &Option<String>| limit.clone().unwrap_or_default();
        match flaw {
            Flaw::Unreadable => format!("The answer must be {}.", self.must_be()),
            Flaw::TooLow => format!("The answer must not be less than {}.", limit(&self.min)),
            Flaw::TooHigh => format!("The answer must not be more than {}.", limit(&self.max)),
            Flaw::OffStep => format!("The answer must be in steps of {}.", limit(&self.step)),
            Flaw::Misfit => {
                let schema = self.schema.as_ref().map(Json::text).unwrap_or_default();
                "The answer must fit the JSON Schema ".to_owned() + &schema
            }
        }
    }

    pub(crate) fn must_be(&self) -> &'static str {
        self.kind.row().must_be
    }
}

/// What other schemas say is understood too: `string` with a `format`, `minimum`, `multipleOf`.
impl WireValue for Input {
    fn of(json: &Json<'_>) -> Option<Self> {
        let word = |name: &str| InputKind::near(json.string(name)?);
        let kind = match json {
            Json::Text(word) => InputKind::near(word),
            _ => word("format").or_else(|| word("type")),
        }?;
        let said = |names: &[&str]| {
            let text = match names.iter().find_map(|name| json.get(name))? {
                Json::Text(text) => text.trim().to_owned(),
                Json::Number(number) => number.text().to_owned(),
                _ => return None,
            };
            (!is_blank(&text)).then_some(text)
        };
        Some(Self {
            kind,
            min: said(&["min", "minimum"]),
            max: said(&["max", "maximum"]),
            step: said(&["step", "multipleOf"]),
            unit: said(&["unit"]),
            default: match kind {
                InputKind::Json => json.get("default").map(Json::text),
                _ => said(&["default"]),
            },
            schema: json.get("schema").map(|schema| schema.clone().into_static()),
        })
    }

    fn write(&self) -> Option<Json<'static>> {
        let said = |text: &Option<String>| {
            let text = text.as_deref()?;
            let number = if self.kind.family() == Family::Number { number(text) } else { None };
            Some(number.map_or_else(|| text.into(), Json::Number))
        };
        Some(Json::object_of(&mut [
            ("type", Some(self.kind.as_str().into())),
            ("min", said(&self.min)),
            ("max", said(&self.max)),
            ("step", said(&self.step)),
            ("unit", self.unit.as_deref().map(Json::from)),
            ("schema", self.schema.clone()),
            (
                "default",
                self.default
                    .as_deref()
                    .map(|text| self.read(text).map_or_else(|| text.into(), |typed| typed.to_json())),
            ),
        ]))
    }
}

impl Serialize for Input {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        Self::of(&json).ok_or_else(|| de::Error::custom("no kind of answer"))
    }
}

/// Returns true if a value fits what a JSON Schema says of its type, its members, its items and its text. A reference says nothing here.
fn fits(value: &Json<'_>, schema: &Json<'_>) -> bool {
    let is_of = |kind: &Json<'_>| match kind.as_str() {
        Some("object") => value.as_object().is_some(),
        Some("array") => value.as_list().is_some(),
        Some("string") => value.as_str().is_some(),
        Some("boolean") => value.as_bool().is_some(),
        Some("null") => *value == Json::Null,
        Some("integer") => matches!(value, Json::Number(number) if number.as_whole().is_some()),
        Some("number") => matches!(value, Json::Number(_)),
        _ => true,
    };
    let list = |name: &str| schema.get(name).and_then(Json::as_list);
    let kind = schema.get("type").is_none_or(|kind| kind.as_list().unwrap_or(slice::from_ref(kind)).iter().any(is_of));
    let is_listed = list("enum").is_none_or(|values| values.contains(value));
    let items = value.as_list().unwrap_or_default();
    let are_items = schema.get("items").is_none_or(|schema| items.iter().all(|item| fits(item, schema)));
    let mut members = value.as_object().into_iter().flatten();
    let described = |name: &str| schema.get("properties").and_then(|properties| properties.get(name));
    let are_members = members.all(|(name, value)| described(name).is_none_or(|schema| fits(value, schema)));
    let has = |name: &Json<'_>| name.as_str().is_none_or(|name| value.get(name).is_some());
    let has_all = value.as_object().is_none() || list("required").unwrap_or_default().iter().all(has);
    let bound = |name: &str| schema.get(name).and_then(Json::as_index);
    let is_within = |least: &str, most: &str, size: usize| {
        bound(least).is_none_or(|least| least <= size) && bound(most).is_none_or(|most| size <= most)
    };
    let is_sized = value.as_list().is_none_or(|items| is_within("minItems", "maxItems", items.len()));
    let is_worded = value.as_str().is_none_or(|text| is_within("minLength", "maxLength", text.chars().count()));
    kind && is_listed && are_items && are_members && has_all && is_sized && is_worded
}

fn text(text: &str) -> Option<Typed> {
    (!is_blank(text)).then(|| Typed::Text(text.to_owned()))
}

fn json(text: &str) -> Option<Typed> {
    Some(Typed::Json(Json::parse(text).ok()?.into_static()))
}

fn email(text: &str) -> Option<Typed> {
    let text = text.trim();
    let (name, host) = cut(text, |byte| byte == b'@')?;
    let is_host =
        is_word(host) && !host.starts_with('.') && !host.ends_with('.') && cut(host, |byte| byte == b'@').is_none();
    (is_word(name) && is_host).then(|| Typed::Text(text.to_owned()))
}

fn url(text: &str) -> Option<Typed> {
    let text = text.trim();
    let (scheme, rest) = cut(text, |byte| byte == b':')?;
    let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        && scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    (is_scheme && is_word(rest) && rest.bytes().any(|byte| byte != b'/')).then(|| Typed::Text(text.to_owned()))
}

/// Returns true for any text without white space.
fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_whitespace)
}

/// Splits a text at the first of these ASCII bytes. `str::split_once` with a pattern is ten times as large in a page.
fn cut(text: &str, at: fn(u8) -> bool) -> Option<(&str, &str)> {
    let end = text.bytes().position(at)?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// Reads a number as fields of browsers do: with a sign, with leading zeros, or with nothing before the point.
fn number(text: &str) -> Option<Number<'static>> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if !matches!(digits.bytes().next(), Some(b'0'..=b'9' | b'.')) {
        return None;
    }
    let zeros = digits.bytes().take_while(|byte| *byte == b'0').count();
    let digits = digits.get(zeros..)?;
    let zero = if matches!(digits.bytes().next(), Some(b'1'..=b'9')) { "" } else { "0" };
    match Json::parse(&joined(&[sign, zero, digits], "")) {
        Ok(Json::Number(number)) => Some(number.into_static()),
        _ => None,
    }
}

fn integer(text: &str) -> Option<Number<'static>> {
    let number = number(text)?;
    number.as_whole().map(Number::from).or_else(|| number.as_u64().map(Number::from))
}

fn date(text: &str) -> Option<Typed> {
    let text = text.trim();
    is_date(text).then(|| Typed::Date(text.to_owned()))
}

fn date_time(text: &str) -> Option<Typed> {
    let text = text.trim();
    let (date, time) = cut(text, |byte| matches!(byte, b'T' | b't' | b' '))?;
    let is_offset = |byte| matches!(byte, b'Z' | b'z' | b'+' | b'-');
    let at = time.bytes().position(is_offset).unwrap_or(time.len());
    let (time, offset) = time.split_at_checked(at)?;
    let is_offset = match offset.split_at_checked(1) {
        Some(("+" | "-", offset)) => is_clock(offset),
        Some((_, rest)) => rest.is_empty(),
        None => true,
    };
    let (minutes, seconds) = time.split_at_checked(5).unwrap_or((time, ""));
    let is_time = is_clock(minutes) && is_seconds(seconds);
    (is_date(date) && is_time && is_offset).then(|| Typed::DateTime(date.to_owned() + "T" + time + offset))
}

fn is_date(text: &str) -> bool {
    let is_dash = |byte| byte == b'-';
    let parts = cut(text, is_dash).and_then(|(year, rest)| {
        let (month, day) = cut(rest, is_dash)?;
        Some((numeral(year, 4)?, numeral(month, 2)?, numeral(day, 2)?))
    });
    let Some((year, month, day)) = parts else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day)
}

/// Returns true for hours and minutes, as `09:30`.
fn is_clock(text: &str) -> bool {
    cut(text, |byte| byte == b':').is_some_and(|(hours, minutes)| {
        numeral(hours, 2).is_some_and(|hours| hours < 24) && numeral(minutes, 2).is_some_and(|minutes| minutes < 60)
    })
}

/// Returns true for no seconds, or seconds as `:05` or `:05.25`.
fn is_seconds(text: &str) -> bool {
    let Some(seconds) = text.strip_prefix(':') else {
        return text.is_empty();
    };
    let (seconds, fraction) = cut(seconds, |byte| byte == b'.').unwrap_or((seconds, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_fraction && numeral(seconds, 2).is_some_and(|seconds| seconds < 60)
}

fn numeral(digits: &str, length: usize) -> Option<u32> {
    if digits.len() != length {
        return None;
    }
    digits.bytes().try_fold(0, |sum, byte| Some(sum * 10 + char::from(byte).to_digit(10)?))
}
