// Released clients of MCP against the server itself: `node main.mjs SERVER PACKAGES`, where PACKAGES is a folder in which both generations of the
// TypeScript SDK and the Inspector are installed. `cargo xtask agents clients` brings and runs them.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const [server, packages] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(packages, "node_modules", name)).href);
const first = await load("@modelcontextprotocol/sdk/dist/esm/client/index.js");
const firstTypes = await load("@modelcontextprotocol/sdk/dist/esm/types.js");
const firstStdio = await load("@modelcontextprotocol/sdk/dist/esm/client/stdio.js");
const firstHttp = await load("@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js");
const second = await load("@modelcontextprotocol/client/dist/index.mjs");
const secondStdio = await load("@modelcontextprotocol/client/dist/stdio.mjs");

// A page without a card, whatever is within the program.
const bare = mkdtempSync(join(tmpdir(), "page-"));
writeFileSync(join(bare, "index.html"), "<!doctype html>");
const info = { name: "journeys", version: "1" };
const formless = {};
const forms = { elicitation: { form: {} } };

/** The clients: both packages, and the second in each generation of the protocol. */
const sdks = {
  "sdk 1": {
    client: (capabilities) => new first.Client(info, { capabilities }),
    stdio: (settings) => new firstStdio.StdioClientTransport(settings),
    http: (url) => new firstHttp.StreamableHTTPClientTransport(url),
    elicits: (client, answer) => client.setRequestHandler(firstTypes.ElicitRequestSchema, answer),
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  ...Object.fromEntries(
    [["client 2, with a session", "legacy"], ["client 2, without", { pin: "2026-07-28" }]].map(([name, mode]) => [
      name,
      {
        client: (capabilities) => new second.Client(info, { capabilities, versionNegotiation: { mode } }),
        stdio: (settings) => new secondStdio.StdioClientTransport(settings),
        http: (url) => new second.StreamableHTTPClientTransport(url),
        elicits: (client, answer) => client.setRequestHandler("elicitation/create", answer),
        call: (client, params, options) => client.callTool(params, options),
      },
    ]),
  ),
};

const SIZE = { questions: [{ question: "Which size?", header: "Size", options: [{ label: "S" }, { label: "M, or so" }] }] };
const EXTRAS = { questions: [{ question: "Which extras?", multiSelect: true, options: [{ label: "A, B" }, { label: "C" }] }] };
const NO_ANSWER = /This is no answer and no consent\.$/;
const ask = (sdk, client, questions, options) => sdk.call(client, { name: "ask_user_question", arguments: questions }, options);

/** The ways to the server. */
const ways = {
  async stdio(sdk, args) {
    const settings = { command: server, args: ["mcp", "--no-open", "--log", "off", "--page", bare, ...args], stderr: "inherit" };
    return { transport: () => sdk.stdio(settings), close() {} };
  },
  async http(sdk, args) {
    const started = spawn(server, ["--port", "0", "--log", "off", "--database", "memory", "--page", bare, "--mcp", ...args], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: started.stdout })) {
      const address = line.match(/^listening on (\S+)$/)?.[1];
      if (address) return { transport: () => sdk.http(new URL(`${address}/mcp`)), close: () => started.kill() };
    }
    throw new Error("the server does not say where it listens");
  },
};

/** A client that is connected, for as long as the journey takes. */
async function connected({ sdk, house }, capabilities, journey) {
  const client = sdk.client(capabilities);
  await client.connect(house.transport());
  try {
    return await journey(client);
  } finally {
    await client.close();
  }
}

/** Waits until the client is told where a page is, and returns a person in front of it. */
function told() {
  let tell;
  const address = new Promise((resolve) => (tell = resolve));
  const onprogress = ({ message }) => {
    const found = message?.match(/http\S+/)?.[0];
    if (found) tell(found);
  };
  const post = async (fields) => fetch(await address, { method: "POST", body: new URLSearchParams(fields) });
  return { address, post, options: { onprogress, timeout: 60_000, resetTimeoutOnProgress: true } };
}

