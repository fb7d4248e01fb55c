import { useEffect } from "react";
import { QuestionCard } from "question-card/react";
import { mounted, send } from "../shared/agent.js";

export default function Asked({ call }) {
  // Strict mode runs it twice.
  useEffect(mounted, []);
  return (
    <>
      <p>The agent asks</p>
      <QuestionCard
        class="live"
        toolCallId={call.id}
        args={call.args}
        status={call.status}
        onReply={({ detail }) => send(call.id, detail)}
      />
    </>
  );
}
