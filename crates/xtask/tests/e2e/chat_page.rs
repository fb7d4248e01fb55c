//! The chat page as a person meets it. Only this file knows how the page is made.

mod window;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::error::no_such_element;
use thirtyfour::prelude::*;

use crate::recorder::{self, Record};

/// Selectors of the page's parts.
pub(crate) mod selector {
    /// The field that one writes a message in.
    pub(crate) const COMPOSER: &str = "form.composer textarea[name=message]";
    /// The transcript, which is not there before the program.
    pub(crate) const TRANSCRIPT: &str = "[role=log]";
    /// A text of the agent.
    pub(crate) const AGENT_TEXT: &str = "[role=log] article[data-role=assistant]";
    /// A text of the person.
    pub(crate) const OWN_TEXT: &str = "[role=log] article[data-role=user]";
    /// The card that can be answered, or will be.
    pub(crate) const LIVE_CARD: &str = "section.qc:has(form.qc-form)";
    /// An option of a card, without the row for an own answer.
    pub(crate) const OPTION: &str = ".qc-option:not(.qc-other)";
    /// An option that answers at a tap.
    pub(crate) const OPTION_BUTTON: &str = "button.qc-option-button";
    /// The field for an own answer.
    pub(crate) const OTHER_TEXT: &str = ".qc-other:not([hidden]) textarea.qc-other-input";
    /// The button that sends an own answer.
    pub(crate) const OTHER_SEND: &str = ".qc-other button.qc-submit";
    /// The button that declines.
    pub(crate) const CANCEL: &str = "button.qc-cancel";
    /// An answered question.
    pub(crate) const RECEIPT: &str = ".qc-receipt";
}

/// The opened page.
pub(crate) struct ChatPage {
    driver: WebDriver,
}

impl ChatPage {
    /// Opens the page and waits until its program is there.
    pub(crate) async fn open(driver: WebDriver, url: &str) -> WebDriverResult<Self> {
        recorder::open(&driver, url).await?;
        let page = Self { driver };
        page.wait_for(selector::TRANSCRIPT).await?;
        Ok(page)
    }

    /// Opens the page without its program, which comes [when it is let in](Self::lets_the_program_in).
    pub(crate) async fn open_early(driver: WebDriver, url: &str) -> WebDriverResult<Self> {
        driver.goto(format!("{url}?{}", recorder::PROGRAM_WAITS)).await?;
        let page = Self { driver };
        page.wait_for(selector::COMPOSER).await?;
        Ok(page)
    }

    /// Loads that page again, without its program.
    pub(crate) async fn reload_early(&self) -> WebDriverResult<()> {
        self.driver.refresh().await?;
        self.wait_for(selector::COMPOSER).await.map(drop)
    }

    /// Lets the program start that has been kept waiting.
    pub(crate) async fn lets_the_program_in(&self) -> WebDriverResult<()> {
        self.until("window.__letProgramIn && !window.__letProgramIn()").await?;
        self.wait_for(selector::TRANSCRIPT).await.map(drop)
    }

    /// Lets the program fail that has been kept waiting.
    pub(crate) async fn lets_the_program_fail(&self) -> WebDriverResult<()> {
        self.until("window.__letProgramIn && !window.__letProgramIn(new Error('on purpose'))").await
    }

    /// Lets the program end as by a panic.
    pub(crate) async fn lets_the_program_panic(&self) -> WebDriverResult<()> {
        let trap = "error: new WebAssembly.RuntimeError('unreachable'), message: 'on purpose'";
        self.tell(&format!("dispatchEvent(new ErrorEvent('error', {{ {trap} }}));")).await
    }

    /// Takes WebAssembly away from the page.
    pub(crate) async fn loses_webassembly(&self) -> WebDriverResult<()> {
        self.tell("window.WebAssembly.Module = undefined;").await
    }

    /// Waits until the page's frame says this, in place of the program.
    pub(crate) async fn frame_says(&self, words: &str) -> WebDriverResult<()> {
        let words = json!(words);
        self.until(&format!("document.querySelector('.talk > [role=status]')?.textContent === {words}")).await
    }

    /// Writes a message and sends it by Enter.
    pub(crate) async fn say(&self, message: &str) -> WebDriverResult<()> {
        let composer = self.wait_for(selector::COMPOSER).await?;
        composer.send_keys(message.to_owned() + Key::Enter).await
    }

    /// Begins to write a message.
    pub(crate) async fn begin(&self, message: &str) -> WebDriverResult<()> {
        let composer = self.wait_for(selector::COMPOSER).await?;
        composer.send_keys(message).await
    }

