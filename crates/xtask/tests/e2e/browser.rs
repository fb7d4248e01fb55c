//! A headless browser with nothing in its memory.

pub(crate) mod chromium;
mod firefox;
mod pool;
mod webkit;

use std::fmt::Debug;
use std::process::Command;

use serde_json::json;
use thirtyfour::prelude::*;
use thirtyfour::{Capabilities, TypingData};

use crate::chat_page::ChatPage;
use crate::recorder;
use crate::server::Server;

/// Walks through the page in a fresh browser against a fresh server, and checks that nothing has complained on the way.
pub(crate) async fn journey<T: Debug>(walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>) {
    let server = Server::start();
    journey_at(&server.url(), walk).await;
}

/// Walks through the page at this address in a fresh browser, and checks that nothing has complained on the way.
pub(crate) async fn journey_at<T: Debug>(url: &str, walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>) {
    visit(&[], async |driver| walk(&ChatPage::open(driver, url).await?).await).await;
}

/// The same, on a way on which the server is not always there, which the browser's console complains about.
pub(crate) async fn journey_through_trouble<T: Debug>(
    url: &str,
    walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>,
) {
    let forgiven = ["net::ERR_", "status of 500", "HTTP 500"];
    visit(&forgiven, async |driver| walk(&ChatPage::open(driver, url).await?).await).await;
}

/// Runs `act` in a fresh browser, and checks that there were no complaints meanwhile. Lines of the console with one of the `forgiven` words
/// do not count.
pub(crate) async fn visit<T: Debug>(forgiven: &[&str], act: impl AsyncFnOnce(WebDriver) -> WebDriverResult<T>) {
    let acted = pool::with_browser(async |driver| {
        recorder::install(&driver).await?;
        if let Err(problem) = act(driver.clone()).await {
            eprintln!("{}", tell(&driver).await?);
            return Err(problem);
        }
        has_not_complained(&driver, forgiven).await
    });
    acted.await.expect("the visit ends well");
}

/// The browser of the journeys, with the operations for which WebDriver has no command.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Browser {
    Chromium,
    Firefox,
    WebKit,
}

/// Calls the function of this name in the browser's own module.
macro_rules! in_module {
    ($browser:expr, $function:ident($($given:expr),*) $($then:tt)*) => {
        match $browser {
            Browser::Chromium => chromium::$function($($given),*) $($then)*,
            Browser::Firefox => firefox::$function($($given),*) $($then)*,
            Browser::WebKit => webkit::$function($($given),*) $($then)*,
        }
    };
}

/// The colours that a person prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    Light,
    Dark,
    /// The person's own instead of the page's. WebKit has no such mode.
    ForcedLight,
    ForcedDark,
}

impl Colours {
    pub(crate) fn are_forced(self) -> bool {
        matches!(self, Self::ForcedLight | Self::ForcedDark)
    }

    /// The value of `prefers-color-scheme`.
    fn scheme(self) -> &'static str {
        match self {
            Self::Light | Self::ForcedLight => "light",
            Self::Dark | Self::ForcedDark => "dark",
        }
    }
}

impl Browser {
    /// Firefox or WebKit where `cargo xtask` names it, or else Chromium.
    pub(crate) fn of_this_run() -> Self {
        let names = |variable| std::env::var_os(variable).is_some();
        match () {
            () if names("XTASK_FIREFOX") => Self::Firefox,
            () if names("XTASK_WEBKIT_DRIVER") => Self::WebKit,
            () => Self::Chromium,
        }
    }

    /// The browser's driver, and what finds in a line of its output where it listens.
    fn driver(self) -> (Command, fn(&str) -> Option<u16>) {
        in_module!(self, driver())
    }

    fn capabilities(self) -> WebDriverResult<Capabilities> {
        in_module!(self, capabilities())
    }

    /// Forgets what pages have stored, and what was said of them.
    async fn forget(self, driver: &WebDriver) -> WebDriverResult<()> {
        in_module!(self, forget(driver).await)
    }

    /// Makes a script run in every page that is opened in this tab from now on, before the page's own and past its policy.
    pub(crate) async fn runs_first(self, driver: &WebDriver, script: &str) -> WebDriverResult<()> {
        in_module!(self, runs_first(driver, script).await)
    }

    /// The errors that the browser's console tells of pages.
    pub(crate) async fn errors(self, driver: &WebDriver) -> WebDriverResult<Vec<String>> {
        in_module!(self, errors(driver).await)
    }

