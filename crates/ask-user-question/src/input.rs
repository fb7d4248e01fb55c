//! The kinds of answers other than choices: typed values, rankings, and yes or no. Each kind is one row of a table.

use crate::text::{folded, is_among, is_blank, joined};
use json_tree::{Json, Number, WireValue, codes};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::slice;

/// The members that only numbers and dates may have.
pub(crate) const BOUNDS: [&str; 3] = ["min", "max", "step"];

struct Row {
    /// Names of the kind in other schemas, lower case and without hyphens.
    near: &'static str,
    /// What the answer must be, as told to a model.
    must_be: &'static str,
    family: Family,
    /// The `type` and optional `format` of the value in a JSON Schema.
    schema: (&'static str, Option<&'static str>),
    read: fn(&str) -> Option<Typed>,
}

/// A typed answer, parsed by the kind of its input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Typed {
    /// A text of one or several lines, or an address.
    Text(String),
    /// A number; an integer if the input requires one.
    Number(Number<'static>),
    /// A date, as `2026-11-28`.
    Date(String),
    /// A date and time, such as `2026-11-28T09:30`; local to the user unless it has an offset.
    DateTime(String),
    /// Any JSON value.
    Json(Json<'static>),
}

impl Typed {
    /// The canonical text of the value; parsing it returns the same value.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Date(text) | Self::DateTime(text) => Cow::Borrowed(text),
            Self::Number(number) => Cow::Borrowed(number.text()),
            Self::Json(json) => Cow::Owned(json.text()),
        }
    }

    /// The value as JSON: a string, a number, or the JSON value itself.
    #[must_use]
    pub fn to_json(&self) -> Json<'static> {
        match self {
            Self::Text(text) | Self::Date(text) | Self::DateTime(text) => text.as_str().into(),
            Self::Number(number) => Json::Number(number.clone()),
            Self::Json(json) => json.clone(),
        }
    }

    /// Compares values of one kind. Times are compared as local times, ignoring offsets.
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

/// Groups of kinds with common properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A text of any length.
    Text,
    /// A number, which may have a minimum, a maximum, a step and a unit.
    Number,
    /// A date or time, which may have a minimum and a maximum.
    Time,
    /// Answered by the question's options, not by typing.
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
    /// An e-mail address.
    Email "email" Text "email" "an e-mail address" ("string", Some("email")), email;
    /// An absolute URL.
    Url "url" Text "url|uri|link" "an absolute URL" ("string", Some("uri")), url;
    /// A number.
    Number "number" Number "number|float|decimal" "a number" ("number", None), |text| number(text).map(Typed::Number);
    /// A whole number.
    Integer "integer" Number "integer|int" "a whole number" ("integer", None), |text| integer(text).map(Typed::Number);
    /// A date, as `2026-11-28`.
    Date "date" Time "date" "a date such as 2026-11-28" ("string", Some("date")), date;
    /// A date and time, such as `2026-11-28T09:30`; local to the user unless it has an offset.
    DateTime "datetime" Time "datetime|datetimelocal" "a date and time such as 2026-11-28T09:30" ("string", Some("date-time")), date_time;
    /// Any JSON.
    Json "json" Text "json" "JSON" ("string", None), json;
    /// A ranking of all options, the first one first.
    Rank "rank" Options "rank|ranking|ranked|order" "every option once, in order" ("string", None), |_| None;
    /// Yes or no: the first of two options means yes.
    YesNo "boolean" Options "boolean|bool|yesno|confirm|confirmation" "one of the two options" ("string", None), |_| None;
    /// One of the options, without own words. Used for members of a form; models are not offered it.
    Choice "choice" Options "choice" "one of the options" ("string", None), |_| None;
    /// A decision on a call of the agent: run it unchanged, with changes, or not at all, with own words as the reason. Used for interrupts; models
    /// are not offered it.
    Approval "approval" Options "approval" "one of the options" ("string", None), |_| None;
}

impl InputKind {
    pub(crate) fn offered() -> Vec<&'static str> {
        Self::ALL.iter().take(Self::Choice as usize).map(|kind| kind.as_str()).collect()
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The group of this kind.
    #[must_use]
    pub fn family(self) -> Family {
        self.row().family
    }

    /// The `type` and optional `format` of the value in a JSON Schema. For a kind with options it is a string.
    #[must_use]
    pub fn schema(self) -> (&'static str, Option<&'static str>) {
        self.row().schema
    }

    /// The kind with this name, or with this alias from another schema.
    fn near(word: &str) -> Option<Self> {
        let word = folded(word);
        Self::ALL.iter().copied().find(|kind| is_among(kind.row().near, &word))
    }
}

