// A host of MCP apps, made with the official bridge. It records what the view sends, and does what a test asks for.
import "../shared/jitless.js";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import view from "question-card/card.html?url";

const frame = document.createElement("iframe");
frame.title = "Question";
// The sandbox allows no forms, and no origin.
frame.sandbox = "allow-scripts";
document.querySelector("#app").append(frame);

const capabilities = { message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } };
const bridge = new AppBridge(null, { name: "host", version: "1.0.0" }, capabilities, { hostContext: { theme: "light", locale: "en-GB" } });
const host = (window.host = {
  heard: [],
  takes: true,
  tell: (method, params = {}) => bridge.notification({ method: `ui/notifications/${method}`, params }),
  tearDown: () => bridge.teardownResource({}),
});
const hears = (name, answer) => async (params) => {
  host.heard.push([name, params]);
  return answer?.(params);
};
bridge.oninitialized = hears("initialized");
bridge.onsizechange = hears("size-changed", ({ height }) => void (frame.style = `width: 100%; border: 0; height: ${height}px`));
bridge.onupdatemodelcontext = hears("update-model-context", () => ({}));
bridge.onmessage = hears("message", () => (host.takes === undefined ? new Promise(() => {}) : host.takes ? {} : { isError: true }));
bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow)).then(() => (frame.src = view));