    /// Makes the window this number of CSS pixels wide and high, however small.
    pub(crate) async fn resize(self, driver: &WebDriver, width: u32, height: u32) -> WebDriverResult<()> {
        in_module!(self, resize(driver, width, height).await)
    }

    /// The colours in which axe-core looks at its pages.
    pub(crate) fn colours(self) -> &'static [Colours] {
        match self {
            Self::Chromium => &[Colours::Light, Colours::Dark, Colours::ForcedLight, Colours::ForcedDark],
            // Which colours a style gives in the dark is the same everywhere; which are forced is not.
            Self::Firefox => &[Colours::Light, Colours::ForcedLight],
            Self::WebKit => &[Colours::Light],
        }
    }

    /// Has pages drawn in these colours, and without motion.
    pub(crate) async fn prefers(self, driver: &WebDriver, colours: Colours) -> WebDriverResult<()> {
        in_module!(self, prefers(driver, colours).await)
    }

    /// Lays pages out as for a printer.
    pub(crate) async fn prints(self, driver: &WebDriver) -> WebDriverResult<()> {
        in_module!(self, prints(driver).await)
    }
}

/// Sets the document in a face that has every character and is as wide as the widest in use. So no pixel comes from the fonts of the machine,
/// and what has room here has room in all.
pub(crate) async fn set_wide(driver: &WebDriver) -> WebDriverResult<()> {
    let face = include_bytes!("../../../question-card/tests/faces/wide.ttf");
    // The page's policy names no fonts: it does not ask about those that come as bytes.
    let script = "const [bytes, done] = arguments, sheet = new CSSStyleSheet();
        sheet.replaceSync('* { font-family: wide !important }');
        new FontFace('wide', new Uint8Array(bytes), { weight: '1 1000' }).load().then((face) => {
            document.fonts.add(face);
            document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
            done(document.fonts.status);
        }, (problem) => done(`${problem}`));";
    let status: String = driver.execute_async(script, vec![json!(face.as_slice())]).await?.convert()?;
    assert_eq!(status, "loaded");
    Ok(())
}

/// Waits, in the page, until an expression is true. A hidden page draws no frames, so it looks at its own pace.
pub(crate) async fn until(driver: &WebDriver, expression: &str) -> WebDriverResult<()> {
    let script = format!(
        "const done = arguments[0];
         const look = () => ({expression}) ? done(true) : setTimeout(look, 20);
         look();"
    );
    driver.execute_async(script, Vec::new()).await.map(drop)
}

/// Presses keys where the focus is, one after the other.
pub(crate) async fn press(driver: &WebDriver, keys: impl Into<TypingData>) -> WebDriverResult<()> {
    driver.action_chain().send_keys(keys).perform().await
}

/// The same, while holding another.
pub(crate) async fn press_with(driver: &WebDriver, held: Key, keys: impl Into<TypingData>) -> WebDriverResult<()> {
    driver.action_chain().key_down(held.clone()).send_keys(keys).key_up(held).perform().await
}

/// Waits until the page has this size.
async fn has_size(driver: &WebDriver, width: u32, height: u32) -> WebDriverResult<()> {
    until(driver, &format!("innerWidth === {width} && innerHeight === {height}")).await
}

/// Checks that neither the console nor the page's policy nor an uncaught error had anything to say.
async fn has_not_complained(driver: &WebDriver, forgiven: &[&str]) -> WebDriverResult<()> {
    let mut complaints = recorder::read(driver).await?.complaints;
    if let Browser::WebKit = Browser::of_this_run() {
        // It lays out a card once without its new children, so a size can change twice in a frame. The second change is told in the next.
        complaints.retain(|complaint| !complaint.contains("ResizeObserver loop completed with undelivered"));
    }
    assert!(complaints.is_empty(), "the page complains: {complaints:#?}");
    let mut errors = Browser::of_this_run().errors(driver).await?;
    errors.retain(|error| !forgiven.iter().any(|word| error.contains(word)));
    assert!(errors.is_empty(), "the console has errors: {errors:#?}");
    Ok(())
}

/// The visible page and its log, to explain a failure.
async fn tell(driver: &WebDriver) -> WebDriverResult<String> {
    let shown = driver.find(By::Tag("body")).await?.text().await?;
    let record = recorder::read(driver).await?;
    let errors = Browser::of_this_run().errors(driver).await?;
    let screenshot = std::env::temp_dir().join(format!("journey-{}.png", std::process::id()));
    driver.screenshot(&screenshot).await?;
    let screenshot = screenshot.display();
    Ok(format!("the page shows:\n{shown}\n\n{record:#?}\nconsole: {errors:#?}\nscreenshot: {screenshot}"))
}
