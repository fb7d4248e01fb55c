// A small host for the card: it passes the question to the frame as a tool's input, and posts the answer when the frame sends a message.
const frame = document.querySelector("iframe");
const { questions } = JSON.parse(document.querySelector("#ask").textContent);
let context;

const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
const answers = {
  "ui/initialize": () => {
    const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const hostContext = { theme, locale: navigator.language };
    return { protocolVersion: "2026-01-26", hostInfo: { name: "question-server", version: "0" }, hostCapabilities: {}, hostContext };
  },
  "ui/update-model-context": (params) => {
    context = params.structuredContent;
    return {};
  },
  "ui/message": async () => {
    const body = JSON.stringify(context);
    const headers = { "content-type": "application/json" };
    // Keeps the receipt on screen: this page does not reload once the question has ended.
    document.body.dataset.sent = "";
    const answer = await fetch(location.pathname, { method: "POST", headers, body }).catch(() => null);
    if (answer?.ok) return {};
    delete document.body.dataset.sent;
    throw new Error(`The server says ${answer?.status ?? "nothing"}.`);
  },
};

addEventListener("message", async ({ source, data }) => {
  if (source !== frame.contentWindow || data?.jsonrpc !== "2.0") return;
  const { id, method, params } = data;
  if (method === "ui/notifications/initialized") send({ method: "ui/notifications/tool-input", params: { arguments: { questions } } });
  if (method === "ui/notifications/size-changed" && params.height > 0) frame.style.blockSize = `${params.height}px`;
  if (id === undefined || method === undefined) return;
  try {
    if (!Object.hasOwn(answers, method)) throw new Error(`There is no method ${method}.`);
    send({ id, result: await answers[method](params) });
  } catch (problem) {
    send({ id, error: { code: -32603, message: problem.message } });
  }
});
frame.src = frame.dataset.src;
