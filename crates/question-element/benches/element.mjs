// The time until a page that has the element alone shows its first card. `cargo xtask bench element` runs it behind `chromium.mjs`, with the package's folder.
// On two busy cores it took 17 ms from the last byte of the program to a painted card of four options, 66 ms with the processor four times
// slower. In a page that has nothing else the card is painted 96 ms after the page was opened.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const [folder] = given;
/** The middle one of so many visits is told. */
const VISITS = 9;
const MACHINES = [["this machine", 1], ["processor 4× slower", 4]];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const OPTIONS = ["Postgres", "SQLite", "DuckDB", "None yet"].map((label) => ({ label, description: `Why one would take ${label}` }));
const ASK = { questions: [{ question: "Which database?", header: "Database", multiSelect: false, options: OPTIONS }] };
const PAGE = `<!doctype html><html lang="en"><title>Element</title><link rel="icon" href="data:,">
  <question-card tool-call-id="call-1" args='${JSON.stringify(ASK)}' status="answerable"></question-card>
  <script type="module" src="define.js"></script>`;

const server = createServer(async (request, response) => {
  const isPage = request.url === "/";
  response.setHeader("content-type", isPage ? TYPES[".html"] : (TYPES[extname(request.url)] ?? "text/plain"));
  response.end(isPage ? PAGE : await readFile(join(folder, request.url)));
}).listen(0, "127.0.0.1");
await new Promise((listens) => server.once("listening", listens));
const address = `http://127.0.0.1:${server.address().port}/`;

/** From the last byte of the program to the end of the first frame that has the card. */
const VISIT = `async () => {
  const card = document.querySelector("question-card");
  while (card.state !== "awaiting") await new Promise(requestAnimationFrame);
  return window.measured;
}`;
/** Runs before the page's own scripts. */
const WATCH = `{
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (...given) {
    const root = attachShadow.apply(this, given);
    const watch = new MutationObserver(() => {
      if (!root.querySelector(".qc")) return;
      watch.disconnect();
      const shown = performance.now();
      // Once the frame is over, what comes next is heard.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          const came = (ending) => performance.getEntriesByType("resource").find(({ name }) => name.endsWith(ending)).responseEnd;
          window.measured = { build: shown - came(".wasm"), paint: performance.now() - came(".wasm"), visit: performance.now() };
        };
        port2.postMessage(null);
      });
    });
    watch.observe(root, { childList: true, subtree: true });
    return root;
  };
}`;

const rows = [["", "program there → card in the page", "→ painted", "page opened → painted"]];
await inNewBrowser(async () => {
  await devtools("Page.enable");
  await devtools("Page.addScriptToEvaluateOnNewDocument", { source: WATCH });
  await devtools("Network.enable");
  await devtools("Network.setCacheDisabled", { cacheDisabled: true });
  for (const [name, rate] of MACHINES) {
    await slowDown(rate);
    const visits = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      await open(address);
      let measured;
      while (!(measured = await inPage(VISIT)));
      visits.push(measured);
    }
    rows.push([name, ...["build", "paint", "visit"].map((what) => ms(median(visits.map((visit) => visit[what]))))]);
  }
});
tellWhere();
table(...rows);
server.close();
driver.kill();
