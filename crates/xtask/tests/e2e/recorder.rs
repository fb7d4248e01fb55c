//! Records of the page between two looks of a test.
//!
//! A card lives for moments in some of its states. Instead of hoping to look at the right one, a script that runs before the
//! page's own writes each of them down.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use crate::browser::Browser;
use crate::chat_page::selector;

/// The record of the live card and of the agent's text after each change, and of the browser's refusals.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) cards: Vec<CardMoment>,
    /// The lengths of the agent's latest text.
    pub(crate) text_lengths: Vec<u64>,
    /// The streams of agents at other origins, in the order of their starts.
    pub(crate) streams: Vec<String>,
    /// Refusals by the page's policy, and errors that no code caught.
    pub(crate) complaints: Vec<String>,
}

/// The live card at one moment.
#[derive(Debug)]
pub(crate) struct CardMoment {
    pub(crate) state: String,
    /// The number of options.
    pub(crate) options: u64,
    /// The number of options that were buttons.
    pub(crate) buttons: u64,
    /// The number of buttons that acted already.
    pub(crate) active: u64,
}

/// The part of a page's query that keeps its program waiting.
pub(crate) const PROGRAM_WAITS: &str = "program=waits";

/// The part of a page's query that stops an example halfway, until a test lets it continue.
pub(crate) const REST_WAITS: &str = "rest=waits";

/// Makes every page that is opened from now on write its record.
pub(crate) async fn install(driver: &WebDriver) -> WebDriverResult<()> {
    Browser::of_this_run().runs_first(driver, &script()).await
}

/// Opens a page. In a browser that runs no script before the page's own, the record begins once the page is there.
pub(crate) async fn open(driver: &WebDriver, url: &str) -> WebDriverResult<()> {
    driver.goto(url).await?;
    if matches!(Browser::of_this_run(), Browser::WebKit) {
        driver.execute(script(), Vec::new()).await?;
    }
    Ok(())
}

fn script() -> String {
    SCRIPT
        .replace("PROGRAM_WAITS", &json!(PROGRAM_WAITS).to_string())
        .replace("REST_WAITS", &json!(REST_WAITS).to_string())
        .replace("LIVE_CARD", &json!(selector::LIVE_CARD).to_string())
        .replace("OPTION_BUTTON", &json!(selector::OPTION_BUTTON).to_string())
        .replace("OPTION", &json!(selector::OPTION).to_string())
        .replace("AGENT_TEXT", &json!(selector::AGENT_TEXT).to_string())
}

/// The record so far.
pub(crate) async fn read(driver: &WebDriver) -> WebDriverResult<Record> {
    let record = driver.execute("return window.__record;", Vec::new()).await?;
    let record = record.json();
    let list = |name: &str| record[name].as_array().cloned().unwrap_or_default();
    Ok(Record {
        cards: list("cards").iter().map(card_moment).collect(),
        text_lengths: list("lengths").iter().filter_map(Value::as_u64).collect(),
        streams: list("streams").iter().filter_map(|stream| Some(stream.as_str()?.to_owned())).collect(),
        complaints: list("complaints").iter().map(Value::to_string).collect(),
    })
}

fn card_moment(value: &Value) -> CardMoment {
    let count = |name: &str| value[name].as_u64().unwrap_or_default();
    CardMoment {
        state: value["state"].as_str().unwrap_or_default().to_owned(),
        options: count("options"),
        buttons: count("buttons"),
        active: count("active"),
    }
}

const SCRIPT: &str = r#"
(() => {
  const record = { cards: [], lengths: [], streams: [], complaints: [] };
  window.__record = record;
  const push = (list, value) => {
    const last = list[list.length - 1];
    if (JSON.stringify(last) !== JSON.stringify(value)) list.push(value);
  };
  const look = () => {
    const card = document.querySelector(LIVE_CARD);
    if (card) {
      const buttons = [...card.querySelectorAll(OPTION_BUTTON)];
      push(record.cards, {
        state: card.dataset.state,
        options: card.querySelectorAll(OPTION).length,
        buttons: buttons.length,
        active: buttons.filter((button) => button.getAttribute("aria-disabled") !== "true").length,
      });
    }
    const texts = document.querySelectorAll(AGENT_TEXT);
    if (texts.length > 0) push(record.lengths, texts[texts.length - 1].textContent.length);
  };
  const everything = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(look).observe(document, everything);
  const fetch = window.fetch;
  window.fetch = async (...given) => {
    const response = await fetch(...given);
    if (response.type === "cors") {
      const place = record.streams.push("") - 1;
      const text = new WritableStream({ write: (chunk) => void (record.streams[place] += chunk) });
      // The page lets go of a stream once its run has ended.
      response.clone().body.pipeThrough(new TextDecoderStream()).pipeTo(text).catch(() => {});
    }
    return response;
  };
  document.addEventListener("securitypolicyviolation", (event) =>
    record.complaints.push(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  window.addEventListener("error", (event) => record.complaints.push(`error: ${event.message}`));
  window.addEventListener("unhandledrejection", (event) => record.complaints.push(`rejection: ${event.reason}`));
  if (location.search.includes(PROGRAM_WAITS)) {
    const instantiate = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...given) => {
      await new Promise((comes, fails) => {
        window.__letProgramIn = (problem) => void (problem ? fails(problem) : comes());
      });
      return instantiate(...given);
    };
  }
  if (location.search.includes(REST_WAITS)) {
    const setInterval = window.setInterval;
    let steps = 100;
    window.__letTheRestCome = () => void (steps = Infinity);
    window.setInterval = (step, pace) => setInterval(() => void (steps-- > 0 && step()), pace);
  }
})();
"#;
