//! The README's lines as the page of somebody who takes the kit by git: `cargo xtask` builds it in a crate of its own.

use thirtyfour::prelude::*;
use thirtyfour::{Key, WebDriver};

use crate::browser::visit;
use crate::chat_page::{INTERVAL, PATIENCE};
use crate::server::Server;

#[tokio::test]
async fn the_readmes_lines_ask_and_take_an_answer() {
    let server = Server::start();
    visit(&[], async |driver| {
        driver.goto(server.url()).await?;
        answers_once(&driver).await
    })
    .await;
}

async fn answers_once(driver: &WebDriver) -> WebDriverResult<()> {
    let card = wait_for(driver, ".qc[data-state=awaiting]").await?;
    let border = card.css_value("border-top-style").await?;
    assert_eq!(border, "solid", "the card has its styles");

    let label = wait_for(driver, ".qc-option:nth-child(2) > label").await?;
    let label = label.text().await?;
    let option = wait_for(driver, ".qc-option:nth-child(2) > input").await?;
    option.send_keys(" ").await?;
    option.send_keys(Key::Control + Key::Enter).await?;
    let receipt = wait_for(driver, ".qc-receipt[data-state=answered]").await?;
    let receipt = receipt.text().await?;
    assert!(receipt.contains(&label), "{receipt} should show {label}");
    // The agent has the answer: it asks on.
    wait_for(driver, ".qc[data-state=awaiting]").await?;
    Ok(())
}

async fn wait_for(driver: &WebDriver, css: &str) -> WebDriverResult<WebElement> {
    driver.query(By::Css(css)).wait(PATIENCE, INTERVAL).first().await
}
