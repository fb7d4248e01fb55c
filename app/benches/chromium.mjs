// Chromium for a measurement, and how its table is written. The measurement follows in the same text, with the programs of Chromium and its
// driver, what Chromium is told, without the dashes that Node would take for its own, and what more the measurement wants to know.

import { spawn } from "node:child_process";
import { cpus } from "node:os";

const [chromium, chromedriver, chromiumArguments, ...given] = process.argv.slice(1);
/** Ends with what is measured. */
const driver = spawn(chromedriver, ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
const driverPort = await announced(driver, /started successfully on port (\d+)/);

/** The part of a program's output in the pattern's group. */
function announced(program, pattern) {
  return new Promise((found, failed) => {
    let said = "";
    program.stdout.on("data", (text) => {
      said += text;
      const match = pattern.exec(said);
      if (match) found(match[1]);
    });
    program.on("error", failed);
    program.on("exit", () => failed(new Error(`${program.spawnfile} ended: ${said}`)));
  });
}

async function ask(method, path, body) {
  const response = await fetch(`http://127.0.0.1:${driverPort}/session${path}`, { method, body: body && JSON.stringify(body) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${path}: ${value.message}`);
  return value;
}

/** The browser that is open. */
let sessionId, version;
const session = (method, path, body) => ask(method, `/${sessionId}${path}`, body);
const devtools = (cmd, params = {}) => session("POST", "/goog/cdp/execute", { cmd, params });
const slowDown = (rate) => devtools("Emulation.setCPUThrottlingRate", { rate });
const open = (url) => session("POST", "/url", { url });
/** The result of an asynchronous function in the page, given as text, for these arguments. */
const inPage = (source, ...args) =>
  session("POST", "/execute/async", {
    script: `const args = [...arguments], done = args.pop(); (${source})(...args).then(done);`,
    args,
  });

/**
 * A script of the page's: writes down, in `acts`, how long each act of a person takes until the frame that shows it, by which event it
 * became known, and where.
 */
const LISTEN_TO_ACTS = `
  window.acts = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name, target } of list.getEntries()) {
      if (!interactionId) continue;
      const act = window.acts.get(interactionId) ?? { name, target, took: 0 };
      window.acts.set(interactionId, { ...act, took: Math.max(duration, act.took) });
    }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });`;

/** Measures something in a browser of its own, with nothing in its memory. */
async function inNewBrowser(measure, options = {}, more = {}) {
  const args = [...chromiumArguments.split(" ").map((argument) => `--${argument}`), "--window-size=1280,900"];
  const chrome = { binary: chromium, args, ...options };
  const opened = await ask("POST", "", { capabilities: { alwaysMatch: { "goog:chromeOptions": chrome, ...more } } });
  ({ sessionId } = opened);
  version = opened.capabilities.browserVersion;
  try {
    await session("POST", "/timeouts", { script: 300_000 });
    return await measure();
  } finally {
    await session("DELETE", "");
  }
}

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const most = (numbers) => numbers.reduce((most, number) => Math.max(most, number), 0);
const ms = (time) => time === undefined ? "–" : `${time.toFixed(time < 10 ? 1 : 0)} ms`;
const table = (...rows) => {
  const [head, ...body] = rows.map((row) => `| ${row.join(" | ")} |`);
  console.log([head, head.replace(/[^|]+/g, "---"), ...body, ""].join("\n"));
};
/** The machine of the measurement, for its readers. */
const tellWhere = () => console.log(`Chromium ${version} without a window, on ${cpus().length} × ${cpus()[0].model}\n`);
