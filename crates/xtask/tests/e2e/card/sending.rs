//! Where the focus is after an answer by keys and by a tap.

use crate::gallery_page::gallery_at;
use thirtyfour::prelude::*;

const SINGLE: &str = "?gallery=chat-service&state=awaiting";

#[tokio::test]
async fn sel_05_sub_04_space_sends_nothing_and_after_keys_the_receipt_has_the_focus() {
    gallery_at(SINGLE, async |page| {
        page.tab_to("Cleaning").await?;
        page.press(" ").await?;
        assert_eq!(page.chosen().await?, ["Cleaning"]);
        assert!(page.heard().await?.is_empty());
        page.press_with(Key::Control, Key::Enter + "").await?;
        page.host("Accept").await?;
        page.comes_to("answered").await?;
        assert_eq!(page.focus().await?, "receipt");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn sub_05_after_a_tap_nothing_jumps_and_no_keyboard_comes_up() {
    gallery_at(SINGLE, async |page| {
        // High enough for the page to stay where it is when the form gives way to the shorter receipt.
        page.resize(1280, 1600).await?;
        page.choose("Repair").await?;
        page.click_button("Submit").await?;
        let place = "return [scrollY, document.querySelector('.qc').getBoundingClientRect().top];";
        let before: [f64; 2] = page.tell(place, []).await?;
        page.host("Accept").await?;
        page.comes_to("answered").await?;
        let focus = page.focus().await?;
        assert!(focus != "composer" && focus != "own answer", "{focus}");
        assert_eq!(page.tell::<[f64; 2]>(place, []).await?, before);
        Ok(())
    })
    .await;
}