    /// The unfinished message.
    pub(crate) async fn unsent(&self) -> WebDriverResult<String> {
        let composer = self.wait_for(selector::COMPOSER).await?;
        Ok(composer.value().await?.unwrap_or_default())
    }

    /// Waits until a question with this option can be answered, and taps the option once.
    pub(crate) async fn tap(&self, label: &str) -> WebDriverResult<()> {
        let option = self.open_option(label).await?;
        let receipts = self.receipts().await?.len();
        self.click(&option).await?;
        self.sees_receipt(receipts, label).await
    }

    /// Waits until a question with this option can be answered.
    pub(crate) async fn can_choose(&self, label: &str) -> WebDriverResult<()> {
        self.open_option(label).await.map(drop)
    }

    /// Waits until the agent's run has ended. A question can be answered before that.
    pub(crate) async fn is_my_turn(&self) -> WebDriverResult<()> {
        self.until("document.querySelector('form.composer button[type=submit]')").await
    }

    /// Taps an option, and does not wait for what comes of it.
    pub(crate) async fn taps(&self, label: &str) -> WebDriverResult<()> {
        let option = self.open_option(label).await?;
        self.click(&option).await
    }

    /// Waits until so many items are struck because of a changed answer, below which the page says why.
    pub(crate) async fn has_undone(&self, items: usize, why: &str) -> WebDriverResult<()> {
        let struck = format!("document.querySelectorAll('[role=log] li[data-undone]').length === {items}");
        let said = format!(
            "[...document.querySelectorAll('.elsewhere')].some((it) => it.textContent.includes({}))",
            json!(why)
        );
        self.until(&format!("{struck} && {said}")).await
    }

    /// Waits until the page says what is wrong, in a sentence with these words.
    pub(crate) async fn is_told(&self, words: &str) -> WebDriverResult<()> {
        self.first("[role=alert]", &has(&[words])).await.map(drop)
    }

    /// Waits until the page says this of its connection; nothing, if there are no words.
    pub(crate) async fn is_informed(&self, words: &str) -> WebDriverResult<()> {
        let text = "document.querySelector('.connection').textContent";
        let words = json!(words);
        self.until(&format!("{words} ? {text}.includes({words}) : !{text}")).await
    }

    /// The page's error message.
    pub(crate) async fn alert(&self) -> WebDriverResult<String> {
        let alert = self.driver.find(By::Css("[role=alert]")).await?;
        alert.text().await
    }

    /// Loads the page again and waits until its program is there.
    pub(crate) async fn reload(&self) -> WebDriverResult<()> {
        self.driver.refresh().await?;
        self.wait_for(selector::TRANSCRIPT).await.map(drop)
    }

    /// Goes to another address of the page and waits until its program is there.
    pub(crate) async fn open_at(&self, url: &str) -> WebDriverResult<()> {
        recorder::open(&self.driver, url).await?;
        self.wait_for(selector::TRANSCRIPT).await.map(drop)
    }

    /// Opens the same address in another tab, which stays behind this one.
    pub(crate) async fn in_another_tab(&self) -> WebDriverResult<WindowHandle> {
        let (here, url) = (self.driver.window().await?, self.driver.current_url().await?);
        let there = self.driver.new_tab().await?;
        self.driver.switch_to_window(there.clone()).await?;
        recorder::open(&self.driver, url.as_str()).await?;
        self.wait_for(selector::LIVE_CARD).await?;
        self.driver.switch_to_window(here).await?;
        Ok(there)
    }

    /// Looks at another tab.
    pub(crate) async fn switch_to(&self, tab: &WindowHandle) -> WebDriverResult<()> {
        self.driver.switch_to_window(tab.clone()).await
    }

    /// Waits until a question with this option can be answered, and chooses the option by the keyboard.
    pub(crate) async fn press(&self, label: &str) -> WebDriverResult<()> {
        self.can_choose(label).await?;
        let receipts = self.receipts().await?.len();
        self.presses(label).await?;
        self.sees_receipt(receipts, label).await
    }

    /// Chooses an option by the keyboard, and does not wait for what comes of it.
    pub(crate) async fn presses(&self, label: &str) -> WebDriverResult<()> {
        let option = self.open_option(label).await?;
        option.focus().await?;
        option.send_keys(Key::Enter + "").await
    }

    /// The same, without the browser scrolling to the option.
    pub(crate) async fn presses_where_it_is(&self, label: &str) -> WebDriverResult<()> {
        let option = self.open_option(label).await?;
        self.driver.execute("arguments[0].focus({ preventScroll: true });", vec![option.to_json()?]).await?;
        self.press_keys(Key::Enter + "").await
    }

