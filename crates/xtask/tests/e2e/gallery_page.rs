//! The gallery, and the cards in it, as a person meets them. Only this file knows how they are made.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use crate::browser::{self, Browser, Colours, chromium, set_wide, visit};
use crate::chat_page::{INTERVAL, PATIENCE, STANDS_STILL};
use crate::{recorder, server};

/// A page of the gallery. Keys and clicks are the browser's own, as trusted as a person's.
pub(crate) struct GalleryPage {
    pub(crate) driver: WebDriver,
    url: String,
}

/// A place on an option's row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spot {
    Centre,
    InlineEnd,
}

/// Does something in the gallery, in a fresh browser, and checks that nothing has complained meanwhile: no script, no policy.
pub(crate) async fn gallery(act: impl AsyncFnOnce(&GalleryPage) -> WebDriverResult<()>) {
    let server = server::shared();
    let url = server.url();
    visit(&[], async |driver| act(&GalleryPage { driver, url }).await).await;
}

/// Opens one page of the gallery, and does something there.
pub(crate) async fn gallery_at(query: &str, act: impl AsyncFnOnce(&GalleryPage) -> WebDriverResult<()>) {
    gallery(async |page| {
        page.open(query).await?;
        act(page).await
    })
    .await;
}

/// Getting around.
impl GalleryPage {
    /// Opens a page and waits until its cards are in the state that it names.
    pub(crate) async fn open(&self, query: &str) -> WebDriverResult<()> {
        recorder::open(&self.driver, &format!("{}{query}", self.url)).await?;
        self.until("document.querySelector('.gallery main')").await?;
        self.until("!document.querySelector('.gallery-card:not([data-staged])')").await?;
        Ok(())
    }

    /// The same, in the wide face of the tests.
    pub(crate) async fn open_wide(&self, query: &str) -> WebDriverResult<()> {
        self.open(query).await?;
        set_wide(&self.driver).await
    }

    /// Lets the rest of an example come, which has stopped halfway.
    pub(crate) async fn lets_the_rest_come(&self) -> WebDriverResult<()> {
        self.driver.execute("window.__letTheRestCome();", Vec::new()).await.map(drop)
    }

    /// Waits until there is such an element, be it on another page, to which a link has led.
    pub(crate) async fn comes_upon(&self, css: &str) -> WebDriverResult<()> {
        let element = self.driver.query(By::Css(css)).wait(PATIENCE, INTERVAL);
        element.first().await.map(drop)
    }

    /// The links of a part of the toolbar, with what they lead to.
    pub(crate) async fn links(&self, part: &str) -> WebDriverResult<Vec<(String, String)>> {
        let script = "return [...document.querySelectorAll(`nav[aria-label='${arguments[0]}'] a`)]
            .map((link) => [link.textContent, link.getAttribute('href')]);";
        self.tell(script, [json!(part)]).await
    }

    /// The headings of the cards on the page, each with its card's state.
    pub(crate) async fn entries(&self) -> WebDriverResult<Vec<(String, String)>> {
        let script = "return [...document.querySelectorAll('.gallery-entry')]
            .map((entry) => [entry.querySelector('h2').textContent, entry.querySelector('.qc').dataset.state]);";
        self.tell(script, []).await
    }

    /// The examples that the index lists.
    pub(crate) async fn listed(&self) -> WebDriverResult<Vec<String>> {
        let script = "return [...document.querySelectorAll('.gallery-index a')].map((link) => link.textContent);";
        self.tell(script, []).await
    }

    /// Makes the window this number of CSS pixels wide and high.
    pub(crate) async fn resize(&self, width: u32, height: u32) -> WebDriverResult<()> {
        let browser = Browser::of_this_run();
        browser.resize(&self.driver, width, height).await
    }

    /// Has the page drawn in these colours.
    pub(crate) async fn prefers(&self, colours: Colours) -> WebDriverResult<()> {
        Browser::of_this_run().prefers(&self.driver, colours).await
    }

    /// Asks Chromium itself.
    pub(crate) async fn devtools(&self, method: &str, parameters: Value) -> WebDriverResult<Value> {
        chromium::devtools(&self.driver, method, parameters).await
    }

