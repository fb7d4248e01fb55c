// A virtual list: a row that is scrolled out of sight is taken out of the page, and another element comes in its place when it is back.
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { QuestionCard } from "question-card/react";
import { ask } from "../shared/agent.js";

window.sent = [];

function List() {
  const [first, scroll] = useState(0);
  const [result, setResult] = useState();
  const send = async ({ detail: { json } }) => {
    window.sent.push(json);
    await new Promise((done) => (window.arrive = done));
    setResult(json);
  };
  const row = (number) => (number === 1 ? <QuestionCard class="live" toolCallId="live" args={ask} status="executing" result={result} onReply={send} /> : `Row ${number}`);
  return (
    <>
      <button onClick={() => scroll(50 - first)}>Scroll</button>
      <ul>
        {[first, first + 1, first + 2].map((number) => (
          <li key={number}>{row(number)}</li>
        ))}
      </ul>
    </>
  );
}

createRoot(document.querySelector("#app")).render(
  <StrictMode>
    <List />
  </StrictMode>,
);
