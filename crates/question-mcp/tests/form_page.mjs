// The script of a question's page, with a browser that is made up: `node --test form_page.mjs`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const Script = (async () => {}).constructor;
const script = new Script(
  ...["document", "addEventListener", "location", "fetch", "setTimeout"],
  readFileSync(new URL("../src/form_page.js", import.meta.url), "utf8"),
);

/** What a page does whose watch gets these answers: a status each, or null for a connection that fails. An answer is sent with the last one. */
async function page({ answers, sends = false }) {
  const [did, listeners] = [[], {}];
  await script(
    { querySelector: () => null, body: { dataset: {} } },
    (name, act) => (listeners[name] = act),
    { pathname: "/ask/secret", reload: () => did.push("reload") },
    async (path) => {
      assert.equal(path, "/ask/secret/open");
      assert(answers.length > 0, "it watches on though it knows the end");
      const status = answers.shift();
      if (sends && answers.length === 0) listeners.submit();
      did.push(status);
      if (status === null) throw new TypeError("Failed to fetch");
      return { status };
    },
    (act, milliseconds) => {
      did.push(`${milliseconds} ms`);
      act();
    },
  );
  return did;
}

test("a page is loaded again once its question is over", async () => {
  assert.deepEqual(await page({ answers: [204, 204, 410] }), [204, 204, 410, "reload"]);
});

test("a server in trouble, and a proxy in front of none, do not end a question", async () => {
  for (const trouble of [null, 502, 503, 504, 429, 500, 404]) {
    const did = await page({ answers: [204, trouble, trouble, 204, 410] });
    assert.deepEqual(did, [204, trouble, "2000 ms", trouble, "2000 ms", 204, 410, "reload"]);
  }
});

test("a page whose answer is on its way stays", async () => {
  assert.deepEqual(await page({ answers: [204, 410], sends: true }), [204, 410]);
});
