// Stands in for `fetch`: the test is the agent and its server. Each request waits until the test has answered it.
const waiting = [];
const takers = [];

const fetch = window.fetch.bind(window);
const aborted = () => new DOMException("The request was aborted.", "AbortError");

window.fetch = async (request, options) => {
  // The program itself is fetched, too.
  if (!(request instanceof Request) || !/^\/(agent|conversations\/|settings.json)/.test(new URL(request.url).pathname)) return fetch(request, options);
  const { pathname } = new URL(request.url);
  const call = {
    // A run is one by either path.
    name: `${request.method} ${pathname.replace(/^\/conversations\/[^/]+\/agent$/, "/agent")}`,
    path: pathname,
    headers: request.headers,
    credentials: request.credentials,
    query: new URL(request.url).searchParams,
    body: await request.text(),
    signal: request.signal,
    upload: request.upload,
  };
  const response = new Promise((resolve, reject) => Object.assign(call, { resolve, reject }));
  call.signal.addEventListener("abort", () => {
    if (waiting.includes(call)) waiting.splice(waiting.indexOf(call), 1);
    call.reject(aborted());
    call.writer?.error(aborted());
  });
  if (call.signal.aborted) throw aborted();
  const taker = takers.findIndex(({ name }) => name === call.name);
  taker < 0 ? waiting.push(call) : takers.splice(taker, 1)[0].take(call);
  return response;
};

// An upload is such a request, too.
window.XMLHttpRequest = class {
  upload = {};
  #headers = {};
  open(...to) {
    [this.method, this.url] = to;
  }
  setRequestHeader(name, value) {
    this.#headers[name] = value;
  }
  async send(body) {
    const credentials = this.withCredentials ? "include" : "same-origin";
    const request = new Request(this.url, { method: this.method, headers: this.#headers, credentials, body });
    const answer = await window.fetch(Object.assign(request, { upload: this.upload })).catch(() => undefined);
    [this.status, this.responseText] = [answer?.status ?? 0, (await answer?.text()) ?? ""];
    this.onloadend();
  }
};

export const next_call = (name) => new Promise((take) => {
  const call = waiting.findIndex((call) => call.name === name);
  call < 0 ? takers.push({ name, take }) : take(waiting.splice(call, 1)[0]);
});

// The console's warnings and errors.
const complaints = [];
for (const level of ["warn", "error"]) {
  const complain = console[level].bind(console);
  console[level] = (...said) => {
    complaints.push(said.join(" "));
    complain(...said);
  };
}
export const take_complaints = () => complaints.splice(0);

// Requests that nobody has taken and that have not been given up.
export const open_calls = () => waiting.map((call) => call.name);

export const forget_calls = () => {
  waiting.length = 0;
  takers.length = 0;
};

// Lets every task that is due run, the browser's own as well.
export const next_task = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); resolve(); };
  port2.postMessage(null);
});

export const body_of = (call) => call.body;

export const path_of = (call) => call.path;

export const header_of = (call, name) => call.headers.get(name) ?? undefined;

export const credentials_of = (call) => call.credentials;

export const parameter_of = (call, name) => call.query.get(name) ?? undefined;

export const is_sent = (call, loaded, total) => call.upload.onprogress({ loaded, total });

export const is_aborted = (call) => call.signal.aborted;

export const accept = (call, date) => {
  const body = new ReadableStream({ start: (writer) => { call.writer = writer; } });
  call.resolve(new Response(body, { headers: { "content-type": "text/event-stream", ...(date && { date }) } }));
};

export const write = (call, text) => call.writer.enqueue(new TextEncoder().encode(text));

export const close = (call) => {
  call.writer.close();
  call.writer = undefined;
};

export const break_off = (call) => call.writer.error(new TypeError("network error"));

export const answer = (call, status, body, date) => {
  const type = body.startsWith("{") ? "application/json" : "text/html";
  call.resolve(new Response(body, { status, headers: { "content-type": type, ...(date && { date }) } }));
};

export const fail = (call) => call.reject(new TypeError("Failed to fetch"));

// Web Locks as they are ("granted"), as a page without a secure context has them ("none"), or as a sandboxed frame does ("refused").
export const lock = (state) => {
  delete navigator.locks;
  const value = { none: undefined, refused: { request: () => Promise.reject(new DOMException("No.", "SecurityError")) } };
  if (state in value) Object.defineProperty(navigator, "locks", { configurable: true, value: value[state] });
};

// The browser's clock, which a test can turn. A timeout of less than a second uses the real clock.
const [browsersNow, browsersTimeout, browsersClear] = [Date.now, window.setTimeout.bind(window), window.clearTimeout.bind(window)];
const timers = new Map();
let turned = 0;
let stands = false;
Date.now = () => browsersNow() + turned;

window.setTimeout = (act, wait = 0, ...more) => {
  const run = () => {
    timers.delete(id);
    act(...more);
  };
  const id = browsersTimeout(stands && wait >= 1000 ? () => {} : run, wait);
  if (wait >= 1000) timers.set(id, { at: Date.now() + wait, run });
  return id;
};

window.clearTimeout = (id) => {
  timers.delete(id);
  browsersClear(id);
};

export const stop_clock = (does) => { stands = does; };

export const turn_clock = (milliseconds) => {
  turned += milliseconds;
  for (const [id, { run }] of [...timers].filter(([, { at }]) => at <= Date.now())) {
    browsersClear(id);
    run();
  }
};

// The browser's own events, and what they are about.
export const show = (visible) => {
  Object.defineProperty(document, "hidden", { configurable: true, value: !visible });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
};

export const connect = (online) => {
  Object.defineProperty(navigator, "onLine", { configurable: true, value: online });
  window.dispatchEvent(new Event(online ? "online" : "offline"));
};

export const dispatch = (name) => window.dispatchEvent(new Event(name));

export const store = (key) => window.dispatchEvent(new StorageEvent("storage", { key }));
