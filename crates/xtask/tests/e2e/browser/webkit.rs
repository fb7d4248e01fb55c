//! WebKit as GNOME's programs have it, on a display without a screen. Its driver offers WebDriver and nothing beyond it.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;

use serde_json::json;
use thirtyfour::Capabilities;
use thirtyfour::prelude::*;

use super::{Colours, has_size};
use crate::given;
use crate::processes::port_after;

/// The driver does not say when it listens, and takes no port but one that is named.
const START: &str = r#"
    xvfb-run --auto-servernum "$1" --port="$2" &
    until (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null; do sleep 0.1; done
    echo "listening on $2"
    wait
"#;

/// The window's own bar keeps it wider than a phone.
const NARROW: &str =
    "* { min-width: 0; min-height: 0; margin: 0; padding: 0; border: none; } label, entry, button { font-size: 4px; }";

/// As large as the driver opens it.
const WINDOW: [u32; 2] = [1024, 768];

pub(super) fn driver() -> (Command, fn(&str) -> Option<u16>) {
    let settings = Path::new(env!("CARGO_TARGET_TMPDIR")).join("webkit");
    fs::create_dir_all(settings.join("gtk-3.0")).expect("there is room on the disk");
    fs::write(settings.join("gtk-3.0/gtk.css"), NARROW).expect("there is room on the disk");
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let port = free.expect("a port is free").port();
    let mut command = Command::new("bash");
    command.args(["-c", START, "webkit", &given("XTASK_WEBKIT_DRIVER"), &port.to_string()]);
    command.env("XDG_CONFIG_HOME", settings);
    (command, |line| port_after("listening on ", line))
}

pub(super) fn capabilities() -> WebDriverResult<Capabilities> {
    let mut capabilities = Capabilities::new();
    capabilities.set("browserName", "MiniBrowser")?;
    Ok(capabilities)
}

/// A session keeps nothing on the disk, and a new tab is a new page in the same window.
pub(super) async fn forget(driver: &WebDriver) -> WebDriverResult<()> {
    driver.set_window_rect(0, 0, WINDOW[0], WINDOW[1]).await?;
    driver.delete_all_cookies().await
}

/// There is nothing that does so: see `recorder::open`.
pub(super) async fn runs_first(_: &WebDriver, _: &str) -> WebDriverResult<()> {
    Ok(())
}

pub(super) async fn errors(_: &WebDriver) -> WebDriverResult<Vec<String>> {
    Ok(Vec::new())
}

/// The window has a bar.
pub(super) async fn resize(driver: &WebDriver, width: u32, height: u32) -> WebDriverResult<()> {
    let script = "return [outerWidth - innerWidth, outerHeight - innerHeight];";
    let bars: [u32; 2] = driver.execute(script, Vec::new()).await?.convert()?;
    driver.set_window_rect(0, 0, width + bars[0], height + bars[1]).await?;
    has_size(driver, width, height).await
}

/// By the page itself: its driver has no word for what a person prefers.
pub(super) async fn prefers(driver: &WebDriver, colours: Colours) -> WebDriverResult<()> {
    assert!(!colours.are_forced(), "WebKit has no forced colours");
    let script = "document.documentElement.style.colorScheme = arguments[0];";
    driver.execute(script, vec![json!(colours.scheme())]).await?;
    Ok(())
}

pub(super) async fn prints(_: &WebDriver) -> WebDriverResult<()> {
    unimplemented!("this journey is not for WebKit, whose driver can't print")
}
