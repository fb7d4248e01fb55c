// What a host says of a call, as it reaches the card: `node call.mjs FOLDER-OF-THE-PACKAGE`.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Call, isOwnForm, phaseOf, questionsOf, shownOf } from "../js/call.js";
import { Reader } from "../js/reader.js";

const { check, load } = await import(pathToFileURL(join(process.argv[2], "agent-node.js")));
await load();

const ASK = { questions: [{ question: "Which size?", multiSelect: false, options: [{ label: "S" }, { label: "M", description: "Ein 😀" }] }] };
const TEXT = JSON.stringify(ASK);
const ANSWER = JSON.stringify({ answers: { "Which size?": "M" } });

/** What a card has been told after the host has said each of these. Odd arguments are repaired by the program for agents. */
async function told(...said) {
  const [call, seen] = [new Call(), { phase: "streaming", questions: [], words: [] }];
  const tell = (word, text = "", q, o) => {
    seen.words.push(word);
    const question = q === undefined ? {} : (seen.questions[q] ??= { options: [] });
    if (word === "anew") seen.questions = [];
    else if (word === "damaged") seen.phase = text && !["streaming", "ready", "answerable"].includes(text) ? text : "malformed";
    else if (["complete", "phase", "outcome", "answered"].includes(word)) seen.phase = text || { complete: "answerable", answered: "replied" }[word] || seen.phase;
    else if (word === "multiSelect") question.multiSelect = text === "true";
    else if (["question", "header"].includes(word)) question[word] = (question[word] ?? "") + text;
    else if (["label", "description", "preview"].includes(word)) (question.options[o] ??= {})[word] = (question.options[o]?.[word] ?? "") + text;
  };
  let repairs;
  const repair = (text) => (repairs = Promise.resolve(check("runtime", text).ask));
  for (const [word, value] of said) {
    call.take(word, value);
    call.show(tell, repair, () => call.show(tell, repair));
    await repairs;
    await undefined;
  }
  return seen;
}

// A text that is cut anywhere becomes the same ask.
const whole = await told(["append", TEXT], ["finish"]);
assert.deepEqual([whole.phase, whole.questions], ["answerable", ASK.questions]);
for (let cut = 1; cut < TEXT.length; cut += 1) {
  const [first, rest] = [TEXT.slice(0, cut), TEXT.slice(cut)];
  for (const said of [[["append", first], ["append", rest], ["finish"]], [["args", first], ["args", TEXT]], [["args", first], ["append", rest], ["finish"]]]) {
    const { phase, questions, words } = await told(...said);
    assert.deepEqual([phase, questions, words.includes("anew")], ["answerable", ASK.questions, false], `${cut}`);
  }
  assert.equal((await told(["status", "running"], ["args", first], ["status", "call"])).phase === "malformed", true, `${cut}: the part that had come by then is not the question`);
}

// An object grows and ends by the status alone.
const short = { questions: [{ question: "Which si" }] };
assert.deepEqual((await told(["args", {}], ["args", short], ["args", ASK])).phase, "streaming");
assert.deepEqual((await told(["args", short], ["args", ASK], ["status", { type: "requires-action" }])).questions, ASK.questions);

// Arguments that are written in another way come once more.
const other = await told(["args", ASK], ["args", { questions: [{ question: "Which other?", options: [{ label: "L" }] }] }], ["finish"]);
assert.deepEqual(other.questions, [{ question: "Which other?", multiSelect: false, options: [{ label: "L" }] }]);

// A call is read under the names of each protocol.
for (const call of [{ args: ASK }, { input: ASK, state: "input-available" }, { arguments: TEXT }, { function: { arguments: TEXT } }, JSON.stringify({ args: ASK })]) {
  const { phase, questions } = await told(["call", call]);
  assert.deepEqual([phase, questions], ["answerable", ASK.questions]);
}
assert.equal((await told(["call", { args: ASK, output: ANSWER }])).phase, "replied");
// What the user changed the answer to is told after it, and once.
const changed = JSON.stringify({ answers: { "Which size?": "S" } });
const { words } = await told(["changed", changed], ["call", { args: ASK, output: ANSWER }], ["changed", changed]);
assert.deepEqual(words.slice(-4), ["answer", "answered", "answer", "replaced"]);
assert.equal((await told(["call", { input: short, state: "input-streaming" }])).phase, "streaming");
assert.equal((await told(["call", { input: ASK, state: "output-error", errorText: "Gone" }])).phase, "interrupted");

