//! A question as a page of plain HTML, which works without a script, and the answer that a browser posts from it.

use ask_user_question::attachment::{Attachment, FileFlaw, FileLimits};
use ask_user_question::input::{Input, InputKind};
use ask_user_question::validate::Violation;
use ask_user_question::{AskUserQuestion, Outcome, Question, Reply};
use json_tree::{Json, Members};
use percent_encoding::percent_decode_str;
use question_form::{Form, only_if};
use std::fmt::Write as _;
use std::slice;

/// The style of the pages.
pub const STYLE: &str = include_str!("form_page.css");

/// The script of the pages. It notices when the question has ended elsewhere, hides the questions that are not asked, and sends each file by `POST
/// ADDRESS/files?name=NAME&type=TYPE`. The response to that is the [`Attachment`], or an object with a `message`.
pub const SCRIPT: &str = include_str!("form_page.js");

/// The script of the page with the card, for which it is the host.
pub const CARD_SCRIPT: &str = include_str!("card_page.js");

/// The name of the button Decline.
const DECLINE: &str = "decline";

/// The label of the field of a question without options.
const OPEN: &str = "Your answer";

/// The message for an empty answer.
const NO_ANSWER: &str = "No option was chosen and no text typed.";

/// The suffix of the name of a question's fields for the files that the host has.
const KEPT: &str = "_kept";

/// What a browser posted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posted {
    /// The fields as `application/x-www-form-urlencoded`, or the JSON of the card.
    pub body: String,
    /// The files that the host has, each with the index of its question.
    pub files: Vec<(usize, Attachment)>,
    /// The reasons why the host has refused other files, with paths such as `selections[0].attachments`.
    pub refused: Vec<Violation>,
}

impl From<&str> for Posted {
    fn from(body: &str) -> Self {
        Self { body: body.to_owned(), ..Self::default() }
    }
}

/// A refused answer. The page shows it again with the reasons, so that nothing that was typed is lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refused {
    /// The reason for which the whole answer is refused.
    problem: Option<String>,
    /// The reasons that concern single questions.
    violations: Vec<Violation>,
    /// The fields as they were posted.
    fields: Json<'static>,
    /// The files that the host has.
    files: Vec<(usize, Attachment)>,
}

