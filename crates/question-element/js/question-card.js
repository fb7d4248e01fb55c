// The custom element <question-card>. It holds what its host has set, and passes it to a card while it is in the page. The card interprets
// it, and holds what was chosen, typed or sent.

import { ASKED, Call, partsOf, phaseOf } from "./call.js";
import languages from "./languages.js";
import { properties } from "./properties.js";
import { repair } from "./repair.js";
import styles from "./styles.js";

/** Converts the values of properties and attributes, by kind. */
const kinds = {
  flag: (value) => value !== null && value !== false && value !== "false",
  number: (value) => (value === null || value === "" ? undefined : Math.trunc(Number(value))),
  text: (value) => value ?? undefined,
};

/** The properties that describe the call. */
const words = ["args", "call", "result", "changed"];

let program;
let count = 0;

/** The results of replies, by scope and call: the element that gave a reply may have been replaced by another one when the result arrives. */
const ends = new Map();

/** Loads the program, and the words of a language, before a card needs them; `source` is where the WebAssembly is, if not beside its JavaScript. */
export async function load(lang = "en", source) {
  program ??= import("./wasm/card.js").then(async (module) => {
    await module.default(source === undefined ? undefined : { module_or_path: source });
    return module;
  });
  // A failed load can be tried again.
  program.catch(() => (program = undefined));
  const [module] = await Promise.all([program, sheetOf(languageOf(lang))]);
  return module;
}

/** The sheet of a language, as JSON; English is part of the program. */
const sheetOf = async (language) => (language === "en" ? "" : textOf((await languages[language]()).default));

/** Makes `<question-card>` known to the page, once; on a server it does nothing. */
export function define(name = "question-card") {
  const elements = globalThis.customElements;
  if (!elements || elements.get(name)) return;
  elements.define(name, name === "question-card" ? QuestionCard : class extends QuestionCard {});
}

function languageOf(tag) {
  const language = String(tag ?? "").toLowerCase().split(/[-_]/)[0];
  return Object.hasOwn(languages, language) ? language : "en";
}

/** A text as it is, or an object as JSON. Its escapes of lone surrogates are replaced, because no reader accepts those. */
const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value)?.replace(/\\\\|\\ud[89a-f]../g, (found) => (found === "\\\\" ? found : "\ufffd")));

// Without a page, such as on a server, the module can be loaded and does nothing.
const Base = globalThis.HTMLElement ?? class {};

export class QuestionCard extends Base {
  static observedAttributes = [...Object.values(properties).map(([attribute]) => attribute), "lang", "args"];

  /** The card, what it is told of its call, the element that it is in, the program that makes cards, the language that the page asks for, and the sheet that has come. */
  #card;
  #described;
  #place;
  #program;
  #language;
  #sheet;
  /** The line in place of a card whose program did not come. */
  #line;
  /** The properties that the host has set. */
  #set = {};
  /** The call: its id, what the host has said of it, the reply that is on its way, the last picks that the host has heard of. */
  #call = { said: {} };
  /** The host's settings since the card's last update. */
  #news = {};
  #internals = this.attachInternals?.();
  #isDue = false;
  /** A property has changed since the card was last told. */
  #isSet = true;

  constructor() {
    super();
    // A property that was set before the element was defined shadows the accessor of its class.
    for (const name of [...Object.keys(properties), ...words].filter((name) => Object.hasOwn(this, name))) {
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  connectedCallback() {
    QuestionCard.#follow(this);
    this.#change();
  }

  disconnectedCallback() {
    // An element that is moved is connected again by then, and keeps its card.
    queueMicrotask(() => {
      if (this.isConnected) return;
      QuestionCard.#shown.delete(this);
      this.#unmount();
      // If the program did not load, it is tried again when the element is back in the page.
      if (!this.#program) this.#language = undefined;
    });
  }

  static #shown = new Set();
  static #languages;

  /** Updates an element while it is in the page whenever a language around it changes. */
  static #follow(element) {
    this.#shown.add(element);
    if (this.#languages) return;
    this.#languages = new MutationObserver(() => this.#shown.forEach((shown) => shown.#change()));
    this.#languages.observe(document, { attributes: true, attributeFilter: ["lang"], subtree: true });
  }

  attributeChangedCallback(name, before, value) {
    // A framework on a server may have written an object as this attribute.
    if (name === "args" && value !== null && value !== before && value !== "[object Object]") this.args = value;
    else this.#change();
  }

  get state() {
    return this.#place?.firstElementChild?.dataset?.state ?? "composing";
  }

  /** A stream into which the text of the arguments is piped. */
  get writable() {
    const decoder = new TextDecoder();
    return new WritableStream({
      write: (piece) => this.append(typeof piece === "string" ? piece : decoder.decode(piece, { stream: true })),
      close: () => this.finish(),
      abort: () => void (this.status = "interrupted"),
    });
  }

  append(...pieces) {
    // Nodes are appended as in every other element.
    if (pieces.some((piece) => piece instanceof Node)) return super.append(...pieces);
    this.#say("append", (this.#news.append ?? "") + pieces.join(""));
  }

  finish() {
    this.#say("finish", "");
  }

  fail(reason) {
    this.#call.reply = undefined;
    this.#say("fail", String(reason ?? ""));
  }

  focus() {
    this.#flush();
    return this.#card?.tell("focus", "") ?? false;
  }

  reset() {
    this.#forget();
    this.#news = {};
    this.#soon();
  }

  #forget() {
    this.#unmount();
    this.#call = { said: {} };
  }

  #say(name, value) {
    this.#news[name] = value;
    this.#soon();
  }

  #keyOf(call) {
    return `${this.scope ?? ""}\n${call.id || call.made}`;
  }

