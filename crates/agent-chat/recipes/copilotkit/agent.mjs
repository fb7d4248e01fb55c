// CopilotKit's runtime with its built-in agent: the tool comes with each request, from the page.

import { createServer } from "node:http";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { BuiltInAgent, CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL = "https://api.openai.com/v1", OPENAI_MODEL } = process.env;
const desk = new BuiltInAgent({
  model: createOpenAICompatible({ name: "openai", baseURL, apiKey })(OPENAI_MODEL),
  prompt: "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text.",
});

const listener = createCopilotNodeListener({
  runtime: new CopilotRuntime({ agents: { desk } }),
  basePath: "/api/copilotkit",
  cors: true, // Every page is let in; `{ origin: "https://page.example" }` lets in yours alone.
});
const server = createServer(listener);
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));
