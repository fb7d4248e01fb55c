// The cost of the chat page in Chromium, from the real server: a first visit, a booking below 100 messages, a long history that comes back.
// `cargo xtask bench page` runs it behind `chromium.mjs`, with the server's program and the folder of the built page.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, dist] = given;
/** The middle one of so many visits is told. */
const VISITS = 5;
/** In milliseconds: what goes beyond this in a task keeps a person waiting. */
const LONG_TASK = 50;
/** In milliseconds: a page whose main thread had no long task for so long has come to rest. */
const REST = 5_000;
/** The factor by which the processor is slower, and the network: Lighthouse's slow 4G, in milliseconds and bytes a second. */
const SLOW_4G = { latency: 562.5, downloadThroughput: 1_474.56 * 1_000 / 8, uploadThroughput: 675 * 1_000 / 8 };
const MACHINES = [
  ["this machine", 1],
  ["processor 4× slower", 4],
  ["processor 4× slower, slow 4G", 4, SLOW_4G],
];

/** The least number of messages above the booking. */
const ABOVE = 100;
/** The number of messages of the long history. */
const LONG = 2_000;
/** The person's answers in a booking, in this order. */
const ANSWERS = ["Brake service", "Standard", "Yes"];

const folder = mkdtempSync(join(tmpdir(), "page-bench-"));
/** A server with one memory, which takes no time to think where `pace` is none, and where it is. */
async function serve(pace) {
  const args = ["--port", "0", "--log", "warn", "--page", dist, "--pace", pace, "--database", join(folder, "conversations.sqlite")];
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { server, address: `http://127.0.0.1:${await announced(server, /listening on http:\/\/127\.0\.0\.1:(\d+)/)}/` };
}

/** Runs before the page's own scripts: writes down when the composer is there. */
const WATCH = `{
  const composer = "form.composer textarea[name=message]";
  const watch = new MutationObserver(() => {
    if (!document.querySelector(composer)) return;
    watch.disconnect();
    // Not before the task that has made it is over: until then, no listener is there for a key.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { window.writable = performance.now(); };
    port2.postMessage(null);
  });
  watch.observe(document, { childList: true, subtree: true });
}`;

/** Runs before the page's own scripts: writes down each act of a person, and each long task. */
const LISTEN = `{
  ${LISTEN_TO_ACTS}
  const tasks = window.tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask", buffered: true });
}`;

/** The browser's records of a visit, once it is at rest. */
const VISIT = `async (rest) => {
  const all = (type) => new Promise((tell) => {
    const observer = new PerformanceObserver((list) => tell(list.getEntries()));
    observer.observe({ type, buffered: true });
    // Some have none.
    setTimeout(() => { observer.disconnect(); tell([]); }, 100);
  });
  let tasks;
  do {
    await new Promise((later) => setTimeout(later, 200));
    tasks = (await all("longtask")).map(({ startTime, duration }) => ({ startTime, duration }));
  } while (!(performance.now() - Math.max(window.writable ?? Infinity, ...tasks.map((task) => task.startTime + task.duration)) > rest));
  const paints = await all("paint");
  const shifts = await all("layout-shift");
  const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    tasks,
    writable: window.writable,
    paints: Object.fromEntries(paints.map(({ name, startTime }) => [name, startTime])),
    shift: shifts.reduce((all, { value }) => all + value, 0),
    files: loaded.map(({ name, encodedBodySize, decodedBodySize }) => ({ name, encodedBodySize, decodedBodySize })),
  };
}`;

const visit = (address, [, rate, network]) =>
  inNewBrowser(async () => {
    // Something of the same origin first: the page is then opened in the process that is slowed down.
    await open(new URL("settings.json", address).href);
    await devtools("Page.enable");
    await devtools("Page.addScriptToEvaluateOnNewDocument", { source: WATCH });
    await slowDown(rate);
    if (network) {
      await devtools("Network.enable");
      await devtools("Network.emulateNetworkConditions", { offline: false, ...network });
    }
    await open(address);
    return await inPage(VISIT, REST);
  });

const kb = (bytes) => `${(bytes / 1_000).toFixed(1)} KB`;
/** A file's name without the hash of its content. */
const plain = (url) => new URL(url).pathname.slice(1).replace(/-[0-9a-f]{10,16}(?=[._])/, "") || "index.html";