// The result tells best how a call ended, and one that says nothing of an answer leaves the word to the status.
for (const [result, status, phase] of [
  ["User cancelled the question", "complete", "declined"],
  [JSON.stringify({ outcome: "expired" }), "complete", "expired"],
  [{ status: "cancelled" }, undefined, "declined"],
  [ANSWER, "superseded", "replied"],
  [{ ok: true }, undefined, "answerable"],
  [{ ok: true }, "complete", "answered"],
  [{ answers: { "Another question?": "M" } }, undefined, "answerable"],
  [{ answers: { "Which size?": "M" }, details: [{ index: 0, selected: [{ index: 1, label: "S" }] }] }, undefined, "answerable"],
  [{ answers: {}, details: [null] }, undefined, "answerable"],
]) {
  assert.equal((await told(["args", ASK], ["status", status], ["finish"], ["result", result])).phase, phase, JSON.stringify(result));
}
// An agent that goes on without the answer leaves the question open, until the answer or its own word.
const ASKED = "asked; the answer will come as a message";
for (const [news, phase] of [
  [[], "answerable"],
  [[["sent", ANSWER], ["result", ASKED]], "answered"],
  [[["result", "The agent withdrew the question. This is no answer and no consent."]], "withdrawn"],
]) {
  assert.equal((await told(["args", ASK], ["status", "complete"], ["result", ASKED], ...news)).phase, phase, JSON.stringify(news));
}
assert.equal((await told(["call", { args: ASK, state: "output-available", output: ASKED }])).phase, "answerable");
assert.equal((await told(["args", TEXT], ["sent", ANSWER])).words.at(-1), "answered");
assert.equal((await told(["args", TEXT], ["sent", "User cancelled the question. This is no answer and no consent."])).phase, "declined");
assert.equal((await told(["append", "7"], ["finish"])).phase, "malformed");
assert.equal((await told(["append", "7"], ["finish"], ["sent", ANSWER])).phase, "answered");

for (const [phase, words] of Object.entries({
  streaming: ["streaming", "inProgress", "running", "input-streaming", "partial-call"],
  answerable: ["executing", "requires-action", "input-available", "call", "approval-requested"],
  answered: ["complete", "result", "output-available", "ANSWERED"],
  declined: ["output-denied", "declined"],
  interrupted: ["incomplete", "error", "output-error"],
})) {
  for (const word of words) assert.deepEqual([phaseOf(word), phaseOf({ type: word })], [phase, phase], word);
}
for (const word of ["", "malformed", "completed", 7, {}, null, "constructor"]) assert.equal(phaseOf(word), undefined, `${word} says nothing`);

// Members that are named twice, and depths without end, are odd; so is whatever repair would change.
for (const text of ['{"questions":1,"questions":2}', "[".repeat(9999), "{7}"]) {
  const reader = new Reader();
  for (const sign of text) reader.feed(sign);
  assert.ok(reader.isOdd, text.slice(0, 40));
}
const labels = ["Other", "→ Other (please specify)", "Sonstiges", "その他", "Something else…", "Type your own answer", "أخرى", "{}", " ", "S"];
for (const label of labels) assert.equal(isOwnForm({ questions: [{ question: "Q?", options: [{ label: "A" }, { label }] }] }), label === "S", label);
assert.deepEqual(shownOf({ questions: [{ question: "Q?", options: [{ label: "A" }, { label: "Oth" }] }] }, Infinity)[0].options.length, 1);

// What a question asks for instead of a choice, and what an ask says of itself.
const typed = { questions: [{ question: "Which port?", input: { min: 1024, type: "integer" } }], askedBy: " deploy ", why: "It is taken." };
assert.deepEqual((await told(["args", typed], ["finish"])).words, ["question", "question!", "type", "min", "whole", "multiSelect", "askedBy", "why", "complete"]);
assert.equal((await told(["args", typed], ["finish"], ["result", { answers: { "Which port?": 8080 }, details: [{ index: 0, value: 8080 }] }])).phase, "replied");
// What is typed already is told, and what a card has no word for is not.
const bodies = { questions: [{ question: "Which body?", input: { type: "json", default: ["a"], schema: { type: "array" } } }] };
assert.deepEqual((await told(["args", bodies], ["finish"])).words.slice(2), ["multiSelect", "type", "default", "whole", "complete"]);
// A condition, and what an option has beside its texts.
const later = {
  questions: [
    { question: "Notice?", options: [{ label: "Mail", value: "m" }, { label: "None" }] },
    { question: "Address?", options: [{ label: "Home", image: "data:image/png;base64,AA==", alt: "a house" }, { label: "Work" }], showIf: { question: "Notice?", is: "Mail" } },
  ],
};
const laterWords = (await told(["args", later], ["finish"])).words;
for (const word of ["value", "image", "alt", "showIf", "is"]) assert.ok(laterWords.includes(word), `${word} in ${laterWords}`);
for (const input of ["integer", { type: "int" }, { type: "boolean" }, { type: "date", minimum: "2026-01-01" }]) {
  assert.equal(isOwnForm({ questions: [{ question: "Which port?", input }] }), false, JSON.stringify(input));
}

// What is taken as it is, repair leaves as it is; and what was shown of any ask while it grew is never another text in the end.
const examples = join(import.meta.dirname, "../../ask-user-question/examples");
let own = 0;
for (const file of readdirSync(examples).filter((name) => name.endsWith(".json"))) {
  const text = readFileSync(join(examples, file), "utf8");
  const { ask: args } = JSON.parse(text);
  const repaired = check("runtime", JSON.stringify(args)).ask;
  if (isOwnForm(args)) {
    own += 1;
    assert.deepEqual(questionsOf(args), questionsOf(repaired), file);
  }
  const pieces = JSON.stringify(args).match(/[^]{1,7}/g).map((piece) => ["append", piece]);
  const { words, questions } = await told(...pieces, ["finish"]);
  if (!repaired) assert.equal(questions.length, 0, file);
  else if (isOwnForm(args)) assert.equal(words.includes("anew"), false, file);
}
assert.ok(own > 20, `${own} examples are in the tool's own form`);
console.log("What a host says of a call reaches the card.");
