// The scripts of web push, with a browser that is made up: `node web_push.mjs`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const script = (name) => readFileSync(new URL(`../web-push/${name}`, import.meta.url), "utf8");

/** The worker, at a page that may have others open. */
function worker(...open) {
  const [listeners, shown, did] = [{}, [], []];
  const pages = open.map((url) => ({ url, focus: async () => did.push(`focus ${url}`) }));
  vm.runInNewContext(script("worker.js"), {
    URL,
    location: new URL("https://chat.example/desk/web-push/worker.js"),
    registration: { showNotification: async (title, { body, tag, data }) => shown.push({ title, body, tag, data }) },
    clients: { matchAll: async () => pages, openWindow: async (url) => did.push(`open ${url}`) },
    addEventListener: (name, act) => (listeners[name] = act),
  });
  const happens = async (name, event) => {
    const waits = [];
    listeners[name]({ ...event, waitUntil: (work) => waits.push(work) });
    assert.equal(waits.length, 1, "the browser has to wait for it");
    await Promise.all(waits);
  };
  const clicks = async (data) => {
    let closed = false;
    await happens("notificationclick", { notification: { data, close: () => (closed = true) } });
    assert(closed);
    return did;
  };
  return { happens, clicks, shown };
}

const TOLD = { conversationId: "a b", toolCallId: "c", title: "Service", body: "Which service?", url: "./?agent=#c=a%20b" };

test("a question is shown, and so is a message without one", async () => {
  const { happens, shown } = worker();
  await happens("push", { data: { json: () => TOLD } });
  await happens("push", { data: null });
  assert.deepEqual(shown, [
    { title: "Service", body: "Which service?", tag: "question", data: TOLD.url },
    { title: "", body: "", tag: "question", data: "./" },
  ]);
});

test("a click leads to the conversation: to its page, or to a new one", async () => {
  const target = "https://chat.example/desk/?agent=#c=a%20b";
  assert.deepEqual(await worker().clicks(TOLD.url), [`open ${target}`]);
  const others = ["https://chat.example/desk/#c=other", "https://chat.example/else/#c=a%20b", "https://chat.example/desk/"];
  assert.deepEqual(await worker(...others).clicks(TOLD.url), [`open ${target}`]);
  const own = "https://chat.example/desk/?theme=dark#c=a%20b";
  assert.deepEqual(await worker(...others, own).clicks(TOLD.url), [`focus ${own}`]);
});

/** A page whose browser has this permission, and whose user decides so. */
function page({ permission, decides = permission, wants = "", words, known, refusals = 0, lacks }) {
  const [calls, listeners, stored] = [[], {}, new Map(wants ? [["chat-page notify", wants]] : [])];
  let line, subscription = known, waits = [];
  const element = () => ({ on: {}, addEventListener(name, act) { this.on[name] = act; }, append(child) { this.child = child; }, remove() { line = undefined; } });
  const made = (key) => ({
    endpoint: `https://push.example/${key}`,
    unsubscribe: async () => { subscription = undefined; calls.push("unsubscribe"); },
  });
  const pushManager = {
    getSubscription: async () => subscription,
    subscribe: async ({ userVisibleOnly, applicationServerKey: key }) => {
      assert(userVisibleOnly);
      if (subscription && subscription.endpoint !== made(key).endpoint) throw new Error("another key");
      return (subscription = made(key));
    },
  };
  const shell = { dataset: words ? { words: JSON.stringify({ page: { settingsNotify: words } }) } : {}, querySelector: () => ({ before: (it) => (line = it) }) };
  const registration = { active: null, installing: { addEventListener: (_, done) => { registration.active = {}; done(); } }, pushManager };
  const serviceWorker = { register: async (url) => { calls.push(`register ${url}`); return registration; }, getRegistration: async () => registration };
  const Notification = { permission, requestPermission: async () => (Notification.permission = decides) };
  const window = { PushManager: class {}, Notification, trustedTypes: { createPolicy: (name, { createScriptURL }) => { assert.equal(name, "web-push"); return { createScriptURL }; } } };
  if (lacks) delete window[lacks];
  const fetched = async (url, { method = "GET", body } = {}) => {
    calls.push([method, url, ...(body ? [JSON.parse(body).endpoint] : [])].join(" "));
    const ok = method === "GET" || refusals-- <= 0;
    return { ok, status: ok ? 200 : 503, json: async () => ({ key: "KEY" }) };
  };
  const [errors, told] = [[], []];
  vm.runInNewContext(script("offer.js"), {
    window, Notification, navigator: { serviceWorker }, fetch: fetched,
    StorageEvent: class { constructor(name, about) { Object.assign(this, { name, ...about }); } },
    dispatchEvent: ({ name, key, newValue }) => told.push([name, key, newValue]),
    localStorage: { getItem: (name) => stored.get(name) ?? null, setItem: (name, value) => stored.set(name, value) },
    document: { querySelector: () => shell, createElement: element, addEventListener: (name, act) => (listeners[name] = act) },
    console: { error: (...said) => errors.push(said.join(" ")) },
  });
  return {
    calls, errors, stored, told,
    button: () => line?.child,
    clicks: () => line.child.on.click(),
    switches: (checked, name = "notify") => listeners.change?.({ target: { name, checked } }),
    rests: () => new Promise((done) => setTimeout(done, 0)),
  };
}