function timing(name, visits) {
  const times = visits.map(({ tasks, writable, paints, shift }) => {
    const seen = paints["first-contentful-paint"];
    // Before the first paint, no user acts.
    const waits = tasks.map(({ startTime, duration }) => startTime + duration - Math.max(startTime, seen) - LONG_TASK);
    return {
      painted: paints["first-paint"],
      seen,
      // No user writes into a hidden field.
      writable: Math.max(seen, writable),
      rested: Math.max(seen, writable, ...tasks.map((task) => task.startTime + task.duration)),
      long: tasks.length,
      longest: most(tasks.map((task) => task.duration)),
      blocked: sum(waits.filter((wait) => wait > 0)),
      shift,
    };
  });
  const of = (key) => median(times.map((time) => time[key]));
  const columns = ["painted", "seen", "writable", "rested"].map((key) => ms(of(key)));
  return [name, ...columns, of("long"), ms(of("longest")), ms(of("blocked")), of("shift").toFixed(3)];
}

/** Asks the server beside the page until it answers so. */
async function until(url, is) {
  for (;;) {
    const answer = await (await fetch(url)).json();
    if (is(answer)) return answer;
    await new Promise((later) => setTimeout(later, 20));
  }
}

const post = (url, body) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** Books until the conversation has so many messages. */
async function bookings(address, id) {
  const conversation = `${address}conversations/${id}`;
  for (let round = 0; ; round += 1) {
    const said = { id: `u${round}`, role: "user", content: "I need my car looked at" };
    const input = { threadId: id, runId: `r${round}`, messages: [said], tools: [], context: [], state: {}, forwardedProps: {} };
    await (await post(`${address}agent`, input)).text();
    for (const label of ANSWERS) {
      const { pending } = await until(conversation, ({ pending }) => pending.length > 0);
      const { question } = pending[0].questions[0];
      await post(`${conversation}/respond`, { answers: { [question]: label }, toolCallId: pending[0].toolCallId });
    }
    const { messages } = await until(conversation, ({ state }) => state.type === "idle");
    if (messages.filter(({ role }) => role !== "tool").length >= ABOVE) return;
  }
}

const find = async (selector) => {
  const found = await session("POST", "/element", { using: "css selector", value: selector });
  return Object.values(found)[0];
};
/** Waits until an expression holds in the page. */
const holds = (expression) =>
  inPage(`async () => { while (!(${expression})) await new Promise((later) => setTimeout(later, 50)); }`);
const press = async (selector, keys) => {
  const element = await find(selector);
  for (const key of keys) await session("POST", `/element/${element}/value`, { text: key });
};

/** A booking as a person does it, below the messages of that conversation: how long each key and each tap takes to show. */
const booking = (address, id, rate) =>
  inNewBrowser(async () => {
    await open(new URL("settings.json", address).href);
    await devtools("Page.enable");
    await devtools("Page.addScriptToEvaluateOnNewDocument", { source: LISTEN });
    await open(`${address}?lang=en#c=${id}`);
    const receipts = "document.querySelectorAll('.qc-receipt').length";
    await holds("document.querySelector('[role=log]:not([aria-busy]) li')");
    const before = await inPage(`async () => ${receipts}`);
    await slowDown(rate);
    await inPage("async () => { window.tasks.length = 0; window.acts.clear(); }");
    await press("form.composer textarea", [..."I need my car looked at", "\uE007"]);
    for (const [answered, label] of ANSWERS.entries()) {
      const option = `[...document.querySelectorAll("form .qc-option-button")].find((it) => it.textContent.includes(${JSON.stringify(label)}))`;
      await holds(option);
      await inPage(`async () => { ${option}.id ||= "option"; ${option}.dataset.bench = ""; await new Promise((later) => setTimeout(later, 600)); }`);
      await session("POST", `/element/${await find("[data-bench]")}/click`, {});
      await holds(`${receipts} > ${before + answered} && !document.querySelector("[data-bench]")`);
    }
    await holds("document.querySelector('form.composer button[type=submit]')");
    await inPage("async () => new Promise((later) => setTimeout(later, 500))");
    return await inPage("async () => ({ acts: [...window.acts.values()].map(({ took }) => took), tasks: window.tasks })");
  });

