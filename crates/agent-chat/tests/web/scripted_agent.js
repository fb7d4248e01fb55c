// Stands in for `fetch`: the test is the agent. Each request waits until the test has answered it.
const waiting = [];
const takers = [];

const fetch = window.fetch.bind(window);

window.fetch = async (request, options) => {
  // The program itself is fetched, too.
  if (!(request instanceof Request) || new URL(request.url).pathname !== "/agent") return fetch(request, options);
  const call = { body: await request.text(), signal: request.signal };
  const response = new Promise((resolve, reject) => Object.assign(call, { resolve, reject }));
  call.signal.addEventListener("abort", () => {
    const aborted = new DOMException("The request was aborted.", "AbortError");
    call.reject(aborted);
    call.writer?.error(aborted);
  });
  if (call.signal.aborted) throw new DOMException("The request was aborted.", "AbortError");
  const taker = takers.shift();
  taker ? taker(call) : waiting.push(call);
  return response;
};

export const next_call = () => new Promise((resolve) => {
  const call = waiting.shift();
  call ? resolve(call) : takers.push(resolve);
});

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

export const is_aborted = (call) => call.signal.aborted;

export const accept = (call) => {
  const body = new ReadableStream({ start: (writer) => { call.writer = writer; } });
  call.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
};

export const write = (call, text) => call.writer.enqueue(new TextEncoder().encode(text));

export const close = (call) => {
  call.writer.close();
  call.writer = undefined;
};

export const break_off = (call) => call.writer.error(new TypeError("network error"));

export const refuse = (call, status, body) => call.resolve(new Response(body, { status }));

export const fail = (call) => call.reject(new TypeError("Failed to fetch"));
