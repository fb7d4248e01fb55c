// Stands in for `fetch`: each request gets what the test has laid out for it, or no answer as long as the test has none.
const laid = new Map();
const streams = new Map();
let asked = [];

const fetch = window.fetch.bind(window);
const aborted = () => new DOMException("The request was aborted.", "AbortError");

window.fetch = async (request, options) => {
  const path = request instanceof Request && new URL(request.url).pathname;
  // The program itself is fetched, too.
  if (!path || !/^\/(agent|conversations\/)/.test(path)) return fetch(request, options);
  // A run is one by either path.
  const name = `${request.method} ${path.replace(/^\/conversations\/[^/]+\/agent$/, "/agent")}`;
  asked.push([name, await request.text()]);
  // The page gives a new conversation its id.
  const text = (laid.get(name) ?? laid.get(name.replace(/conversations\/[^/]+/, "conversations/*")))?.shift();
  if (text === undefined) {
    return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(aborted())));
  }
  if (text === null) return new Response("{}", { status: 400 });
  const body = new ReadableStream({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode(text));
      streams.set(name, stream);
      request.signal.addEventListener("abort", () => stream.error(aborted()));
    },
  });
  return new Response(body);
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
    const answer = await window.fetch(request).catch(() => undefined);
    [this.status, this.responseText] = [answer?.status ?? 0, (await answer?.text()) ?? ""];
    this.onloadend();
  }
};

export const forget = () => {
  asked = [];
  laid.clear();
  streams.clear();
};

// The next such request is answered with this, and its answer stays open.
export const lay = (name, text) => laid.set(name, [...(laid.get(name) ?? []), text]);

// The next such request is refused.
export const refuse = (name) => laid.set(name, [null]);

export const write = (name, text) => streams.get(name).enqueue(new TextEncoder().encode(text));

export const close = (name) => streams.get(name).close();

// The bodies of such requests so far.
export const bodies = (name) => asked.filter(([asked]) => asked === name).map(([, body]) => body);

// The requests so far.
export const names = () => asked.map(([asked]) => asked);