    /// Opens the answer of the receipt with this text, chooses an option in its place, and sends that.
    pub(crate) async fn changes_an_answer(&self, of: &str, label: &str) -> WebDriverResult<()> {
        let card = self.first("section.qc:has(.qc-change)", &has(&[of])).await?;
        self.click(&card.find(By::Css(".qc-change")).await?).await?;
        let option = format!("{} {}", selector::LIVE_CARD, selector::OPTION);
        let option = self.first(&option, &has(&[label])).await?;
        self.click(&option).await?;
        self.presses_still("Update").await
    }

    /// Presses a button of the card once it is still.
    pub(crate) async fn presses_still(&self, name: &str) -> WebDriverResult<()> {
        self.click(&self.button(name).await?).await
    }

    /// Waits until a receipt with these texts has this answer struck through.
    pub(crate) async fn has_changed(&self, parts: &[&str], from: &str) -> WebDriverResult<()> {
        self.first(&format!("{}:has(s)", selector::RECEIPT), &has(parts)).await?;
        self.first(&format!("{} s", selector::RECEIPT), &format!("text.trim() === {}", json!(from))).await.map(drop)
    }

    /// Waits until a question with this option can be answered, and answers it in one's own words, sent by Enter.
    pub(crate) async fn answer_otherwise(&self, than: &str, text: &str) -> WebDriverResult<()> {
        self.open_option(than).await?;
        let receipts = self.receipts().await?.len();
        let field = self.in_card(selector::OTHER_TEXT).await?;
        field.send_keys(text.to_owned() + Key::Enter).await?;
        self.sees_receipt(receipts, text).await
    }

    /// Waits until a question with this option can be answered, and begins to write another answer.
    pub(crate) async fn begin_otherwise(&self, than: &str, text: &str) -> WebDriverResult<()> {
        self.open_option(than).await?;
        let field = self.in_card(selector::OTHER_TEXT).await?;
        field.send_keys(text).await
    }

    /// Adds a file to the composer.
    pub(crate) async fn attaches(&self, file: &Path) -> WebDriverResult<()> {
        self.gives_file("form.composer", file).await
    }

    /// Waits until a question with this option can be answered, adds a file to the answer in one's own words, and sends it by a tap.
    pub(crate) async fn answer_by_file(&self, than: &str, file: &Path) -> WebDriverResult<()> {
        self.open_option(than).await?;
        let receipts = self.receipts().await?.len();
        self.gives_file(selector::LIVE_CARD, file).await?;
        self.click(&self.in_card(selector::OTHER_SEND).await?).await?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.sees_receipt(receipts, &name).await
    }

    async fn gives_file(&self, to: &str, file: &Path) -> WebDriverResult<()> {
        let input = self.driver.find(By::Css(format!("{to} .qc-attach input"))).await?;
        input.send_keys(file.to_string_lossy()).await?;
        self.sees_picture(to).await
    }

    /// Waits until the picture of a file is shown in this part of the page.
    pub(crate) async fn sees_picture(&self, part: &str) -> WebDriverResult<()> {
        let picture = json!(format!("{part} .qc-thumb"));
        self.until(&format!("document.querySelector({picture})?.naturalWidth > 0")).await
    }

    /// The unfinished own answer.
    pub(crate) async fn draft(&self) -> WebDriverResult<String> {
        let field = self.in_card(selector::OTHER_TEXT).await?;
        Ok(field.value().await?.unwrap_or_default())
    }

    /// Waits until a question with this option can be answered, and cancels it.
    pub(crate) async fn cancel(&self, instead_of: &str) -> WebDriverResult<()> {
        self.open_option(instead_of).await?;
        let receipts = self.receipts().await?.len();
        self.click(&self.in_card(selector::CANCEL).await?).await?;
        self.sees_receipt(receipts, "You chose not to answer").await
    }

    /// Waits until the agent has said something with all of these parts, in one message.
    pub(crate) async fn hears(&self, parts: &[&str]) -> WebDriverResult<()> {
        let has = has(parts);
        self.first(selector::AGENT_TEXT, &has).await.map(drop)
    }

    /// Stops the run as soon as the agent has said this. In the page itself, in one go: the run does not wait for the driver.
    pub(crate) async fn stops_after(&self, words: &str) -> WebDriverResult<()> {
        let (texts, words) = (json!(selector::AGENT_TEXT), json!(words));
        self.until(&format!(
            "[...document.querySelectorAll({texts})].some((it) => it.textContent.includes({words}))
                && [...document.querySelectorAll('form.composer button.stop')].some((it) => !it.click())"
        ))
        .await
    }

