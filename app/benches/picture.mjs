// Makes the README's pictures: a still one, and a moving one in which a question streams, is answered and becomes its receipt.
// `cargo xtask picture` runs it behind `chromium.mjs`, with the server's program, the folder of the built page and the folder of the pictures.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";

const [program, dist, pictures] = given;
/** In CSS pixels, and how many of the picture's pixels each has. */
const [WIDTH, HEIGHT, SCALE] = [720, 700, 1.25];
/** In bytes: what the README may load. */
const MOST = 500_000;
/** In milliseconds between two pictures, and at the end. */
const [PACE, END] = [160, 3_000];

const later = (wait) => new Promise((done) => setTimeout(done, wait));
const shoot = async () => Buffer.from((await devtools("Page.captureScreenshot", { format: "png" })).data, "base64");

/** Waits until an expression holds in the page. By short questions: the driver takes no picture while it waits for an answer. */
const until = async (holds) => {
  while (!(await inPage(`async () => Boolean(${holds})`))) await later(50);
};

async function type(text) {
  await inPage(`async () => document.querySelector("form.composer textarea").focus()`);
  for (const letter of text) {
    await devtools("Input.insertText", { text: letter });
    await later(30);
  }
  for (const type of ["keyDown", "keyUp"]) {
    await devtools("Input.dispatchKeyEvent", { type, key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: type === "keyDown" ? "\r" : "" });
  }
}

async function press(label) {
  const at = await inPage(`async (label) => {
    const option = [...document.querySelectorAll("button.qc-option-button")].find((it) => it.innerText.trim() === label);
    const { x, y, width, height } = option.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  }`, label);
  for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
    await devtools("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
    await later(400);
  }
}

const waiting = `document.querySelector("section.qc[data-state=awaiting] button.qc-option-button:not([aria-disabled=true])")`;

/** The still picture, and the moving one's with the times at which they were taken. */
async function film(address) {
  await devtools("Emulation.setDeviceMetricsOverride", { width: WIDTH, height: HEIGHT, deviceScaleFactor: SCALE, mobile: false });
  await devtools("Emulation.setScrollbarsHidden", { hidden: true });
  await open(address);
  await until(`document.querySelector("[role=log]")`);
  const frames = [];
  let still, isOver = false;
  const camera = (async () => {
    while (!isOver) {
      const next = later(PACE);
      frames.push({ at: performance.now(), png: await shoot() });
      await next;
    }
  })();
  await type("I need my car looked at");
  await until(waiting);
  await later(1_500);
  still = await shoot();
  await press("Brake service");
  await until(`document.querySelector(".qc-receipt")`);
  await until(waiting);
  await later(500);
  isOver = true;
  await camera;
  return { still, frames };
}

/** The pixels of a PNG of Chromium's, a row after the other, and how many bytes each has. */
function decoded(png) {
  const [width, height, bytes] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [raw, row] = [inflateSync(Buffer.concat(parts)), width * bytes];
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const left = x < bytes ? 0 : pixels[y * row + x - bytes];
      const above = y ? pixels[(y - 1) * row + x] : 0;
      const corner = y && x >= bytes ? pixels[(y - 1) * row + x - bytes] : 0;
      const guess = left + above - corner;
      const [a, b, c] = [left, above, corner].map((near) => Math.abs(guess - near));
      const paeth = a <= b && a <= c ? left : b <= c ? above : corner;
      pixels[y * row + x] = raw[y * (row + 1) + 1 + x] + [0, left, above, (left + above) >> 1, paeth][filter];
    }
  }
  return { width, height, bytes, pixels };
}

/** The smallest part of a picture that has all that differs from the one before. */
function changed(before, { width, height, bytes, pixels }) {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++) {
    const row = y * width * bytes;
    if (before && !pixels.compare(before.pixels, row, row + width * bytes, row, row + width * bytes)) continue;
    [top, bottom] = [Math.min(top, y), y + 1];
    for (let x = 0; x < width; x++) {
      const at = row + x * bytes;
      if (!before || pixels.compare(before.pixels, at, at + bytes, at, at + bytes)) [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    }
  }
  return bottom && { left, top, width: right - left, height: bottom - top };
}

function chunk(type, data) {
  const [length, body, check] = [Buffer.alloc(4), Buffer.concat([Buffer.from(type), data]), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const numbers = (...all) => Buffer.concat(all.map((number) => Buffer.from([number >>> 24, number >>> 16, number >>> 8, number])));

/** Pictures of 8 bits as a PNG that moves: each holds what differs from the one before. */
function animated(frames) {
  const chunks = [];
  let before, number = 0, shown = 0;
  for (const { picture, part, wait } of frames) {
    const { bytes, pixels, width } = picture;
    const rows = Array.from({ length: part.height }, (_, y) => {
      const row = ((part.top + y) * width + part.left) * bytes;
      // Unfiltered: most of a page is one colour and the same few letters.
      return Buffer.concat([Buffer.from([0]), pixels.subarray(row, row + part.width * bytes)]);
    });
    const control = Buffer.concat([
      numbers(number++, part.width, part.height, part.left, part.top),
      Buffer.from([wait >> 8, wait, 1000 >> 8, 1000 & 255, 0, 0]),
    ]);
    const data = deflateSync(Buffer.concat(rows), { level: 9 });
    chunks.push(chunk("fcTL", control), shown++ ? chunk("fdAT", Buffer.concat([numbers(number++), data])) : chunk("IDAT", data));
    before = picture;
  }
  const kind = Buffer.from([8, before.bytes === 4 ? 6 : 2, 0, 0, 0]);
  const head = chunk("IHDR", Buffer.concat([numbers(before.width, before.height), kind]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, head, chunk("acTL", numbers(shown, 0)), ...chunks, chunk("IEND", Buffer.alloc(0))]);
}

/** The moving picture, with the time of each frame. */
function moving(frames) {
  const kept = [];
  for (const { at, png } of frames) {
    const picture = decoded(png);
    const part = changed(kept.at(-1)?.picture, picture);
    if (part) kept.push({ at, picture, part });
  }
  return animated(kept.map((frame, index) => ({ ...frame, wait: Math.round((kept[index + 1]?.at ?? frame.at + END) - frame.at) })));
}

const folder = mkdtempSync(join(tmpdir(), "picture-"));
const args = ["--port", "0", "--log", "warn", "--page", dist, "--database", join(folder, "conversations.sqlite")];
const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
try {
  const port = await announced(server, /listening on http:\/\/127\.0\.0\.1:(\d+)/);
  const { still, frames } = await inNewBrowser(() => film(`http://127.0.0.1:${port}/?lang=en`));
  const moves = moving(frames);
  if (moves.length > MOST) throw new Error(`the moving picture has ${moves.length} bytes, and may have ${MOST}`);
  writeFileSync(join(pictures, "screenshot.png"), still);
  writeFileSync(join(pictures, "screencast.png"), moves);
  console.log(`${still.length} and ${moves.length} bytes`);
} finally {
  server.kill();
  driver.kill();
  rmSync(folder, { recursive: true });
}
