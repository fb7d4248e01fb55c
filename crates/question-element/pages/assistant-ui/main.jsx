// assistant-ui: the part of a message that is a tool's call becomes the element's properties, and the element's reply its result.
import {
  AssistantRuntimeProvider,
  AuiConfig,
  MessagePrimitive,
  ThreadPrimitive,
  Tools,
  defineToolkit,
  makeAssistantToolUI,
  useAui,
  useLocalRuntime,
} from "@assistant-ui/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "question-card/define";
import { partial, pieces } from "../shared/agent.js";

const toolName = "ask_user_question";

/** The agent, as this framework reads one: each step says all of its message so far. */
const agent = {
  async *run({ unstable_getMessage: message }) {
    const call = message().content.find((part) => part.type === "tool-call");
    if (call?.result !== undefined) {
      yield { content: [{ type: "text", text: `The agent was told ${JSON.stringify(JSON.parse(call.result).answers)}` }] };
      return;
    }
    let argsText = "";
    const content = (args) => [{ type: "tool-call", toolCallId: "call-1", toolName, argsText, args }];
    for await (const piece of pieces()) {
      argsText += piece;
      const args = partial(argsText);
      if (args !== undefined) yield { content: content(args) };
    }
    yield { content: content(JSON.parse(argsText)), status: { type: "requires-action", reason: "tool-calls" } };
  },
};

function Card({ toolCallId, args, status, result, addResult }) {
  return (
    <question-card
      class="live"
      toolCallId={toolCallId}
      args={args}
      status={status}
      result={result}
      onreply={(event) => addResult(event.detail.json)}
      ondecline={(event) => addResult(event.detail.text)}
    />
  );
}

/** Today's way, and the component that was the way before. */
const toolkit = defineToolkit({ [toolName]: { type: "human", description: "Asks the user", parameters: { type: "object", properties: {} }, render: Card } });
const config = AuiConfig({ tools: Tools({ toolkit }) });
const ToolUI = makeAssistantToolUI({ toolName, render: Card });
const isOld = location.hash === "#tool-ui";

function Message() {
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

function Ask() {
  const aui = useAui();
  return <button onClick={() => aui.thread.append("Ask me")}>Ask</button>;
}

function Chat() {
  const runtime = useLocalRuntime(agent, { unstable_humanToolNames: [toolName] });
  return (
    <AssistantRuntimeProvider runtime={runtime} config={isOld ? undefined : config}>
      {isOld && <ToolUI />}
      <Ask />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages>{() => <Message />}</ThreadPrimitive.Messages>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.querySelector("#app")).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