const journeys = {
  async the_outcomes_of_a_form(world) {
    for (const [questions, answers, outcome, text] of [
      [SIZE, [{ action: "accept", content: { question_1: "M, or so" } }], "answered", /^\{"answers":\{"Which size\?":"M, or so"\}\}$/],
      [SIZE, [{ action: "accept", content: { question_1_custom: "XL" } }], "answered", /"other":"XL"/],
      [EXTRAS, [{ action: "accept", content: { question_1: ["A, B", "C"] } }], "answered", /"label":"A, B"/],
      [SIZE, [{ action: "accept", content: {} }, { action: "accept", content: { question_1: "S" } }], "answered", /"S"/],
      [SIZE, [{ action: "accept", content: {} }, { action: "accept", content: {} }], "skipped", /no answer and no consent/],
      [SIZE, [{ action: "decline" }], "declined", NO_ANSWER],
      [SIZE, [{ action: "cancel" }], "superseded", NO_ANSWER],
    ]) {
      await connected(world, forms, async (client) => {
        world.sdk.elicits(client, async () => answers.shift());
        await client.listTools();
        const result = await ask(world.sdk, client, questions);
        assert.equal(result.structuredContent.outcome, outcome);
        assert.match(result.content[0].text, text);
        assert.deepEqual(answers, []);
      });
    }
  },

  async a_call_with_faults(world) {
    await connected(world, forms, async (client) => {
      const result = await ask(world.sdk, client, { questions: [] });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /^Invalid input:/);
      assert.equal(result._meta.code, "invalid_ask");
    });
  },

  async an_answer_on_a_page(world) {
    await connected(world, formless, async (client) => {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), ["ask_user_question", "wait_for_answer"]);
      const person = told();
      const asked = ask(world.sdk, client, SIZE, person.options);
      assert.match(await (await fetch(await person.address)).text(), /Which size\?/);
      assert.equal((await person.post({ question_1: "S" })).status, 200);
      const result = await asked;
      const { answered_at, ...content } = result.structuredContent;
      assert.match(answered_at, /^20.*Z$/);
      assert.deepEqual(content, { outcome: "answered", answers: { "Which size?": "S" } });
    });
  },

  async two_questions_at_once(world) {
    await connected(world, formless, async (client) => {
      const people = [told(), told()];
      const asked = people.map((person) => ask(world.sdk, client, SIZE, person.options));
      assert.notEqual(await people[0].address, await people[1].address);
      await people[1].post({ question_1: "M, or so" });
      assert.equal((await asked[1]).structuredContent.answers["Which size?"], "M, or so");
      await people[0].post({ decline: "1" });
      assert.equal((await asked[0]).structuredContent.outcome, "declined");
    });
  },

  async a_cancelled_call_closes_its_page(world) {
    await connected(world, formless, async (client) => {
      const [person, abort] = [told(), new AbortController()];
      const asked = ask(world.sdk, client, SIZE, { ...person.options, signal: abort.signal });
      const address = await person.address;
      abort.abort();
      await assert.rejects(asked);
      // A stream that ends is how a client without a session cancels, and it may be an accident: that question stays.
      if (world.stays) return;
      while ((await fetch(address)).status === 200);
      assert.equal((await fetch(address)).status, 404);
    });
  },

  async a_question_outlives_its_client(world) {
    const folder = mkdtempSync(join(tmpdir(), "mcp-"));
    const house = await ways.stdio(world.sdk, ["--database", join(folder, "asks.sqlite")]);
    try {
      const person = told();
      const before = await connected({ ...world, house }, formless, async (client) => {
        ask(world.sdk, client, SIZE, person.options).catch(() => {});
        return new URL(await person.address);
      });
      const result = await connected({ ...world, house }, formless, async (client) => {
        const again = told();
        const asked = ask(world.sdk, client, SIZE, again.options);
        assert.equal(new URL(await again.address).pathname, before.pathname);
        await again.post({ question_1: "S" });
        return asked;
      });
      assert.equal(result.structuredContent.answers["Which size?"], "S");
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** The Inspector's command line. It takes no progress, so a call returns after 45 seconds. */
async function inspector(...args) {
  const program = join(packages, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const target = [server, "mcp", "--no-open", "--log=off"];
  const { stdout } = await promisify(execFile)(process.execPath, [program, "--cli", ...args, ...target], { timeout: 60_000 });
  return JSON.parse(stdout);
}

let failures = 0;
let runs = 0;
async function run(title, journey) {
  runs += 1;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing happens any more")), 60_000);
  });
  try {
    await Promise.race([journey(), late]);
    console.log(`ok      ${title}`);
  } catch (problem) {
    failures += 1;
    console.log(`FAILED  ${title}\n${problem?.stack ?? problem}`);
  } finally {
    clearTimeout(timer);
  }
}

for (const [name, sdk] of Object.entries(sdks)) {
  for (const [way, open] of Object.entries(ways)) {
    const house = await open(sdk, []);
    const stays = way === "http" && name === "client 2, without";
    for (const [journey, drive] of Object.entries(journeys)) {
      if (way === "http" && journey === "a_question_outlives_its_client") continue;
      await run(`${name}, ${way}: ${journey.replaceAll("_", " ")}`, () => drive({ sdk, house, stays }));
    }
    house.close();
  }
}
await run("inspector: tools are listed, without a fault that clients stumble over", async () => {
  const { tools } = await inspector("--method", "tools/list", "--strict");
  assert.equal(tools[0].name, "ask_user_question");
});
await run("inspector: a tool is called", async () => {
  const questions = `questions=${JSON.stringify(SIZE.questions)}`;
  const result = await inspector("--tool-name", "ask_user_question", "--tool-arg", questions, "--method", "tools/call");
  assert.equal(result.structuredContent.outcome, "open");
});
console.log(`${runs} journeys, ${failures} failed`);
rmSync(bare, { recursive: true });
process.exit(failures === 0 ? 0 : 1);
