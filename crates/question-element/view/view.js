// The card in a frame of an MCP host: it shows the question as the host tells the tool's input, and gives the host the answer as the user's
// next message. The host may show anything else instead; so "sent" is said only of what the host has taken.
import { define } from "./question-card.js";
import { repaired } from "./repair.js";
import words from "./words.js";

/* global VERSION */
const host = window.parent;
const root = document.documentElement;
const card = document.querySelector("question-card");

const english = { instead: "Copy your answer, and send it as a message of your own.", copy: "Copy", copied: "Copied", copyFailed: "Copying did not work. Select the text instead." };
const say = (word) => words[root.lang.split("-")[0]]?.[word] ?? english[word];

// JSON-RPC, both ways.
const waiting = new Map();
let count = 0;
const post = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
const notify = (method, params = {}) => post({ method, params });
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    waiting.set(++count, { resolve, reject });
    post({ id: count, method, params });
  });

const heard = {
  "ui/notifications/tool-input-partial": (params) => {
    // A late piece has less than the whole arguments, which are there by now.
    if (card.status === "input-available") return;
    card.status = "input-streaming";
    card.args = params.arguments;
  },
  "ui/notifications/tool-input": (params) => {
    card.args = params.arguments ?? {};
    card.status = "input-available";
  },
  "ui/notifications/tool-result": ({ structuredContent: result, isError, _meta }) => {
    repaired(_meta?.ask);
    if (isError) card.status = "interrupted";
    // A result without an outcome, or one that says that the question is on the screen, ends nothing.
    else if (result?.outcome && !["shown", "open"].includes(result.outcome)) card.result = result.outcome === "skipped" ? { ...result, outcome: "answered" } : result;
  },
  "ui/notifications/tool-cancelled": () => void (card.status = "interrupted"),
  "ui/notifications/host-context-changed": look,
  "ui/resource-teardown": () => {
    sizes.disconnect();
    card.remove();
    instead.hidden = true;
  },
  ping: () => {},
};

addEventListener("message", ({ source, data }) => {
  if (source !== host || data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    return error ? reject?.(new Error(error.message)) : resolve?.(result ?? {});
  }
  const known = Object.hasOwn(heard, method);
  if (known) heard[method](params ?? {});
  if (id !== undefined) post(known ? { id, result: {} } : { id, error: { code: -32601, message: `There is no method ${method}` } });
});

/** Applies the host's looks and language. */
function look({ theme, locale, styles, toolInfo, safeAreaInsets: insets }) {
  if (theme) root.style.colorScheme = theme;
  if (locale) root.lang = locale;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) root.style.setProperty(name, value ?? "");
  if (styles?.css?.fonts) fonts.textContent = styles.css.fonts;
  if (toolInfo?.id !== undefined) card.toolCallId = String(toolInfo.id);
  if (insets) document.body.style.margin = ["top", "right", "bottom", "left"].map((side) => `${Number(insets[side]) || 0}px`).join(" ");
}
const fonts = document.head.appendChild(document.createElement("style"));

/** Sends an answer to the host: the context for the agent, and the user's message. */
async function send(text, context) {
  // The host may ask the user to confirm. A user who waits longer than this is offered the answer to copy.
  const slow = setTimeout(offer, 8000, text);
  instead.hidden = true;
  try {
    // The message says it as well.
    await ask("ui/update-model-context", { content: [{ type: "text", text: JSON.stringify(context) }], structuredContent: context }).catch(() => {});
    const { isError } = await ask("ui/message", { role: "user", content: [{ type: "text", text }] });
    if (isError) throw new Error();
    instead.hidden = true;
  } catch (problem) {
    offer(text);
    throw problem;
  } finally {
    clearTimeout(slow);
  }
}
card.addEventListener("reply", (event) => event.respondWith(send(event.detail.message, { outcome: "answered", ...JSON.parse(event.detail.json) })));
card.addEventListener("decline", (event) => event.respondWith(send(event.detail.text, { outcome: "declined", message: event.detail.text })));

// The answer as a text to copy, if the host does not take it.
const instead = Object.assign(document.createElement("section"), { className: "instead", hidden: true });
const [hint, text, button] = ["p", "textarea", "button"].map((tag) => instead.appendChild(document.createElement(tag)));
Object.assign(hint, { id: "hint", role: "status" });
Object.assign(text, { readOnly: true, rows: 3 });
text.setAttribute("aria-labelledby", hint.id);
button.type = "button";
card.after(instead);

function offer(answer) {
  text.value = answer;
  hint.textContent = say("instead");
  button.textContent = say("copy");
  instead.hidden = false;
}
button.addEventListener("click", async () => {
  text.select();
  // A frame rarely has access to the clipboard, but selected text can always be copied.
  const copied = (await navigator.clipboard?.writeText(text.value).then(() => true, () => false)) || document.execCommand("copy");
  hint.textContent = say(copied ? "copied" : "copyFailed");
});

// Keeps the frame as high as the card.
let told = "";
const sizes = new ResizeObserver(() => {
  const size = { width: window.innerWidth, height: Math.ceil(root.getBoundingClientRect().height) };
  if (told === (told = Object.values(size).join())) return;
  notify("ui/notifications/size-changed", size);
});

define();
const about = { appInfo: { name: "question-card", version: VERSION }, appCapabilities: { availableDisplayModes: ["inline"] }, protocolVersion: "2026-01-26" };
ask("ui/initialize", about).then(({ hostContext }) => {
  look(hostContext ?? {});
  notify("ui/notifications/initialized");
  sizes.observe(root);
});
