// The custom element <question-card>. It holds what its host has set, and tells it to one card from when it is in the page until it is taken out.
// What was chosen, typed or sent is known to the card alone.

import languages from "./languages.js";
import styles from "./styles.js";

/** What other protocols call the states of a call. */
const phases = {
  inprogress: "streaming", running: "streaming", "input-streaming": "streaming", "partial-call": "streaming",
  executing: "answerable", "requires-action": "answerable", "input-available": "answerable", call: "answerable",
  "approval-requested": "answerable", "approval-responded": "answerable", "output-denied": "declined",
  complete: "answered", result: "answered", "output-available": "answered",
  incomplete: "interrupted", error: "interrupted", "output-error": "interrupted",
};
const words = ["streaming", "ready", "answerable", "answered", "declined", "superseded", "expired", "interrupted", "settled"];

/** Properties that are attributes too: the attribute, its kind, and the value without either. */
const properties = {
  toolCallId: ["tool-call-id", "text"],
  status: ["status", "text"],
  labels: ["labels", "text"],
  mode: ["mode", "text", "explicit"],
  layout: ["layout", "text", "stacked"],
  scope: ["draft-scope", "text", ""],
  agentDecides: ["agent-decides", "text"],
  headingLevel: ["heading-level", "number"],
  maxLength: ["max-length", "number"],
  expiresAt: ["expires-at", "number"],
  claimFocus: ["claim-focus", "text", "never"],
  persist: ["persist", "text", "none"],
  held: ["held", "flag"],
  fresh: ["fresh", "flag"],
  readonly: ["readonly", "flag"],
  allowSkip: ["allow-skip", "flag"],
  noNotes: ["no-notes", "flag"],
  noShortcuts: ["no-shortcuts", "flag"],
  replyInChat: ["reply-in-chat", "flag"],
  lateMessages: ["late-messages", "flag"],
  moreTime: ["more-time", "flag"],
};

let program;
let count = 0;

/**
 * Loads the program of the card, and the words of a language, before a card needs them.
 * @param {string} [lang] A BCP 47 tag; English, which is part of the program, where it does not ship.
 * @param {unknown} [source] Where the WebAssembly is, if not beside its JavaScript: what `fetch` takes, a response, bytes or a module.
 */
export async function load(lang = "en", source) {
  program ??= import("./wasm/card.js").then(async (module) => {
    await module.default(source === undefined ? undefined : { module_or_path: source });
    return module;
  });
  // A load that failed can be tried again.
  program.catch(() => (program = undefined));
  const [module] = await Promise.all([program, sheetOf(languageOf(lang))]);
  return module;
}

/** The sheet of a language, as JSON; of English there is none. */
async function sheetOf(language) {
  return language === "en" ? "" : textOf((await languages[language]()).default);
}

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

/** A text of JSON without what closes it: the beginning of all that it may still become. */
function beginning(json) {
  return json.replace(/["\]}]+$/, "");
}

/** Whether nothing can follow a text: it is JSON from its beginning to its end. */
function isWhole(text) {
  try {
    return /\}\s*$/.test(text) && Boolean(JSON.parse(text));
  } catch {
    return false;
  }
}

/** A text, or an object as JSON, which escapes halves of characters that stand alone: nobody could read those. */
const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value)?.replace(/\\\\|\\ud[89a-f]../g, (found) => (found === "\\\\" ? found : "\ufffd")));

// Where there is no page, such as on a server, the module can be loaded and does nothing.
const Base = globalThis.HTMLElement ?? class {};
const BaseEvent = globalThis.CustomEvent ?? class {};

/** What the user gives to the host, which takes it by `respondWith`. */
export class ReplyEvent extends BaseEvent {
  #promise;
  #isOver = false;
  /** Takes it. Once the promise settles, the card is a receipt, or shows the reason and the form. */
  respondWith(promise) {
    if (this.#isOver) throw new DOMException("The event is over: call respondWith once, before anything is awaited", "InvalidStateError");
    this.#isOver = true;
    this.#promise = Promise.resolve(promise);
  }
  /** The promise, if there was one. From now on it is too late for another. */
  end() {
    this.#isOver = true;
    return this.#promise;
  }
}

export class QuestionCard extends Base {
  static observedAttributes = [...Object.values(properties).map(([attribute]) => attribute), "lang", "args"];

