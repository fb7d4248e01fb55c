import { useEffect } from "react";
import { mounted, send } from "../shared/agent.js";

export default function Asked({ call }) {
  // Strict mode does so twice.
  useEffect(mounted, []);
  return (
    <>
      <p>The agent asks</p>
      <question-card
        class="live"
        toolCallId={call.id}
        args={call.args}
        status={call.status}
        onreply={(event) => event.respondWith(send(call.id, event.detail))}
      />
    </>
  );
}
