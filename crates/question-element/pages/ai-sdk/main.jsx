// The AI SDK: a tool's part of a UI message is the element's call, and the element's reply the tool's output.
import "../shared/jitless.js";
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "question-card/define";

const tool = "ask_user_question";

function Chat() {
  const { messages, sendMessage, addToolOutput } = useChat({
    transport: new DefaultChatTransport({ api: "/ui-messages" }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  const show = (part, index) => {
    if (part.type === "text") return <p key={index}>{part.text}</p>;
    if (part.type !== `tool-${tool}`) return null;
    return (
      <question-card
        key={part.toolCallId}
        class="live"
        call={part}
        onreply={(event) => addToolOutput({ tool, toolCallId: part.toolCallId, output: event.detail.json })}
        ondecline={(event) => addToolOutput({ tool, toolCallId: part.toolCallId, output: event.detail.text })}
      />
    );
  };
  return (
    <>
      <button onClick={() => sendMessage({ text: "Ask me" })}>Ask</button>
      {messages.map((message) => (
        <div key={message.id}>{message.parts.map(show)}</div>
      ))}
    </>
  );
}

createRoot(document.querySelector("#app")).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