  /** The card, the element that it is in, and the program that makes cards. */
  #card;
  #place;
  #program;
  /** The language that the host asks for, and the sheet of the one that the card speaks. */
  #language;
  #sheet;
  /** What the host has set: properties, what is known of the call, and what came of that since the card was told. */
  #set = {};
  #call = { text: "" };
  #news = {};
  /** What the card was told. */
  #told;
  /** Names the reply that is on its way. */
  #reply;
  #internals = this.attachInternals?.();
  #isDue = false;

  constructor() {
    super();
    // What was set before the element was known hides the accessors of its class.
    for (const name of [...Object.keys(properties), "args", "call", "result"]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  connectedCallback() {
    QuestionCard.#follow(this);
    this.#soon();
  }

  disconnectedCallback() {
    // An element that is moved is back by then, and so is its card.
    queueMicrotask(() => {
      if (this.isConnected) return;
      QuestionCard.#shown.delete(this);
      this.#unmount();
      // Back in the page, it may try once more.
      if (!this.#program) this.#language = undefined;
    });
  }

  static #shown = new Set();
  static #languages;

  /** Has an element that is in the page notice when a language around it changes. */
  static #follow(element) {
    this.#shown.add(element);
    if (this.#languages) return;
    this.#languages = new MutationObserver(() => this.#shown.forEach((shown) => shown.#soon()));
    this.#languages.observe(document, { attributes: true, attributeFilter: ["lang"], subtree: true });
  }

  attributeChangedCallback(name, before, value) {
    if (name === "args" && value !== null && value !== before) this.args = value;
    else this.#soon();
  }

  get args() {
    return this.#news.args ?? this.#call.args;
  }
  set args(args) {
    this.#news.args = args;
    this.#soon();
  }

  get call() {
    return this.#news.call ?? this.#call.call;
  }
  set call(call) {
    const id = call?.toolCallId ?? call?.tool_call_id ?? call?.id;
    const result = call?.result ?? call?.output;
    this.#news.call = call;
    if (id !== undefined) this.toolCallId = id;
    if (result !== undefined && result !== null) this.result = result;
    this.#soon();
  }

  get result() {
    return "result" in this.#news ? this.#news.result : this.#call.result;
  }
  set result(result) {
    this.#news.result = result === null ? undefined : textOf(result);
    this.#soon();
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
    // Nodes are what every element takes under this name.
    if (pieces.some((piece) => piece instanceof Node)) return super.append(...pieces);
    this.#news.text = (this.#news.text ?? "") + pieces.join("");
    this.#soon();
  }

  finish() {
    this.#news.ended = true;
    this.#soon();
  }

  fail(reason) {
    this.#reply = undefined;
    this.#news.failed = String(reason ?? "");
    this.#soon();
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

  /** Forgets the call. */
  #forget() {
    this.#unmount();
    this.#call = { text: "" };
    this.#reply = undefined;
  }

  /** Takes over what the host has told of the call since the last time. */
  #take({ call, args, text, ended, failed, ...rest }) {
    const known = this.#call;
    if (call) {
      known.call = call;
      const whole = call.args ?? call.input ?? call.arguments ?? call.function?.arguments;
      if (whole !== undefined) this.#arrive(textOf(whole), true);
    }
    if (args !== undefined && args !== null) {
      known.args = args;
      this.#arrive(typeof args === "string" ? args : beginning(textOf(args)), false);
    }
    if (text && !known.ended) {
      known.streams = true;
      known.text += text;
    }
    if ("result" in rest) known.result = rest.result;
    known.failed ??= failed;
    const word = this.#phase;
    const isAll = word ? word !== "streaming" && (known.text || known.args) : typeof known.args === "string" && isWhole(known.args);
    // Of an object that grew, what closes it is still to come.
    if (ended || isAll) this.#arrive(known.args && typeof known.args !== "string" ? textOf(known.args) : known.text, true);
  }

  #arrive(text, isAll) {
    const known = this.#call;
    if (known.ended) return;
    // Written in another way than before, it comes once more.
    if (!text.startsWith(known.text) && !known.text.startsWith(text)) known.restarts = true;
    if (known.restarts || text.length > known.text.length) known.text = text;
    known.ended = isAll;
  }

  get #phase() {
    const status = typeof this.status === "object" ? this.status?.type : this.status;
    const word = String(status ?? "").toLowerCase();
    return words.includes(word) ? word : Object.hasOwn(phases, word) ? phases[word] : undefined;
  }

  get #lang() {
    return this.closest("[lang]")?.lang || this.getRootNode().host?.closest?.("[lang]")?.lang || "";
  }

