import "question-card/define";
import { history, pieces, send } from "../shared/agent.js";

const app = document.querySelector("#app");
const list = document.createElement("ul");

function show(id) {
  const row = document.createElement("li");
  const card = document.createElement("question-card");
  card.toolCallId = id;
  card.addEventListener("reply", (event) => event.respondWith(send(id, event.detail)));
  row.append(card);
  list.append(row);
  return card;
}

function button(name, act) {
  const made = document.createElement("button");
  made.textContent = name;
  made.onclick = act;
  app.append(made);
}

for (const call of history()) show(call.id).call = call;
button("Ask", async () => {
  const card = show("live");
  card.className = "live";
  for await (const piece of pieces()) card.append(piece);
  card.finish();
});
button("Reorder", () => list.append(...[...list.children].reverse()));
app.append(list);
