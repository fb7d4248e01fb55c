//! The look of the card: in a narrow window, in other colours, and to assistive technology.

use crate::browser::Colours;
use crate::gallery_page::{gallery, gallery_at};
use serde_json::json;
use thirtyfour::prelude::*;

const FOUR: &str = "?gallery=coding-four-questions&state=awaiting";

#[tokio::test]
async fn a11y_03_nothing_is_wider_than_a_narrow_window() {
    gallery_at("?gallery", async |page| {
        page.resize(320, 800).await?;
        assert!(page.tell::<u32>(WIDTH, []).await? <= 320, "the index");
        for (state, address) in page.links("State").await? {
            page.open_wide(&address).await?;
            for direction in ["ltr", "rtl"] {
                // As the address would: English cards have the direction of the page.
                page.tell::<()>("document.documentElement.dir = arguments[0];", [json!(direction)]).await?;
                let width: u32 = page.tell(WIDTH, []).await?;
                assert!(width <= 320, "{state}, {direction}: {width}");
                let cut: Vec<String> = page.tell(&format!("{CUT} return cut();"), []).await?;
                assert!(cut.is_empty(), "{state}, {direction}: {cut:#?}");
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a11y_04_texts_may_be_spaced_wider() {
    gallery(async |page| {
        for state in ["awaiting", "invalid", "answered", "failed"] {
            page.open_wide(&format!("?gallery=all&state={state}")).await?;
            for width in [320, 1280] {
                page.resize(width, 800).await?;
                let before: u32 = page.tell(WIDTH, []).await?;
                page.tell::<()>(SPACED, []).await?;
                assert_eq!(page.tell::<u32>(WIDTH, []).await?, before, "{state} at {width}");
                let cut: Vec<String> = page.tell(&format!("{CUT} return cut();"), []).await?;
                assert!(cut.is_empty(), "{state} at {width}: {cut:#?}");
            }
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a11y_06_no_stop_is_hidden_below_what_stays_in_sight() {
    gallery_at(FOUR, async |page| {
        page.resize(640, 600).await?;
        let covers: f64 =
            page.tell("return document.querySelector('.gallery-host').getBoundingClientRect().height;", []).await?;
        assert!(covers >= 120.0, "{covers}");
        page.stand_before_the_card().await?;
        let mut stops = 0;
        loop {
            let stop = page.tab().await?;
            if page.tell("return !document.activeElement.closest('.qc');", []).await? {
                break;
            }
            stops += 1;
            let in_sight: bool = page.tell(IN_SIGHT, []).await?;
            assert!(in_sight, "stop {stops}, {stop}");
        }
        assert!(stops > 15, "{stops}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a11y_08_forced_colours_show_what_is_chosen_and_where_the_focus_is() {
    gallery(async |page| {
        page.prefers(Colours::ForcedLight).await?;
        page.open(FOUR).await?;
        assert!(page.tell::<bool>("return matchMedia('(forced-colors: active)').matches;", []).await?);
        for label in ["PostgreSQL Recommended", "Login"] {
            page.tab_to(label).await?;
            let control = page.driver.active_element().await?;
            let unchecked = control.screenshot_as_png().await?;
            page.press(" ").await?;
            assert_ne!(control.screenshot_as_png().await?, unchecked, "{label}");
            let native: String = page.tell("return getComputedStyle(document.activeElement).appearance;", []).await?;
            assert_eq!(native, "auto", "the system draws it");
            let ring: (String, String) = page.tell(RING, []).await?;
            assert!(
                ring.0 == "solid" && ring.1.trim_end_matches("px").parse::<f64>().is_ok_and(|width| width >= 2.0),
                "{ring:?}"
            );
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a11y_08_forced_colours_show_the_current_step_and_the_way_on() {
    gallery(async |page| {
        page.prefers(Colours::ForcedLight).await?;
        page.open(&format!("{FOUR}&layout=stepped")).await?;
        let edges: Vec<String> = page.tell(COLOURS, [json!("borderBlockEndColor"), json!(".qc-step")]).await?;
        assert!(edges[0] != edges[1] && edges[1] == edges[3], "the first of four is the current one: {edges:?}");
        let fills = async || {
            let buttons = json!(".qc-onward, .qc-submit, .qc-cancel");
            page.tell::<Vec<String>>(COLOURS, [json!("backgroundColor"), buttons]).await
        };
        let [submit, next, _]: [String; 3] = fills().await?.try_into().expect("three buttons");
        assert_ne!(next, submit, "one way leads on");
        page.open(&format!("{FOUR}&layout=stepped").replace("awaiting", "dirty")).await?;
        let [submit, next, _]: [String; 3] = fills().await?.try_into().expect("three buttons");
        assert_ne!(next, submit, "and then out");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn i18n_01_each_text_has_its_own_direction_and_the_row_the_pages() {
    gallery(async |page| {
        for (direction, starts_left) in [("ltr", true), ("rtl", false)] {
            page.open_wide(&format!("?gallery=right-to-left&state=awaiting&dir={direction}")).await?;
            let directions: Vec<String> = page
                .tell("return [...document.querySelectorAll('.qc-question-text, .qc-option-label')].map((text) => getComputedStyle(text).direction);", [])
                .await?;
            // The question, "JWT (…)", "OAuth2 …" and the Hebrew option; what decides is the first strong letter. "Other" is the page's.
            assert_eq!(directions[..4], ["rtl", "ltr", "ltr", "rtl"], "in a page that is {direction}");
            let at_start: Vec<bool> = page.tell(AT_START, [json!(starts_left)]).await?;
            assert!(at_start.len() == 4 && at_start.iter().all(|at_start| *at_start), "{at_start:?}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn digits_are_shown_where_they_choose_and_nowhere_else() {
    gallery_at("?gallery=chat-service&state=awaiting", async |page| {
        page.tell::<()>(WITH_A_MOUSE, []).await?;
        page.click_composer().await?;
        page.point_at("Cleaning").await?;
        assert!(!page.tell::<bool>(SHOWS_DIGITS, []).await?, "a digit would go into the message");
        page.stand_before_the_card().await?;
        page.tab_to("Cleaning").await?;
        assert!(page.tell::<bool>(SHOWS_DIGITS, []).await?, "a digit would choose");
        page.tab_to("own answer").await?;
        assert!(!page.tell::<bool>(SHOWS_DIGITS, []).await?, "a digit would be typed");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_text_of_another_language_begins_where_the_cards_own_do() {
    gallery_at("?gallery=chat-service&state=late&lang=ar", async |page| {
        let starts: Vec<f64> = page.tell(STARTS, [json!(".qc-late > .qc-hint, .qc-late-text")]).await?;
        assert!(starts.len() == 2 && (starts[0] - starts[1]).abs() < 1.0, "{starts:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_ways_to_what_is_missing_are_in_line_with_their_heading() {
    gallery_at("?gallery=coding-four-questions&state=invalid", async |page| {
        for direction in ["ltr", "rtl"] {
            let summary = format!("document.documentElement.dir = '{direction}'; {STARTS}");
            let lines = ".qc-summary > p, .qc-summary li:first-child button";
            let starts: Vec<f64> = page.tell(&summary, [json!(lines)]).await?;
            assert!(starts.len() == 2 && (starts[0] - starts[1]).abs() < 1.0, "{direction}: {starts:?}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn lines_of_a_preview_are_not_broken_and_are_scrolled_by_the_keyboard() {
    gallery_at("?gallery=previews&state=awaiting", async |page| {
        for width in [1280, 320] {
            page.resize(width, 800).await?;
            page.stand_before_the_card().await?;
            page.tab().await?;
            let shown: (usize, usize) = page.tell(PREVIEW_LINES, []).await?;
            assert_eq!(shown.0, shown.1, "lines, at {width}");
        }
        // A chosen option stays shown when the focus leaves it.
        page.press(" ").await?;
        let text = page.texts(".qc-preview-text").await?;
        while page.tell("return !document.activeElement.matches('.qc-preview-text');", []).await? {
            page.tab().await?;
        }
        assert_eq!(page.texts(".qc-preview-text").await?, text, "it stays the one that is shown");
        page.press(Key::Right + "").await?;
        page.until("document.activeElement.scrollLeft > 0").await
    })
    .await;
}

#[tokio::test]
async fn csp_01_the_built_page_is_styled_without_anything_inline() {
    gallery_at(FOUR, async |page| {
        let styled: bool = page
            .tell("const style = getComputedStyle(document.querySelector('.qc')); return parseFloat(style.borderRadius) > 0 && parseFloat(style.paddingTop) > 0;", [])
            .await?;
        assert!(styled);
        // Programs set this as they measure: the gallery the height of its panel, and WebKit's card that of a field.
        let inline = "return document.querySelectorAll('style, [style]:not(.gallery, textarea), script:not([src])').length;";
        let inline: u32 = page.tell(inline, []).await?;
        assert_eq!(inline, 0);
        // Whatever the policy refuses fails every test here: see `visit`.
        Ok(())
    })
    .await;
}

/// The width of the page with all its content.
const WIDTH: &str = "return document.documentElement.scrollWidth;";

/// Finds texts that are cut off, that leave their card, or that lie over each other.
const CUT: &str = r#"
const cut = () => {
  const found = [];
  const name = (element) => `${element.className || element.localName}: ${element.textContent.slice(0, 40)}`;
  for (const card of document.querySelectorAll(".qc")) {
    const edge = card.getBoundingClientRect();
    for (const element of card.querySelectorAll("*:not(.qc-visually-hidden)")) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || element.closest(".qc-visually-hidden")) continue;
      if (box.left < edge.left - 1 || box.right > edge.right + 1) found.push(`outside ${name(element)}`);
      const clips = getComputedStyle(element).overflowX !== "visible" && !element.matches("textarea, .qc-preview-text");
      if (clips && element.scrollWidth > element.clientWidth + 1) found.push(`clipped ${name(element)}`);
    }
    for (const row of card.querySelectorAll(".qc-option, .qc-actions, .qc-question")) {
      // Header and text are in rows of the question itself.
      const children = [...row.children].flatMap((child) => child.matches("legend") ? [...child.children] : [child]);
      // A digit is over the end of a field, which is empty then.
      const laid = children.filter((child) => !child.matches(".qc-other > .qc-kbd"));
      const boxes = laid.map((child) => [child, child.getBoundingClientRect()]).filter(([, box]) => box.width > 0 && box.height > 0);
      for (const [one, a] of boxes) for (const [other, b] of boxes) {
        if (one === other) continue;
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 1) found.push(`overlapping ${name(one)} / ${name(other)}`);
      }
    }
  }
  return found;
};
"#;

/// The spacing that readers may set for themselves (WCAG 1.4.12).
const SPACED: &str = r#"
const sheet = new CSSStyleSheet();
sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important }");
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
"#;

/// True if the whole focused element is visible above the host's panel.
const IN_SIGHT: &str = r#"
const box = document.activeElement.getBoundingClientRect();
const panel = document.querySelector(".gallery-host").getBoundingClientRect();
return box.top >= 0 && box.bottom <= panel.top + 1;
"#;

/// The colours of all elements of a part.
const COLOURS: &str = "const [property, css] = arguments;
return [...document.querySelectorAll(css)].map((element) => getComputedStyle(element)[property]);";

/// The outline of the row whose control has the focus.
const RING: &str = r#"
const style = getComputedStyle(document.activeElement.closest(".qc-option"));
return [style.outlineStyle, style.outlineWidth];
"#;

/// True if each control is at the start of its row.
const AT_START: &str = r#"
return [...document.querySelectorAll(".qc-option")].map((row) => {
  const control = row.querySelector("input").getBoundingClientRect(), label = row.querySelector(".qc-option-label").getBoundingClientRect();
  return arguments[0] ? control.right <= label.left : control.left >= label.right;
});
"#;

/// Headless browsers have none, and their pages are shown as to a finger: what is for a mouse alone becomes for all.
const WITH_A_MOUSE: &str = r#"
const look = (rules) => [...rules].forEach((rule) => {
  if (rule.media?.mediaText.includes("hover")) rule.media.mediaText = "all";
  if (rule.cssRules) look(rule.cssRules);
});
[...document.styleSheets].forEach((sheet) => look(sheet.cssRules));
"#;

/// True if any digit is visible.
const SHOWS_DIGITS: &str = "return [...document.querySelectorAll('.qc-kbd')].some((digit) => digit.checkVisibility({visibilityProperty: true}));";

/// The starts of texts, each in the direction of the card, from its edge.
const STARTS: &str = r#"
return [...document.querySelectorAll(arguments[0])].map((element) => {
  const text = document.createRange(), card = element.closest(".qc"), edge = card.getBoundingClientRect();
  text.selectNodeContents(element);
  const box = text.getBoundingClientRect();
  return getComputedStyle(card).direction === "rtl" ? edge.right - box.right : box.left - edge.left;
});
"#;

/// The number of lines of a preview, and of those that are shown.
const PREVIEW_LINES: &str = r#"
const preview = document.querySelector(".qc-preview-text"), style = getComputedStyle(preview);
const height = preview.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
return [preview.textContent.trimEnd().split("\n").length, Math.round(height / parseFloat(style.lineHeight))];
"#;
