//! The window around the page: its keys, its size, its network, its other tabs.

use serde_json::json;
use thirtyfour::TypingData;
use thirtyfour::prelude::*;

use super::{ChatPage, selector};
use crate::browser::{self, Browser};

impl ChatPage {
    /// The document's language and direction, and the colours that it is drawn in.
    pub(crate) async fn language(&self) -> WebDriverResult<[String; 3]> {
        let script = "const root = document.documentElement;
            return [root.lang, root.dir, getComputedStyle(root).colorScheme];";
        self.tell(script).await
    }

    /// The document's title.
    pub(crate) async fn title(&self) -> WebDriverResult<String> {
        self.driver.title().await
    }

    /// Waits until the document has this title.
    pub(crate) async fn has_title(&self, title: &str) -> WebDriverResult<()> {
        self.until(&format!("document.title === {}", json!(title))).await
    }

    /// Waits until the tab's icon says that a question waits, or that none does.
    pub(crate) async fn has_icon(&self, waits: bool) -> WebDriverResult<()> {
        self.until(&format!("document.querySelector('link[rel=icon]').href.includes('svg') === {waits}")).await
    }

    /// The name of the focused control.
    pub(crate) async fn focus(&self) -> WebDriverResult<String> {
        let script = "const { ariaLabel, labels, textContent } = document.activeElement;
            return (ariaLabel ?? labels?.[0]?.querySelector('span')?.textContent ?? labels?.[0]?.textContent ?? textContent).trim();";
        self.tell(script).await
    }

    /// Presses keys where the focus is, one after the other.
    pub(crate) async fn press_keys(&self, keys: impl Into<TypingData>) -> WebDriverResult<()> {
        browser::press(&self.driver, keys).await
    }

    /// Goes on to a control by the Tab key.
    pub(crate) async fn tab_to(&self, name: &str) -> WebDriverResult<()> {
        let step = async || self.press_keys(Key::Tab + "").await;
        self.step_to(name, step).await
    }

    /// Goes back to a control by Shift and the Tab key.
    pub(crate) async fn tab_back_to(&self, name: &str) -> WebDriverResult<()> {
        let step = async || browser::press_with(&self.driver, Key::Shift, Key::Tab + "").await;
        self.step_to(name, step).await
    }

    async fn step_to(&self, name: &str, step: impl AsyncFn() -> WebDriverResult<()>) -> WebDriverResult<()> {
        let mut passed = Vec::new();
        while passed.len() < 20 {
            step().await?;
            passed.push(self.focus().await?);
            if passed.last().is_some_and(|last| last == name) {
                return Ok(());
            }
        }
        panic!("no Tab leads to {name}: {passed:?}");
    }

    /// Puts the window away, so that the page is hidden, or takes it back.
    pub(crate) async fn is_put_away(&self, is: bool) -> WebDriverResult<()> {
        match is {
            true => self.driver.minimize_window().await?,
            false => self.driver.set_window_rect(0, 0, 1280, 900).await?,
        }
        self.until(&format!("document.hidden === {is}")).await
    }

    /// Makes the window this number of CSS pixels wide and high.
    pub(crate) async fn resize(&self, width: u32, height: u32) -> WebDriverResult<()> {
        let browser = Browser::of_this_run();
        browser.resize(&self.driver, width, height).await
    }

    /// Sets the document in the wide face of the tests, until it is left.
    pub(crate) async fn is_set_wide(&self) -> WebDriverResult<()> {
        browser::set_wide(&self.driver).await
    }

    /// The height of the composer's field in CSS pixels.
    pub(crate) async fn composer_height(&self) -> WebDriverResult<u32> {
        let composer = self.wait_for(selector::COMPOSER).await?;
        Ok(composer.rect().await?.height as u32)
    }

    /// Breaks the line that is being written.
    pub(crate) async fn breaks_the_line(&self) -> WebDriverResult<()> {
        browser::press_with(&self.driver, Key::Shift, Key::Enter + "").await
    }

    /// This tab.
    pub(crate) async fn here(&self) -> WebDriverResult<WindowHandle> {
        self.driver.window().await
    }

    /// Scrolls to what was said first.
    pub(crate) async fn goes_to_the_beginning(&self) -> WebDriverResult<()> {
        self.tell(&format!("{SCROLL} scroll.forEach((one) => one.scrollTop = 0);")).await
    }

    /// Waits until the page has led the reader away from what was said first.
    pub(crate) async fn leaves_the_beginning(&self) -> WebDriverResult<()> {
        self.until(&format!("(() => {{ {SCROLL} return place() > 0; }})()")).await
    }

