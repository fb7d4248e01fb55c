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
    walk_at(url, walk, &[]).await;
}

/// The same, on a way on which the server is not always there, which the browser's console complains about.
pub(crate) async fn journey_through_trouble<T: Debug>(
    url: &str,
    walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>,
) {
    walk_at(url, walk, &["net::ERR_"]).await;
}

async fn walk_at<T: Debug>(
    url: &str,
    walk: impl AsyncFnOnce(&ChatPage) -> WebDriverResult<T>,
    forgiven: &[&str],
) {
    let (_driver, port) = start_driver();
    let session = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities()).await;
    let session = session.expect("the driver starts a browser");
    let walked = session.run_and_quit(async |driver| {
        recorder::install(&driver).await?;
        let page = ChatPage::open(driver, url).await?;
        if let Err(problem) = walk(&page).await {
            eprintln!("{}", page.tell().await?);
            return Err(problem);
        }
        page.has_not_complained(forgiven).await
    });
    walked.await.expect("the journey ends well");
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
