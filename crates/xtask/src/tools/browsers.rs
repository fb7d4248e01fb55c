//! Browsers and the drivers that tests steer them with.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

use super::debian::{Apt, is_root};
use super::search::{self, Version};
use crate::console::say;

/// A browser and its driver.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    /// The browser's program.
    pub(crate) program: PathBuf,
    /// The driver's program.
    pub(crate) driver: PathBuf,
}

/// Chromium (or Chrome) and its driver, brought by apt on Debian where that may be done.
///
/// # Errors
///
/// One is missing and can't be brought, or they do not fit each other.
pub(crate) fn chromium() -> Result<Browser> {
    if let Some(found) = find_chromium() {
        return found;
    }
    match Apt::available() {
        Some(apt) if apt.debian => {
            apt.install(&["chromium", "chromium-driver"], "2 minutes")?;
            find_chromium().unwrap_or_else(|| Err(anyhow!("apt has installed chromium, but the PATH does not have it")))
        }
        Some(_) => bail!(
            "Chromium and chromedriver are not on the PATH, and this system's packages for them are only snaps. Install Google \
             Chrome and the chromedriver of its version, put both on the PATH, and run this again"
        ),
        None => bail!(
            "Chromium and chromedriver are not on the PATH. Install both (Debian: `apt install chromium chromium-driver`; macOS: \
             `brew install --cask google-chrome chromedriver`) and run this again"
        ),
    }
}

/// Firefox, if it is there, with a driver that is built where it is missing.
///
/// # Errors
///
/// There is no Firefox, or no driver for it.
pub(crate) fn firefox() -> Result<Browser> {
    let names = ["firefox", "firefox-esr"];
    let in_applications = Path::new("/Applications/Firefox.app/Contents/MacOS/firefox");
    let Some(program) = first_on_path(&names).or_else(|| existing(in_applications)) else {
        bail!("there is no Firefox on the PATH");
    };
    let folder = super::geckodriver()?;
    let driver = search::candidates("geckodriver", folder.as_os_str()).next();
    match driver {
        Some(driver) => Ok(Browser { program, driver }),
        None => bail!("{} holds no geckodriver", folder.display()),
    }
}

/// What Chromium is told on every start: to be quiet, and where it must, to do without its sandbox.
pub(crate) fn chromium_arguments() -> Vec<&'static str> {
    let mut arguments = vec![
        "--headless=new",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ];
    if is_root() {
        arguments.push("--no-sandbox");
    }
    arguments
}

fn find_chromium() -> Option<Result<Browser>> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let in_applications = Path::new("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    let program = named_by("CHROME").or_else(|| first_on_path(&names)).or_else(|| existing(in_applications))?;
    let driver = named_by("CHROMEDRIVER").or_else(|| first_on_path(&["chromedriver"]))?;
    Some(fitting(program, driver))
}

/// A driver refuses a browser of another generation, in words that help nobody.
fn fitting(program: PathBuf, driver: PathBuf) -> Result<Browser> {
    match (search::version_of(&program), search::version_of(&driver)) {
        (Some(Version { major: browser, .. }), Some(Version { major: own, .. })) if browser != own => {
            bail!(
                "{} is of generation {own}, but {} is of {browser}: install the driver of the browser's version",
                driver.display(),
                program.display()
            )
        }
        (Some(_), Some(_)) => Ok(Browser { program, driver }),
        // Chrome on Windows opens a window instead of telling its version.
        _ => {
            say(&format!("Can't tell the versions of {} and {}; trying them", program.display(), driver.display()));
            Ok(Browser { program, driver })
        }
    }
}

fn first_on_path(names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| search::on_path(name).into_iter().next())
}

fn named_by(variable: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).filter(|value| !value.is_empty())?;
    Some(PathBuf::from(named))
}

fn existing(program: &Path) -> Option<PathBuf> {
    program.is_file().then(|| program.to_owned())
}
