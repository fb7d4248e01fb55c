//! A question as a page of plain HTML, which works without a script, and the answer that a browser posts from it.

use ask_user_question::input::Input;
use ask_user_question::validate::Violation;
use ask_user_question::{AskUserQuestion, Outcome, Question, Reply};
use json_tree::{Json, Members};
use percent_encoding::percent_decode_str;
use question_form::{Form, only_if};
use std::fmt::Write as _;
use std::slice;

/// The style of the pages.
pub const STYLE: &str = include_str!("form_page.css");

/// The script of the pages: they notice when the question is over elsewhere, and hide the questions that are not asked.
pub const SCRIPT: &str = include_str!("form_page.js");

/// The script of the page with the card: a host for it.
pub const CARD_SCRIPT: &str = include_str!("card_page.js");

/// The name of the button that declines.
const DECLINE: &str = "decline";

/// The label of the field of a question without options.
const OPEN: &str = "Your answer";

/// The problem of an answer that says nothing.
const NO_ANSWER: &str = "No option was chosen and no text typed.";

/// An answer that was posted and is none. The page shows it again with what is wrong, so nothing that was typed is lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refused {
    /// What is wrong with all of it.
    problem: Option<String>,
    /// What is wrong with the answers to single questions.
    violations: Vec<Violation>,
    /// The fields as they were posted.
    fields: Json<'static>,
}

impl Refused {
    /// What was posted, refused for a reason that no single question has.
    #[must_use]
    pub fn new(ask: &AskUserQuestion, body: &str, problem: impl Into<String>) -> Self {
        Self { problem: Some(problem.into()), fields: fields(ask, body), ..Self::default() }
    }

    /// The values of a field.
    fn given(&self, name: &str) -> &[Json<'static>] {
        self.fields.get(name).map_or(&[], |value| value.as_list().unwrap_or(slice::from_ref(value)))
    }

    /// What was typed into a field, or what is there from the start.
    fn typed<'a>(&'a self, name: &str, question: &'a Question) -> &'a str {
        match self.given(name).first() {
            Some(given) => given.as_str().unwrap_or_default(),
            None => question.typed().and_then(|input| input.default.as_deref()).unwrap_or_default(),
        }
    }
}

/// The page of a question. `assets` is the path before `/style.css` and `/script.js`, and `refused` the answer that was posted before.
#[must_use]
pub fn page(ask: &AskUserQuestion, assets: &str, refused: Option<&Refused>) -> String {
    let mut body = String::from("<h1>The agent asks</h1>");
    if let Some(problem) = refused.and_then(|refused| refused.problem.as_ref()) {
        alert(&mut body, problem);
    }
    body.push_str(&form(ask, refused.unwrap_or(&Refused::default())));
    document(assets, &body, true)
}

fn alert(body: &mut String, text: &str) {
    put(body, &["<p role=\"alert\">", text, "</p>"]);
}

fn form(ask: &AskUserQuestion, refused: &Refused) -> String {
    let form = Form::of(ask);
    let schema = form.schema(ask);
    let mut body = String::from("<form method=\"post\">");
    for (at, question) in ask.questions.iter().enumerate() {
        let name = field(at);
        let property = schema.get("properties").and_then(|members| members.get(&name));
        let choices = property
            .and_then(|it| it.get("oneOf").or_else(|| it.get("items")?.get("anyOf")))
            .and_then(Json::as_list)
            .unwrap_or_default();
        let kind = if question.multi_select { "checkbox" } else { "radio" };
        body.push_str("<fieldset");
        if let Some((source, answer)) = ask.depends_on(at) {
            put(&mut body, &[" data-if=\"", &field(source), "\""]);
            put(&mut body, &[" data-is=\"", answer, "\""]);
        }
        body.push_str("><legend dir=\"auto\">");
        if let Some(header) = &question.header {
            put(&mut body, &["<small>", header, "</small> "]);
        }
        put(&mut body, &["", &question.text(), "</legend>"]);
        if let Some(condition) = only_if(ask, at) {
            put(&mut body, &["<p dir=\"auto\">", &condition, "</p>"]);
        }
        let place = format!("selections[{at}]");
        for violation in refused.violations.iter().filter(|violation| violation.path.starts_with(&place)) {
            alert(&mut body, &violation.message);
        }
        if question.is_ranking() {
            // No script moves anything here: a field for each place.
            for place in 0..question.options.len() {
                let _ = write!(body, "<label>{} <select name=\"{name}\">", place + 1);
                let chosen = refused.given(&name).get(place).or_else(|| choices.get(place)?.get("const"));
                for choice in choices {
                    let text = |name: &str| choice.get(name).and_then(Json::as_str).unwrap_or_default();
                    let is_chosen = choice.get("const") == chosen;
                    put(
                        &mut body,
                        &["<option value=\"", text("const"), if is_chosen { "\" selected>" } else { "\">" }],
                    );
                    put(&mut body, &["", text("title"), "</option>"]);
                }
                body.push_str("</select></label>");
            }
            body.push_str("</fieldset>");
            continue;
        }
        for (choice, option) in choices.iter().zip(&question.options) {
            let value = choice.get("const").and_then(Json::as_str).unwrap_or_default();
            let is_chosen = refused.given(&name).iter().any(|given| given.as_str() == Some(value));
            let _ = write!(body, "<label dir=\"auto\"><input type=\"{kind}\" name=\"{name}\"");
            put(&mut body, &[" value=\"", value, if is_chosen { "\" checked> <span>" } else { "\"> <span>" }]);
            put(&mut body, &["", &option.label, "</span>"]);
            for (tag, text) in [("small", &option.description), ("pre", &option.preview)] {
                if let Some(text) = text {
                    let _ = write!(body, "<{tag}>");
                    put(&mut body, &["", text, ""]);
                    let _ = write!(body, "</{tag}>");
                }
            }
            body.push_str("</label>");
        }
        if let Some(attributes) = question.typed().and_then(Input::field) {
            let unit = question.input.as_ref().and_then(|input| input.unit.as_deref()).unwrap_or_default();
            let _ = write!(body, "<label>{OPEN} <input name=\"{name}\"");
            let typed = [("value", refused.typed(&name, question))];
            for (attribute, value) in
                attributes.into_iter().chain(typed.into_iter().filter(|(_, typed)| !typed.is_empty()))
            {
                put(&mut body, &[&[" ", attribute, "=\""].concat(), value, "\""]);
            }
            put(&mut body, &["> ", unit, "</label></fieldset>"]);
            continue;
        }
        let (own, label) = if question.options.is_empty() { ("", OPEN) } else { ("_custom", "Other") };
        let _ = write!(body, "<label>{label} <textarea name=\"{name}{own}\" rows=\"1\" dir=\"auto\">");
        // A line break at the beginning would be dropped.
        put(&mut body, &["\n", refused.typed(&(name + own), question), "</textarea></label></fieldset>"]);
    }
    let _ = write!(
        body,
        "<p><button>Submit</button> <button name=\"{DECLINE}\" value=\"1\" formnovalidate>Don’t answer</button></p></form>"
    );
    body
}

