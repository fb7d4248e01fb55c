//! The browsers of a run, as many as tests run at a time: each goes from test to test, and every test finds it with nothing in its memory.

use std::sync::{Mutex, OnceLock, PoisonError};

use thirtyfour::prelude::*;
use tokio::runtime::{Builder, Handle};

use super::Browser;
use crate::chat_page::PATIENCE;
use crate::processes::{Process, START_LIMIT};

/// A browser with its driver. Both end when this is dropped, the browser first; those that are idle end with the tests.
struct Running {
    driver: WebDriver,
    _process: Process,
}

/// Runs `act` in a browser with one tab and nothing in its memory. After a failure the browser is not used again.
pub(super) async fn with_browser<T>(act: impl AsyncFnOnce(WebDriver) -> WebDriverResult<T>) -> WebDriverResult<T> {
    static IDLE: Mutex<Vec<Running>> = Mutex::new(Vec::new());
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);

    let _connections = connections().enter();
    let next = idle().pop();
    let browser = match next {
        Some(browser) => browser,
        None => start().await?,
    };
    let done = act(browser.driver.clone()).await?;
    forget(&browser.driver).await?;
    idle().push(browser);
    Ok(done)
}

async fn start() -> WebDriverResult<Running> {
    // One build of the workspace has one reqwest, to which the server's crates give their own provider for each client.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let browser = Browser::of_this_run();
    let (mut command, announcement) = browser.driver();
    let (process, port) = Process::listening(&mut command, announcement, START_LIMIT);
    let address = format!("http://127.0.0.1:{port}");
    let driver = WebDriver::new(address, browser.capabilities()?).await?;
    // A page's own waiting ends first, and reports its object.
    driver.set_script_timeout(2 * PATIENCE).await?;
    Ok(Running { driver, _process: process })
}

/// Leaves a new tab alone in the browser, and nothing in its memory. Settings of a tab go with it.
async fn forget(driver: &WebDriver) -> WebDriverResult<()> {
    let used = driver.windows().await?;
    let new = driver.new_tab().await?;
    for tab in used {
        driver.switch_to_window(tab).await?;
        driver.close_window().await?;
    }
    driver.switch_to_window(new).await?;
    Browser::of_this_run().forget(driver).await
}

/// The runtime of the connections to the drivers. They outlive a test, and the runtime of a test does not.
fn connections() -> &'static Handle {
    static CONNECTIONS: OnceLock<Handle> = OnceLock::new();
    CONNECTIONS.get_or_init(|| {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("the system has room for a runtime");
        let handle = runtime.handle().clone();
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        handle
    })
}
