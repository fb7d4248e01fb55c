//! The page whose agent is inside of it, on a host that has files and nothing else.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::sync::LazyLock;

use crate::browser::journey_at;
use crate::given;
use crate::journeys::text_grew;
use crate::plain_endpoint::{answering, respond};

/// The address of the page, which is in a folder of its host.
static PAGE: LazyLock<String> = LazyLock::new(|| format!("{}/kit/", answering(give)));

/// Sends the file that a request names, as static hosts do.
fn give(head: &str, _: &[u8], stream: TcpStream) -> Option<()> {
    let path = head.strip_prefix("GET /kit/").and_then(|rest| rest.split([' ', '?']).next());
    let path = path.map(|path| if path.is_empty() { "index.html" } else { path });
    let file = path.and_then(|path| fs::read(Path::new(&given("XTASK_DEMO")).join(path)).ok());
    let kind = match path.and_then(|path| path.rsplit('.').next()) {
        Some("html") => "text/html",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    let (status, body) = file.map_or(("404 Not Found", Vec::new()), |file| ("200 OK", file));
    respond(stream, status, kind, &body)
}

#[tokio::test]
async fn a_whole_conversation_needs_no_server() {
    journey_at(&PAGE, async |page| {
        page.say("I need my car looked at").await?;
        page.tap("Brake service").await?;
        page.answer_otherwise("Standard", "Friday before noon").await?;
        page.can_choose("Yes").await?;
        page.is_my_turn().await?;
        text_grew(&page.record().await?);
        page.reload().await?;
        page.press("Yes").await?;
        page.hears(&["Brake service", "Friday before noon", "Booked"]).await?;
        assert_eq!(page.receipts().await?.len(), 3);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_agent_inside_the_page_is_stopped_and_answered_by_each_way() {
    journey_at(&format!("{}?delivery=rest", *PAGE), async |page| {
        page.say("I need my car looked at").await?;
        page.stops_after("I can").await?;
        page.has_button("Send").await?;
        page.say("My brakes squeak").await?;
        page.tap("Rush").await?;
        page.cancel("Yes").await?;
        // The question is over, and the agent says nothing to that.
        page.is_my_turn().await?;
        page.say("I need my car looked at").await?;
        page.can_choose("Brake service").await
    })
    .await;
}
