// Makes the page's frame ready to be read and written in, and starts the program that Trunk has built, by the names that Trunk has
// written into the page. Until the program runs, what the person writes and sends is kept here. This is a file of its own, because
// the page's policy allows no inline script. The gallery is a program of its own, which is
// there where `cargo xtask serve --gallery` or the tests have put it.
// English is written in the page; these words come up later. Another language is a sheet beside this file.
let words = {
  anyone1: "What can you do?",
  anyone2: "Help me decide something",
  anyone3: "Ask me what you need to know",
};
let frame = {
  loading: "Loading…",
  held: "Your message goes out as soon as the page is ready.",
  failure: "The page could not start. Please load it again.",
  stopped: "The page has stopped working. Please load it again.",
  noPrograms: "This browser does not run WebAssembly here, which this page needs.",
};

const query = new URLSearchParams(location.search);
const storage = (name) => {
  try {
    return window[name];
  } catch {
    return undefined; // The browser keeps nothing for this page.
  }
};
const setting = (name) => query.get(name) ?? storage("localStorage")?.getItem(`chat-page ${name}`) ?? "";

const languages = ["en", ...document.querySelector("meta[name=languages]").content.split(" ")];
const tags = [setting("lang"), ...navigator.languages].map((tag) => tag.split(/[-_]/)[0].toLowerCase());
const language = tags.find((tag) => languages.includes(tag)) ?? "en";
const root = document.documentElement;
const theme = setting("theme");
if (theme === "light" || theme === "dark") root.style.colorScheme = theme;

const shell = document.querySelector("#shell");
const the = (selector) => document.querySelector(`#shell ${selector}`);
const says = (selector, text) => text === undefined || the(selector).replaceChildren(text);
const [form, field] = [the("form"), the("textarea")];
const suggestions = document.querySelectorAll("#shell .suggestion");
const agent = setting("agent");
const inGallery = query.has("gallery");
const isNew = location.hash.length < 2 && !inGallery;

/** The name of the agent, if it is not the front desk; and which word of the frame is told. */
let name = agent && (agent.split("//").at(-1).split("/")[0] || agent);
let told = isNew ? "" : "loading";
const tell = (word) => {
  told = word;
  says(".talk > [role=status]", frame[word] ?? word);
};
/** Writes the words into the frame. */
const dress = () => {
  says("h1 button", name || words.title);
  says("header p", name ? "" : words.subtitle);
  suggestions.forEach((button, at) => {
    const text = words[`${name ? "anyone" : "suggestion"}${at + 1}`];
    if (text) button.replaceChildren(text);
  });
  for (const it of shell.querySelectorAll("[data-say], [data-name]")) {
    const [text, label] = [words[it.dataset.say], words[it.dataset.name]];
    if (text) it.replaceChildren(text);
    if (label) it.setAttribute("aria-label", label);
  }
  field.placeholder = words.messagePlaceholder ?? field.placeholder;
  tell(told);
  written();
};
the(".new-button").href = location.pathname + location.search;
the(".welcome").hidden = !isNew;
form.hidden = inGallery;

/** Sets the field to the height and the direction of its text, or the height of its placeholder. */
const written = () => {
  field.parentElement.dataset.text = field.value || field.placeholder;
  field.dir = field.value ? "auto" : root.dir;
};
field.value = storage("sessionStorage")?.getItem("chat-page unsent") ?? "";
dress();
// If writing brings up no keyboard over half of the page.
if (matchMedia("(pointer: fine)").matches) field.focus({ preventScroll: true });

// The program marks the title while a question waits unseen: so do the tab's icon and the app's.
new MutationObserver(() => {
  const waits = document.title.startsWith("●");
  document.querySelector("link[rel=icon]").href = waits
    ? "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><circle cx='4' cy='4' r='4' fill='%233a4fd0'/></svg>"
    : "data:,";
  const badge = waits ? "setAppBadge" : "clearAppBadge";
  if (badge in navigator) navigator[badge]().catch(() => {});
}).observe(document.querySelector("title"), { childList: true });

/** Marks what is written as sent: the program sends it. */
const hold = () => {
  if (!field.value.trim()) return;
  form.dataset.held = "";
  tell("held");
};
const early = new AbortController();
form.addEventListener("adopted", () => early.abort(), { once: true });
const on = (target, name, act) => target.addEventListener(name, act, { signal: early.signal });
on(form, "submit", (event) => {
  event.preventDefault();
  hold();
});
on(field, "keydown", (event) => {
  // A screen keyboard composes all text.
  const byInputMethod = event.keyCode === 229 || (event.isComposing && !matchMedia("(pointer: coarse)").matches);
  if (event.key !== "Enter" || event.shiftKey || byInputMethod) return;
  event.preventDefault();
  hold();
});
on(field, "input", () => {
  written();
  if ("held" in form.dataset) tell("");
  delete form.dataset.held;
  storage("sessionStorage")?.setItem("chat-page unsent", field.value);
});
suggestions.forEach((button) => {
  on(button, "click", () => {
    field.value = button.textContent;
    written();
    hold();
  });
});

const { module, wasm } = inGallery
  ? { module: "./gallery/gallery.js" }
  : document.querySelector("meta[name=program]").dataset;
let pushes;
// The operator's words about the page's own agent; without them, it is the front desk.
const introduced = inGallery || fetch("settings.json", { signal: AbortSignal.timeout(5000) })
  .then((settings) => settings.json())
  .then(({ name: own = "", profile = "", webPush }) => {
    Object.assign(shell.dataset, { agent: own, profile });
    pushes = webPush;
    if (agent || !own) return;
    name = own;
    dress();
  })
  .catch(() => {});
// Until the sheet has come the frame can be written in, and is not seen: English would be seen for a moment.
shell.style.opacity = language === "en" ? "" : "0";
const learned = language === "en" || fetch(`languages/${language}.json`, { signal: AbortSignal.timeout(5000) })
  .then((sheet) => (sheet.ok ? sheet.text() : Promise.reject(new Error(`HTTP ${sheet.status}`))))
  .then((text) => {
    const sheet = JSON.parse(text);
    if (!sheet.page || !sheet.frame) throw new Error("no words of a page");
    ({ page: words, frame } = sheet);
    Object.assign(root, { lang: language, dir: sheet.dir });
    shell.dataset.words = text;
    dress();
  })
  .catch((problem) => console.error(`The page stays English: languages/${language}.json did not load:`, problem))
  .then(() => (shell.style.opacity = ""));
// A program that has panicked does nothing more, and can't say so.
for (const kind of ["error", "unhandledrejection"]) {
  addEventListener(kind, ({ error, reason }) => (error ?? reason)?.name === "RuntimeError" && tell("stopped"));
}
/** True unless the browser, or a policy, refuses even the empty program. */
const runsPrograms = () => {
  try {
    return !!new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    return false;
  }
};
// Without a wait at the top: the first paint is that of the frame, which comes when this file is done.
Promise.all([import(module), introduced, learned])
  .then(([{ default: start }]) => start(wasm && { module_or_path: wasm }))
  .then(() => void (pushes && import("./web-push/offer.js")))
  .catch((problem) => {
    const missing = runsPrograms() ? "failure" : "noPrograms";
    tell(inGallery ? "The gallery is not here. To see it: cargo xtask serve --gallery" : missing);
    throw problem;
  });
