// Makes the chat page a whole by itself: it asks `question-server` as ever, and the front desk inside the page answers. The conversation stays
// in this browser.
import start, { Desk } from "./desk/desk.js";

const PACE = 20; // Milliseconds before each piece of an answer.
const HEARTBEAT = 15_000;

const network = window.fetch.bind(window);
const loaded = start();
const root = new URL(".", document.baseURI).href;
const shelf = (() => {
  try {
    return window.localStorage;
  } catch {
    return undefined; // The browser keeps nothing for this page.
  }
})();
const nameOf = (id) => `front-desk ${id}`;
const seed = () => crypto.getRandomValues(new Uint32Array(2)).join("");

/** The conversations that this page has asked for, by their ids. */
const talks = new Map();
const open = (id) => {
  if (!talks.has(id)) {
    const desk = new Desk(id, seed(), shelf?.getItem(nameOf(id)) ?? undefined);
    talks.set(id, { id, desk, life: seed(), count: 0, runs: new Set(), readers: new Set(), going: undefined });
  }
  return talks.get(id);
};

const encoder = new TextEncoder();
const write = (writer, text) => writer.enqueue(encoder.encode(text));
const json = (body, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

/** A response that its writer among `writers` writes over time, until the page gives it up. */
const stream = (writers, { signal }) => {
  let writer;
  const body = new ReadableStream({
    start: (controller) => writers.add((writer = controller)),
    cancel: () => writers.delete(writer),
  });
  signal.addEventListener("abort", () => writers.delete(writer) && writer.error(signal.reason));
  return { writer, response: new Response(body, { headers: { "Content-Type": "text/event-stream" } }) };
};

/** Keeps what has changed, and tells what has happened. */
const tell = (talk) => {
  const changed = talk.desk.changed();
  try {
    if (changed) shelf?.setItem(nameOf(talk.id), changed);
  } catch {
    // There is no room: it ends with the page.
  }
  for (const event of talk.desk.told()) {
    talk.count += 1;
    for (const writer of talk.runs) write(writer, `data: ${event}\n\n`);
    for (const writer of talk.readers) write(writer, `id: ${talk.life}-${talk.count}\ndata: ${event}\n\n`);
  }
};

/** Works a run off, piece by piece. */
const go = async (talk) => {
  do {
    tell(talk);
    await new Promise((then) => setTimeout(then, PACE));
  } while (talk.desk.step());
  tell(talk);
  for (const writer of talk.runs) writer.close();
  talk.runs.clear();
  talk.going = undefined;
};

/** Answers a request to a conversation. */
const answer = async (request, id, action) => {
  const [body] = await Promise.all([request.text(), loaded]);
  const talk = open(id);
  const { desk } = talk;
  if (request.method === "POST") {
    const refusal = { agent: () => desk.run(body), respond: () => desk.respond(body), cancel: () => desk.cancel(body) }[action]();
    if (refusal) {
      const { status, ...why } = JSON.parse(refusal);
      return json(why, status);
    }
    const response = action === "agent" ? stream(talk.runs, request).response : json({});
    talk.going ??= go(talk);
    tell(talk);
    return response;
  }
  if (!desk.has_begun()) return json({ code: "not_found", message: "There is no such conversation." }, 404);
  // Its messages are then all there is to know.
  await talk.going;
  const place = `${talk.life}-${talk.count}`;
  if (action !== "events") return json(JSON.parse(desk.description(place)));
  const { writer, response } = stream(talk.readers, request);
  const last = request.headers.get("Last-Event-ID");
  if (last && last !== place) {
    const events = desk.history().map((event) => `data: ${event}\n\n`);
    write(writer, `event: reset\ndata: {}\n\n${events.slice(0, -1).join("")}id: ${place}\n${events.at(-1)}`);
  }
  return response;
};

window.fetch = async (target, options) => {
  const { href } = new URL(target.url ?? target, document.baseURI);
  const path = href.startsWith(root) ? href.slice(root.length) : "";
  if (path === "settings.json") return json({});
  const [, id, action] = path.match(/^conversations\/([^/?#]+)(?:\/(\w+))?$/) ?? [];
  return id ? answer(new Request(target, options), decodeURIComponent(id), action) : network(target, options);
};

// A page takes a silent stream for a broken one.
setInterval(() => talks.forEach(({ readers }) => readers.forEach((writer) => write(writer, ":\n\n"))), HEARTBEAT);
// A conversation that another tab continued is read again when it is asked for.
window.addEventListener("storage", ({ key }) => {
  for (const talk of [...talks.values()].filter(({ id, going }) => nameOf(id) === key && !going)) {
    talks.delete(talk.id);
    for (const writer of talk.readers) writer.close();
  }
});
