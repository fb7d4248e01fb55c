//! Firefox, by what its driver offers beyond WebDriver: scripts in the browser's own window.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::extensions::addons::firefox::FirefoxTools;
use thirtyfour::prelude::*;
use thirtyfour::{Capabilities, RequestData, SessionId};

use super::{Colours, has_size};
use crate::given;
use crate::processes::port_after;

pub(super) fn driver() -> (Command, fn(&str) -> Option<u16>) {
    let mut command = Command::new(given("XTASK_GECKODRIVER"));
    command.args(["--port=0", "--allow-system-access"]);
    // There the browser talks of itself.
    command.stderr(Stdio::null());
    (command, |line| port_after("Listening on 127.0.0.1:", line))
}

pub(super) fn capabilities() -> WebDriverResult<Capabilities> {
    let mut capabilities = DesiredCapabilities::firefox();
    capabilities.set_firefox_binary(&given("XTASK_FIREFOX"))?;
    // In a kiosk there is nothing to draw beside the page.
    for argument in ["-headless", "-width=1280", "-height=900", "-kiosk"] {
        capabilities.add_arg(argument)?;
    }
    Ok(capabilities.into())
}

pub(super) async fn forget(driver: &WebDriver) -> WebDriverResult<()> {
    let script = "if (Services.io.offline) throw new Error('the next test would have no network');
        return new Promise((done) => Services.clearData.deleteData(Ci.nsIClearDataService.CLEAR_COOKIES_AND_SITE_DATA, done))
        .then((failed) => { if (failed) throw failed; Services.console.reset(); });";
    in_its_window(driver, script, vec![]).await?;
    let script = format!("{PREFERENCES}.forEach((name) => Services.prefs.clearUserPref(name));");
    in_its_window(driver, &script, vec![]).await?;
    Ok(())
}

/// By an add-on: its scripts are the only ones that Firefox lets run before a page's own and past its policy. Once there, it runs them
/// in every tab.
pub(super) async fn runs_first(driver: &WebDriver, script: &str) -> WebDriverResult<()> {
    let profile = driver.handle().capabilities().get("moz:profile");
    let profile = profile.and_then(Value::as_str);
    let folder = Path::new(profile.expect("Firefox has a profile")).join("runs-first");
    if folder.exists() {
        return Ok(());
    }
    write_add_on(&folder, script).expect("there is room on the disk");
    let tools = FirefoxTools::new(driver.handle().clone());
    let folder = folder.to_str().expect("the profile's name is text");
    tools.install_addon(folder, Some(true)).await
}

fn write_add_on(folder: &Path, script: &str) -> std::io::Result<()> {
    std::fs::create_dir(folder)?;
    let manifest = json!({
        "manifest_version": 3,
        "name": "Runs first",
        "version": "1",
        // The first with a page's own world for an add-on's scripts.
        "browser_specific_settings": {"gecko": {"id": "runs-first@journeys", "strict_min_version": "128.0"}},
        "content_scripts": [{
            "matches": ["http://127.0.0.1/*"],
            "js": ["script.js"],
            "run_at": "document_start",
            "world": "MAIN",
        }],
    });
    std::fs::write(folder.join("manifest.json"), manifest.to_string())?;
    std::fs::write(folder.join("script.js"), script)
}

/// The browser's messages about pages; it has many more about itself.
pub(super) async fn errors(driver: &WebDriver) -> WebDriverResult<Vec<String>> {
    let script = "return Services.console.getMessageArray()
        .filter((message) => message instanceof Ci.nsIScriptError)
        .filter(({ flags, sourceName }) => !(flags & (Ci.nsIScriptError.warningFlag | Ci.nsIScriptError.infoFlag))
            && sourceName.startsWith('http://127.0.0.1:'))
        .map(({ errorMessage, sourceName, lineNumber }) => `${sourceName} ${lineNumber} ${errorMessage}`);";
    let errors = in_its_window(driver, script, vec![]).await?;
    errors.convert()
}

/// The window itself has a least width, far above that of a phone.
pub(super) async fn resize(driver: &WebDriver, width: u32, height: u32) -> WebDriverResult<()> {
    let script = "const [width, height] = arguments;
        const { style } = gBrowser.selectedBrowser;
        style.minWidth = style.maxWidth = `${width}px`;
        style.minHeight = style.maxHeight = `${height}px`;";
    in_its_window(driver, script, vec![json!(width), json!(height)]).await?;
    has_size(driver, width, height).await
}

/// By its settings, which the next test finds as they were.
pub(super) async fn prefers(driver: &WebDriver, colours: Colours) -> WebDriverResult<()> {
    let script = format!(
        "const values = arguments; {PREFERENCES}.forEach((name, at) => Services.prefs.setIntPref(name, values[at]));"
    );
    let scheme = if colours.scheme() == "dark" { 0 } else { 1 };
    let forced = if colours.are_forced() { 2 } else { 0 };
    in_its_window(driver, &script, vec![json!(scheme), json!(forced), json!(1)]).await?;
    Ok(())
}

/// The scheme, whose colours count, and without motion.
const PREFERENCES: &str = "['layout.css.prefers-color-scheme.content-override', 'browser.display.document_color_use', 'ui.prefersReducedMotion']";

pub(super) async fn prints(driver: &WebDriver) -> WebDriverResult<()> {
    let script = "gBrowser.selectedBrowser.browsingContext.mediumOverride = 'print';";
    in_its_window(driver, script, vec![]).await?;
    Ok(())
}

/// The result of a script that runs in the browser's own window.
async fn in_its_window(driver: &WebDriver, script: &str, arguments: Vec<Value>) -> WebDriverResult<ScriptRet> {
    driver.handle().cmd(Context("chrome")).await?;
    let returned = driver.execute(script, arguments).await;
    driver.handle().cmd(Context("content")).await?;
    returned
}

/// The place where scripts run from now on: the browser's own window, or the page's content.
#[derive(Debug)]
struct Context(&'static str);

impl FormatRequestData for Context {
    fn format_request(&self, session_id: &SessionId) -> RequestData {
        let path = format!("/session/{session_id}/moz/context");
        let post = "POST".parse().expect("a method of HTTP");
        RequestData::new(post, path).add_body(json!({"context": self.0}))
    }
}
