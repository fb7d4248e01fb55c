//! A question as a page of plain HTML, which works without a script, and the answer that a browser posts from it.

use ask_user_question::input::Input;
use ask_user_question::{AskUserQuestion, Outcome};
use json_tree::{Json, Members};
use percent_encoding::percent_decode_str;
use question_form::Form;
use std::fmt::Write as _;

/// The style of the pages.
pub const STYLE: &str = include_str!("form_page.css");

/// The script of the pages: they notice when the question is over elsewhere.
pub const SCRIPT: &str = include_str!("form_page.js");

/// The script of the page with the card: a host for it.
pub const CARD_SCRIPT: &str = include_str!("card_page.js");

/// The name of the button that declines.
const DECLINE: &str = "decline";

/// The problem of an answer that says nothing.
pub const NO_ANSWER: &str = "No option was chosen and no text typed.";

/// The page of a question. `assets` is the path before `/style.css` and `/script.js`, and `problem` a sentence on the answer that was posted before.
#[must_use]
pub fn page(ask: &AskUserQuestion, assets: &str, problem: Option<&str>) -> String {
    let mut body = String::from("<h1>The agent asks</h1>");
    if let Some(problem) = problem {
        put(&mut body, &["<p role=\"alert\">", problem, "</p>"]);
    }
    body.push_str(&form(ask));
    document(assets, &body, true)
}

fn form(ask: &AskUserQuestion) -> String {
    let form = Form::of(ask);
    let schema = form.schema(ask);
    let mut body = String::from("<form method=\"post\">");
    for (at, question) in ask.questions.iter().enumerate() {
        let name = format!("question_{}", at + 1);
        let property = schema.get("properties").and_then(|members| members.get(&name));
        let choices =
            property.and_then(|it| it.get("oneOf").or_else(|| it.get("items")?.get("anyOf"))).and_then(Json::as_list);
        let kind = if question.multi_select { "checkbox" } else { "radio" };
        body.push_str("<fieldset><legend dir=\"auto\">");
        if let Some(header) = &question.header {
            put(&mut body, &["<small>", header, "</small> "]);
        }
        put(&mut body, &["", &question.text(), "</legend>"]);
        for (choice, option) in
            choices.filter(|_| !question.is_ranking()).unwrap_or_default().iter().zip(&question.options)
        {
            let value = choice.get("const").and_then(Json::as_str).unwrap_or_default();
            let _ = write!(body, "<label dir=\"auto\"><input type=\"{kind}\" name=\"{name}\"");
            put(&mut body, &[" value=\"", value, "\"> <span>"]);
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
        if question.is_ranking() {
            // No script moves anything here: a field for each place.
            for place in 0..question.options.len() {
                let _ = write!(body, "<label>{} <select name=\"{name}\">", place + 1);
                for (at, choice) in choices.unwrap_or_default().iter().enumerate() {
                    let text = |name: &str| choice.get(name).and_then(Json::as_str).unwrap_or_default();
                    put(
                        &mut body,
                        &["<option value=\"", text("const"), if at == place { "\" selected>" } else { "\">" }],
                    );
                    put(&mut body, &["", text("title"), "</option>"]);
                }
                body.push_str("</select></label>");
            }
            body.push_str("</fieldset>");
            continue;
        }
        let (own, label) = if question.options.is_empty() { ("", "Your answer") } else { ("_custom", "Other") };
        if let Some(field) = question.typed().and_then(Input::field) {
            let unit = question.input.as_ref().and_then(|input| input.unit.as_deref()).unwrap_or_default();
            let _ = write!(body, "<label>{label} <input name=\"{name}\"");
            for (attribute, value) in field {
                put(&mut body, &[&[" ", attribute, "=\""].concat(), value, "\""]);
            }
            put(&mut body, &["> ", unit, "</label></fieldset>"]);
            continue;
        }
        let _ = write!(
            body,
            "<label>{label} <textarea name=\"{name}{own}\" rows=\"1\" dir=\"auto\"></textarea></label></fieldset>"
        );
    }
    let _ = write!(
        body,
        "<p><button>Submit</button> <button name=\"{DECLINE}\" value=\"1\">Don’t answer</button></p></form>"
    );
    body
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
        form(ask)
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

/// Reads what a browser posted: the fields of the form, or JSON of the card. Returns `None` if there is no answer in it.
#[must_use]
pub fn read(ask: &AskUserQuestion, body: &str) -> Option<Outcome> {
    if body.starts_with('{') {
        return Outcome::from_json(ask, &Json::parse(body).ok()?.into_static());
    }
    let mut content = Members::new();
    for field in body.split('&') {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        let (name, value) = (decoded(name), decoded(value));
        if name == DECLINE {
            return Some(Outcome::Declined);
        }
        match content.find_mut(&name) {
            // Several boxes have one name.
            Some(Json::List(values)) => values.push(value.into()),
            Some(_) => {}
            None if is_box(ask, &name) => content.push((name.into(), vec![value].into())),
            None => content.push((name.into(), value.into())),
        }
    }
    let reply = Form::of(ask).read(ask, &Json::Object(content))?;
    let is_answer = reply.answers().iter().any(|answer| !answer.skipped);
    is_answer.then_some(Outcome::Answered(reply))
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
