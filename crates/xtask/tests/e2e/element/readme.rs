//! The README's lines.

use serde_json::{Value, json};

use super::page::on_page;

#[tokio::test]
async fn the_readmes_lines_stream_fail_and_go_through() {
    on_page("", async |page| {
        page.is("awaiting").await?;
        let states = page.host("return states;").await?;
        let streamed = states.as_array().is_some_and(|states| states.contains(&json!("streaming")));
        assert!(streamed, "the card is there while its call streams: {states}");
        page.choose("SQLite").await?;
        page.submit().await?;
        page.is("failed").await?;
        page.says("The network was away.").await?;
        assert_eq!(page.chosen().await?.as_array().map(Vec::len), Some(1), "what was chosen stays");
        page.submit().await?;
        assert_eq!(page.answers().await?, json!(["SQLite"]));
        let sent = page.host("return sent;").await?;
        let json: Value = serde_json::from_str(sent[1]["json"].as_str().expect("a text")).expect("it is JSON");
        assert_eq!(json, json!({"answers": {"Which database?": "SQLite"}}));
        assert_eq!(sent[1]["message"], "SQLite");
        Ok(())
    })
    .await;
}
