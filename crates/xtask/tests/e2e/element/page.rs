//! A page with `<question-card>`, as a person and as a host uses it. All selectors for the inside of the element are here.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};
use thirtyfour::action_chain::ActionChain;
use thirtyfour::prelude::*;
use thirtyfour::{Key, TypingData, WebDriver};

use crate::browser::{press, press_with, visit};
use crate::chat_page::PATIENCE;
use crate::processes::TempDir;
use crate::readme::block;
use crate::recorder;
use crate::server::Server;
use crate::{given, workspace};

/// A page that is open.
pub(crate) struct ElementPage {
    pub(crate) driver: WebDriver,
}

/// The server of the pages: the package's files as they are, beside pages of which one is the README's lines. It has read them once it listens.
static PAGES: LazyLock<Server> = LazyLock::new(|| {
    let (folder, element) = (TempDir::new(), workspace().join("crates/question-element"));
    copy(Path::new(&given("XTASK_PACKAGE")), &folder.0.join("question-card"));
    if std::env::var_os("XTASK_NO_WASM").is_some() {
        // The same element in one file, and no other program of the card.
        let package = folder.0.join("question-card");
        fs::rename(package.join("no-wasm.js"), package.join("question-card.js")).expect("the package has it");
        fs::remove_file(package.join("wasm/card_bg.wasm")).expect("the package has it");
    }
    // A sheet that came halfway.
    fs::write(folder.0.join("question-card/languages/ja.js"), "export default {").expect("there is room on the disk");
    copy(&element.join("tests/page"), &folder.0);
    let readme = read(&element.join("README.md"));
    let page = read(&folder.0.join("readme.html")).replace("README\n", block(&readme, "html", ""));
    fs::write(folder.0.join("index.html"), page).expect("there is room on the disk");
    // Without a bundler, an import names the path of its file.
    let app = block(&readme, "js", "").replace("\"question-card/define\"", "\"./question-card/define.js\"");
    fs::write(folder.0.join("app.js"), app).expect("there is room on the disk");
    Server::start_with_page(&folder.0.to_string_lossy())
});

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()))
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("there is room on the disk");
    for entry in fs::read_dir(from).unwrap_or_else(|problem| panic!("{}: {problem}", from.display())) {
        let from = entry.expect("it can be read").path();
        let to = to.join(from.file_name().expect("a file has a name"));
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(fs::copy(&from, &to).expect("there is room on the disk")),
        }
    }
}

/// The functions by which this file's scripts look at the card.
const LOOKS: &str = "
    const element = document.querySelector('question-card.live') ?? document.querySelector('question-card');
    const inside = () => element.shadowRoot ?? element;
    const all = (css) => [...inside().querySelectorAll(css)];
    const text = (node) => node.textContent.trim();
    const option = (label) => all('.qc-option, .qc-option-button').find((row) => text(row).includes(label));
";

/// Opens the page of this name, does something there, and checks that nothing has complained meanwhile.
pub(crate) async fn on_page(name: &str, act: impl AsyncFnOnce(&ElementPage) -> WebDriverResult<()>) {
    let url = format!("{}{name}", PAGES.url());
    on_page_at(&url, &[], act).await;
}

/// The same at any address. Lines of the console with one of the `forgiven` words do not count.
pub(crate) async fn on_page_at(
    url: &str,
    forgiven: &[&str],
    act: impl AsyncFnOnce(&ElementPage) -> WebDriverResult<()>,
) {
    visit(forgiven, async |driver| {
        recorder::open(&driver, url).await?;
        act(&ElementPage { driver }).await
    })
    .await;
}

/// The page on which elements are put by hand.
pub(crate) async fn on_plain_page(act: impl AsyncFnOnce(&ElementPage) -> WebDriverResult<()>) {
    on_page("plain.html", async |page| {
        page.until("return window.put !== undefined;").await?;
        act(page).await
    })
    .await;
}

impl ElementPage {
    /// Runs a script of the host.
    pub(crate) async fn host(&self, script: &str) -> WebDriverResult<Value> {
        let returned = self.driver.execute(format!("{LOOKS}{script}"), Vec::new()).await?;
        Ok(returned.json().clone())
    }

