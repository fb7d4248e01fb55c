// Stands in for what a test can't have the browser do: to hide the page, and to notify.
let hidden = false;
Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });

export const hide = (isHidden) => {
  hidden = isHidden;
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
};

let shown = [];
let answer = "default";

class Notification {
  static permission = "default";
  static requestPermission = async () => (Notification.permission = answer);
  constructor(title, options) {
    if (answer === "never") throw new TypeError("Illegal constructor");
    Object.assign(this, { title, options, closed: false });
    if (Notification.permission === "granted") shown.push(this);
  }
  close() { this.closed = true; }
}

// The user's answer when the page asks for leave to notify, and whether it has that already.
export const let_notify = (willAnswer, permission) => {
  shown = [];
  answer = willAnswer;
  Notification.permission = permission;
  window.Notification = Notification;
};

export const notifications = () =>
  shown.map(({ title, options, closed }) => `${closed ? "closed" : "open"}: ${title} | ${options.body}`);

export const click_notification = () => shown.at(-1).onclick(new Event("click"));

// The clock, which a test turns: what waits then runs if it is due.
const [now, setTimer, clearTimer] = [Date.now, window.setTimeout.bind(window), window.clearTimeout.bind(window)];
const timers = new Map();
let turned = 0;
Date.now = () => now() + turned;

window.setTimeout = (act, wait = 0, ...more) => {
  const run = () => {
    timers.delete(id);
    act(...more);
  };
  const id = setTimer(run, wait);
  if (wait > 0) timers.set(id, { at: Date.now() + wait, run });
  return id;
};

window.clearTimeout = (id) => {
  timers.delete(id);
  clearTimer(id);
};

export const turn_clock = (milliseconds) => {
  turned += milliseconds;
  for (const [id, { run }] of [...timers].filter(([, { at }]) => at <= Date.now())) {
    clearTimer(id);
    run();
  }
};

// Ends after what the browser has to do by now.
export const next_task = () => new Promise((done) => setTimer(done, 0));

// The files beside the page, which the tests' server does not have.
const files = new Map();
const fetch = window.fetch.bind(window);
window.fetch = async (request, options) => {
  const path = request instanceof Request ? new URL(request.url).pathname.slice(1) : "";
  if (!path.startsWith("languages/")) return fetch(request, options);
  const text = files.get(path);
  return new Response(text, { status: text === undefined ? 404 : 200 });
};

export const lay_beside_page = (path, text) => files.set(path, text);
export const remove_beside_page = (path) => files.delete(path);

export const is_stored = (key, newValue) => window.dispatchEvent(new StorageEvent("storage", { key, newValue }));
