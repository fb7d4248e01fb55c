// What the README leaves to its reader: an agent whose call streams, and that takes the reply the second time.
const args = JSON.stringify({
  questions: [{ question: "Which database?", header: "Database", multiSelect: false, options: [{ label: "Postgres" }, { label: "SQLite" }] }],
});
const states = (window.states = []);
const sent = (window.sent = []);

window.argumentsOfTheCall = async function* () {
  const card = document.querySelector("question-card");
  for (let at = 0; at < args.length; at += 7) {
    yield args.slice(at, at + 7);
    await new Promise(requestAnimationFrame);
    if (states.at(-1) !== card.state) states.push(card.state);
  }
};
window.send = async (json, message) => {
  sent.push({ json, message });
  if (sent.length === 1) throw new Error("The network was away.");
};