/** A server before the real one, which has a long conversation besides. */
async function withLongHistory(address) {
  const texts = [
    "I need my car looked at",
    "Your **brakes** squeak, as you say. We can look at them on _Monday_:\n\n- front pads\n- rear pads\n\nThe price is `$180`.",
  ];
  const messages = Array.from({ length: LONG }, (_, at) => ({ id: `m${at}`, role: ["user", "assistant"][at % 2], content: texts[at % 2] }));
  const description = JSON.stringify({ messages, state: { type: "idle" }, pending: [], lastEventId: "life-1m" });
  const front = createServer((asked, answer) => {
    if (asked.url === "/conversations/long") return answer.writeHead(200, { "content-type": "application/json" }).end(description);
    if (asked.url.startsWith("/conversations/long/events")) {
      return answer.writeHead(200, { "content-type": "text/event-stream" }).write(": here\n\n");
    }
    const { host } = new URL(address);
    const passed = request(new URL(asked.url, address), { method: asked.method, headers: { ...asked.headers, host } }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    asked.pipe(passed);
  });
  await new Promise((ready) => front.listen(0, "127.0.0.1", ready));
  return { front, address: `http://127.0.0.1:${front.address().port}/` };
}

/** The return of a long history: when its end is seen, when all of it is there, and the tasks until then. */
const restoring = (address, rate) =>
  inNewBrowser(async () => {
    await open(new URL("settings.json", address).href);
    await devtools("Page.enable");
    await devtools("Page.addScriptToEvaluateOnNewDocument", { source: LISTEN });
    await slowDown(rate);
    await open(`${address}?lang=en#c=long`);
    const seen = await inPage(`async () => {
      while (!document.querySelector("[role=log] li")) await new Promise(requestAnimationFrame);
      return performance.now();
    }`);
    await holds(`document.querySelectorAll("[role=log] li article").length === ${LONG}`);
    const whole = await inPage("async () => performance.now()");
    await inPage("async () => new Promise((later) => setTimeout(later, 1000))");
    return { seen, whole, tasks: await inPage("async () => window.tasks") };
  });

/** The value that only one of fifty exceeds, as the web's "interaction to next paint" has it. */
const p98 = (times) => times.toSorted((a, b) => b - a)[Math.floor(times.length / 50)] ?? 0;

const busy = await serve("15");
try {
  const rows = [];
  let files;
  const { address } = busy;
  for (const machine of MACHINES) {
    const visits = [];
    for (let round = 0; round < VISITS; round += 1) visits.push(await visit(address, machine));
    rows.push(timing(machine[0], visits));
    files ??= visits[0].files;
  }
  busy.server.kill();
  const quick = await serve("0");
  await bookings(quick.address, "bench");
  quick.server.kill();
  const real = await serve("15");
  const acts = [];
  for (const [name, rate] of [["this machine", 1], ["processor 4× slower", 4]]) {
    const { acts: times, tasks } = await booking(real.address, "bench", rate);
    acts.push([name, times.length, ms(median(times)), ms(p98(times)), ms(most(times)), tasks.length, ms(most(tasks))]);
  }
  const { front, address: long } = await withLongHistory(real.address);
  const histories = [];
  for (const [name, rate] of [["this machine", 1], ["processor 4× slower", 4]]) {
    const { seen, whole, tasks } = await restoring(long, rate);
    histories.push([name, ms(seen), ms(whole), tasks.length, ms(most(tasks))]);
  }
  front.closeAllConnections();
  front.close();
  real.server.kill();
  tellWhere();
  const sizes = files.map((file) => [plain(file.name), file.encodedBodySize, file.decodedBodySize]);
  sizes.sort((a, b) => b[1] - a[1]);
  const sums = (name, rows) => [name, ...[1, 2].map((column) => sum(rows.map((row) => row[column])))];
  // The files of the frame, in which one can write. The program comes behind it.
  const frame = sizes.filter(([name]) => /^(index\.html|boot\.js|.*\.css)$/.test(name));
  const all = [...sizes, sums("together", sizes), sums("of it before one can write", frame)];
  table(["file", "transferred", "unpacked"], ...all.map(([name, ...bytes]) => [name, ...bytes.map(kb)]));
  table(
    ["first visit", "first paint", "first contentful paint", "can write", "at rest", "long tasks", "longest", "blocking", "layout shift"],
    ...rows,
  );
  table([`a booking below ${ABOVE} messages`, "acts", "median", "p98", "worst", "long tasks", "longest"], ...acts);
  table([`${LONG} messages come back`, "end is seen", "all is there", "long tasks", "longest"], ...histories);
} finally {
  busy.server.kill();
  driver.kill();
  rmSync(folder, { recursive: true });
}
