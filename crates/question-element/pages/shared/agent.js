// A scripted agent and its transcript, for the pages of all frameworks: a call that streams, a reply that fails once, a history.

export const ask = {
  questions: [
    {
      question: "Which database?",
      header: "Database",
      multiSelect: false,
      options: [{ label: "Postgres" }, { label: "SQLite", description: "One file" }],
    },
    { question: "Which features?", header: "Features", multiSelect: true, options: [{ label: "Search" }, { label: "Export" }] },
  ],
};

const wait = (time) => new Promise((done) => setTimeout(done, time));

/** The text of the arguments, in pieces. Between its questions the agent thinks, so that no network brings both at once. */
export async function* pieces() {
  const text = JSON.stringify(ask);
  const second = text.indexOf(ask.questions[1].question);
  for (let at = 0; at < text.length; at += 9) {
    yield text.slice(at, at + 9);
    await wait(at < second && at + 9 >= second ? 500 : 15);
  }
}

/** The arguments as a parser of partial JSON gives them: objects that grow. */
export async function* growing() {
  let text = "";
  for await (const piece of pieces()) {
    text += piece;
    const args = partial(text);
    if (args !== undefined) yield args;
  }
}

/** The beginning of a text of JSON, as an object; nothing where that can't be read yet. */
export function partial(text) {
  const open = [];
  let quoted = false;
  for (const sign of text) {
    if (sign === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (sign === "{") open.push("}");
    else if (sign === "[") open.push("]");
    else if (sign === "}" || sign === "]") open.pop();
  }
  try {
    return JSON.parse(text + (quoted ? '"' : "") + open.reverse().join(""));
  } catch {
    return undefined;
  }
}

/** The calls that are over, each with its result, as a server would keep them. */
export function history() {
  const first = { id: "first", args: ask, result: JSON.stringify({ answers: { "Which database?": "Postgres", "Which features?": "Search" } }) };
  return [first, ...JSON.parse(sessionStorage.getItem("calls") ?? "[]")];
}

/** Counts how often a framework says that it shows the live card. */
export function mounted() {
  window.mounts = (window.mounts ?? 0) + 1;
}

let tries = 0;
/** Takes a reply to its agent: the first one is lost on its way. */
export async function send(id, { json, message }) {
  await wait(15);
  tries += 1;
  if (tries === 1) throw new Error("The network was away.");
  const calls = JSON.parse(sessionStorage.getItem("calls") ?? "[]");
  sessionStorage.setItem("calls", JSON.stringify([...calls, { id, args: ask, result: json }]));
  document.title = message;
}
