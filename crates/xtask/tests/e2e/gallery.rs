//! The gallery itself: a person finds an example.

use crate::gallery_page::gallery_at;
use std::path::Path;
use thirtyfour::prelude::*;

#[tokio::test]
async fn an_example_is_found_by_the_keyboard_alone() {
    gallery_at("?gallery", async |page| {
        let all = page.listed().await?;
        assert_eq!(all.len(), examples());
        page.tab_to("").await?; // The field has no text of its own.
        page.press("joined famil").await?;
        page.until("document.querySelectorAll('.gallery-index a').length === 1").await?;
        page.tab().await?;
        page.press(Key::Enter + "").await?;
        page.comes_upon(".gallery-entry").await?;
        page.until("document.querySelectorAll('.gallery-entry').length > 10").await?;
        page.until("document.title.includes('emoji')").await?;
        page.tab_to("awaiting").await?;
        page.press(Key::Enter + "").await?;
        page.comes_upon("nav a[aria-current][href$='state=awaiting']").await?;
        page.comes_upon(".qc[data-state=awaiting]").await?;
        page.comes_upon(".gallery-host").await?;
        Ok(())
    })
    .await;
}

/// How many examples there are.
pub(crate) fn examples() -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ask-user-question/examples");
    let files = std::fs::read_dir(folder).expect("the examples have a folder");
    let is_example = |file: &std::fs::DirEntry| file.path().extension().is_some_and(|extension| extension == "json");
    files.map(|file| file.expect("it can be read")).filter(is_example).count()
}
