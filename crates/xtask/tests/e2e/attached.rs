//! Pictures of a person's, in an answer and in a message.

use std::fs;

use crate::browser::journey_at;
use crate::chat_page::selector;
use crate::processes::TempDir;
use crate::server::Server;

const REQUEST: &str = "I need my car looked at";

/// One grey pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\xdach\x00\x00\x00\x82\x00\x81\xdaE\x08;\x00\x00\x00\x00IEND\xaeB`\x82";

#[tokio::test]
async fn pictures_go_in_a_message_and_in_answers_and_are_there_after_a_reload() {
    let (server, folder) = (Server::start_with_options(&["--attachments", "pictures"]), TempDir::new());
    let [car, brake, note] = ["car.png", "brake.png", "note.png"].map(|name| folder.0.join(name));
    for file in [&car, &brake, &note] {
        fs::write(file, PNG).expect("it can be written");
    }
    journey_at(&server.url(), async |page| {
        page.attaches(&car).await?;
        // The conversation begins with the message alone, and its file is there before.
        page.reload().await?;
        page.sees_picture("form.composer").await?;
        page.say(REQUEST).await?;
        page.sees_picture(selector::OWN_TEXT).await?;
        page.answer_by_file("Brake service", &brake).await?;
        page.can_choose("Rush").await?;
        page.is_my_turn().await?;
        page.attaches(&note).await?;
        page.reload().await?;
        page.can_choose("Rush").await?;
        page.sees_picture("form.composer").await?;
        page.say("After the 15th").await?;
        page.can_choose("Yes").await?;
        for _ in 0..2 {
            assert!(page.own_messages().await?[0].contains("car.png"));
            page.sees_picture(selector::OWN_TEXT).await?;
            let receipts = page.receipts().await?;
            assert!(receipts[0].contains("brake.png") && receipts[1].contains("note.png"), "{receipts:?}");
            page.sees_picture(selector::RECEIPT).await?;
            page.reload().await?;
            page.can_choose("Yes").await?;
        }
        Ok(())
    })
    .await;
}
