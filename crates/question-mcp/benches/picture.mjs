// Makes the picture of the question in a host of MCP's apps. `cargo xtask picture` runs it behind `chromium.mjs`, with the host's page and script, the
// card as one HTML text, and the file of the picture.

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const [page, script, card, picture] = given;
/** In CSS pixels, and how many of the picture's pixels each has. */
const [WIDTH, HEIGHT, SCALE] = [720, 700, 1.25];
/** In bytes: what the README may load. */
const MOST = 100_000;

const question = {
  question: "Which database should I use?",
  header: "Database",
  options: [
    { label: "Postgres", description: "A server of its own, for several writers" },
    { label: "SQLite", description: "One file beside the program" },
  ],
};
/** The look of the conversation around the frame. */
const look = `
  body { margin: 0; font: 16px/1.5 system-ui; background: #fff; color: #1f2328; }
  main { max-width: 640px; margin: 0 auto; padding: 24px 0; display: grid; gap: 16px; }
  p { margin: 0; } p.user { justify-self: end; padding: 8px 16px; border-radius: 16px; background: #eef1f4; }
  iframe { width: 100%; border: 0; }`;
const said = ["Set up the storage, please.", "I need to know one thing first."];

const files = {
  "/": ["text/html", readFileSync(page, "utf8")],
  "/host.js": ["text/javascript", readFileSync(script)],
  "/card.html": ["text/html", readFileSync(card)],
};
const host = createServer(({ url }, response) => {
  const [type, text] = files[url] ?? [];
  response.writeHead(text ? 200 : 404, { "content-type": type ?? "text/plain" }).end(text);
}).listen(0, "127.0.0.1");
const until = async (holds) => {
  while (!(await inPage(`async () => Boolean(${holds})`))) await new Promise((done) => setTimeout(done, 50));
};

try {
  await inNewBrowser(async () => {
    await devtools("Emulation.setDeviceMetricsOverride", { width: WIDTH, height: HEIGHT, deviceScaleFactor: SCALE, mobile: false });
    await open(`http://127.0.0.1:${host.address().port}/`);
    await inPage(`async (look, [user, agent]) => {
      document.head.append(Object.assign(document.createElement("style"), { textContent: look }));
      const paragraph = (textContent, className) => Object.assign(document.createElement("p"), { textContent, className });
      document.querySelector("main").prepend(paragraph(user, "user"), paragraph(agent, "agent"));
    }`, look, said);
    const heard = (method) => `host.heard.some(([name]) => name === "${method}")`;
    await until(heard("initialized"));
    await inPage(`async (input) => {
      host.heard = [];
      host.tell("tool-input", { arguments: input });
    }`, { questions: [question] });
    await until(heard("size-changed"));
    // The card comes with a motion.
    await new Promise((done) => setTimeout(done, 1_500));
    const height = await inPage(`async () => document.querySelector("main").getBoundingClientRect().height`);
    const clip = { x: 0, y: 0, width: WIDTH, height, scale: 1 };
    const { data } = await devtools("Page.captureScreenshot", { format: "png", clip });
    const png = Buffer.from(data, "base64");
    if (png.length > MOST) throw new Error(`the picture has ${png.length} bytes, and may have ${MOST}`);
    writeFileSync(picture, png);
    console.log(`${png.length} bytes`);
  });
} finally {
  host.close();
  driver.kill();
}