    /// Waits until a script gives something that counts as true, and gives it.
    pub(crate) async fn until(&self, script: &str) -> WebDriverResult<Value> {
        let waiting = format!(
            "const [patience, done] = arguments, end = performance.now() + patience;
            const look = () => {{
                let found, problem;
                try {{ found = (() => {{ {LOOKS}{script} }})(); }} catch (reason) {{ problem = String(reason); }}
                if (found) done({{ found }});
                else if (performance.now() > end) done({{ problem: problem ?? `it gives ${{JSON.stringify(found)}}` }});
                else setTimeout(look, 20);
            }};
            look();"
        );
        let patience = json!(u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX));
        let returned = self.driver.execute_async(waiting, vec![patience]).await?;
        let returned = returned.json();
        assert!(returned.get("problem").is_none(), "{script}: {returned}");
        Ok(returned["found"].clone())
    }

    /// Waits until the card is so.
    pub(crate) async fn is(&self, state: &str) -> WebDriverResult<()> {
        let is = format!("if (element?.state === {}) return true; throw `it is ${{element?.state}}`;", json!(state));
        self.until(&is).await?;
        Ok(())
    }

    /// Waits until the card can be read to say this.
    pub(crate) async fn says(&self, words: &str) -> WebDriverResult<()> {
        self.until(&format!("return text(inside()).includes({});", json!(words))).await?;
        Ok(())
    }

    /// Clicks the option with this label, once it can be chosen.
    pub(crate) async fn choose(&self, label: &str) -> WebDriverResult<()> {
        let ready = format!("return option({})?.querySelector('input, button') !== null;", json!(label));
        self.until(&ready).await?;
        // Left to itself, it may end below the actions that stick to the bottom.
        self.shows(&format!("option({})", json!(label))).await?;
        self.element(&format!("return option({}).querySelector('label') ?? option({0});", json!(label)))
            .await?
            .click()
            .await
    }

    pub(crate) async fn submit(&self) -> WebDriverResult<()> {
        self.press(".qc-submit").await
    }

    pub(crate) async fn cancel(&self) -> WebDriverResult<()> {
        self.press(".qc-cancel").await
    }

    /// Brings a part of the card to the middle of the window, where a click needs to scroll no more.
    async fn shows(&self, part: &str) -> WebDriverResult<()> {
        let script = format!(
            "{part}.scrollIntoView({{ block: 'center' }});
            return parent === window ? null : {part}.getBoundingClientRect().top;"
        );
        if let Some(top) = self.host(&script).await?.as_f64() {
            // Not every driver scrolls the page around a frame, and no script in the frame may.
            self.driver.enter_default_frame().await?;
            let around = "scrollTo(0, scrollY + document.querySelector('iframe').getBoundingClientRect().top + arguments[0] - innerHeight / 2);";
            self.driver.execute(around, vec![json!(top)]).await?;
            self.driver.enter_frame(0).await?;
        }
        self.stands_still().await
    }

    /// Waits until the card is still: a tap on something that just moved is not taken.
    async fn stands_still(&self) -> WebDriverResult<()> {
        self.until(
            "const place = element.getBoundingClientRect(), now = [place.top, place.width, place.height, element.state].join(), stood = (window.stood ??= {});
            const [card] = all('.qc'); // Another one may stand where one has gone.
            if (stood.place !== now || stood.card !== card) {
                Object.assign(stood, { place: now, card, since: Infinity });
                // The card hears of its size once a frame is drawn.
                requestAnimationFrame(() => requestAnimationFrame(() => { stood.since = performance.now(); }));
            }
            return performance.now() - stood.since > 320;",
        )
        .await?;
        Ok(())
    }

    async fn press(&self, css: &str) -> WebDriverResult<()> {
        self.until(&format!("return all('{css}').length > 0;")).await?;
        self.shows(&format!("all('{css}')[0]")).await?;
        self.element(&format!("return all('{css}')[0];")).await?.click().await
    }

    /// The pointer over a part of the card, for what it does there.
    pub(crate) async fn over(&self, css: &str) -> WebDriverResult<ActionChain> {
        self.shows(&format!("all('{css}')[0]")).await?;
        let place = self
            .host(&format!(
                "const place = all('{css}')[0].getBoundingClientRect();
                return [place.x + place.width / 2, place.y + place.height / 2].map(Math.round);"
            ))
            .await?;
        let at = |index: usize| place[index].as_i64().expect("a place in the window");
        Ok(self.driver.action_chain().move_to(at(0), at(1)))
    }

    /// Presses the card's button with these words.
    pub(crate) async fn press_button(&self, words: &str) -> WebDriverResult<()> {
        let button = format!("all('button').find((found) => text(found).includes({}))", json!(words));
        self.until(&format!("return {button} !== undefined;")).await?;
        self.shows(&button).await?;
        self.element(&format!("return {button};")).await?.click().await
    }

    /// Lets the browser show what is new.
    pub(crate) async fn frames(&self) -> WebDriverResult<()> {
        self.host("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));").await?;
        Ok(())
    }

    /// Types an answer of one's own to the nth question.
    pub(crate) async fn write(&self, question: usize, words: &str) -> WebDriverResult<()> {
        let field = self.element(&format!("return all('textarea.qc-other-input')[{question}];")).await?;
        field.send_keys(words).await
    }

    /// Presses keys where the focus is.
    pub(crate) async fn keys(&self, keys: impl Into<TypingData>) -> WebDriverResult<()> {
        press(&self.driver, keys).await
    }

    /// Presses Ctrl and Enter where the focus is.
    pub(crate) async fn ctrl_enter(&self) -> WebDriverResult<()> {
        press_with(&self.driver, Key::Control, Key::Enter + "").await
    }

    /// The labels of what is chosen.
    pub(crate) async fn chosen(&self) -> WebDriverResult<Value> {
        self.host("return all('input:checked').map((input) => text(input.closest('.qc-option').querySelector('.qc-option-label') ?? input.closest('.qc-option')));")
            .await
    }

    /// The answers of the receipt, once it is there.
    pub(crate) async fn answers(&self) -> WebDriverResult<Value> {
        self.until("return all('.qc-receipt').length > 0;").await?;
        self.host("return all('.qc-answer > :last-child').map(text);").await
    }

    /// The names of the events that the document has heard, and how often.
    pub(crate) async fn heard(&self, name: &str) -> WebDriverResult<Vec<Value>> {
        let heard = self.host("return heard;").await?;
        let heard = heard.as_array().cloned().unwrap_or_default();
        Ok(heard.into_iter().filter(|event| event[0] == name).map(|event| event[1].clone()).collect())
    }

    async fn element(&self, script: &str) -> WebDriverResult<WebElement> {
        self.driver.execute(format!("{LOOKS}{script}"), Vec::new()).await?.element()
    }
}