  /** Gives the call the host's id, or a generated one. */
  #name(id) {
    this.#call.id ||= id;
    this.#call.made ??= `question-card-${++count}`;
  }

  get #lang() {
    return this.closest("[lang]")?.lang || this.getRootNode().host?.closest?.("[lang]")?.lang || "";
  }

  /** Passes the properties to the card. A delta passes itself alone. */
  #change() {
    this.#isSet = true;
    this.#soon();
  }

  /** Batches updates into a microtask. */
  #soon() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#flush());
  }

  #flush() {
    this.#isDue = false;
    if (!this.isConnected) return;
    this.#load(languageOf(this.#lang));
    if (!this.#program) return this.#line && this.#ask();
    let { append = "", fail, messaged, ...news } = this.#news;
    // A high surrogate at the end waits for its other half.
    const end = append.length - /[\ud800-\udbff]$/.test(append);
    this.#news = end < append.length ? { append: append.slice(end) } : {};
    const named = partsOf(news.call)?.id;
    if (named !== undefined) this.toolCallId = named;
    const id = String(this.toolCallId ?? "");
    if (this.#call.id && id && id !== this.#call.id) {
      this.#forget();
      delete news.sent;
      messaged = undefined;
    }
    const call = this.#call;
    this.#name(id);
    Object.assign(call.said, news);
    // A new card is told everything that was said of the call.
    const told = this.#card ? news : { ...call.said };
    if (end > 0) {
      told.append = append.slice(0, end);
      call.said.args = (typeof call.said.args === "string" ? call.said.args : "") + told.append;
    }
    if (!this.#card) {
      this.#card = new this.#program.Card(this.#open(), (name, detail) => this.#hear(name, detail, call));
      this.#described = new Call();
      this.#isSet = true;
    }
    const described = this.#described;
    // The card may go while it is told something, because handlers of its events call back.
    const tell = (word, text = "", question = 0, option = 0) => this.#card?.tell(word, String(text), question, option);
    if (this.#card.sheet !== this.#sheet) {
      tell("sheet", (this.#card.sheet = this.#sheet));
      this.#isSet = true;
    }
    if (this.#isSet) {
      this.#isSet = false;
      this.#tellSettings(tell);
      described.take("status", this.status);
    }
    for (const [word, value] of Object.entries(told)) described.take(word, value);
    described.show(tell, repair, () => this.#described === described && this.#soon());
    tell("show", described.streams ? "streams" : "");
    // The card began with a reply that another element sent, and whose result is there by now.
    const ended = !call.reply && this.state === "submitting" && ends.get(this.#keyOf(call));
    if (ended) {
      if (ended[0] === "fail") ends.delete(this.#keyOf(call));
      this.#say(...ended);
    }
    if (messaged) tell("messaged");
    if (fail !== undefined) tell("fail", fail);
    this.#enter();
  }

  /** Loads the program and a language. Meanwhile, and if the program does not load, the page's own content for that is shown. */
  #load(language) {
    if (language === this.#language) return;
    this.#language = language;
    if (!this.#place) this.#show("loading");
    const failed = (reason) => {
      console.warn("question-card:", reason);
      this.dispatchEvent(new CustomEvent("qc-error", { bubbles: true, composed: true, detail: { reason } }));
    };
    // If a language does not come, the card stays in the one that it has.
    const sheet = sheetOf(language).catch((reason) => (failed(reason), this.#sheet));
    Promise.all([load(), sheet]).then(([program, sheet]) => ({ program, sheet }), (reason) => ({ reason })).then(({ program, sheet, reason }) => {
      if (language !== this.#language) return;
      this.#program = program;
      this.#sheet = sheet;
      if (program) return this.#soon();
      this.#unmount();
      // The load is tried again in another language, or when the element is back in the page.
      const runs = runsPrograms();
      this.#line = made("p", { role: "alert" });
      this.#line.part = "unavailable";
      this.#line.textContent = `This question can’t be shown as a card. ${runs ? "Reload the page to try again." : "This browser does not run WebAssembly here."}`;
      this.#show("failure", this.#line);
      const hint = runs ? "the card’s program could not be loaded" : "WebAssembly is missing or forbidden, without which there is `question-card/no-wasm`";
      failed(new Error(`${hint}: ${reason?.message ?? reason}`, { cause: reason }));
      this.#ask();
    });
  }

  /** Without the program, the questions are read and answered in the user's own words, once they have come whole. */
  #ask() {
    const { append = "", fail, finish, sent } = this.#news;
    const call = partsOf(this.#news.call) ?? {};
    const args = this.#news.args ?? call.args;
    const result = this.#news.result ?? call.result ?? "";
    const phase = phaseOf(this.status) ?? call.phase;
    this.#name(String(call.id ?? this.toolCallId ?? ""));
    const isOpen = result === ASKED || (result === "" && [undefined, "streaming", "ready", "answerable"].includes(phase));
    // An object may still grow, and half of a text can't be parsed.
    const isWhole = typeof args !== "object" || finish !== undefined || (phase ? phase !== "streaming" : args === call.args);
    let questions;
    try {
      if (isOpen && isWhole) ({ questions } = typeof args === "object" ? args : JSON.parse((args ?? "") + append));
    } catch {}
    const there = this.#line.nextSibling;
    if (there && sent !== undefined) there.replaceChildren("Sent.");
    else if (there && fail !== undefined) {
      there.inert = false;
      there.lastChild.textContent = fail;
    }
    if (there || !Array.isArray(questions) || !questions.length || !questions.every((asked) => asked?.question)) return;
    const form = made("form");
    form.part = "plain";
    const fields = questions.map(({ question, options }) => {
      const field = made("textarea", { required: true });
      const labels = options?.map?.((option) => option?.label ?? option).join(", ");
      const words = made("label", { dir: "auto" });
      words.append(`${question}${labels ? ` (${labels})` : ""}`, field);
      form.append(words);
      return field;
    });
    form.append(made("button", { textContent: "Send" }), made("p", { role: "alert" }));
    this.#line.after(form);
    form.onsubmit = (event) => {
      event.preventDefault();
      delete this.#news.fail;
      const answers = Object.fromEntries(questions.map(({ question }, at) => [question, fields[at].value]));
      form.inert = true;
      this.#hear("reply", JSON.stringify({ answers, message: Object.values(answers).join("\n"), json: JSON.stringify({ answers }) }));
    };
  }

  get #inShadow() {
    return !this.hasAttribute("no-shadow");
  }

  /** Shows what the page has in the slot of this name, or else these nodes. */
  #show(name, ...otherwise) {
    const slot = document.createElement("slot");
    slot.name = name;
    slot.append(...otherwise);
    this.#open(...(this.#inShadow ? [slot] : otherwise));
  }

  /** The place of the card, in the page, with these nodes. */
  #open(...nodes) {
    const root = this.#inShadow ? (this.shadowRoot ?? this.attachShadow({ mode: "open" })) : this;
    adopt(this.#inShadow ? root : document);
    if (!this.#place) {
      this.#place = document.createElement("div");
      // Changes inside are announced by this element's own events.
      for (const name of ["change", "input"]) this.#place.addEventListener(name, (event) => event.stopPropagation());
      for (const name of ["keydown", "keypress", "keyup"]) this.#place.addEventListener(name, (event) => {
        // Outside the shadow tree, the target of the event is this element instead of the field, and a page's shortcut would take what is
        // typed.
        if (this.#inShadow && event.target.localName === "textarea" && event.key?.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation();
      });
      new MutationObserver(() => this.#enter()).observe(this.#place, { subtree: true, attributeFilter: ["data-state"] });
    }
    if (this.#place.parentNode !== root) root.appendChild(this.#place);
    this.#place.replaceChildren(...nodes);
    return this.#place;
  }

  /** Tells all properties. */
  #tellSettings(tell) {
    const settings = { ...Object.fromEntries(Object.keys(properties).map((name) => [name, this[name]])), hasWords: this.#lang !== "", parts: this.#inShadow };
    for (const [name, value] of Object.entries(settings)) tell(`.${name}`, textOf(value === 0 ? "0" : value || ""));
    tell("set");
    tell("id", this.#call.id || this.#call.made);
  }

  #unmount() {
    const card = this.#card;
    this.#place?.remove();
    this.#card = this.#described = this.#place = undefined;
    this.#enter();
    // The event that it sends just now leads here, too.
    if (card) queueMicrotask(() => card.free());
  }

  /** Shows the state of the card as the element's own: `:state(awaiting)`. */
  #enter() {
    this.#internals?.states?.clear();
    this.#internals?.states?.add(this.state);
    const call = this.#call;
    if (this.state !== "malformed" || call.isDamaged) return;
    // The user reads that the question is damaged. The arguments are for the author of the page, such as twice in strict mode.
    call.isDamaged = true;
    console.warn(`question-card: call ${call.id || call.made} is no question:`, textOf(call.said.args ?? call.said.call));
  }

  /** Dispatches an event of a card whose call may have been replaced since. Returns true if the host has accepted it. */
  #hear(name, text, call = this.#call) {
    const detail = { toolCallId: call.id || call.made, ...JSON.parse(text) };
    if (name === "draft") {
      // A card that comes back begins with picks that the host knows.
      if (text === (call.picks ?? '{"picks":[]}') || call.said.result || call.said.sent) return false;
      call.picks = text;
    }
    const event = new CustomEvent(name, { bubbles: true, composed: true, detail });
    const isReply = name === "reply" || name === "decline";
    const key = this.#keyOf(call);
    let taken, isOver;
    const isChange = name === "change-answer";
    if (isReply || isChange || name === "late-message") {
      event.respondWith = (promise) => {
        if (isOver) throw new DOMException("The event is over: call respondWith once, before anything is awaited", "InvalidStateError");
        isOver = true;
        taken = Promise.resolve(promise);
      };
    }
    if (isReply) {
      call.reply = event;
      ends.delete(key);
    }
    this.dispatchEvent(event);
    // The card has to learn that its reply is held.
    if (isReply && this.held) this.#change();
    isOver = true;
    if (taken && !isReply) call.reply = event;
    const settle = (name, text) => {
      // A failure that this card shows is over with the user's next reply, or with a decline.
      if (isReply && (name === "sent" || this.#call.reply !== event || !this.isConnected)) ends.set(key, [name, text]);
      // Another call may have taken the place of this one by then, but not another card of it.
      if (this.#call.reply === event) name === "fail" ? this.fail(text) : this.#say(name, text);
      if (!this.isConnected) QuestionCard.#shown.forEach((shown) => shown.#soon());
    };
    taken?.then(() => (isReply ? settle("sent", detail.json ?? detail.text) : isChange ? settle("changed", detail.json) : settle("messaged", true)), (reason) => settle("fail", reason?.message ?? reason));
    return taken !== undefined;
  }

  static {
    const define = (name, get, set) =>
      Object.defineProperty(this.prototype, name, { configurable: true, enumerable: true, get() { return get(this); }, set(value) { set(this, value); } });
    for (const name of words) define(name, (element) => ({ ...element.#call.said, ...element.#news })[name], (element, value) => element.#say(name, value));
    for (const [name, [attribute, kind, otherwise]] of Object.entries(properties)) {
      const get = (element) => (name in element.#set ? element.#set[name] : (kinds[kind](element.getAttribute(attribute)) ?? otherwise));
      define(name, get, (element, value) => {
        if (value === undefined) delete element.#set[name];
        else element.#set[name] = kinds[kind](value);
        element.#change();
      });
    }
  }
}

const made = (tag, values) => Object.assign(document.createElement(tag), values);

/** Returns false if the browser, or the page's policy, refuses even an empty WebAssembly program. */
function runsPrograms() {
  try {
    return !!new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    return false;
  }
}

let sheet;

/** Adds the styles of the card to a tree: one sheet for all elements, in shadow trees and in the page. */
function adopt(tree) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    // A place that is as wide as its content, such as a dialog, has room for a card: a hidden line of 30rem, which breaks where there is less.
    const line = "content: '. . . .'; display: block; block-size: 0; overflow: hidden; visibility: hidden; word-spacing: 10rem;";
    sheet.replaceSync(`${styles} :host { display: block; } :host::before { ${line} } :host([hidden]) { display: none; } @layer qc.base { :where(question-card) { display: block; } }`);
  }
  if (!tree.adoptedStyleSheets.includes(sheet)) tree.adoptedStyleSheets.push(sheet);
}