    /// The person's messages, as the page shows them.
    pub(crate) async fn own_messages(&self) -> WebDriverResult<Vec<String>> {
        self.texts(selector::OWN_TEXT).await
    }

    /// The answered questions, as the page shows them.
    pub(crate) async fn receipts(&self) -> WebDriverResult<Vec<String>> {
        self.texts(selector::RECEIPT).await
    }

    /// The record of events since the page was opened.
    pub(crate) async fn record(&self) -> WebDriverResult<Record> {
        recorder::read(&self.driver).await
    }

    /// Waits for a button of the page that has this name.
    pub(crate) async fn has_button(&self, name: &str) -> WebDriverResult<()> {
        self.button(name).await.map(drop)
    }

    /// Waits for a button of the page that has this name, and presses it.
    pub(crate) async fn press_button(&self, name: &str) -> WebDriverResult<()> {
        self.button(name).await?.click().await
    }

    async fn button(&self, name: &str) -> WebDriverResult<WebElement> {
        let by_text = format!("//button[@aria-label='{name}' or normalize-space()='{name}']");
        let button = self.driver.query(By::XPath(by_text.as_str()));
        button.wait(PATIENCE, INTERVAL).and_displayed().first().await
    }

    async fn open_option(&self, label: &str) -> WebDriverResult<WebElement> {
        let (card, button) = (selector::LIVE_CARD, selector::OPTION_BUTTON);
        let css = format!("{card} {button}:not([aria-disabled=true])");
        let is_it = format!("text.trim() === {}", json!(label));
        self.first(&css, &is_it).await
    }

    /// A receipt with this text after this number of others.
    async fn sees_receipt(&self, others: usize, text: &str) -> WebDriverResult<()> {
        self.first(selector::RECEIPT, &has(&[text])).await?;
        assert_eq!(self.receipts().await?.len(), others + 1, "one answer makes one receipt");
        Ok(())
    }

    /// Clicks a part of the card where that needs to scroll no more, once the card is still: a tap on something that just moved is not taken.
    async fn click(&self, part: &WebElement) -> WebDriverResult<()> {
        self.driver.execute("arguments[0].scrollIntoView({ block: 'center' });", vec![part.to_json()?]).await?;
        self.driver.execute_async(STANDS_STILL, vec![json!(selector::LIVE_CARD)]).await?;
        part.click().await
    }

    async fn in_card(&self, part: &str) -> WebDriverResult<WebElement> {
        self.wait_for(&format!("{} {part}", selector::LIVE_CARD)).await
    }

    async fn wait_for(&self, css: &str) -> WebDriverResult<WebElement> {
        self.first(css, "true").await
    }

    /// The first element that `css` selects and whose `text` is as it should be, once there is one. The page itself looks, in one go:
    /// another tab may take away what the driver has just found, and asking the driver again and again costs more than the page does.
    async fn first(&self, css: &str, is_it: &str) -> WebDriverResult<WebElement> {
        let script = format!(
            "const [css, patience, done] = arguments, start = performance.now();
             const is_it = ({{ innerText: text }}) => {is_it};
             const look = () => {{
               const found = [...document.querySelectorAll(css)].find(is_it);
               if (found || performance.now() - start > patience) done(found); else setTimeout(look, 20);
             }};
             look();"
        );
        let arguments = vec![json!(css), json!(PATIENCE.as_millis())];
        let found = self.driver.execute_async(script, arguments).await?;
        match found.json() {
            Value::Null => Err(no_such_element(format!("no {css} of which {is_it}"))),
            _ => found.element(),
        }
    }

    /// All at once: what a stream replaces meanwhile is no trouble.
    async fn texts(&self, css: &str) -> WebDriverResult<Vec<String>> {
        let css = json!(css);
        self.tell(&format!("return [...document.querySelectorAll({css})].map((one) => one.innerText.trim());")).await
    }
}

/// A script that returns true if a text has all of these parts.
fn has(parts: &[&str]) -> String {
    format!("{}.every((part) => text.includes(part))", json!(parts))
}

/// A script that ends once what its argument selects has not moved for a while.
pub(crate) const STANDS_STILL: &str = r#"
const [selector, done] = arguments;
let place = "", since = performance.now();
const look = () => {
  const card = document.querySelector(selector);
  const { x, y, width, height } = card ? card.getBoundingClientRect() : {};
  const now = [x, y, width, height].join();
  if (now !== place) { place = now; since = performance.now(); }
  if (performance.now() - since > 400) done(); else requestAnimationFrame(look);
};
look();
"#;

/// The most time for a step, on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(45);
pub(crate) const INTERVAL: Duration = Duration::from_millis(20);
