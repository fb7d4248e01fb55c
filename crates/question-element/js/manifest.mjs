// Writes what follows from question-card.d.ts and the styles: the table of properties and events that the element's class is made from,
// the styles that it takes, without comments, and the manifest: `node manifest.mjs`, in the package.
import { readFileSync, writeFileSync } from "node:fs";

const source = readFileSync("question-card.d.ts", "utf8");
const css = readFileSync("question-card.css", "utf8");

/** The body of a declaration. */
const body = (declaration) => {
  const begin = source.indexOf(declaration);
  if (begin < 0) throw new Error(`question-card.d.ts has no ${declaration}`);
  return source.slice(source.indexOf("{", begin) + 1, source.indexOf("\n}", begin));
};
const member = /(?:\/\*\* ([^\n]*) \*\/\n)?^ {2}(?:readonly (?=\w+:))?"?([\w-]+)"?\??: ([^\n]+);$/gm;
const members = (declaration) => [...body(declaration).matchAll(member)].map(([, description, name, text]) => ({ name, type: { text }, ...(description && { description }) }));
const dashed = (name) => (name === "scope" ? "draft-scope" : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
const all = (pattern) => [...new Set([...css.matchAll(pattern)].map(([, name]) => name))].sort().map((name) => ({ name }));

const props = members("export interface QuestionCardProps");
const methods = [...body("export class QuestionCard").matchAll(/\/\*\* ([^\n]*) \*\/\n(?: {2}\/\/[^\n]*\n)? {2}(append|finish|fail|reset|focus)\(/g)];
const attributes = props.filter(({ description = "" }) => !description.includes("No attribute"));
const events = members("export interface QuestionCardEvents");
// An attribute that takes one of several words means the first one where it is not set.
const kinds = { boolean: "flag", number: "number", "number | Date": "number" };
const rows = attributes.filter(({ name }) => name !== "args").map(({ name, type: { text } }) => [name, [dashed(name), kinds[text] ?? "text", /^"([\w-]+)" \|/.exec(text)?.[1]].filter(Boolean)]);
const declaration = {
  kind: "class",
  name: "QuestionCard",
  customElement: true,
  tagName: "question-card",
  description: "The card for the question that an AI agent asks.",
  superclass: { name: "HTMLElement" },
  attributes: [
    ...attributes.map(({ name, ...rest }) => ({ name: dashed(name), fieldName: name, ...rest })),
    { name: "lang", type: { text: "string" }, description: "The language of the card's own words." },
    { name: "no-shadow", type: { text: "boolean" }, description: "No shadow tree: the page's styles reach the card." },
  ],
  members: [
    ...props.map((prop) => ({ kind: "field", ...prop })),
    ...members("export class QuestionCard").filter(({ name }) => ["state", "writable"].includes(name)).map((field) => ({ kind: "field", readonly: true, ...field })),
    ...methods.map(([, description, name]) => ({ kind: "method", name, description })),
  ],
  events,
  slots: [
    { name: "loading", description: "Shown until the card is there." },
    { name: "failure", description: "Shown where the card's program could not be loaded." },
    { name: "receipt-actions", description: "Shown below the receipt." },
  ],
  cssParts: [{ name: "card" }, ...all(/\.qc-([\w-]+)/g)],
  cssProperties: all(/(--qc-[\w-]+)/g),
};
const exported = { kind: "custom-element-definition", name: "question-card", declaration: { name: "QuestionCard", module: "question-card.js" } };
const modules = [
  { kind: "javascript-module", path: "question-card.js", declarations: [declaration], exports: ["QuestionCard", "define", "load"].map((name) => ({ kind: "js", name, declaration: { name } })) },
  { kind: "javascript-module", path: "define.js", exports: [exported] },
];
const named = (name, value) => `export const ${name} = ${JSON.stringify(value)};\n`;
writeFileSync("properties.js", named("properties", Object.fromEntries(rows)) + named("events", events.map(({ name }) => name)));
const squeezed = css.replace(/\/\*[^]*?\*\//g, "").replace(/\s+/g, " ").replace(/ ?([{};,]) ?/g, "$1");
writeFileSync("styles.js", `export default ${JSON.stringify(squeezed)};\n`);
writeFileSync("custom-elements.json", `${JSON.stringify({ schemaVersion: "2.1.0", modules }, null, 2)}\n`);