/// A typed or restricted answer that a question asks for instead of a choice.
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
    /// The minimum of a number or date.
    pub min: Option<String>,
    /// The maximum of a number or date.
    pub max: Option<String>,
    /// The step of a number, counted from `min` or 0.
    pub step: Option<String>,
    /// The unit of a number, shown beside it.
    pub unit: Option<String>,
    /// The initial text; for a [`Choice`](InputKind::Choice) or a yes or no, the label that is initially chosen.
    pub default: Option<String>,
    /// A JSON Schema for JSON or a text. Only `type`, `enum`, `items`, `properties`, `required` and the minimum and maximum of items and characters
    /// are checked. A `pattern` is left to the agent, since an untrusted pattern may take unbounded time.
    pub schema: Option<Json<'static>>,
}

/// Why a typed text is not a valid answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// The text can't be parsed as this kind.
    Unreadable,
    /// Below the minimum.
    TooLow,
    /// Above the maximum.
    TooHigh,
    /// Not on a step.
    OffStep,
    /// Does not match the [schema](Input::schema).
    Misfit,
}

impl Input {
    /// Creates an input without limits.
    #[must_use]
    pub fn new(kind: InputKind) -> Self {
        Self { kind, min: None, max: None, step: None, unit: None, default: None, schema: None }
    }

    /// Sets the minimum of a number or date.
    #[must_use]
    pub fn with_min(mut self, min: impl Into<String>) -> Self {
        self.min = Some(min.into());
        self
    }

    /// Sets the maximum of a number or date.
    #[must_use]
    pub fn with_max(mut self, max: impl Into<String>) -> Self {
        self.max = Some(max.into());
        self
    }

    /// Sets the step of a number.
    #[must_use]
    pub fn with_step(mut self, step: impl Into<String>) -> Self {
        self.step = Some(step.into());
        self
    }

    /// Sets the unit of a number.
    #[must_use]
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Sets the initial text or label.
    #[must_use]
    pub fn with_default(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Sets a JSON Schema for JSON or a text.
    #[must_use]
    pub fn with_schema(mut self, schema: Json<'static>) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Returns true if the answer is typed instead of chosen from options.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        self.kind.family() != Family::Options
    }

    /// Returns true if only the question's options are accepted, without own words: for a ranking, a [`Choice`](InputKind::Choice), and a yes or no
    /// with a default.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match self.kind {
            InputKind::Rank | InputKind::Choice => true,
            kind => kind == InputKind::YesNo && self.default.is_some(),
        }
    }

    /// The attributes of the HTML input: `type` and related ones. `None` for plain text.
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
            // Numeric keyboards on some phones have no minus key.
            if self.min.as_ref().is_some_and(|min| !min.starts_with('-')) {
                field.push(("inputmode", if is_whole { "numeric" } else { "decimal" }));
            }
        }
        Some(field)
    }

    /// Parses and validates a typed text.
    ///
    /// # Errors
    /// The reason why the text is not a valid answer.
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

    /// The text that a user would type for a JSON value.
    #[must_use]
    pub fn spelled(&self, value: &Json<'_>) -> String {
        if self.kind == InputKind::Json { value.text() } else { value.plain_text() }
    }

    /// Parses a text of this kind without checking limits.
    pub(crate) fn read(&self, text: &str) -> Option<Typed> {
        (self.kind.row().read)(text)
    }

    /// The faults because of which no answer could be valid, each with its member.
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

    /// Returns true for a number on a step. Numbers with too many digits for 64 bits always pass.
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

    /// Explains an invalid text to a model or client.
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

/// Also reads the forms of other schemas: `string` with a `format`, `minimum`, `multipleOf`.
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

/// Validates a value against the supported keywords of a JSON Schema. References are ignored.
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

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_whitespace)
}

/// Splits a text at the first matching ASCII byte. `str::split_once` with a pattern would add ten times as much code to a page.
fn cut(text: &str, at: fn(u8) -> bool) -> Option<(&str, &str)> {
    let end = text.bytes().position(at)?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// Parses a number as HTML inputs do: also with a plus sign, leading zeros, or no digit before the point.
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

/// Returns true for hours and minutes such as `09:30`.
fn is_clock(text: &str) -> bool {
    cut(text, |byte| byte == b':').is_some_and(|(hours, minutes)| {
        numeral(hours, 2).is_some_and(|hours| hours < 24) && numeral(minutes, 2).is_some_and(|minutes| minutes < 60)
    })
}

/// Returns true for an empty text, or for seconds such as `:05` or `:05.25`.
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
