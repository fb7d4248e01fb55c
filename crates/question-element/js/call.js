// Reads calls as hosts describe them, in the words of any protocol, and tells a card. Arguments in the tool's own form are read here; other
// forms, as models send them, go to the program `repair`.

import { Reader } from "./reader.js";

const PHASES = {
  inprogress: "streaming", running: "streaming", "input-streaming": "streaming", "partial-call": "streaming",
  executing: "answerable", "requires-action": "answerable", "input-available": "answerable", call: "answerable", "approval-requested": "answerable", "approval-responded": "answerable",
  complete: "answered", result: "answered", "output-available": "answered",
  "output-denied": "declined",
  incomplete: "interrupted", error: "interrupted", "output-error": "interrupted",
};
for (const phase of ["streaming", "ready", "answerable", "answered", "declined", "superseded", "expired", "interrupted", "settled"]) PHASES[phase] = phase;

/** The beginnings of results that are not answers, and what each means. */
const ENDS = {
  "User cancelled the question": "declined",
  "The question expired: ": "expired",
  "The user did not answer the question and went on": "superseded",
  "The run was stopped before the user answered": "cancelled",
  "The agent withdrew the question": "withdrawn",
};

/** The result of a call whose agent goes on without the answer: the question stays open. */
export const ASKED = "asked; the answer will come as a message";

/**
 * The beginnings of labels that may mean "Other", a row that a card has of its own: `repair` decides whether they do. An option with such a
 * label is not shown until its label is complete.
 */
const OTHERS =
  "other|otr|outr|something |sonstig|another |ander|algo diferente|autre|altr|custom answer|enter |type |write |freitext|inn|etwas |eigen|respuesta propia|réponse libre|quelque chose|друго|أخرى|غير ذلك|شيء آخر|خيار آخر|その他|それ以外|其他|其它|自由|自定义|自行输入|自己输入".split("|");

