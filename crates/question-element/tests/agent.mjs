// The agent's side in Node: `node agent.mjs FOLDER-OF-THE-PACKAGE`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const entry = manifest.exports["./agent"].node;
const { check, load, matchMessage, parseReply, toolDefinition } = await import(pathToFileURL(join(folder, entry)));
await load();

for (const profile of ["runtime", "coding", "chat"]) {
  const schema = JSON.parse(readFileSync(join(folder, "schemas", `${profile}.json`), "utf8"));
  const tool = toolDefinition(profile);
  assert.deepEqual(tool.parameters, schema.parameters ?? schema, `${profile}: the file says what the program says`);
  assert.ok(tool.guidance.length > 100 && tool.name && tool.description);
}
assert.throws(() => toolDefinition("poet"), /there is no profile/);

const args = { questions: { question: "Which plan?", header: "Plan", options: ["Basic", "Pro"] } };
const verdict = check("chat", args);
assert.equal(verdict.valid, true);
assert.equal(verdict.message, null);
assert.deepEqual(verdict.ask.questions[0].options, [{ label: "Basic" }, { label: "Pro" }]);
assert.equal(check("chat", '{"questions": [').valid, false);

const reply = parseReply(verdict.ask, { answers: { "Which plan?": "Pro" } });
assert.deepEqual([reply.outcome, reply.message], ["answered", "Pro"]);
assert.equal(parseReply(verdict.ask, "User cancelled the question").outcome, "declined");
assert.equal(parseReply(verdict.ask, "I do not know").outcome, null);
assert.equal(matchMessage(verdict.ask, "pro!").message, "Pro");
assert.equal(matchMessage(verdict.ask, "2").answers["Which plan?"], "Pro");
console.log("The agent's side works in Node.");
