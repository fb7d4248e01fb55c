import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import "question-card/define";
import { growing, history, send } from "../shared/agent.js";

function App() {
  const [calls, setCalls] = useState(history);
  const change = (id, what) => setCalls((calls) => calls.map((call) => (call.id === id ? { ...call, ...what } : call)));
  const start = async () => {
    setCalls((calls) => [...calls, { id: "live", args: {}, status: "inProgress" }]);
    for await (const args of growing()) change("live", { args });
    change("live", { status: "executing" });
  };
  return (
    <>
      <button onClick={start}>Ask</button>
      <button onClick={() => setCalls((calls) => calls.toReversed())}>Reorder</button>
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            {call.status ? (
              <question-card
                class="live"
                toolCallId={call.id}
                args={call.args}
                status={call.status}
                onreply={(event) => event.respondWith(send(call.id, event.detail))}
              />
            ) : (
              <question-card call={call} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

createRoot(document.querySelector("#app")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
