// The custom element <question-card>: what JavaScript and HTML see of the card. It keeps what it was told and tells it to a card once the
// program of its language is there, so nothing has to wait for anything.

import styles from "./styles.js";

/** The languages that ship, each a module of its own which is loaded where the element's `lang` asks for it. */
const languages = {
  ar: () => import("./wasm/ar.js"),
  de: () => import("./wasm/de.js"),
  en: () => import("./wasm/en.js"),
  es: () => import("./wasm/es.js"),
  ja: () => import("./wasm/ja.js"),
};

/** What other protocols call the states of a call. */
const phases = {
  inprogress: "streaming", running: "streaming", "input-streaming": "streaming", "partial-call": "streaming",
  executing: "answerable", "requires-action": "answerable", "input-available": "answerable", call: "answerable",
  "approval-requested": "answerable", "approval-responded": "answerable", "output-denied": "declined",
  complete: "answered", result: "answered", "output-available": "answered",
  incomplete: "interrupted", error: "interrupted", "output-error": "interrupted",
};
const known = ["streaming", "ready", "answerable", "answered", "declined", "superseded", "expired", "interrupted", "settled"];

/** Attributes that are properties too: its name, how it is read, and what it is without either. */
const settings = {
  labels: ["labels", "json", undefined],
  mode: ["mode", "text", "explicit"],
  layout: ["layout", "text", "stacked"],
  scope: ["draft-scope", "text", ""],
  headingLevel: ["heading-level", "number", undefined],
  maxLength: ["max-length", "number", undefined],
  claimFocus: ["claim-focus", "text", "never"],
  persist: ["persist", "text", "none"],
  fresh: ["fresh", "flag", false],
  readonly: ["readonly", "flag", false],
  allowSkip: ["allow-skip", "flag", false],
  noNotes: ["no-notes", "flag", false],
  noShortcuts: ["no-shortcuts", "flag", false],
  replyInChat: ["reply-in-chat", "flag", false],
  lateMessages: ["late-messages", "flag", false],
  moreTime: ["more-time", "flag", false],
};
/** What can change while a card is there; all else makes a new one, which takes the draft over. */
const live = { toolCallId: ["tool-call-id", "text", undefined], expiresAt: ["expires-at", "number", undefined], held: ["held", "flag", false], status: ["status", "text", undefined] };
const all = { ...settings, ...live };
const names = Object.fromEntries(Object.entries(all).map(([property, [attribute]]) => [attribute, property]));

const programs = new Map();
let count = 0;

/**
 * Loads the program of a language before a card needs it.
 * @param {string} [lang] A BCP 47 tag; English where it does not ship.
 * @param {unknown} [source] Where its WebAssembly is, if not beside its JavaScript: what `fetch` takes, a response, bytes or a module.
 */