/// The name of a question's field.
fn field(question: usize) -> String {
    format!("question_{}", question + 1)
}

/// The page of a question with the card itself, as [`McpBuilder::view`](crate::McpBuilder::view) has it, or with the form where no script runs.
/// `assets` is the path before `/card.html` and `/card.js` as well.
#[must_use]
pub fn card_page(ask: &AskUserQuestion, assets: &str) -> String {
    let json = serde_json::to_string(ask).expect("an ask has only strings for keys");
    // A script ends at the first of these.
    let json = json.replace('<', "\\u003c");
    let body = format!(
        "<iframe title=\"The agent asks\" sandbox=\"allow-scripts\" data-src=\"{assets}/card.html\"></iframe>\
         <script type=\"application/json\" id=\"ask\">{json}</script><script type=\"module\" src=\"{assets}/card.js\"></script>\
         <noscript><h1>The agent asks</h1>{}</noscript>",
        form(ask, &Refused::default())
    );
    document(assets, &body, true)
}

/// The page of a question that is over, with a sentence.
#[must_use]
pub fn closed(assets: &str, sentence: &str) -> String {
    let mut body = String::new();
    put(&mut body, &["<p role=\"status\">", sentence, "</p>"]);
    document(assets, &body, false)
}

fn document(assets: &str, body: &str, watches: bool) -> String {
    let script =
        if watches { format!("<script type=\"module\" src=\"{assets}/script.js\"></script>") } else { String::new() };
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>The agent asks</title><link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"{assets}/style.css\">{script}<main>{body}</main></html>"
    )
}

/// Puts a text between two pieces of markup, escaped.
fn put(out: &mut String, [before, text, after]: &[&str; 3]) {
    out.push_str(before);
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            char => out.push(char),
        }
    }
    out.push_str(after);
}

/// Reads what a browser posted: the fields of the form, or JSON of the card. A question that is not asked after these answers is skipped,
/// whatever its fields say.
///
/// # Errors
/// What was posted, if it is no answer.
pub fn read(ask: &AskUserQuestion, body: &str) -> Result<Outcome, Refused> {
    let no_answer = || Refused::new(ask, body, NO_ANSWER);
    if body.starts_with('{') {
        let json = Json::parse(body).map_err(|_| no_answer())?.into_static();
        return Outcome::from_json(ask, &json).ok_or_else(no_answer);
    }
    let fields = fields(ask, body);
    if fields.get(DECLINE).is_some() {
        return Ok(Outcome::Declined);
    }
    match Reply::check(ask, Form::of(ask).selections(&fields)) {
        Ok(reply) if reply.answers().iter().all(|answer| answer.given.is_skipped()) => Err(no_answer()),
        Ok(reply) => Ok(Outcome::Answered(reply)),
        Err(violations) => {
            let whole = violations.iter().find(|violation| !violation.path.starts_with("selections["));
            Err(Refused { problem: whole.map(|violation| violation.message.clone()), fields, violations })
        }
    }
}

/// The fields of a form as a browser posts them. JSON has none.
fn fields(ask: &AskUserQuestion, body: &str) -> Json<'static> {
    let mut fields = Members::new();
    if body.starts_with('{') {
        return Json::Null;
    }
    for field in body.split('&') {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let (name, value) = (decoded(name), decoded(value));
        match fields.find_mut(&name) {
            // Several boxes have one name.
            Some(Json::List(values)) => values.push(value.into()),
            Some(_) => {}
            None if is_box(ask, &name) => fields.push((name.into(), vec![value].into())),
            None => fields.push((name.into(), value.into())),
        }
    }
    Json::Object(fields)
}

/// Returns true if the field is one of several boxes.
fn is_box(ask: &AskUserQuestion, name: &str) -> bool {
    let number: Option<usize> = name.strip_prefix("question_").and_then(|number| number.parse().ok());
    let question = number.and_then(|number| ask.questions.get(number.checked_sub(1)?));
    question.is_some_and(|question| (question.multi_select || question.is_ranking()) && !question.options.is_empty())
}

/// A name or value as a form writes it. Browsers write line ends as two characters.
fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().replace("\r\n", "\n")
}