    /// The result of a script in the page.
    pub(crate) async fn tell<T: serde::de::DeserializeOwned>(
        &self,
        script: &str,
        arguments: impl IntoIterator<Item = Value>,
    ) -> WebDriverResult<T> {
        let arguments: Vec<Value> = arguments.into_iter().collect();
        self.driver.execute(script, arguments).await?.convert()
    }

    /// Waits, in the page, until an expression is true.
    pub(crate) async fn until(&self, expression: &str) -> WebDriverResult<()> {
        browser::until(&self.driver, expression).await
    }
}

/// Actions of a person.
impl GalleryPage {
    /// The options as they stand, each with its place in a ranking.
    pub(crate) async fn ranked(&self) -> WebDriverResult<Vec<String>> {
        let script = "return [...document.querySelectorAll('.qc-option-label')].map((label) => label.textContent);";
        self.tell(script, []).await
    }

    /// Presses keys where the focus is, one after the other.
    pub(crate) async fn press(&self, keys: impl Into<TypingData>) -> WebDriverResult<()> {
        browser::press(&self.driver, keys).await
    }

    /// Presses a key while holding another.
    pub(crate) async fn press_with(&self, held: Key, key: impl Into<TypingData>) -> WebDriverResult<()> {
        browser::press_with(&self.driver, held, key).await
    }

    pub(crate) async fn tab(&self) -> WebDriverResult<String> {
        self.press(Key::Tab + "").await?;
        self.focus().await
    }

    pub(crate) async fn tab_back(&self) -> WebDriverResult<String> {
        self.press_with(Key::Shift, Key::Tab + "").await?;
        self.focus().await
    }

    /// Presses Tab until the focus is there.
    pub(crate) async fn tab_to(&self, place: &str) -> WebDriverResult<()> {
        let mut passed = Vec::new();
        while passed.len() < MOST_TABS {
            let focus = self.tab().await?;
            if focus == place {
                return Ok(());
            }
            passed.push(focus);
        }
        panic!("Tab never comes to {place:?}, but to {passed:?}");
    }

    /// Focuses the last element before the card, so that the next Tab goes into it.
    pub(crate) async fn stand_before_the_card(&self) -> WebDriverResult<()> {
        self.driver.execute("[...document.querySelectorAll('.gallery-bar a')].at(-1).focus();", Vec::new()).await?;
        Ok(())
    }

    /// Clicks the label of an option.
    pub(crate) async fn choose(&self, label: &str) -> WebDriverResult<()> {
        self.click(&self.option(label, "label").await?).await
    }

    /// Clicks a place on the row of an option.
    pub(crate) async fn click_row(&self, label: &str, spot: Spot) -> WebDriverResult<()> {
        let row = self.option(label, "row").await?;
        self.bring_to_the_middle(&row).await?;
        self.stands_still().await?;
        let width = row.rect().await?.width as i64;
        let direction: String = self.tell("return getComputedStyle(arguments[0]).direction;", [row.to_json()?]).await?;
        let from_centre = match (spot, direction.as_str()) {
            (Spot::Centre, _) => 0,
            (Spot::InlineEnd, "rtl") => 3 - width / 2,
            (Spot::InlineEnd, _) => width / 2 - 3,
        };
        let chain = self.driver.action_chain();
        chain.move_to_element_with_offset(&row, from_centre, 0).click().perform().await
    }

    /// Clicks a button of the card.
    pub(crate) async fn click_button(&self, name: &str) -> WebDriverResult<()> {
        self.click(&self.button(name).await?).await
    }

    /// Clicks what a person would first scroll to, once the card is still: the host's panel covers the lower end of the window, and a tap on
    /// something that has just come or moved is not taken.
    async fn click(&self, element: &WebElement) -> WebDriverResult<()> {
        self.bring_to_the_middle(element).await?;
        self.stands_still().await?;
        element.click().await
    }

    async fn bring_to_the_middle(&self, element: &WebElement) -> WebDriverResult<()> {
        let script = "arguments[0].scrollIntoView({block: 'center'});";
        self.driver.execute(script, vec![element.to_json()?]).await?;
        Ok(())
    }

    /// Moves the pointer over an option, and does not press.
    pub(crate) async fn point_at(&self, label: &str) -> WebDriverResult<()> {
        let row = self.option(label, "row").await?;
        self.bring_to_the_middle(&row).await?;
        self.stands_still().await?;
        let chain = self.driver.action_chain();
        chain.move_to_element_center(&row).perform().await
    }