  /** Tells the card what is new, once all that is set now was set. */
  #soon() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#flush());
  }

  #flush() {
    this.#isDue = false;
    if (!this.isConnected) return;
    this.#load(languageOf(this.#lang));
    if (!this.#program) return;
    const id = this.toolCallId === undefined || this.toolCallId === "" ? undefined : String(this.toolCallId);
    if (this.#call.id !== undefined && id !== undefined && id !== this.#call.id) this.#forget();
    this.#call.id ??= id;
    this.#call.made ??= `question-card-${++count}`;
    const news = this.#news;
    this.#news = {};
    this.#take(news);
    const { text, ended, result, failed, restarts } = this.#call;
    const phase = this.#phase;
    const options = this.#options();
    const made = !this.#card;
    if (made) this.#mount(options, phase);
    const told = this.#told;
    const card = this.#card;
    if (told.options !== options || told.sheet !== this.#sheet) {
      Object.assign(told, { options, sheet: this.#sheet });
      card.tell("set", this.#options(this.#sheet));
    }
    if (restarts && !made) {
      card.tell("restart", "");
      told.fed = 0;
    }
    this.#call.restarts = false;
    // Half of a character waits for the other one.
    const end = text.length - (!ended && /[\ud800-\udbff]$/.test(text));
    if (told.fed < end) card.tell("append", text.slice(told.fed, (told.fed = end)));
    if (ended && !told.ended) {
      told.ended = true;
      this.#call.streams = false;
      card.tell("finish", (told.phase = phase) ?? "answerable");
    } else if (ended && phase && phase !== told.phase) {
      told.phase = phase;
      // How it ended the result tells best.
      if (phase !== "answered" || result === undefined) card.tell("phase", phase);
    }
    if (ended && result !== told.result) {
      told.result = result;
      // One that says nothing of the answer leaves the word to the status.
      if (result !== undefined && !card.tell("result", result) && phase === "answered") card.tell("phase", phase);
    }
    if (failed !== undefined) card.tell("fail", failed);
    this.#call.failed = undefined;
  }

  /** Loads the program, and a language; meanwhile, and where the program does not come, there is what the page has for that. */
  #load(language) {
    if (language === this.#language) return;
    this.#language = language;
    if (!this.#place) this.#show("loading");
    const failed = (reason) => this.dispatchEvent(new CustomEvent("qc-error", { bubbles: true, composed: true, detail: { reason } }));
    // Where a language does not come, the card speaks the one that it has.
    const sheet = sheetOf(language).catch((reason) => failed(reason) && this.#sheet);
    load().then(
      async (program) => {
        const text = await sheet;
        if (language !== this.#language) return;
        this.#program = program;
        this.#sheet = text ?? "";
        this.#soon();
      },
      (reason) => {
        if (language !== this.#language) return;
        // It is tried again in another language, or when the element comes back into the page.
        this.#unmount();
        const line = document.createElement("p");
        line.setAttribute("part", "unavailable");
        line.setAttribute("role", "alert");
        line.textContent = "This question can’t be shown. Reload the page to try again.";
        this.#show("failure", line);
        failed(reason);
      },
    );
  }

  get #inShadow() {
    return !this.hasAttribute("no-shadow");
  }

  /** Shows what the page has in the slot of this name, or else these nodes. */
  #show(name, ...otherwise) {
    const slot = document.createElement("slot");
    slot.name = name;
    slot.append(...otherwise);
    this.#open().replaceChildren(...(this.#inShadow ? [slot] : otherwise));
  }

  /** The place of the card, in the page. */
  #open() {
    const root = this.#inShadow ? (this.shadowRoot ?? this.attachShadow({ mode: "open" })) : this;
    const tree = this.#inShadow ? root : document;
    const sheet = sheetFor(this.#inShadow ? "shadow" : "page");
    if (!tree.adoptedStyleSheets.includes(sheet)) tree.adoptedStyleSheets.push(sheet);
    if (!this.#place) {
      this.#place = document.createElement("div");
      // What changes inside is told by this element's own events.
      for (const name of ["change", "input"]) this.#place.addEventListener(name, (event) => event.stopPropagation());
    }
    if (this.#place.parentNode !== root) root.appendChild(this.#place);
    return this.#place;
  }

  /** All properties, as the program reads them, with the sheet of a language if that is new. */
  #options(sheet) {
    const { id, made, streams } = this.#call;
    const options = {};
    for (const [name, [, kind]] of Object.entries(properties)) {
      options[name] = kind === "number" ? Math.trunc(this[name]) : kind === "flag" ? this[name] : this[name] && textOf(this[name]);
    }
    return textOf({ ...options, sheet, toolCallId: id ?? made, hasWords: this.#lang !== "", fresh: this.fresh || Boolean(streams), parts: this.#inShadow });
  }

  #mount(options, phase) {
    const { text, ended, result } = this.#call;
    const place = this.#open();
    place.replaceChildren();
    this.#told = { options, sheet: this.#sheet, fed: 0 };
    let call = "";
    if (ended) {
      call = textOf({ arguments: text, phase: phase ?? "answerable", result });
      Object.assign(this.#told, { ended, phase, result, fed: text.length });
    }
    this.#card = new this.#program.Card(place, this.#options(this.#sheet), call, (word, first, second) => this.#hear(word, first, second));
    this.#call.streams &&= !ended;
    this.#enter();
    new MutationObserver(() => this.#enter()).observe(place.firstElementChild, { attributeFilter: ["data-state"] });
  }

  #unmount() {
    const card = this.#card;
    this.#place?.remove();
    this.#card = this.#place = undefined;
    this.#enter();
    // What it is telling just now leads here, too.
    if (card) queueMicrotask(() => card.free());
  }

  /** Shows the state of the card as the element's own: `:state(awaiting)`. */
  #enter() {
    this.#internals?.states?.clear();
    this.#internals?.states?.add(this.state);
    const call = this.#call;
    if (this.state !== "malformed" || call.isDamaged) return;
    // The user reads that the question is damaged. What arrived is for whoever feeds the element, such as twice in strict mode.
    call.isDamaged = true;
    console.warn(`question-card: call ${call.id ?? call.made} is no question:`, call.text);
  }

  /** Hears what the card tells. Returns whether the host has taken a message. */
  #hear(word, first, second) {
    const detail = { toolCallId: this.#call.id ?? this.#call.made };
    const init = { bubbles: true, composed: true, detail };
    switch (word) {
      case "reply":
        Object.assign(detail, JSON.parse(first), { message: second, json: first });
        return this.#give(new ReplyEvent(word, init), first, "answered");
      case "decline":
        detail.text = first;
        return this.#give(new ReplyEvent(word, init), first, "declined");
      case "late-message": {
        detail.text = first;
        const event = new ReplyEvent(word, init);
        this.dispatchEvent(event);
        return event.end() !== undefined;
      }
      case "draft":
        // A card that comes back begins with what the host knows.
        if (first === (this.#call.picks ?? "[]") || this.#call.result !== undefined) return false;
        this.#call.picks = first;
      // falls through
      default:
        if (first) detail.picks = JSON.parse(first);
        return this.dispatchEvent(new CustomEvent(word, init));
    }
  }

  /** Gives the host an answer, which is on its way until the host says what came of it. */
  #give(event, result, phase) {
    const reply = (this.#reply = {});
    this.dispatchEvent(event);
    // Another call may have taken the place of this one, but not another card of it.
    const settle = (act) => () => this.#reply === reply && act();
    const isSent = settle(() => {
      this.#reply = undefined;
      this.#call.result ??= result;
      if (!this.#card) return;
      this.#told.result = this.#call.result;
      if (!this.#card.tell("result", this.#call.result)) this.#card.tell("phase", phase);
    });
    event.end()?.then(isSent, (reason) => settle(() => this.fail(reason?.message ?? reason))());
  }

  static {
    for (const [name, [attribute, kind, otherwise]] of Object.entries(properties)) {
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        enumerable: true,
        get() {
          if (name in this.#set) return this.#set[name];
          const written = this.getAttribute(attribute);
          if (kind === "flag") return written !== null && written !== "false";
          if (written === null) return otherwise;
          return kind === "number" ? Number(written) : written;
        },
        set(value) {
          if (value === undefined) delete this.#set[name];
          else this.#set[name] = kind === "flag" ? value !== false && value !== null && value !== "false" : kind === "number" ? numberOf(value) : value;
          this.#soon();
        },
      });
    }
  }
}

/** A number, or the milliseconds of a date. */
function numberOf(value) {
  return value === null || value === "" ? undefined : value instanceof Date ? value.getTime() : Number(value);
}

/** The sheets that all elements share. */
const sheets = {};

/** The card's styles for a shadow tree or for the page. */
function sheetFor(place) {
  if (!sheets[place]) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      place === "shadow"
        ? `${styles}\n:host { display: block; }\n:host([hidden]) { display: none; }`
        : `${styles}\n@layer qc.base { :where(question-card) { display: block; } }`,
    );
    sheets[place] = sheet;
  }
  return sheets[place];
}
