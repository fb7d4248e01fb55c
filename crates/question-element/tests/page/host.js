// A host of MCP's apps with nothing else: it writes down what the view says, and does what a test says.
const frame = document.querySelector("iframe");
const waiting = new Map();
const post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
const host = (window.host = {
  heard: [],
  // True if it takes messages; while this is undefined, it says nothing.
  takes: true,
  tell: (method, params = {}) => post({ method: `ui/notifications/${method}`, params }),
  tearDown: () => new Promise((done) => waiting.set("end", done) && post({ id: "end", method: "ui/resource-teardown", params: {} })),
});

const answers = {
  "ui/initialize": ({ protocolVersion }) => ({ protocolVersion, hostInfo: { name: "host", version: "1.0.0" }, hostCapabilities: {}, hostContext: { theme: "light", locale: "en-GB" } }),
  "ui/update-model-context": () => ({}),
  "ui/message": () => (host.takes ? {} : { isError: true }),
};
addEventListener("message", ({ source, data: { id, method, params, result } }) => {
  if (source !== frame.contentWindow) return;
  if (!method) return waiting.get(id)(result);
  host.heard.push([method.replace(/^ui\/(notifications\/)?/, ""), params]);
  if (method === "ui/notifications/size-changed") frame.style = `width: 100%; border: 0; height: ${params.height}px`;
  if (id !== undefined && (method !== "ui/message" || host.takes !== undefined)) post({ id, result: answers[method](params) });
});
