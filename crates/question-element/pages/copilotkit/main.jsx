// CopilotKit: its tool's render props become the element's properties, and the element's reply goes to its `respond`.
import "../shared/jitless.js";
import { CopilotKitProvider, HttpAgent, useAgent, useCopilotKit, useFrontendTool, useHumanInTheLoop, useRenderToolCall } from "@copilotkit/react-core/v2";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "question-card/define";
import { z } from "zod";

const name = "ask_user_question";
const description = "Asks the user";
const parameters = z.object({ questions: z.array(z.any()) });

function Card({ toolCallId, args, status, result, respond }) {
  return (
    <question-card
      class="live"
      toolCallId={toolCallId}
      args={args}
      status={status}
      result={result}
      onreply={(event) => event.respondWith(respond(event.detail.json))}
      ondecline={(event) => event.respondWith(respond(event.detail.text))}
    />
  );
}

/** The hook for what a person decides. */
function HumanInTheLoop() {
  useHumanInTheLoop({ name, description, parameters, render: Card });
}

/** The hook for any tool of the page: its handler waits for the card. */
const waiting = new Map();
function FrontendTool() {
  useFrontendTool({
    name,
    description,
    parameters,
    handler: (_args, { toolCall }) => new Promise((answer) => waiting.set(toolCall.id, answer)),
    render: (props) => <Card {...props} respond={async (answer) => waiting.get(props.toolCallId)(answer)} />,
  });
}

function Chat() {
  const { agent } = useAgent({ agentId: "default" });
  const { copilotkit } = useCopilotKit();
  const renderToolCall = useRenderToolCall();
  const ask = () => {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "Ask me" });
    copilotkit.runAgent({ agent });
  };
  const answerTo = ({ id }) => agent.messages.find((message) => message.role === "tool" && message.toolCallId === id);
  return (
    <>
      <button onClick={ask}>Ask</button>
      {agent.messages.map((message) => (
        <div key={message.id}>
          {message.role !== "tool" && message.content}
          {message.toolCalls?.map((toolCall) => (
            <div key={toolCall.id}>{renderToolCall({ toolCall, toolMessage: answerTo(toolCall) })}</div>
          ))}
        </div>
      ))}
    </>
  );
}

const agents = { default: new HttpAgent({ url: new URL("/ag-ui", location).href }) };
const Tool = location.hash === "#frontend-tool" ? FrontendTool : HumanInTheLoop;

createRoot(document.querySelector("#app")).render(
  <StrictMode>
    <CopilotKitProvider agents__unsafe_dev_only={agents} enableInspector={false}>
      <Tool />
      <Chat />
    </CopilotKitProvider>
  </StrictMode>,
);