export function load(lang = "en", source) {
  const language = languageOf(lang);
  let program = programs.get(language);
  if (!program) {
    program = languages[language]().then(async (module) => {
      await module.default(source === undefined ? undefined : { module_or_path: source });
      return module;
    });
    // A load that failed can be tried again.
    program.catch(() => programs.delete(language));
    programs.set(language, program);
  }
  return program;
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

/** The reply of the user, which a host answers with what becomes of it. */
export class ReplyEvent extends BaseEvent {
  #promise;
  #isOver = false;
  /** Shows the card as on its way until the promise settles: then its receipt, or the reason and the form again. */
  respondWith(promise) {
    if (this.#isOver) throw new DOMException("The reply was handled: call respondWith before anything is awaited", "InvalidStateError");
    this.#promise = Promise.resolve(promise);
  }
  /** The promise, if there was one. From now on it is too late for another. */
  end() {
    this.#isOver = true;
    return this.#promise;
  }
}

export class QuestionCard extends Base {
  static observedAttributes = [...Object.keys(names), "lang", "args"];

  /** The card of the program, while there is one, and where it is. */
  #card;
  #place;
  #program;
  #language;
  /** The call's id, once the host has said it, and the one that its card has: an id that comes late changes nothing there. */
  #given;
  #id;
  /** What was told since the last look: under a new id it belongs to the new call. */
  #news = {};
  /** Stands for the reply that is on its way, in whatever card. */
  #reply;
  /** What was told of the call: its arguments so far, and whether that is all. */
  #text = "";
  #ended = false;
  /** Its text streams, or did so before there was a card: its user is there. */
  #streams = false;
  #args;
  #call;
  #result;
  /** What the card was told of that. */
  #fed = 0;
  #told = {};
  #failed;
  #chosen = {};
  /** What was chosen when the host last heard of it. */
  #picks = "[]";
  #due = false;
  #stale = false;
  #styled = false;

  constructor() {
    super();
    // What was set before the element was known hides the accessors of its class.
    for (const property of [...Object.keys(all), "args", "call", "result"]) {
      if (Object.hasOwn(this, property)) {
        const value = this[property];
        delete this[property];
        this[property] = value;
      }
    }
  }

  connectedCallback() {
    QuestionCard.#follow(this);
    // Also those that were set on an element that was known by another page's script meanwhile.
    this.#soon();
  }

  disconnectedCallback() {
    // An element that is moved is back by then, and so is its card: nothing happened to it.
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
    if (before === value) return;
    if (name === "args") {
      if (value !== null) this.args = value;
    } else if (name === "lang") {
      this.#soon();
    } else if (!(names[name] in live)) {
      this.#stale = true;
      this.#soon();
    } else {
      this.#soon();
    }
  }

  /** The arguments so far, as an object that grows or as the text of JSON; each as a framework hands it over. */
  get args() {
    return this.#args;
  }
  set args(args) {
    this.#args = this.#news.args = args;
    if (args === undefined || args === null) return;
    if (this.#ended) return this.#soon();
    const whole = textOf(args) ?? "";
    this.#arrived(typeof args === "string" ? whole : beginning(whole));
    this.#soon();
  }

  /** A whole call, as from a history: `{id, args, result?}`, under the names that protocols have for them. */
  get call() {
    return this.#call;
  }
  set call(call) {
    const id = call?.toolCallId ?? call?.tool_call_id ?? call?.id;
    // What was told of another call is not told of this one.
    if (id !== undefined && this.toolCallId !== undefined && String(id) !== String(this.toolCallId)) this.reset();
    this.#call = this.#news.call = call;
    if (call === undefined || call === null) return;
    const args = call.args ?? call.input ?? call.arguments ?? call.function?.arguments;
    const result = call.result ?? call.output;
    if (id !== undefined) this.toolCallId = id;
    if (args !== undefined) {
      this.#arrived(textOf(args));
      this.#ended = true;
    }
    if (result !== undefined && result !== null) this.#result = textOf(result);
    this.#soon();
  }

  /** What came back for the call, as the agent reads it. */
  get result() {
    return this.#result;
  }
  set result(result) {
    this.#result = this.#news.result = result === undefined || result === null ? undefined : textOf(result);
    this.#soon();
  }

  /** Takes the next piece of the arguments' text. */
  append(...pieces) {
    // Nodes are what every element takes under this name.
    if (pieces.some((piece) => piece instanceof Node)) return super.append(...pieces);
    this.#news.text = (this.#news.text ?? "") + pieces.join("");
    if (!this.#ended) {
      this.#streams = true;
      this.#text += pieces.join("");
    }
    this.#soon();
  }

  /** Ends the arguments. */
  finish() {
    this.#news.ended = true;
    this.#end();
    this.#soon();
  }

  /** What was given to the host did not reach the agent, for this reason. */
  fail(reason) {
    this.#reply = undefined;
    this.#failed = String(reason ?? "");
    this.#soon();
  }

  /** Moves the focus to where the user would go on. False where there is nothing to go to. */
  focus() {
    this.#flush();
    return this.#card?.tell("focus", "") ?? false;
  }

  /** Forgets the call, for one that comes in its place. */
  reset() {
    this.#forget();
    this.#soon();
  }

  #forget() {
    this.#unmount();
    this.#text = "";
    this.#picks = "[]";
    this.#ended = this.#streams = false;
    this.#args = this.#call = this.#result = this.#failed = this.#given = this.#id = this.#reply = undefined;
    this.#told = {};
    this.#news = {};
  }

  /** Takes what was told since the last look for another call. */
  #begin() {
    const { args, call, text, ended, result } = this.#news;
    this.#forget();
    if (call) this.call = call;
    if (args !== undefined) this.args = args;
    if (text) this.append(text);
    if (ended) this.finish();
    if (result !== undefined) this.result = result;
  }

  /** Where the call stands: `composing` until the card is there. */
  get state() {
    return this.#place?.firstElementChild?.dataset.state ?? "composing";
  }

  #arrived(text) {
    if (text.startsWith(this.#text)) {
      this.#text = text;
    } else if (!this.#text.startsWith(text)) {
      // Written in another way than before: it comes once more.
      this.#text = text;
      this.#fed = -1;
    }
  }

  #end() {
    if (this.#ended) return;
    const { args } = this;
    // Of an object that grew, what closes it is still to come.
    if (args !== undefined && args !== null && typeof args !== "string") this.#arrived(textOf(args));
    this.#ended = true;
  }

  get #phase() {
    const status = typeof this.status === "object" ? this.status?.type : this.status;
    const word = String(status ?? "").toLowerCase();
    return known.includes(word) ? word : Object.hasOwn(phases, word) ? phases[word] : undefined;
  }

  get #lang() {
    return this.closest("[lang]")?.lang || this.getRootNode().host?.closest?.("[lang]")?.lang || "";
  }

  /** Tells the card what is new, when all that is told now was told. */
  #soon() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => this.#flush());
  }

  #flush() {
    this.#due = false;
    if (!this.isConnected) return;
    const language = languageOf(this.#lang);
    if (language !== this.#language) {
      this.#language = language;
      this.#program = undefined;
      load(language).then(
        (program) => {
          if (language !== this.#language) return;
          // What the one before has kept is there for this one, which has a memory of its own.
          this.#unmount();
          this.#program = program;
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
          this.#open().replaceChildren(line);
          this.dispatchEvent(new CustomEvent("qc-error", { bubbles: true, composed: true, detail: { reason } }));
        },
      );
    }
    if (!this.#program) return;
    const given = this.toolCallId === undefined || this.toolCallId === "" ? undefined : String(this.toolCallId);
    if (this.#given !== undefined && given !== undefined && given !== this.#given) this.#begin();
    this.#news = {};
    this.#given ??= given;
    this.#id ??= given ?? `question-card-${++count}`;
    const phase = this.#phase;
    const isAll = phase ? phase !== "streaming" && (this.#text || this.#args) : typeof this.#args === "string" && isWhole(this.#args);
    if (isAll) this.#end();
    if (this.#stale) this.#unmount();
    if (!this.#card) this.#mount(phase);
    const card = this.#card;
    if (this.#fed < 0) {
      card.tell("restart", "");
      this.#fed = 0;
    }
    // Half of a character waits for the other one.
    const end = this.#text.length - (!this.#ended && /[\ud800-\udbff]$/.test(this.#text));
    if (this.#fed < end) {
      card.tell("append", this.#text.slice(this.#fed, end));
      this.#fed = end;
    }
    const told = this.#told;
    if (this.#ended && !told.ended) {
      told.ended = true;
      told.phase = phase;
      this.#streams = false;
      card.tell("finish", phase ?? "answerable");
    } else if (this.#ended && phase && phase !== told.phase) {
      told.phase = phase;
      // How it ended the result tells best.
      if (phase !== "answered" || this.#result === undefined) card.tell("phase", phase);
    }
    if (this.#ended && this.#result !== told.result) {
      told.result = this.#result;
      // One that says nothing of the answer leaves the word to the status.
      if (this.#result !== undefined && !card.tell("result", this.#result) && phase === "answered") card.tell("phase", phase);
    }
    if (this.#failed !== undefined) {
      card.tell("fail", this.#failed);
      this.#failed = undefined;
    }
    if (this.held !== told.held) card.tell("held", (told.held = this.held) ? "held" : "");
    if (this.expiresAt !== told.expiresAt) card.tell("expires-at", String(Math.trunc((told.expiresAt = this.expiresAt))));
  }

  /** The place of the card, in the page. */
  #open() {
    const inShadow = !this.hasAttribute("no-shadow");
    const root = inShadow ? (this.shadowRoot ?? this.attachShadow({ mode: "open" })) : this;
    this.#style(inShadow ? root : document, inShadow);
    if (!this.#place) {
      this.#place = document.createElement("div");
      // What changes inside is told by this element's own events.
      for (const name of ["change", "input"]) this.#place.addEventListener(name, (event) => event.stopPropagation());
    }
    root.appendChild(this.#place);
    return this.#place;
  }

  #mount(phase) {
    const place = this.#open();
    const now = {
      id: this.#id,
      onPick: this.mode === "on-pick",
      stepped: this.layout === "stepped",
      scope: this.scope,
      hasWords: this.#lang !== "",
      labels: this.labels && textOf(this.labels),
      headingLevel: Math.trunc(this.headingLevel),
      maxLength: Math.trunc(this.maxLength),
      claimFocus: this.claimFocus === "if-idle",
      persist: this.persist === "session",
      fresh: this.fresh || this.#streams,
      readonly: this.readonly,
      allowSkip: this.allowSkip,
      notes: !this.noNotes,
      shortcuts: !this.noShortcuts,
      takesChat: this.replyInChat,
      takesMessages: this.lateMessages,
      extends: this.moreTime,
      expiresAt: Math.trunc(this.expiresAt),
      parts: place.parentNode !== this,
    };
    this.#stale = false;
    this.#told = { ended: this.#ended, phase, result: this.#result, held: false, expiresAt: this.expiresAt };
    this.#fed = 0;
    if (this.#ended) {
      Object.assign(now, { arguments: this.#text, phase: phase ?? "answerable", result: this.#result });
      this.#fed = this.#text.length;
      // A card that is made anew finds it where it was.
      this.#streams = false;
    }
    this.#card = new this.#program.Card(place, textOf(now), (word, first, second) => this.#hear(word, first, second));
    if (this.#reply) this.#card.tell("pending", "");
  }

  #style(tree, inShadow) {
    if (this.#styled) return;
    this.#styled = true;
    const sheet = sheetFor(inShadow ? "shadow" : "page");
    if (!tree.adoptedStyleSheets.includes(sheet)) tree.adoptedStyleSheets.push(sheet);
  }

  #unmount() {
    const card = this.#card;
    this.#place?.remove();
    this.#card = this.#place = undefined;
    // What it is telling just now leads here, too.
    if (card) queueMicrotask(() => card.free());
  }

  #hear(word, first, second) {
    const toolCallId = this.#given ?? this.#id;
    const tell = (name, detail, cancelable = false) => this.#dispatch(new CustomEvent(name, { bubbles: true, composed: true, cancelable, detail: { toolCallId, ...detail } }));
    switch (word) {
      case "reply": {
        const { answers, details } = JSON.parse(first);
        return this.#give("reply", { toolCallId, answers, details, message: second, json: first });
      }
      case "cancel":
        return this.#give("cancel", { toolCallId, text: first });
      case "change": {
        // A card that was made anew begins with what is known.
        if (first === this.#picks || this.#result !== undefined) return;
        this.#picks = first;
        return tell(word, { picks: JSON.parse(first) });
      }
      case "reply-in-chat":
        return tell(word, { picks: JSON.parse(first) });
      case "message":
        return tell(word, { text: first }, true);
      default:
        return tell(word, {});
    }
  }

  #give(name, detail) {
    const event = new ReplyEvent(name, { bubbles: true, composed: true, cancelable: true, detail });
    const reply = (this.#reply = {});
    const untouched = this.#dispatch(event);
    const promise = event.end();
    // Another call may have taken the place of this one, but not another card of it.
    const settle = (act) => {
      if (this.#reply === reply) act();
    };
    const isSent = () => settle(() => {
      this.#reply = undefined;
      // Whoever puts the element elsewhere later has its receipt again.
      this.#result ??= detail.json ?? detail.text;
      this.#told.result = this.#result;
      if (!this.#card?.tell("sent", "")) this.#card?.tell("result", this.#result);
    });
    queueMicrotask(() => settle(() => this.#card?.tell("pending", "")));
    if (promise) {
      promise.then(isSent, (reason) => settle(() => this.fail(reason?.message ?? reason)));
    } else if (untouched) {
      queueMicrotask(isSent);
    }
    return true;
  }

  #dispatch(event) {
    return this.dispatchEvent(event);
  }

  static {
    for (const [property, [attribute, kind, otherwise]] of Object.entries(all)) {
      Object.defineProperty(this.prototype, property, {
        configurable: true,
        enumerable: true,
        get() {
          if (property in this.#chosen) return this.#chosen[property];
          const written = this.getAttribute(attribute);
          if (kind === "flag") return written !== null && written !== "false";
          if (written === null) return otherwise;
          return kind === "number" ? Number(written) : written;
        },
        set(value) {
          const before = textOf(this[property]);
          if (value === undefined) delete this.#chosen[property];
          else this.#chosen[property] = kind === "flag" ? value !== false && value !== null && value !== "false" : kind === "number" ? numberOf(value) : value;
          // A framework may say the same once more, in an object of its own.
          if (!(property in live) && textOf(this[property]) !== before) this.#stale = true;
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