function mayBeOther(label, isOpen) {
  const plain = label.replace(/^[\s\u2190-\u2bff\ufe0f\u{1f000}-\u{1ffff}]+|['’]/gu, "").toLowerCase();
  return OTHERS.some((other) => plain.startsWith(other) || (isOpen && other.startsWith(plain)));
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isVisible = (text) => typeof text === "string" && /[^\s\p{C}\u034f\u115f\u1160\u2800\u3164\uffa0]/u.test(text);
/** What a question may ask for instead of a choice. */
const INPUTS = ["text", "lines", "email", "url", "number", "integer", "date", "datetime", "rank", "boolean"];
/** Longer arguments may be too long, which `repair` decides. */
const LONGEST = 250_000;
/** An option may be a string, which is its label. */
const optionOf = (option) => (typeof option === "string" ? { label: option } : option);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {}
}

/** The end of the call that a sentence in its result stands for. */
const endOf = (text) => Object.entries(ENDS).find(([begin]) => text.trim().replace(/^Error:\s*/, "").startsWith(begin))?.[1];

export function phaseOf(status) {
  const word = String(status?.type ?? status ?? "").toLowerCase();
  return Object.hasOwn(PHASES, word) ? PHASES[word] : undefined;
}

/** The parts of a call, under the names that protocols give them; nothing if the value is no call. */
export function partsOf(value) {
  const call = typeof value === "string" ? parsed(value) : value;
  if (!isObject(call)) return;
  return {
    id: call.toolCallId ?? call.tool_call_id ?? call.id,
    args: call.args ?? call.input ?? call.arguments ?? call.function?.arguments,
    result: call.result ?? call.output,
    phase: phaseOf(call.state ?? call.status),
  };
}

/** Returns true if arguments have the tool's own form, with nothing in them that has to be repaired. */
export function isOwnForm(args) {
  const knows = (object, names) => isObject(object) && Object.keys(object).every((name) => names.includes(name));
  const isText = (text) => isVisible(text) && !/[\b\f]/.test(text);
  const mayBeText = (text) => text == null || isText(text);
  const isOption = (option) => {
    const { label, description, preview } = option ?? {};
    const hasTexts = knows(option, ["label", "description", "preview"]) && isText(label) && mayBeText(description) && mayBeText(preview);
    return hasTexts && !/^\s*[[{"`\ufeff]/.test(label) && !mayBeOther(label.trim());
  };
  const isInput = (input, options) => {
    const { type, unit, ...bounds } = input;
    const hasBounds = knows(bounds, ["min", "max", "step"]) && Object.values(bounds).every((bound) => isText(bound) || Number.isFinite(bound));
    return isObject(input) && hasBounds && mayBeText(unit) && INPUTS.includes(type) && !(type === "boolean" && !options.length);
  };
  const isQuestion = (given) => {
    const { question, header, multiSelect = false, input, options = [] } = given ?? {};
    if (input != null && !isInput(input, options)) return false;
    const hasTexts = knows(given, ["question", "header", "multiSelect", "input", "options"]) && isText(question) && !question.includes("<") && mayBeText(header);
    return hasTexts && typeof multiSelect === "boolean" && Array.isArray(options) && options.map(optionOf).every(isOption);
  };
  const { questions, askedBy, why, blocking = false } = args ?? {};
  return knows(args, ["questions", "askedBy", "why", "blocking"]) && typeof blocking === "boolean" && mayBeText(askedBy) && mayBeText(why) && Array.isArray(questions) && questions.length > 0 && questions.every(isQuestion) && JSON.stringify(args).length < LONGEST;
}

/** The questions of arguments in the tool's own form, or of repaired ones. */
export const questionsOf = ({ questions }) =>
  questions.map(({ question, header, multiSelect = false, input, showIf, options = [] }) => ({
    question,
    header: header?.trim(),
    multiSelect,
    input: input ?? undefined,
    showIf: showIf ?? undefined,
    options: options.map(optionOf).map(({ label, description, preview, value, image, alt }) => ({
      ...{ label: label.trim(), description: description?.trim(), preview: preview ?? undefined },
      ...{ value: value ?? undefined, image: image ?? undefined, alt: alt ?? undefined, isWhole: true },
    })),
    isWhole: true,
  }));

/** The questions of growing arguments that a card can show; `open` is that of a {@link Reader}. What `repair` may remove is left out. */
export function shownOf(args, open) {
  const shown = [];
  const last = (object) => Object.keys(object).at(-1);
  const textOf = (object, name, isOpen) => {
    const text = isVisible(object[name]) ? object[name].replace(isOpen ? /[\ud800-\udbff]$/ : "", "") : "";
    return name === "preview" ? text : text.trim();
  };
  if (!isObject(args) || !Array.isArray(args.questions)) return shown;
  const isLast = (list, at, depth) => open > depth && at === list.length - 1;
  if (last(args) !== "questions") open = 0;
  for (const [q, given] of args.questions.entries()) {
    if (!isObject(given)) break;
    const isOpen = isLast(args.questions, q, 2);
    // The member that is still growing.
    const grows = isOpen && open > 3 ? last(given) : undefined;
    // Backslashes and markup may read differently once the text is complete, so it is cut before them.
    const question = { question: textOf(given, "question", grows === "question").split(/[\\<\b\f]/)[0].trimEnd(), header: textOf(given, "header", grows === "header"), options: [], grows, isWhole: !isOpen };
    if (!question.question) break;
    shown.push(question);
    if (typeof given.multiSelect === "boolean") question.multiSelect = given.multiSelect;
    // An input is shown once it is complete.
    if (isObject(given.input) && INPUTS.includes(given.input.type) && grows !== "input") question.input = given.input;
    const options = Array.isArray(given.options) ? given.options : [];
    for (const [o, value] of options.entries()) {
      const option = optionOf(value);
      if (!isObject(option)) break;
      const isOpen = grows === "options" && isLast(options, o, 4);
      const member = isOpen && (option !== value || open > 5) ? last(option) : undefined;
      const label = textOf(option, "label", member === "label");
      if (!label || /^[[{"`]/.test(label)) break;
      if (mayBeOther(label, member === "label")) continue;
      const [description, preview] = ["description", "preview"].map((name) => textOf(option, name, member === name));
      question.options.push({ label, description, preview, grows: member, isWhole: !isOpen });
    }
  }
  return shown;
}

/** Returns true if these questions only extend the texts that a card was told. */
function continues(told, questions) {
  const fits = (told, item) => TEXTS.every((name) => !told[name] || (item[name] ?? "").startsWith(told[name]) || told[name].startsWith(item[name] || "\0"));
  return questions.every((question, q) => {
    const shown = told[q];
    return !shown || (fits(shown, question) && question.options.every((option, o) => !shown.options[o] || fits(shown.options[o], option)));
  });
}

const TEXTS = ["question", "header", "label", "description", "preview", "value", "image", "alt"];

/** A call, as far as its host has described it. `take` records what the host says, and `show` tells a card what is new. */
export class Call {
  /** The arguments came in pieces. */
  streams = false;
  #text = "";
  #reader = new Reader();
  #object;
  #isFinished = false;
  /** The questions of arguments that have ended: `null` while they are being repaired, false if they can't be. */
  #whole;
  /** What the arguments say beside the questions. */
  #about;
  /** The card has been told that the arguments have ended. */
  #isComplete = false;
  /** The questions as the card has been told them. */
  #told = [];
  #status;
  #ownStatus;
  #shownStatus;
  #result = "";
  #isAsked = false;
  #shownResult = "";
  #changed;
  #shownChanged;
  /** The end of the call by a reply that has reached the host. */
  #sent;

  /**
   * Records what the host says: `status`, `call`, `args`, `append`, `finish`, `result`, `changed`, or `sent`, which is the result of the
   * user's reply.
   */
  take(name, value) {
    if (name === "status") this.#status = phaseOf(value);
    else if (name === "finish") this.#isFinished = true;
    else if (name === "result") this.#hear(value);
    else if (name === "changed") this.#changed = value;
    else if (name === "append") {
      this.streams = true;
      this.#arrive(this.#text + value);
    } else if (name === "args") {
      if (value && typeof value === "object") [this.#object, this.#text] = [value, ""];
      else if (value) this.#arrive(String(value));
    } else if (name === "sent") {
      this.#sent = endOf(value) ?? "answered";
      this.#result ||= value;
    } else {
      const call = partsOf(value);
      if (!call) return;
      this.#ownStatus = call.phase;
      this.#hear(call.result ?? this.#result);
      if (call.args == null) return;
      this.take("args", call.args);
      this.#isFinished ||= this.#ownStatus !== "streaming";
    }
  }

  #hear(result) {
    if (result === ASKED) this.#isAsked = true;
    else this.#result = result;
  }

  /** Takes over the text of the arguments. A text with another beginning replaces it; a shorter one is outdated. */
  #arrive(text) {
    this.#object = undefined;
    if (this.#text.startsWith(text)) return;
    const isMore = text.startsWith(this.#text);
    if (!isMore) this.#reader = new Reader();
    this.#reader.feed(isMore ? text.slice(this.#text.length) : text);
    this.#text = text;
  }

  /**
   * Tells what is new by `tell(word, text, question, option)`. `repair(text)` promises arguments of another form in the tool's own form, or
   * nothing; then `again` shows them.
   */
  show(tell, repair, again) {
    let phase = this.#status ?? this.#ownStatus;
    if (this.#isAsked && phase === "answered" && !this.#result) phase = "answerable";
    if (!this.#isComplete) this.#showArguments(tell, phase, repair, again);
    if (!this.#isComplete) return;
    const hasResult = this.#result !== "" && this.#result != null;
    // The result tells more exactly than the status how the call has ended.
    if (phase !== this.#shownStatus && phase && (phase !== "answered" || !hasResult)) tell("phase", phase);
    this.#shownStatus = phase;
    if (!hasResult) return;
    if (this.#result !== this.#shownResult) {
      this.#shownResult = this.#result;
      const otherwise = this.#sent ?? (phase === "answered" ? phase : "");
      if (!(this.#whole && this.#tellResult(tell, otherwise)) && otherwise) tell("phase", otherwise);
    }
    if (this.#whole && this.#changed !== this.#shownChanged) this.#tellResult(tell, "", (this.#shownChanged = this.#changed), "replaced");
  }

  #showArguments(tell, phase, repair, again) {
    const { value, open, isOdd } = this.#reader;
    const has = this.#object ?? this.#text;
    const whole = this.#object ?? (/\}\s*$/.test(this.#text) ? parsed(this.#text) : undefined);
    const ends = this.#isFinished || (phase ? phase !== "streaming" && has : !this.#object && whole);
    if (!ends || this.#whole === null) return this.#grow(tell, this.#object ? shownOf(this.#object, Infinity) : isOdd ? [] : shownOf(value, open));
    if (this.#whole === undefined) {
      if (!isOdd && isOwnForm(whole)) this.#settle(whole);
      else {
        this.#whole = null;
        const done = (args) => {
          this.#settle(args);
          again();
        };
        repair(this.#object ? JSON.stringify(this.#object) : this.#text).then(done, (reason) => (console.warn("question-card:", reason), done()));
        return;
      }
    }
    this.#isComplete = true;
    this.#shownStatus = phase;
    if (this.#whole) this.#grow(tell, this.#whole);
    for (const name of ["askedBy", "why"]) if (this.#about[name]) tell(name, this.#about[name].trim());
    tell(this.#whole ? "complete" : "damaged", phase ?? "");
  }

  /** Tells of a result that ends the call: returns false if it does not. A reply that does not fit its ask leaves the end to `otherwise`. */
  #tellResult(tell, otherwise, result = this.#result, word = "answered") {
    const given = typeof result === "string" ? (parsed(result) ?? result) : result;
    if (!isObject(given)) {
      const end = endOf(String(given));
      if (end) tell("outcome", end);
      return !!end;
    }
    const { outcome, text, details, answers } = given;
    const end = outcome === undefined && given.status === "cancelled" ? "declined" : outcome;
    if (Object.values(ENDS).includes(end)) return tell("outcome", end), true;
    const inChat = end === "replied_in_chat";
    if (inChat ? typeof text !== "string" : (end ?? "answered") !== "answered" || !isObject(answers)) return false;
    const words = [];
    if (!(details ?? []).every?.(isObject)) return false;
    for (const { index: q, selected, other, value, note, status } of details ?? []) {
      if (!(selected ?? []).every?.(isObject) || !this.#whole[q]) return false;
      words.push(["detail", "", q]);
      for (const { index: o, label } of selected ?? []) {
        if (this.#whole[q].options[o]?.label !== label) return false;
        words.push(["pick", "", q, o]);
      }
      const typed = ["string", "number"].includes(typeof value) ? (answers?.[this.#whole[q].question] ?? value) : other;
      for (const [word, text] of [["other", other ?? typed], ["note", note]]) if (text != null) words.push([word, text, q]);
      if (status === "skipped") words.push(["skip", "", q]);
    }
    for (const [name, text] of inChat ? [] : Object.entries(answers)) {
      const at = (is) => this.#whole.findIndex(({ question }) => is(question));
      const exact = at((question) => question === name);
      const q = exact < 0 ? at((question) => question.trim() === name.trim()) : exact;
      if (q < 0 || !(typeof text === "string" || (this.#whole[q].input && typeof text === "number"))) return false;
      words.push(["answer", text, q]);
    }
    for (const word of words) tell(...word);
    tell(inChat ? "chat" : word, inChat ? text : otherwise);
    return true;
  }

  /** Takes the arguments, if they could be read. */
  #settle(args) {
    this.#whole = !!args && questionsOf(args);
    this.#about = args ?? {};
  }

  #grow(tell, questions) {
    if (!continues(this.#told, questions)) {
      tell("anew");
      this.#told = [];
    }
    const tellItem = (told, item, q, o) => {
      for (const name of TEXTS) {
        const [before, now] = [told[name] ?? "", item[name] ?? ""];
        if (now.length > before.length) tell(name, now.slice(before.length), q, o);
        if (now.length > before.length) told[name] = now;
        if (now && item.grows !== name && !told.closed?.[name]) {
          (told.closed ??= {})[name] = true;
          tell(`${name}!`, "", q, o);
        }
      }
    };
    for (const [q, question] of questions.entries()) {
      const told = (this.#told[q] ??= { options: [] });
      tellItem(told, question, q);
      if (question.multiSelect !== undefined && told.multiSelect === undefined) tell("multiSelect", `${(told.multiSelect = question.multiSelect)}`, q);
      if (question.input && !told.input) {
        told.input = question.input;
        const { type, min, max, step, unit, default: typed } = question.input;
        for (const [name, value] of Object.entries({ type, min, max, step, unit })) if (value != null) tell(name, `${value}`.trim(), q);
        if (typed != null) tell("default", type === "json" ? JSON.stringify(typed) : `${typed}`, q);
      }
      if (question.showIf && !told.showIf) {
        told.showIf = question.showIf;
        tell("showIf", question.showIf.question, q);
        tell("is", question.showIf.is, q);
      }
      for (const [o, option] of question.options.entries()) {
        const shown = (told.options[o] ??= {});
        tellItem(shown, option, q, o);
        if (option.isWhole && !shown.isWhole) tell("option!", "", q, o);
        shown.isWhole ||= option.isWhole;
      }
      if (question.isWhole && !told.isWhole) tell("whole", "", q);
      told.isWhole ||= question.isWhole;
    }
  }
}