    /// Notes from the next press on how far the page scrolls up.
    pub(crate) async fn watches_the_way_up(&self) -> WebDriverResult<()> {
        self.tell(&format!(
            "{SCROLL} const from = [];
             addEventListener('pointerdown', () => from.push(place()), true);
             const note = () => window.wayUp = Math.max(window.wayUp ?? 0, from.length ? from[0] - place() : 0);
             addEventListener('scroll', note, true);"
        ))
        .await
    }

    /// How far it did, in CSS pixels.
    pub(crate) async fn way_up(&self) -> WebDriverResult<u32> {
        self.tell("return Math.round(window.wayUp ?? 0);").await
    }

    /// The distance of the reader from the beginning of the transcript, in CSS pixels.
    pub(crate) async fn place(&self) -> WebDriverResult<u32> {
        self.tell(&format!("{SCROLL} return Math.round(place());")).await
    }

    /// Waits until the option that has the focus is in the window, and nothing covers it. The way back to the end goes with the scroll
    /// event, which comes a frame after the focus.
    pub(crate) async fn sees_the_focus(&self) -> WebDriverResult<()> {
        let script = "(() => {
            const { top, bottom } = document.activeElement.closest('.qc-option').getBoundingClientRect();
            const over = document.querySelector('.to-the-end button')?.getBoundingClientRect().top ?? innerHeight;
            return top >= 0 && bottom <= over;
        })()";
        self.until(script).await
    }

    /// The distance of the page's title from the edge, in CSS pixels.
    pub(crate) async fn title_start(&self) -> WebDriverResult<u32> {
        let script = "const title = document.querySelector('h1').getBoundingClientRect();
            return Math.round(document.documentElement.dir === 'rtl' ? innerWidth - title.right : title.left);";
        self.tell(script).await
    }

    /// Scrolls as far down as the page goes.
    pub(crate) async fn scrolls_to_the_bottom(&self) -> WebDriverResult<()> {
        self.driver.execute("scrollTo(0, document.documentElement.scrollHeight);", []).await.map(drop)
    }

    /// Waits until all of this can be seen, without anybody scrolling.
    pub(crate) async fn has_in_sight(&self, css: &str) -> WebDriverResult<()> {
        let element = json!(css);
        self.until(&format!(
            "[document.querySelector({element})?.getBoundingClientRect()]
             .some((box) => box && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight)"
        ))
        .await
    }

    /// Lays the page out as for a printer.
    pub(crate) async fn is_printed(&self) -> WebDriverResult<()> {
        Browser::of_this_run().prints(&self.driver).await
    }

    /// True if there is such an element, and it is visible.
    pub(crate) async fn shows(&self, css: &str) -> WebDriverResult<bool> {
        let element = json!(css);
        self.tell(&format!("return !!document.querySelector({element})?.checkVisibility();")).await
    }

    /// Fails where something is wider than the window.
    pub(crate) async fn fits(&self, what: &str) -> WebDriverResult<()> {
        let script =
            "return [document.documentElement, ...document.querySelectorAll('dialog[open], [role=log], .welcome')]
            .map((element) => element.scrollWidth - element.clientWidth);";
        let over: Vec<i64> = self.tell(script).await?;
        assert!(over.iter().all(|over| *over <= 0), "{what}, {over:?} too wide: {:?}", self.language().await?);
        Ok(())
    }

    /// Waits until one tab of this browser holds a stream of events: another one may just be handing it over.
    pub(crate) async fn sees_one_stream(&self) -> WebDriverResult<()> {
        let script = "const done = arguments[0];
            const look = () => navigator.locks.query()
                .then(({ held }) => held.length === 1 ? done() : setTimeout(look, 20));
            look();";
        self.driver.execute_async(script, Vec::new()).await?;
        Ok(())
    }

    /// The result of a script in the page.
    pub(crate) async fn tell<T: serde::de::DeserializeOwned>(&self, script: &str) -> WebDriverResult<T> {
        self.driver.execute(script, Vec::new()).await?.convert()
    }

    /// Waits, in the page, until an expression is true.
    pub(super) async fn until(&self, expression: &str) -> WebDriverResult<()> {
        browser::until(&self.driver, expression).await
    }
}

/// The scrolled element, which is the transcript or the whole page, and the end of its way.
const SCROLL: &str = "const scroll = [document.querySelector('[role=log]'), document.scrollingElement];
    const place = () => scroll.reduce((place, one) => place + one.scrollTop, 0);";
