//! Walks with the keyboard alone: what Tab stops at, and whole answers from the first key to the receipt.

use crate::gallery_page::gallery_at;
use thirtyfour::prelude::*;

const FOUR: &str = "?gallery=coding-four-questions&state=awaiting";

#[tokio::test]
async fn tab_stops_at_all_that_can_be_done_and_nowhere_else() {
    gallery_at(FOUR, async |page| {
        let forwards = [
            "PostgreSQL Recommended", // One stop for each group of radio buttons.
            "own answer",
            "Login",
            "Search",
            "Export",
            "Audit log",
            "Other",
            "own answer",
            "Problem JSON",
            "own answer",
            "Unit tests",
            "Browser tests",
            "Lints",
            "Benchmarks",
            "Other",
            "own answer",
            "Submit answers",
            "Don’t answer",
            "Reply in chat instead",
        ];
        page.stand_before_the_card().await?;
        for stop in forwards {
            assert_eq!(page.tab().await?, stop);
        }
        assert_eq!(page.tab().await?, "Accept", "nothing holds the focus back");
        for stop in forwards.iter().rev() {
            assert_eq!(page.tab_back().await?, *stop);
        }
        assert!(page.chosen().await?.is_empty(), "whoever passes by chooses nothing");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn key_01_key_03_key_05_key_06_key_07_key_08_key_11_sel_05_sub_04_keys_answer_four_questions() {
    gallery_at(FOUR, async |page| {
        page.stand_before_the_card().await?;
        page.tab().await?;
        page.press(Key::Down + Key::Down).await?;
        assert_eq!(page.chosen().await?, ["MySQL"]);
        page.press(Key::Enter + "").await?;
        assert_eq!(page.focus().await?, "Login", "the next open question");
        page.press("23").await?;
        page.press(" ").await?;
        assert_eq!(page.chosen().await?, ["MySQL", "Search"]);
        assert!(page.heard().await?.is_empty());
        page.press("5").await?;
        assert_eq!(page.focus().await?, "own answer", "the digit after the last");
        page.press("and 2 sitemaps").await?;
        page.press(Key::Escape + "").await?;
        assert_eq!(page.focus().await?, "Other", "the text is left and kept");
        page.press(Key::Enter + "").await?;
        assert_eq!(page.focus().await?, "Problem JSON");
        page.press(Key::Enter + "").await?;
        page.tab_to("Add a note").await?;
        page.press(Key::Enter + "").await?;
        page.press("only for the API").await?;
        page.press(Key::Enter + "").await?;
        assert_eq!(page.focus().await?, "Unit tests");
        page.press("1").await?;
        page.press_with(Key::Control, Key::Enter + "").await?;
        page.comes_to("submitting").await?;
        assert_eq!(page.focus().await?, "Unit tests", "where it was");

        let replies = page.replies().await?;
        assert_eq!(replies.len(), 1);
        let answers = &replies[0]["answers"];
        let answer = |question: &str| answers[question].as_str().unwrap_or_default().to_owned();
        assert_eq!(
            [
                answer("Which database should the service use?"),
                answer("Which features should the first version have?"),
                answer("How should errors be reported?"),
                answer("Which checks should run before a merge?"),
            ],
            ["MySQL", "Search, and 2 sitemaps", "Problem JSON", "Unit tests"]
        );
        assert_eq!(replies[0]["details"][2]["note"], "only for the API");

        page.host("Accept").await?;
        page.comes_to("answered").await?;
        assert_eq!(page.focus().await?, "receipt");
        assert_eq!([page.tab().await?, page.tab().await?], ["Show the options", "Copy answers"]);
        Ok(())
    })
    .await;
}
