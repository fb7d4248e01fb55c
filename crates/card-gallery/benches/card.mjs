// The cost of a card in Chromium, in the gallery as it is built for users. `cargo xtask bench card` runs it behind `chromium.mjs`, with the
// folder of the built page.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const [dist] = given;
const SIZES = [10_000, 100_000, 1_000_000];
/** The factor by which the browser's processor is slower. */
const RATES = [1, 4];
/** The middle one of so many times is told. */
const TIMES = 3;
/** In milliseconds: what the browser calls a long task, and what a frame may take. */
const LONG_TASK = 50, FRAME = 1_000 / 60;

// The page, with what gives its clock microseconds.

const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const pages = createServer(async (request, response) => {
  const path = normalize(new URL(request.url, "http://page").pathname);
  const file = path === "/" ? "index.html" : path;
  try {
    const body = await readFile(join(dist, file));
    response.writeHead(200, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => pages.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${pages.address().port}/?gallery=bench`;

/** Measures something in a browser of its own, which writes down what its threads do until it is asked, and not again. */
const inBrowser = (measure) =>
  inNewBrowser(async () => {
    await devtools("Performance.enable");
    await open(address);
    await inPage(`async () => { while (!document.querySelector("[data-memory]")) await new Promise(requestAnimationFrame); }`);
    return await measure();
  }, {
    perfLoggingPrefs: {
      enableNetwork: false,
      enablePage: false,
      traceCategories: "devtools.timeline,disabled-by-default-devtools.timeline,blink.user_timing",
    },
  }, { "goog:loggingPrefs": { performance: "ALL" } });

/** Presses one of the page's buttons and waits until it is done; marks when a Submit can be pressed. */
const act = (name) =>
  inPage(async (name) => {
    const submits = () => document.querySelector(".qc-submit")?.ariaDisabled === null;
    const watch = new MutationObserver(() => {
      if (!submits()) return;
      performance.mark("enabled");
      watch.disconnect();
    });
    watch.observe(document.querySelector("main"), { attributeFilter: ["aria-disabled"], childList: true, subtree: true });
    const status = document.querySelector("main [role=status]");
    document.querySelector(`[data-act="${name}"]`).click();
    do await new Promise(requestAnimationFrame);
    while (!status.dataset.memory);
    watch.disconnect();
  }, name);

/** The memory when all garbage is gone. */
async function counts() {
  for (let round = 0; round < 3; round += 1) await devtools("HeapProfiler.collectGarbage");
  const { metrics } = await devtools("Performance.getMetrics");
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  const program = await inPage(`async () => Number(document.querySelector("main [role=status]").dataset.memory)`);
  return { listeners: of("JSEventListeners"), nodes: of("Nodes"), script: of("JSHeapUsedSize"), program };
}

/**
 * The browser's records of the page's main thread. Times are in milliseconds: `at` by the wall's
 * clock, `took` and `own` by the thread's own, for which nothing counts that the machine does beside.
 */
async function trace() {
  const log = await session("POST", "/se/log", { type: "performance" });
  const events = log
    .map(({ message }) => JSON.parse(message).message)
    .filter(({ method }) => method === "Tracing.dataCollected")
    .map(({ params }) => params)
    .map((event) => ({ ...event, at: event.ts / 1_000, own: event.tts / 1_000, took: (event.tdur ?? event.dur ?? 0) / 1_000 }));
  const ofUser = events.filter(({ cat }) => cat.includes("blink.user_timing"));
  // The browser's own pages leave marks, too.
  const { pid, tid } = ofUser.find(({ name }) => name === "begin");
  const ofPage = (event) => event.pid === pid && event.tid === tid;
  return {
    events: events.filter(ofPage).toSorted((a, b) => a.at - b.at),
    marks: (name) => ofUser.filter((mark) => ofPage(mark) && mark.name === name).toSorted((a, b) => a.at - b.at),
  };
}

const mb = (bytes) => `${(bytes / 1_000_000).toFixed(1)} MB`;
const kb = (size) => (size < 1_000_000 ? `${size / 1_000} KB` : `${size / 1_000_000} MB`);

// The measurements.

/** A page's first card, whose code is compiled as it is called, and the next one. */
async function feeding(size, rate) {
  const rounds = [];
  for (let round = 0; round < TIMES; round += 1) {
    rounds.push(await inBrowser(async () => {
      await slowDown(rate);
      await act(size);
      await slowDown(1);
      const { script, program } = await counts();
      await slowDown(rate);
      // The browser's records are bounded, and two of the largest do not fit in.
      if (size < SIZES.at(-1)) for (const name of ["nothing", size]) await act(name);
      await slowDown(1);
      const { events, marks } = await trace();
      const from = marks("begin")[0].at;
      const to = marks("done").find(({ at }) => at > from)?.at;
      // If even one does not fit in, its end is not known.
      if (to === undefined) return { heap: script + program };
      const ran = events.filter(({ name, at }) => name === "RunTask" && at > from && at < to).map((task) => task.took);
      const enabled = marks("enabled").map((mark, nth) => mark.own - marks("last-byte")[nth].own);
      return {
        first: enabled[0],
        next: enabled[1],
        ran: sum(ran),
        long: ran.filter((took) => took >= LONG_TASK).length,
        longest: most(ran),
        heap: script + program,
      };
    }));
  }
  const of = (key) => median(rounds.map((round) => round[key]));
  return [kb(size), `${rate}×`, ms(of("first")), ms(of("next")), ms(of("ran")), of("long") ?? "–", ms(of("longest")), mb(of("heap"))];
}

/** Each act of a person so far: its kind, and how long it took. */
const heard = () =>
  inPage(async () => {
    // The last change has its frame.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    await new Promise((later) => setTimeout(later, 200));
    const kindOf = ({ name, target }) => {
      if (target?.closest(".qc-submit")) return "Submit";
      if (name.startsWith("key")) return target?.matches("textarea") ? "typing" : "keys on options";
      return "tap";
    };
    return [...window.acts.values()].map((act) => ({ kind: kindOf(act), took: act.took }));
  });

/**
 * The time of the page's own handlers for a person's acts in a card of four questions, and the time until the frame that
 * shows it.
 */
async function answering(rate) {
  await act(SIZES[0]);
  await inPage(`async () => {${LISTEN_TO_ACTS}}`);
  const place = (selector, nth) =>
    inPage(async (selector, nth) => {
      const found = document.querySelectorAll(selector)[nth];
      found.scrollIntoView({ block: "center", behavior: "instant" });
      await new Promise(requestAnimationFrame);
      const { x, y, width, height } = found.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }, selector, nth);
  const click = async (selector, nth) => {
    const spot = { ...(await place(selector, nth)), button: "left", clickCount: 1 };
    await devtools("Input.dispatchMouseEvent", { ...spot, type: "mousePressed" });
    await devtools("Input.dispatchMouseEvent", { ...spot, type: "mouseReleased" });
  };
  const press = async (key, text) => {
    await devtools("Input.dispatchKeyEvent", { type: "keyDown", key, text });
    await devtools("Input.dispatchKeyEvent", { type: "keyUp", key });
  };
  await slowDown(rate);
  for (let round = 0; round < TIMES; round += 1) {
    for (let nth = 0; nth < 16; nth += 5) {
      await click(".qc-option-label", nth + Math.floor(nth / 4));
      await press("2", "2");
      await press("ArrowDown");
    }
    await click("textarea", round % 4);
    for (const letter of "an answer of my own") await press(letter, letter);
  }
  // Refused, with every question in its place: nothing is answered by a blank text.
  await click(".qc-submit", 0);
  const acts = await heard();
  await slowDown(1);
  const { events, marks } = await trace();
  const handled = events.filter((event) => event.name === "EventDispatch" && event.at > marks("done").at(-1).at);
  const of = (...kinds) => handled.filter((event) => kinds.includes(event.args.data.type)).map((event) => event.took);
  const row = (name, took) => [name, `${rate}×`, took.length, ms(median(took)), ms(most(took))];
  return {
    handlers: [["click", "change"], ["keydown"], ["input"]].map((kinds) => row(kinds.join(", "), of(...kinds))),
    shown: ["tap", "keys on options", "typing", "Submit"].map((kind) => row(kind, acts.filter((act) => act.kind === kind).map((act) => act.took))),
  };
}

async function scrolling(rate) {
  const before = await counts();
  await act("receipts");
  const after = await counts();
  await slowDown(rate);
  const frames = await inPage(async () => {
    const room = document.scrollingElement;
    const times = [];
    room.scrollTop = 0;
    await new Promise(requestAnimationFrame);
    while (room.scrollTop + innerHeight < room.scrollHeight - 1 && times.length < 600) {
      room.scrollTop += 60;
      times.push(await new Promise(requestAnimationFrame));
    }
    return times;
  });
  await slowDown(1);
  const between = frames.slice(1).map((time, index) => time - frames[index]);
  const late = between.filter((time) => time > FRAME * 1.5).length;
  return [`${rate}×`, after.listeners - before.listeners, between.length, late, ms(median(between)), ms(most(between))];
}

async function mounting() {
  const rows = [];
  const told = (when, { listeners, nodes, script, program }) => rows.push([when, listeners, nodes, mb(script), mb(program)]);
  // Once, for what a program makes once and keeps.
  for (const name of ["cards", "nothing"]) await act(name);
  told("before", await counts());
  for (let round = 1; round <= 3; round += 1) {
    await act("cards");
    if (round === 1) told("1,000 cards", await counts());
    await act("nothing");
    told(`put away, time ${round}`, await counts());
  }
  return rows;
}

try {
  const fed = [];
  for (const rate of RATES) for (const size of SIZES) fed.push(await feeding(size, rate));
  tellWhere();
  table(["arguments", "slower", "last byte to Submit", "of the next card", "main thread", "long tasks", "longest task", "heap"], ...fed);
  const answered = [];
  for (const rate of RATES) answered.push(await inBrowser(() => answering(rate)));
  table(["handlers of", "slower", "events", "median", "most"], ...answered.flatMap(({ handlers }) => handlers));
  table(["to the frame that shows it", "slower", "acts of 16 ms or more", "median", "worst"], ...answered.flatMap(({ shown }) => shown));
  const scrolled = [];
  for (const rate of RATES) scrolled.push(await inBrowser(() => scrolling(rate)));
  table(["1,000 receipts, slower", "more listeners", "frames scrolled", "late", "median", "most"], ...scrolled);
  table(["mounting", "listeners", "nodes", "JavaScript", "program"], ...(await inBrowser(mounting)));
} finally {
  driver.kill();
  pages.close();
}
