//! Files in the user's own messages.

use crate::agent::Agent;
use crate::browser::begin_anew;
use crate::chat::{Page, size, tab_forgets};
use crate::giving::{file, give};
use leptos::prelude::{document, window};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test as test;
use web_sys::{Element, HtmlElement};

const PICTURES: &str = "chat+pictures";
const CAT: &str = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/// Pastes a picture of three bytes into an element. Returns true if the browser is left to it.
fn pastes(into: &Element) -> bool {
    give("paste", into, &[file("cat.gif", "image/gif", b"123")])
}

fn shown(page: &Page, selector: &str) -> String {
    let found = page.0.find(selector).and_then(|it| it.text_content()).unwrap_or_default();
    found.replace(['\u{2068}', '\u{2069}'], "")
}

fn part(url: &str, media_type: &str, name: &str) -> Value {
    let kind = if media_type.starts_with("image/") { "image" } else { "document" };
    let (source, value) = url.split_once(";base64,").map_or(("url", url), |(_, bytes)| ("data", bytes));
    let source = json!({"type": source, "value": value, "mimeType": media_type});
    json!({"type": kind, "source": source, "metadata": {"name": name, "size": 1500}})
}

#[test]
async fn a_picture_goes_from_the_composer_once_it_is_uploaded() {
    let agent = Agent::asking("files", &[("c1", &size())]);
    let url = "/conversations/files/files/abc";
    agent.awaits_file(&json!({"url": url, "name": "cat.gif", "type": "image/gif", "size": 3}));
    let page = Page::with_profile(PICTURES, &agent).await;
    page.sees(".composer .qc-attach input[type=file]").await;
    assert!(!pastes(&page.composer()), "the browser does nothing with it");
    page.sees(".composer .qc-file").await;
    page.waits_for("the upload", || agent.is_given_file()).await;
    assert_eq!(shown(&page, ".composer .qc-file"), "cat.gif3 BUploading…×");
    page.types(".composer textarea", "Medium, as here");
    page.presses("Enter").await;
    assert!(Agent::runs().is_empty());
    page.sees(".composer .qc-error").await;
    agent.has_file();
    page.sees(&format!(".composer .qc-thumb[src='{url}']")).await;
    assert!(page.0.find(".composer .qc-error").is_none(), "nothing is missing any more");
    page.presses("Enter").await;
    let runs = page.runs(1).await;
    let said = runs[0].as_array().and_then(|messages| messages.last().cloned()).expect("messages");
    assert_eq!(said["content"][1]["source"]["value"], url, "{said}");
    assert!(runs[0].to_string().contains("Medium, as here"));
    assert_eq!((page.composer().value().as_str(), page.0.find(".composer .qc-file").is_some()), ("", false));
}

#[test]
async fn a_file_can_be_taken_out_again_and_waits_for_the_end_of_a_run() {
    let agent = Agent::asking("files-2", &[("c1", &size())]);
    agent.awaits_file(&json!({"url": CAT, "name": "cat.gif", "type": "image/gif", "size": 3}));
    let page = Page::with_profile(PICTURES, &agent).await;
    page.types(".composer textarea", "Large");
    page.presses("Enter").await;
    page.runs(1).await;
    agent.says("Large it");
    page.sees("article[data-role=assistant]").await;
    pastes(&document().body().expect("a body"));
    page.waits_for("the upload", || agent.is_given_file()).await;
    agent.has_file();
    page.sees(".composer .qc-thumb").await;
    page.presses("Enter").await;
    assert_eq!(page.notice(), "This can’t be sent: the agent is still writing.");
    page.sees(".composer .qc-file").await;
    page.0.the::<HtmlElement>(".composer .qc-file button").click();
    page.waits_for("nothing", || page.0.find(".composer .qc-file").is_none()).await;
    assert_eq!(Agent::runs().len(), 1);
}

