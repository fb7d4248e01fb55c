// The reader's part of the README's page: an agent whose call streams, and that takes the reply the second time.
const args = JSON.stringify({
  questions: [{ question: "Which database?", header: "Database", multiSelect: false, options: [{ label: "Postgres" }, { label: "SQLite" }] }],
});
const states = (window.states = []);
const sent = (window.sent = []);

window.argumentsOfTheCall = async function* () {
  const card = document.querySelector("question-card");
  const pieces = args.match(/.{1,7}/g);
  const last = pieces.pop();
  const shown = async () => {
    await new Promise(requestAnimationFrame);
    if (states.at(-1) !== card.state) states.push(card.state);
  };
  for (const piece of pieces) {
    yield piece;
    await shown();
  }
  // The rest comes when the program is there, however long that takes.
  while (card.state === "composing") await shown();
  yield last;
};
window.send = async (json, message) => {
  sent.push({ json, message });
  if (sent.length === 1) throw new Error("The network was away.");
};
