//! The words of a screen reader: names, roles and states in the order of Chromium's accessibility tree, and the announcements of live
//! regions on the way. The files in `spoken` are the present words; `UPDATE_SPOKEN=1` writes them.

use crate::gallery_page::{GalleryPage, gallery_at};
use serde_json::{Value, json};
use std::path::Path;
use thirtyfour::prelude::*;

const ONE: &str = "?gallery=chat-service&state=awaiting&mode=on-pick";
const FOUR: &str = "?gallery=coding-four-questions&state=awaiting&layout=stepped";

#[tokio::test]
async fn one_tap() {
    is_spoken("one-tap", ONE, async |page, spoken| {
        page.tab_to("Repair").await?;
        answer(page, Key::Enter + "").await?;
        spoken.scene("on its way").await?;
        page.host("Accept").await?;
        page.comes_to("answered").await
    })
    .await;
}

#[tokio::test]
async fn four_questions() {
    is_spoken("four-questions", FOUR, async |page, spoken| {
        page.tab_to("PostgreSQL Recommended").await?;
        for heading in ["the second", "the third", "the fourth"] {
            page.press(" ").await?;
            page.press(Key::Enter + "").await?;
            spoken.scene(heading).await?;
        }
        answer(page, " ".to_owned() + Key::Enter).await?;
        page.host("Accept").await?;
        page.comes_to("answered").await
    })
    .await;
}

#[tokio::test]
async fn an_error() {
    is_spoken("error", FOUR, async |page, _| {
        page.stands_still().await?;
        page.click_button("Submit answers").await?;
        page.comes_to("invalid").await
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_is_held() {
    is_spoken("held", ONE, async |page, _| {
        page.tab_to("Repair").await?;
        answer(page, Key::Enter + "").await?;
        page.host("Keep").await?;
        page.until("document.querySelector('.qc[data-held]')").await
    })
    .await;
}

#[tokio::test]
async fn a_question_that_has_expired() {
    is_spoken("expired", ONE, async |page, _| {
        page.tab_to("own answer").await?;
        page.press("My roof leaks").await?;
        page.host("Expire").await?;
        page.comes_to("expired").await
    })
    .await;
}

#[tokio::test]
async fn a_receipt() {
    is_spoken("receipt", "?gallery=coding-four-questions&state=answered", async |_, _| Ok(())).await;
}

/// Answers by keys.
async fn answer(page: &GalleryPage, keys: impl Into<TypingData>) -> WebDriverResult<()> {
    page.press(keys).await?;
    page.comes_to("submitting").await
}

/// The words so far.
struct Transcript<'a> {
    page: &'a GalleryPage,
    text: std::cell::RefCell<String>,
}

impl Transcript<'_> {
    /// Writes the card's present words.
    async fn scene(&self, heading: &str) -> WebDriverResult<()> {
        let mut lines = vec![format!("## {heading}")];
        let card = json!({"expression": "document.querySelector('.qc')"});
        let card = self.page.devtools("Runtime.evaluate", card).await?;
        let query = json!({"objectId": card["result"]["objectId"]});
        let tree = self.page.devtools("Accessibility.queryAXTree", query).await?;
        for node in tree["nodes"].as_array().into_iter().flatten() {
            let line = line(node);
            // A text that its element is named by is said once, and that of the live region comes and goes.
            let is_said = |before: &String| {
                node["role"]["value"] == "StaticText" && (before.contains(name(node)) || before.starts_with("status"))
            };
            if !line.is_empty() && !lines.last().is_some_and(is_said) {
                lines.push(line);
            }
        }
        self.text.borrow_mut().push_str(&(lines.join("\n") + "\n\n"));
        Ok(())
    }
}

fn name(node: &Value) -> &str {
    node["name"]["value"].as_str().unwrap_or_default()
}

/// A node in words; empty where nothing is said of it.
fn line(node: &Value) -> String {
    let role = node["role"]["value"].as_str().unwrap_or_default();
    if node["ignored"] == true || SILENT.contains(&role) {
        return String::new();
    }
    let mut line = format!("{role} \"{}\"", name(node));
    if let Some(description) = node["description"]["value"].as_str().filter(|text| !text.is_empty()) {
        line += &format!(" ({description})");
    }
    for property in node["properties"].as_array().into_iter().flatten() {
        let (name, value) = (property["name"].as_str().unwrap_or_default(), &property["value"]["value"]);
        if STATES.contains(&name) && !["false", "\"false\"", "\"\""].contains(&value.to_string().as_str()) {
            line += &format!(" {name}={}", value.to_string().trim_matches('"'));
        }
    }
    line
}

/// The roles without words of their own.
const SILENT: [&str; 8] =
    ["InlineTextBox", "LabelText", "Legend", "ListMarker", "generic", "listitem", "none", "paragraph"];

/// The states that are spoken beside a control's name.
const STATES: [&str; 8] = ["focused", "checked", "disabled", "invalid", "required", "busy", "pressed", "expanded"];

/// Takes a walk, and compares what is spoken with the file of this name.
async fn is_spoken(
    file: &str,
    query: &str,
    walk: impl AsyncFnOnce(&GalleryPage, &Transcript<'_>) -> WebDriverResult<()>,
) {
    gallery_at(query, async |page| {
        page.tell::<()>(LISTEN, []).await?;
        let spoken = Transcript { page, text: std::cell::RefCell::default() };
        spoken.scene("at first").await?;
        walk(page, &spoken).await?;
        if file != "receipt" {
            spoken.scene("at last").await?;
            page.until("window.said.length > 0").await?;
        }
        let said: Vec<String> = page.tell("return window.said;", []).await?;
        let text = format!("{}## said\n{}\n", spoken.text.take(), said.join("\n"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/spoken").join(file).with_extension("txt");
        if std::env::var_os("UPDATE_SPOKEN").is_some() {
            std::fs::write(&path, &text).expect("the file is written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, kept, "{} is not what UPDATE_SPOKEN=1 writes", path.display());
        Ok(())
    })
    .await;
}

/// Keeps what the live regions say.
const LISTEN: &str = r#"
window.said = [];
new MutationObserver(() => {
  for (const region of document.querySelectorAll(".qc [role=status], .qc [role=alert]")) {
    const text = region.textContent.trim();
    // How long a reply is on its way is the machine's doing.
    if (text && text !== "Sending your answer" && window.said.at(-1) !== text) window.said.push(text);
  }
}).observe(document.querySelector(".qc"), { childList: true, characterData: true, subtree: true });
"#;
