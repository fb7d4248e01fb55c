// Lets the browser tell of questions while the page is closed. `boot.js` loads this where the server does that (`--web-push`). It goes by the
// page's setting "notify": a button offers that as long as the person has not decided, and the switch in the settings changes it.
const WANTED = "chat-page notify";
const shell = document.querySelector("#shell");
const name = "web-push/worker.js";
// The one policy that the page's own allows.
const worker = window.trustedTypes?.createPolicy("web-push", { createScriptURL: () => name }).createScriptURL("") ?? name;

const send = async (method, value) => {
  const answer = await fetch("push/subscriptions", {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
  });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
};

/** The worker's registration, once the worker runs. */
const registered = async () => {
  const registration = await navigator.serviceWorker.register(worker);
  const starting = registration.installing ?? registration.waiting;
  if (!registration.active && starting) {
    await new Promise((done) => starting.addEventListener("statechange", () => registration.active && done()));
  }
  return registration;
};

/** Subscribes this browser and tells the server, which may have forgotten it. */
const subscribe = async () => {
  const answer = await fetch("push/key");
  const { key: applicationServerKey } = await answer.json();
  const { pushManager } = await registered();
  const subscribed = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  // A subscription for another key is in the way.
  const subscription = await subscribed().catch(async (problem) => {
    const other = await pushManager.getSubscription();
    if (!other) throw problem;
    await other.unsubscribe();
    return subscribed();
  });
  await send("POST", subscription);
};

const unsubscribe = async () => {
  const registration = await navigator.serviceWorker.getRegistration("web-push/");
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return;
  await subscription.unsubscribe();
  await send("DELETE", { endpoint: subscription.endpoint });
};

/** Does what is wanted, one after the other. */
let last = Promise.resolve();
const follow = (isWanted) => {
  last = last.then(isWanted ? subscribe : unsubscribe).catch((problem) => console.error("Web push failed:", problem));
  return last;
};

const offer = () => {
  const line = document.createElement("p");
  const button = document.createElement("button");
  line.className = "line";
  button.type = "button";
  button.textContent =
    JSON.parse(shell.dataset.words ?? "{}").page?.settingsNotify ?? "Notify me when a question waits while I am elsewhere";
  button.addEventListener("click", async () => {
    const permission = await Notification.requestPermission();
    if (permission === "default") return;
    line.remove();
    if (permission !== "granted") return;
    localStorage.setItem(WANTED, "on");
    // Browsers tell other tabs of it, and this page not.
    dispatchEvent(new StorageEvent("storage", { key: WANTED, newValue: "on" }));
    await follow(true);
  });
  line.append(button);
  shell.querySelector("form").before(line);
  return line;
};

if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  const line = Notification.permission === "default" ? offer() : undefined;
  if (Notification.permission === "granted") follow(localStorage.getItem(WANTED) === "on");
  document.addEventListener("change", async ({ target }) => {
    if (target.name !== "notify") return;
    // The settings ask as well, and the browser asks the person once.
    const permission = target.checked ? await Notification.requestPermission() : "";
    if (permission !== "default") line?.remove();
    if (permission !== "granted" && target.checked) return;
    await follow(target.checked);
  });
}
