// The cost of an event in Node: this project's WebAssembly beside the packages that a JavaScript page would take, in one process and one run.
// `cargo xtask bench stream` runs it in the folder of those packages, with the module's path as its argument.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { createParser } from "eventsource-parser";
import { parse } from "jsonriver";

const require = createRequire(import.meta.url);
const wasm = require(process.argv[1]);
// As `import` has it, `@ag-ui/client` finds no partial arguments in Node: the package that repairs them for it is of the older kind.
const {
  CompatibilityBoundary, HttpAgent, enforceEvents, transformChunks, transformHttpEventStream, verifyEvents,
} = require("@ag-ui/client");
const { Subject } = require("rxjs");

const SIZES = wasm.sizes();
const ROUNDS = 11;
/** In milliseconds: the least that is timed at once, and the least that a part warms up. */
const SAMPLE = 20, WARM_UP = 200;
/** In milliseconds: a stream that takes longer is read once, and one that would take longer than the second is not read. */
const PATIENCE = 2_000, LIMIT = 60_000;

/** A run that asks one question, of the size with this index, as a network gives it and event by event. */
function inputOf(size) {
  const input = new wasm.Input(size);
  const bytes = input.bytes();
  const chunks = [];
  for (let at = 0; at < bytes.length; at += wasm.chunk()) chunks.push(bytes.slice(at, at + wasm.chunk()));
  const frames = new TextDecoder().decode(bytes).split("\n\n").slice(0, -1);
  assert.equal(frames.length, input.events());
  const encoder = new TextEncoder();
  return {
    chunks,
    eventByEvent: frames.map((frame) => encoder.encode(`${frame}\n\n`)),
    events: frames.length,
    data: frames.map((frame) => frame.slice("data: ".length)),
    arguments: input.arguments(),
  };
}

// The measured parts: `prepare` makes the reader, which is not timed; `read` takes the chunks and gives what came of them, which `check` holds
// against the input before anything is timed.

const ours = (name, prepare, check) => ({
  name, prepare, check,
  read: (reader, chunks) => {
    for (const chunk of chunks) reader.feed(chunk);
    return reader;
  },
});

const wholeAfter = (earlier, name) => ours(name, () => new wasm.Whole(earlier), (reader, input) => {
  assert.equal(reader.arguments(), input.arguments);
  assert.deepEqual(JSON.parse(reader.ask()), JSON.parse(input.arguments));
});

/** Returns the data of each frame as eventsource-parser finds it. */
function framesInto(onData) {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => onData(data) });
  return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }));
}

/** The deltas of the arguments, read with eventsource-parser and JSON.parse. */
async function* deltasOf(chunks) {
  let deltas = [];
  const feed = framesInto((data) => {
    const event = JSON.parse(data);
    if (event.type === "TOOL_CALL_ARGS") deltas.push(event.delta);
  });
  for (const chunk of chunks) {
    feed(chunk);
    for (const delta of deltas) yield delta;
    deltas = [];
  }
}

/** The chain of `@ag-ui/client` from bytes to verified events, as its agents compose it, given its chunks without waiting for any. */
function verifiedInto(onEvent, chunks) {
  const response = new Subject();
  const input = { threadId: "thread-1", runId: "run-1", messages: [] };
  const events = new CompatibilityBoundary().run(input, { run: () => transformHttpEventStream(response) });
  const error = (problem) => { throw problem; };
  events.pipe(enforceEvents(), transformChunks(), verifyEvents()).subscribe({ next: onEvent, error });
  response.next({ type: "headers", status: 200, headers: new Headers({ "content-type": "text/event-stream" }) });
  for (const data of chunks) response.next({ type: "data", data });
  response.complete();
}

