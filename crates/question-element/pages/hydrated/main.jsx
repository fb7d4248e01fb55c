// A page that a server has written: the element is in its HTML, and React takes it over.
import { StrictMode, useState } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { QuestionCard } from "question-card/react";
import { ask, history } from "../shared/agent.js";

window.sent = [];
window.problems = [];

function App() {
  const [size, grow] = useState(1);
  const args = { questions: ask.questions.slice(0, size) };
  const send = ({ detail }) => {
    window.sent.push(detail.json);
    return Promise.resolve();
  };
  return (
    <>
      <button onClick={() => grow(2)}>Ask</button>
      <QuestionCard call={history()[0]} />
      <QuestionCard
        class="live"
        toolCallId="live"
        args={args}
        status={size < 2 ? "inProgress" : "executing"}
        lateMessages
        onReply={send}
        onLateMessage={({ detail }) => {
          window.sent.push(detail.text);
        }}
      />
    </>
  );
}

const app = (
  <StrictMode>
    <App />
  </StrictMode>
);
const root = document.querySelector("#app");
root.innerHTML = renderToString(app);
hydrateRoot(root, app, { onRecoverableError: (problem) => window.problems.push(String(problem)) });