impl Refused {
    /// An answer that is refused for a reason that no single question has.
    #[must_use]
    pub fn new(ask: &AskUserQuestion, posted: &Posted, problem: impl Into<String>) -> Self {
        let Posted { body, files, refused } = posted.clone();
        Self { problem: Some(problem.into()), violations: refused, fields: fields(ask, &body), files }
    }

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

/// The page of a question. `assets` is the path before `/style.css` and `/script.js`, `takes` are the limits of the files that
/// the host takes with an answer, and `refused` is the answer that was posted before.
#[must_use]
pub fn page(ask: &AskUserQuestion, assets: &str, takes: Option<&FileLimits>, refused: Option<&Refused>) -> String {
    let mut body = String::from("<h1>The agent asks</h1>");
    if let Some(problem) = refused.and_then(|refused| refused.problem.as_ref()) {
        alert(&mut body, problem);
    }
    body.push_str(&form(ask, takes, refused.unwrap_or(&Refused::default())));
    document(assets, &body, true)
}

fn alert(body: &mut String, text: &str) {
    put(body, &["<p role=\"alert\">", text, "</p>"]);
}

fn form(ask: &AskUserQuestion, takes: Option<&FileLimits>, refused: &Refused) -> String {
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
            // This page works without a script, so each place of the ranking has a field.
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
            let _ = write!(body, "<label><input type=\"{kind}\" name=\"{name}\"");
            put(
                &mut body,
                &[
                    " value=\"",
                    value,
                    if is_chosen { "\" checked> <span dir=\"auto\">" } else { "\"> <span dir=\"auto\">" },
                ],
            );
            put(&mut body, &["", &option.label, "</span>"]);
            for (tag, text) in [("small", &option.description), ("pre", &option.preview)] {
                if let Some(text) = text {
                    let _ = write!(body, "<{tag} dir=\"auto\">");
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
            put(&mut body, &["> ", unit, "</label>"]);
            put_files(&mut body, (at, question), takes, refused);
            body.push_str("</fieldset>");
            continue;
        }
        let (own, label) = if question.options.is_empty() { ("", OPEN) } else { ("_custom", "Other") };
        let _ = write!(body, "<label>{label} <textarea name=\"{name}{own}\" rows=\"1\" dir=\"auto\">");
        // The HTML parser drops a line break at the beginning of a `textarea`.
        put(&mut body, &["\n", refused.typed(&(name + own), question), "</textarea></label>"]);
        put_files(&mut body, (at, question), takes, refused);
        body.push_str("</fieldset>");
    }
    let _ = write!(
        body,
        "<p><button>Submit</button> <button name=\"{DECLINE}\" value=\"1\" formnovalidate>Don’t answer</button></p></form>"
    );
    body
}

/// A field for files beside what is typed, below those that the host has. It has no name: the page's script sends its files at once.
fn put_files(body: &mut String, (at, question): (usize, &Question), takes: Option<&FileLimits>, refused: &Refused) {
    let Some(limits) = takes.filter(|_| takes_files(question)) else {
        return;
    };
    let name = field(at);
    for (_, file) in refused.files.iter().filter(|(of, _)| *of == at) {
        let _ = write!(body, "<label><input type=\"checkbox\" name=\"{name}{KEPT}\" checked");
        put(body, &[" value=\"", &file.url, "\"> "]);
        put(body, &["<span dir=\"auto\">", &file.name, "</span></label>"]);
    }
    let _ = write!(body, "<label>Files <input type=\"file\" data-kept=\"{name}{KEPT}\" multiple");
    let _ = write!(body, " data-count=\"{}\" data-bytes=\"{}\"", limits.count, limits.bytes);
    put(body, &[" accept=\"", &limits.types.join(","), "\"><small>"]);
    let [count, bytes] = [FileFlaw::TooMany, FileFlaw::TooLarge].map(|flaw| limits.explain(flaw));
    let types = limits.type_names().join(", ");
    put(body, &["", &format!("{count} {bytes} These types are taken: {types}."), "</small></label>"]);
}

/// Numbers and dates take no files.
fn takes_files(question: &Question) -> bool {
    question.input.as_ref().is_none_or(|input| matches!(input.kind, InputKind::Text | InputKind::Lines))
}

/// The addresses of the files that the host has and that an answer names, each with the index of its question.
#[must_use]
pub fn kept(ask: &AskUserQuestion, body: &str) -> Vec<(usize, String)> {
    let fields = fields(ask, body);
    let of = |at: usize| fields.get(&(field(at) + KEPT)).and_then(Json::as_list).unwrap_or_default();
    let takers = (0..ask.questions.len()).filter(|at| takes_files(&ask.questions[*at]));
    let urls = takers.flat_map(|at| of(at).iter().map(move |url| (at, url)));
    urls.filter_map(|(at, url)| Some((at, url.as_str()?.to_owned()))).collect()
}

/// The name of a question's field.
fn field(question: usize) -> String {
    format!("question_{}", question + 1)
}

/// The page of a question with the card that [`McpBuilder::view`](crate::McpBuilder::view) sets, or with the form where no script runs. `assets` is
/// also the path before `/card.html` and `/card.js`. The card takes no files; for those, the page links to the form at `?form`.
#[must_use]
pub fn card_page(ask: &AskUserQuestion, assets: &str, takes: Option<&FileLimits>) -> String {
    let json = serde_json::to_string(ask).expect("an ask has only strings for keys");
    // In JSON, `<` only occurs in strings. Escaped, none of them ends the `script` element.
    let json = json.replace('<', "\\u003c");
    let link = if takes.is_some() {
        // In a new tab, so that the choices in the card are not lost.
        "<p><a href=\"?form\" target=\"_blank\">Answer with files</a></p>"
    } else {
        ""
    };
    let body = format!(
        "<iframe title=\"The agent asks\" sandbox=\"allow-scripts\" data-src=\"{assets}/card.html\"></iframe>\
         <script type=\"application/json\" id=\"ask\">{json}</script><script type=\"module\" src=\"{assets}/card.js\"></script>\
         {link}<noscript><h1>The agent asks</h1>{}</noscript>",
        form(ask, takes, &Refused::default())
    );
    document(assets, &body, true)
}

/// The page of a question that has ended, with this sentence.
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

/// Reads what a browser posted: the fields of the form, or JSON of the card. Questions that these answers hide are skipped, whatever their fields
/// say.
///
/// # Errors
/// The posted answer with the reasons, if it is invalid.
pub fn read(ask: &AskUserQuestion, posted: &Posted) -> Result<Outcome, Refused> {
    let body = posted.body.as_str();
    let no_answer = || Refused::new(ask, posted, NO_ANSWER);
    if body.starts_with('{') {
        let json = Json::parse(body).map_err(|_| no_answer())?.into_static();
        return Outcome::from_json(ask, &json).ok_or_else(no_answer);
    }
    let fields = fields(ask, body);
    if fields.get(DECLINE).is_some() {
        return Ok(Outcome::Declined);
    }
    let mut selections = Form::of(ask).selections(&fields);
    for (at, file) in &posted.files {
        if let Some(selection) = selections.get_mut(*at) {
            selection.skipped = false;
            selection.attachments.push(file.clone());
        }
    }
    let mut violations = posted.refused.clone();
    match Reply::check(ask, selections) {
        Ok(reply) if violations.is_empty() => {
            let is_none = reply.answers().iter().all(|answer| answer.given.is_skipped());
            return if is_none { Err(no_answer()) } else { Ok(Outcome::Answered(reply)) };
        }
        checked => violations.extend(checked.err().into_iter().flatten()),
    }
    let whole = violations.iter().find(|violation| !violation.path.starts_with("selections["));
    let problem = whole.map(|violation| violation.message.clone());
    Err(Refused { problem, fields, violations, files: posted.files.clone() })
}

/// The fields of a form as a browser posts them; empty if the body is JSON.
fn fields(ask: &AskUserQuestion, body: &str) -> Json<'static> {
    let mut fields = Members::new();
    if body.starts_with('{') {
        return Json::Null;
    }
    for field in body.split('&') {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let (name, value) = (decoded(name), decoded(value));
        match fields.find_mut(&name) {
            // Checkboxes of one question share a name.
            Some(Json::List(values)) => values.push(value.into()),
            Some(_) => {}
            None if is_box(ask, &name) => fields.push((name.into(), vec![value].into())),
            None => fields.push((name.into(), value.into())),
        }
    }
    Json::Object(fields)
}

/// Returns true if the field is one of several checkboxes.
fn is_box(ask: &AskUserQuestion, name: &str) -> bool {
    if name.ends_with(KEPT) {
        return true;
    }
    let number: Option<usize> = name.strip_prefix("question_").and_then(|number| number.parse().ok());
    let question = number.and_then(|number| ask.questions.get(number.checked_sub(1)?));
    question.is_some_and(|question| (question.multi_select || question.is_ranking()) && !question.options.is_empty())
}

/// Decodes a name or a value of a form. Browsers write a line end as CR LF.
fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().replace("\r\n", "\n")
}
