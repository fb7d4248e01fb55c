//! Browsers and the drivers that tests steer them with.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use nix::unistd::geteuid;

use super::{bring, version_of};
use crate::steps::{Lacking, Log};

/// A browser and its driver.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(crate) program: PathBuf,
    pub(crate) driver: PathBuf,
}

/// Chromium (or Chrome) and its driver; Debian's come by apt.
pub(crate) fn chromium(log: &Log) -> Result<Browser> {
    let mut found = find_chromium();
    // Ubuntu's packages of these names only fetch a snap, which a container can't run.
    if found.is_none() && is_debian() && bring::apt(&["chromium", "chromium-driver"], log)? {
        found = find_chromium();
    }
    let Some(Browser { program, driver }) = found else {
        let reason = "Chromium and chromedriver are not on the PATH. Install both (Debian: `apt install chromium chromium-driver`; \
                      Ubuntu: Google Chrome and its chromedriver; macOS: `brew install --cask google-chrome chromedriver`) and run this again";
        bail!(Lacking::needed(reason));
    };
    // A driver refuses a browser of another generation, in words that help nobody.
    if let (Some(browser), Some(own)) = (version_of(&program), version_of(&driver))
        && browser.major() != own.major()
    {
        bail!(
            "{} is of generation {}, but {} is of {}: install the driver of the browser's version",
            driver.display(),
            own.major(),
            program.display(),
            browser.major()
        );
    }
    Ok(Browser { program, driver })
}

/// Firefox, if it is there, with a driver that is brought where it is missing.
pub(crate) fn firefox(log: &Log) -> Result<Browser> {
    let Some(program) = first(&["firefox", "firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox"]) else {
        bail!(Lacking::never_needed("there is no Firefox on the PATH"));
    };
    let driver = super::geckodriver().folder(log)?.join("geckodriver");
    super::tidy()?;
    Ok(Browser { program, driver })
}

/// The driver of WebKit, which has its browser with it, where that and a display without a screen are there.
///
/// # Errors
///
/// One of them is not.
pub(crate) fn webkit_here() -> Result<PathBuf> {
    match find_webkit() {
        Some(driver) => Ok(driver),
        None => bail!(Lacking::never_needed("WebKitWebDriver and xvfb-run are not both on the PATH")),
    }
}

/// The same; Debian's come by apt.
///
/// # Errors
///
/// One of them is missing and can't be brought.
pub(crate) fn webkit(log: &Log) -> Result<PathBuf> {
    let mut found = find_webkit();
    if found.is_none() && bring::apt(&["webkit2gtk-driver", "xvfb", "xauth"], log)? {
        found = find_webkit();
    }
    match found {
        Some(driver) => Ok(driver),
        None => bail!(Lacking::needed(
            "WebKitWebDriver and xvfb-run are not both on the PATH. Install both (Debian, Ubuntu: `apt install webkit2gtk-driver xvfb \
             xauth`) and run this again"
        )),
    }
}

fn find_webkit() -> Option<PathBuf> {
    first(&["xvfb-run"])?;
    first(&["WebKitWebDriver"])
}

/// What Chromium is told on every start: to be quiet, and where it must, to do without its sandbox.
pub(crate) fn chromium_arguments() -> [&'static str; 8] {
    [
        if geteuid().is_root() { "--no-sandbox" } else { "--no-default-browser-check" },
        "--headless=new",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
}

fn find_chromium() -> Option<Browser> {
    let named = |variable| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ];
    let program = named("CHROME").or_else(|| first(&names))?;
    let driver = named("CHROMEDRIVER").or_else(|| first(&["chromedriver"]))?;
    Some(Browser { program, driver })
}

/// The first of these programs that is there, by name or by path.
fn first(programs: &[&str]) -> Option<PathBuf> {
    programs.iter().find_map(|program| which::which(program).ok())
}

fn is_debian() -> bool {
    let release = std::fs::read_to_string(Path::new("/etc/os-release")).unwrap_or_default();
    release.lines().any(|line| line == "ID=debian")
}
