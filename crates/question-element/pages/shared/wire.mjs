// The scripted agent as servers speak: it asks once, and then tells what it was told.
import { pieces } from "./agent.js";

const toolCallId = "call-1";
const name = "ask_user_question";
const told = (result) => `The agent was told ${JSON.stringify(JSON.parse(result).answers)}`;

/** The events of AG-UI for a run with this input. */
export async function* agUi({ threadId, runId, messages }) {
  const last = messages.at(-1);
  yield { type: "RUN_STARTED", threadId, runId };
  if (last.role === "tool") {
    const messageId = `${last.id}-told`;
    yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: told(last.content) };
    yield { type: "TEXT_MESSAGE_END", messageId };
  } else {
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName: name, parentMessageId: `${runId}-asks` };
    for await (const delta of pieces()) yield { type: "TOOL_CALL_ARGS", toolCallId, delta };
    yield { type: "TOOL_CALL_END", toolCallId };
  }
  yield { type: "RUN_FINISHED", threadId, runId };
}

/** The chunks of the AI SDK's stream of UI messages for these messages. */
export async function* uiMessages({ messages }) {
  const answered = messages.at(-1).parts.find(({ state }) => state === "output-available");
  yield { type: "start" };
  yield { type: "start-step" };
  if (answered) {
    yield { type: "text-start", id: "told" };
    yield { type: "text-delta", id: "told", delta: told(answered.output) };
    yield { type: "text-end", id: "told" };
  } else {
    let input = "";
    yield { type: "tool-input-start", toolCallId, toolName: name };
    for await (const inputTextDelta of pieces()) {
      input += inputTextDelta;
      yield { type: "tool-input-delta", toolCallId, inputTextDelta };
    }
    yield { type: "tool-input-available", toolCallId, toolName: name, input: JSON.parse(input) };
  }
  yield { type: "finish-step" };
  yield { type: "finish" };
}