/** An agent of `@ag-ui/client` whose server answers with these chunks. */
function agentOn(chunks, initialMessages) {
  const rest = chunks.values();
  const pull = (controller) => {
    const { done, value } = rest.next();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(new ReadableStream({ pull }), { headers });
  return new HttpAgent({ url: "http://localhost/", threadId: "thread-1", initialMessages, fetch });
}

const subscribedAfter = (earlier, name) => ({
  name,
  prepare: ({ chunks }) => agentOn(chunks, JSON.parse(wasm.history(earlier))),
  read: async (agent) => {
    let seen = 0;
    await agent.runAgent({ runId: "run-1" }, { onToolCallArgsEvent: ({ partialToolCallArgs }) => { seen = partialToolCallArgs.length; } });
    return { seen, messages: agent.messages };
  },
  check: ({ seen, messages }, input) => {
    assert.ok(seen > input.arguments.length / 2, "the arguments were seen growing");
    assert.equal(messages.at(-1).toolCalls[0].function.arguments, input.arguments);
  },
});

const sum = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const bytesOf = (texts) => sum(texts.map((text) => Buffer.byteLength(text)));

const PARTS = {
  frames: ours("frames", () => new wasm.Frames(), (reader, input) => {
    assert.equal(reader.length, bytesOf(input.data));
  }),
  parserFrames: {
    name: "frames by eventsource-parser",
    read: (_, chunks) => {
      let length = 0;
      const feed = framesInto((data) => { length += data.length; });
      for (const chunk of chunks) feed(chunk);
      return length;
    },
    check: (length, input) => assert.equal(length, sum(input.data.map((data) => data.length))),
  },
  verified: ours("decoded and verified", () => new wasm.Events(), (reader, input) => {
    assert.equal(reader.length, bytesOf([input.arguments]));
  }),
  clientVerified: {
    name: "decoded and verified by `@ag-ui/client`",
    read: (_, chunks) => {
      let length = 0;
      verifiedInto((event) => { length += event.delta?.length ?? 0; }, chunks);
      return length;
    },
    check: (length, input) => assert.equal(length, input.arguments.length),
  },
  whole: wholeAfter(0, "whole, with thread and asks"),
  wholeLater: wholeAfter(400, "whole, after 400 earlier messages"),
  wholeSlowly: { ...wholeAfter(0, "whole, each event in a chunk of its own"), eventByEvent: true },
  river: {
    name: "eventsource-parser, JSON.parse, jsonriver",
    read: async (_, chunks) => {
      let last;
      for await (const value of parse(deltasOf(chunks))) last = value;
      return last;
    },
    check: (value, input) => assert.deepEqual(value, JSON.parse(input.arguments)),
  },
  client: subscribedAfter(0, "`@ag-ui/client` with a subscriber"),
  clientLater: subscribedAfter(400, "`@ag-ui/client` with a subscriber, after 400 earlier messages"),
};

/** Reads the input once and gives what came of it and how long it took, in milliseconds. */
async function time(part, input) {
  const reader = part.prepare?.(input);
  const chunks = part.eventByEvent ? input.eventByEvent : input.chunks;
  const start = performance.now();
  let result = part.read(reader, chunks);
  if (result instanceof Promise) result = await result;
  const time = performance.now() - start;
  return { time, result, free: () => reader?.free?.() };
}

/** Reads the input for at least so long and gives the milliseconds for one reading. */
async function sample(part, input, atLeast) {
  // Garbage of earlier parts is collected before this one.
  globalThis.gc();
  let spent = 0, streams = 0;
  do {
    const reading = await time(part, input);
    reading.free();
    spent += reading.time;
    streams += 1;
  } while (spent < atLeast);
  return spent / streams;
}

/**
 * Milliseconds for one reading of the input by each part; nothing where it would take too long, judging by a tenth of the input. The parts take
 * turns, so that what else the machine does disturbs all of them alike, and the least of the rounds counts, since it can only disturb.
 */
async function measure(input, tenth) {
  const times = {};
  for (const [key, part] of Object.entries(PARTS)) {
    // A tenfold input takes a hundredfold time where each delta costs as much as all before it.
    if (tenth && !(tenth[key] * 100 < LIMIT)) continue;
    const first = await time(part, input);
    part.check(first.result, input);
    first.free();
    times[key] = first.time;
  }
  const quick = Object.keys(times).filter((key) => times[key] < PATIENCE);
  for (const key of quick) await sample(PARTS[key], input, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const key of quick) times[key] = Math.min(times[key], await sample(PARTS[key], input, SAMPLE));
  }
  return times;
}

const times = [];
const inputs = SIZES.map((_, size) => inputOf(size));
for (const input of inputs) times.push(await measure(input, times.at(-1)));

/** Microseconds an event at one size. */
const cost = (key, size) => times[size][key] * 1000 / inputs[size].events;

console.log(`Node ${process.version} on ${cpus()[0]?.model ?? "an unknown processor"}\n`);
console.log(`| µs an event | ${SIZES.join(" | ")} |`);
console.log(`|---|${"---|".repeat(SIZES.length)}`);
for (const [key, { name }] of Object.entries(PARTS)) {
  const cells = SIZES.map((_, size) => key in times[size] ? cost(key, size).toFixed(2) : "not run");
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
console.log("\n`not run`: a single stream would take more than a minute.");

const over = (slow, quick, sizes = [0, 1, 2, 3]) => sizes.map((size) => cost(slow, size) / cost(quick, size));
const atMost = (goal, values) => ({ goal: `at most ${goal}`, measured: Math.max(...values), met: Math.max(...values) <= goal });
const atLeast = (goal, values) => ({ goal: `at least ${goal}`, measured: Math.min(...values), met: Math.min(...values) >= goal });
const GOALS = [
  ["whole, µs an event at any size", atMost(1.2, [0, 1, 2, 3].map((size) => cost("whole", size)))],
  ["whole, time for 1 MB over time for 100 KB", atMost(11, [times[3].whole / times[2].whole])],
  ["whole, after 400 messages over after none", atMost(1.5, over("wholeLater", "whole"))],
  ["`@ag-ui/client` over us, decoded and verified", atLeast(8, over("clientVerified", "verified"))],
  ["`@ag-ui/client` with a subscriber over us, 1 KB", atLeast(25, over("client", "whole", [0]))],
  ["`@ag-ui/client` with a subscriber over us, 10 KB", atLeast(50, over("client", "whole", [1]))],
  ["`@ag-ui/client` with a subscriber over us, 100 KB", atLeast(400, over("client", "whole", [2]))],
  ["eventsource-parser, JSON.parse, jsonriver over us", atLeast(2, over("river", "whole"))],
];
console.log("\n| goal, at the worst size | | measured | |\n|---|---|---|---|");
for (const [what, { goal, measured, met }] of GOALS) {
  console.log(`| ${what} | ${goal} | ${measured.toFixed(2)} | ${met ? "met" : "missed"} |`);
}