    /// Makes the composer the place of the focus.
    pub(crate) async fn click_composer(&self) -> WebDriverResult<()> {
        self.driver.find(By::Id("composer")).await?.click().await
    }

    pub(crate) async fn stands_still(&self) -> WebDriverResult<()> {
        self.driver.execute_async(STANDS_STILL, vec![json!(".qc")]).await?;
        Ok(())
    }

    /// Performs an action of the host, which comes over the network and so moves no focus.
    pub(crate) async fn host(&self, act: &str) -> WebDriverResult<()> {
        let button = self.driver.find(By::XPath(format!("//*[@class='gallery-acts']/button[.='{act}']"))).await?;
        self.driver.execute("arguments[0].click();", vec![button.to_json()?]).await?;
        Ok(())
    }
}

/// Observations of a person.
impl GalleryPage {
    /// Waits until the card is in this state.
    pub(crate) async fn comes_to(&self, state: &str) -> WebDriverResult<()> {
        self.until(&format!("document.querySelector('.qc').dataset.state === '{state}'")).await
    }

    pub(crate) async fn state(&self) -> WebDriverResult<String> {
        self.tell("return document.querySelector('.qc').dataset.state;", []).await
    }

    /// The labels of what is chosen.
    pub(crate) async fn chosen(&self) -> WebDriverResult<Vec<String>> {
        let script = "return [...document.querySelectorAll('.qc input:checked')]
            .map((input) => input.labels[0].textContent.trim());";
        self.tell(script, []).await
    }

    /// The focused element, as a person would name it.
    pub(crate) async fn focus(&self) -> WebDriverResult<String> {
        let script = "
            const focus = document.activeElement;
            if (!focus || focus === document.body) return 'nowhere';
            if (focus.matches('.qc-other-input')) return 'own answer';
            if (focus.matches('.qc input')) return focus.labels[0].textContent.trim();
            if (focus.matches('.qc-receipt')) return 'receipt';
            if (focus.id === 'composer') return 'composer';
            return focus.textContent.trim();";
        self.tell(script, []).await
    }

    /// The content of the nth question's text field.
    pub(crate) async fn own_answer(&self, question: usize) -> WebDriverResult<String> {
        let script = "return document.querySelectorAll('.qc-other-input')[arguments[0]].value;";
        self.tell(script, [json!(question)]).await
    }

    /// The texts of all elements of this part.
    pub(crate) async fn texts(&self, part: &str) -> WebDriverResult<Vec<String>> {
        let script =
            "return [...document.querySelectorAll(`.qc ${arguments[0]}`)].map((found) => found.textContent.trim());";
        self.tell(script, [json!(part)]).await
    }

    /// The events that the host received, without the first one of a card that is complete: that it waits.
    pub(crate) async fn heard(&self) -> WebDriverResult<Vec<String>> {
        let script = "return [...document.querySelectorAll('.gallery-heard li')].map((line) => line.textContent);";
        let events: Vec<String> = self.tell(script, []).await?;
        let is_first = events.first().is_some_and(|event| event == "waiting");
        Ok(events.into_iter().skip(usize::from(is_first)).collect())
    }

    /// The replies that the host heard.
    pub(crate) async fn replies(&self) -> WebDriverResult<Vec<Value>> {
        let heard = self.heard().await?;
        let replies = heard.iter().filter_map(|line| line.strip_prefix("reply "));
        Ok(replies.map(|reply| serde_json::from_str(reply).expect("a reply is JSON")).collect())
    }

    /// A button of the card.
    pub(crate) async fn button(&self, name: &str) -> WebDriverResult<WebElement> {
        let xpath = format!("//section[contains(@class, 'qc')]//button[normalize-space(.)='{name}']");
        self.driver.find(By::XPath(xpath)).await
    }

    async fn option(&self, label: &str, part: &str) -> WebDriverResult<WebElement> {
        let row = format!("//*[contains(@class, 'qc-option-label') and normalize-space(.)='{label}']");
        let path = match part {
            "row" => {
                format!("{row}/ancestor::*[contains(@class, 'qc-option') and not(contains(@class, 'qc-option-'))][1]")
            }
            _ => row,
        };
        self.driver.find(By::XPath(path)).await
    }
}

/// More than any card has places to stop at.
const MOST_TABS: usize = 60;
