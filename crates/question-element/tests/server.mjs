// The card's side on a server, where there is no page: `node server.mjs FOLDER-OF-THE-PACKAGE`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const entry = (name) => import(pathToFileURL(join(folder, manifest.exports[name].default)));

for (const name of ["HTMLElement", "document", "customElements"]) assert.equal(name in globalThis, false, `Node has ${name}`);
const { define, load, QuestionCard } = await entry(".");
for (const given of [define, load, QuestionCard]) assert.equal(typeof given, "function");
// A framework that renders pages on a server loads there what its pages load.
await entry("./define");
define("another-card");
console.log("The card's module does nothing on a server.");