const SUBSCRIBED = ["GET push/key", "register web-push/worker.js", "POST push/subscriptions https://push.example/KEY"];

test("a button offers it until the person has decided", async () => {
  const undecided = page({ permission: "default", decides: "default", words: "Benachrichtigen" });
  assert.equal(undecided.button().textContent, "Benachrichtigen");
  await undecided.clicks();
  assert(undecided.button());
  assert.deepEqual(undecided.calls, []);
  const refused = page({ permission: "default", decides: "denied" });
  assert.equal(refused.button().textContent, "Notify me when a question waits while I am elsewhere");
  await refused.clicks();
  assert.deepEqual([refused.button(), refused.calls.length, refused.stored.size], [undefined, 0, 0]);
  const granted = page({ permission: "default", decides: "granted" });
  await granted.clicks();
  assert.deepEqual([granted.button(), granted.calls, granted.stored.get("chat-page notify")], [undefined, SUBSCRIBED, "on"]);
  assert.deepEqual(granted.told, [["storage", "chat-page notify", "on"]], "the switch in the settings shows it");
  assert.equal(page({ permission: "denied" }).button(), undefined);
  for (const lacks of ["PushManager", "Notification"]) assert.equal(page({ permission: "default", lacks }).button(), undefined);
});

test("a page that is opened again follows the setting, and so does the switch", async () => {
  const on = page({ permission: "granted", wants: "on" });
  await on.rests();
  assert.deepEqual([on.calls, on.button()], [SUBSCRIBED, undefined]);
  const known = () => ({ endpoint: "https://push.example/KEY", unsubscribe: async () => {} });
  const off = page({ permission: "granted", known: known() });
  await off.rests();
  assert.deepEqual(off.calls, ["DELETE push/subscriptions https://push.example/KEY"]);
  const switched = page({ permission: "default", decides: "granted" });
  await switched.switches(true, "theme");
  assert.deepEqual(switched.calls, []);
  await switched.switches(true);
  assert.deepEqual([switched.calls, switched.button()], [SUBSCRIBED, undefined]);
  await switched.switches(false);
  assert.deepEqual(switched.calls.slice(3), ["unsubscribe", "DELETE push/subscriptions https://push.example/KEY"]);
});

test("a subscription for another key gives way, and a failure is told in the console alone", async () => {
  const known = { endpoint: "https://push.example/OLD", unsubscribe: async () => (known.endpoint = "https://push.example/KEY") };
  const moved = page({ permission: "granted", wants: "on", known });
  await moved.rests();
  assert.equal(moved.calls.at(-1), SUBSCRIBED.at(-1));
  const failing = page({ permission: "granted", wants: "on", refusals: 1 });
  await failing.rests();
  assert.match(failing.errors.join(), /Web push failed: Error: HTTP 503/);
  await failing.switches(true);
  assert.equal(failing.errors.length, 1, "the next one goes through");
});
