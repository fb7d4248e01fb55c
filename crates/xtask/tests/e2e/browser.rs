//! A headless browser with nothing in its memory.

use std::fmt::Debug;
use std::process::Command;

use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

use crate::chat_page::ChatPage;
use crate::given;
use crate::processes::{Process, START_LIMIT, port_after};
use crate::recorder;
use crate::server::Server;

/// Walks through the page in a fresh browser against a fresh server, and checks that nothing has complained on the way.
pub(crate) async fn journey<T: Debug>(walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>) {
    let server = Server::start();
    journey_at(&server.url(), walk).await;
}

/// Walks through the page at this address in a fresh browser, and checks that nothing has complained on the way.
pub(crate) async fn journey_at<T: Debug>(
    url: &str,
    walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>,
) {
    visit(&[], async |driver| {
        walk(&ChatPage::open(driver, url).await?).await
    })
    .await;
}

/// The same, on a way on which the server is not always there, which the browser's console complains about.
pub(crate) async fn journey_through_trouble<T: Debug>(
    url: &str,
    walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>,
) {
    let forgiven = ["net::ERR_"];
    visit(&forgiven, async |driver| {
        walk(&ChatPage::open(driver, url).await?).await
    })
    .await;
}

/// Does something in a fresh browser, and checks that nothing has complained meanwhile. Of the console, lines that have one of the
/// `forgiven` words in them do not count.
pub(crate) async fn visit<T: Debug>(
    forgiven: &[&str],
    act: impl AsyncFnOnce(WebDriver) -> WebDriverResult<T>,
) {
    let (_driver, port) = start_driver();
    let session = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities()).await;
    let session = session.expect("the driver starts a browser");
    let acted = session.run_and_quit(async |driver| {
        recorder::install(&driver).await?;
        if let Err(problem) = act(driver.clone()).await {
            eprintln!("{}", tell(&driver).await?);
            return Err(problem);
        }
        has_not_complained(&driver, forgiven).await
    });
    acted.await.expect("the visit ends well");
}

/// Checks that neither the console nor the page's policy nor an uncaught error had anything to say.
async fn has_not_complained(driver: &WebDriver, forgiven: &[&str]) -> WebDriverResult<()> {
    let complaints = recorder::read(driver).await?.complaints;
    assert!(complaints.is_empty(), "the page complains: {complaints:#?}");
    let console = driver.browser_log().await?;
    let errors: Vec<_> = console
        .iter()
        .filter(|entry| entry.level == "SEVERE")
        .filter(|entry| !forgiven.iter().any(|word| entry.message.contains(word)))
        .collect();
    assert!(errors.is_empty(), "the console has errors: {errors:#?}");
    Ok(())
}

/// What a person would see now, and what the page has written down, for whoever reads of a failure.
async fn tell(driver: &WebDriver) -> WebDriverResult<String> {
    let shown = driver.find(By::Tag("body")).await?.text().await?;
    let record = recorder::read(driver).await?;
    let console = driver.browser_log().await?;
    let screenshot = std::env::temp_dir().join(format!("journey-{}.png", std::process::id()));
    driver.screenshot(&screenshot).await?;
    let screenshot = screenshot.display();
    Ok(format!(
        "the page shows:\n{shown}\n\n{record:#?}\nconsole: {console:#?}\nscreenshot: {screenshot}"
    ))
}

pub(crate) fn start_driver() -> (Process, u16) {
    let mut command = Command::new(given("XTASK_CHROMEDRIVER"));
    let announcement = |line: &str| port_after("started successfully on port ", line);
    Process::listening(command.arg("--port=0"), announcement, START_LIMIT)
}

pub(crate) fn capabilities() -> ChromeCapabilities {
    let mut capabilities = DesiredCapabilities::chrome();
    let mut set = || -> WebDriverResult<()> {
        capabilities.set_binary(&given("XTASK_CHROMIUM"))?;
        for argument in given("XTASK_CHROMIUM_ARGUMENTS").split_whitespace() {
            capabilities.add_arg(argument)?;
        }
        capabilities.add_arg("--window-size=1280,900")?;
        capabilities.set_browser_log_level(LoggingPrefsLogLevel::All)
    };
    set().expect("these capabilities are valid");
    capabilities
}