#[test]
async fn a_file_before_the_first_message_outlives_a_reload_and_goes_with_it() {
    begin_anew("?lang=en");
    tab_forgets();
    Agent::has_first_file(&json!({"url": CAT, "name": "cat.gif", "type": "image/gif", "size": 3}));
    let page = Page::loaded(PICTURES).await;
    page.sees(".composer .qc-attach").await;
    // Into the tray itself: pages of earlier tests may still hear what reaches the window.
    pastes(&page.0.the(".composer .qc-attach"));
    page.waits_for("the upload", || Agent::file_holders().len() == 1).await;
    Agent::closes_first_file();
    page.sees(".composer .qc-thumb").await;
    assert_eq!(window().location().hash().as_deref(), Ok(""), "there is no conversation yet");
    drop(page);
    let page = Page::loaded(PICTURES).await;
    page.sees(".composer .qc-thumb").await;
    page.types(".composer textarea", "Look");
    page.presses("Enter").await;
    let runs = page.runs(1).await;
    assert_eq!(runs[0][0]["content"][1]["metadata"]["name"], "cat.gif", "{}", runs[0]);
    let id = &Agent::file_holders()[0];
    assert_eq!(window().location().hash(), Ok(format!("#c={id}")), "the server has the file for this one");
    drop(page);
    begin_anew("?lang=en");
    let page = Page::loaded(PICTURES).await;
    page.sees(".composer .qc-attach").await;
    assert!(page.0.find(".composer .qc-file").is_none(), "the next one begins with none");
}

#[test]
async fn a_conversation_that_began_with_a_file_is_listed_by_its_name() {
    let alone = json!([part(CAT, "image/gif", "cat.gif")]);
    let agent = Agent::asking_after_contents("listed-file", &[alone, json!("Look")], &[("c1", &size())]);
    let page = Page::with_profile(PICTURES, &agent).await;
    page.0.settled().await;
    let list: HtmlElement = page.0.the("#talks");
    list.show_popover().expect("it is closed");
    page.sees("#talks a[aria-current]").await;
    page.0.says("#talks a[aria-current] span", "cat.gif");
    list.hide_popover().expect("it is open");
}

#[test]
async fn files_of_messages_are_shown_and_nothing_is_fetched_from_elsewhere() {
    let look = json!([
        {"type": "text", "text": "Look"},
        part("/conversations/t/files/1", "image/png", "own.png"),
        part(CAT, "image/gif", "data.gif"),
        part("//far.example/spy.png", "image/png", "far.png"),
        part("/conversations/t/files/2", "application/pdf", "a.pdf"),
        part("data:text/html;base64,eA==", "text/html", "x.html"),
    ]);
    let alone = json!([part("/conversations/t/files/3", "image/png", "alone.png")]);
    let agent = Agent::asking_after_contents("seen", &[look, alone], &[("c1", &size())]);
    let page = Page::with_profile(PICTURES, &agent).await;
    page.sees("article[data-role=user] .qc-file").await;
    let all = |selector: &str, name: &str| {
        let found = page.0.all::<Element>(selector);
        found.iter().map(|it| it.get_attribute(name).unwrap_or_default()).collect::<Vec<_>>()
    };
    let own = ["/conversations/t/files/1", CAT, "/conversations/t/files/3"];
    assert_eq!(all("article .qc-thumb", "src"), own);
    let links = [own[0], CAT, "", "/conversations/t/files/2", "", own[2]];
    assert_eq!(all("article .qc-file > a", "href"), links);
    assert_eq!(all("article .qc-file > a", "target"), ["_blank", "", "", "_blank", "", "_blank"]);
    assert_eq!(all("article .qc-file > a", "download"), ["", "data.gif", "", "", "", ""]);
    assert_eq!(shown(&page, "article .qc-files"), "own.png2 KBdata.gif2 KBfar.png2 KBa.pdf2 KBx.html2 KB");
    assert_eq!(shown(&page, "li:nth-child(2) > article p"), "");
}
