import { useState } from "react";
import { growing, history } from "../shared/agent.js";
import Asked from "./Asked.jsx";

export default function App() {
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
          <li key={call.id}>{call.status ? <Asked call={call} /> : <question-card call={call} />}</li>
        ))}
      </ul>
    </>
  );
}
