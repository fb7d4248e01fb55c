// What a first visit of the chat page costs in Chromium, from the real server. `cargo xtask bench page` runs it behind `chromium.mjs`, with the
// server's program and the folder of the built page.

const [program, dist] = given;
/** The middle one of so many visits is told. */
const VISITS = 5;
/** In milliseconds: what goes beyond this in a task keeps a person waiting. */
const LONG_TASK = 50;
/** In milliseconds: a page whose main thread had no long task for so long has come to rest. */
const REST = 5_000;
/** How much slower the processor is made, and the network: Lighthouse's slow 4G, in milliseconds and bytes a second. */
const SLOW_4G = { latency: 562.5, downloadThroughput: 1_474.56 * 1_000 / 8, uploadThroughput: 675 * 1_000 / 8 };
const MACHINES = [
  ["this machine", 1],
  ["processor 4× slower", 4],
  ["processor 4× slower, slow 4G", 4, SLOW_4G],
];

const server = spawn(program, ["--port", "0", "--log", "warn", "--page", dist], { stdio: ["ignore", "pipe", "inherit"] });
const address = `http://127.0.0.1:${await announced(server, /listening on http:\/\/127\.0\.0\.1:(\d+)/)}/`;

/** Runs before the page's own scripts: writes down when the composer is there. */
const WATCH = `{
  const composer = "form.composer textarea[name=message]";
  const watch = new MutationObserver(() => {
    if (!document.querySelector(composer)) return;
    watch.disconnect();
    // Not before the task that has made it is over: until then, nobody hears a key.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { window.writable = performance.now(); };
    port2.postMessage(null);
  });
  watch.observe(document, { childList: true, subtree: true });
}`;

/** What the browser has written down of a visit, once it has come to rest. */
const VISIT = `async (rest) => {
  const all = (type) => new Promise((tell) => {
    const observer = new PerformanceObserver((list) => tell(list.getEntries()));
    observer.observe({ type, buffered: true });
    // Of some there is none.
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

const visit = ([, rate, network]) =>
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
    // Before there is something to see, nobody tries to do anything.
    const waits = tasks.map(({ startTime, duration }) => startTime + duration - Math.max(startTime, seen) - LONG_TASK);
    return {
      painted: paints["first-paint"],
      seen,
      // Nobody writes into what is not seen.
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

try {
  const rows = [];
  let files;
  for (const machine of MACHINES) {
    const visits = [];
    for (let round = 0; round < VISITS; round += 1) visits.push(await visit(machine));
    rows.push(timing(machine[0], visits));
    files ??= visits[0].files;
  }
  tellWhere();
  const sizes = files.map((file) => [plain(file.name), file.encodedBodySize, file.decodedBodySize]);
  sizes.sort((a, b) => b[1] - a[1]);
  const together = ["together", ...[1, 2].map((column) => sum(sizes.map((row) => row[column])))];
  table(["file", "transferred", "unpacked"], ...[...sizes, together].map(([name, ...bytes]) => [name, ...bytes.map(kb)]));
  table(
    ["first visit", "first paint", "first contentful paint", "can write", "at rest", "long tasks", "longest", "blocking", "layout shift"],
    ...rows,
  );
} finally {
  server.kill();
  driver.kill();
}
