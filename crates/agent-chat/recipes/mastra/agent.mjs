// Mastra: the tool comes with each request, from the page. It has no AG-UI endpoint of its own, so one is here.

import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { EventEncoder } from "@ag-ui/encoder";
import { MastraAgent } from "@ag-ui/mastra";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL = "https://api.openai.com/v1", OPENAI_MODEL } = process.env;
const agent = new Agent({
  id: "desk",
  name: "desk",
  instructions: "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text.",
  model: createOpenAICompatible({ name: "openai", baseURL, apiKey })(OPENAI_MODEL),
});

const server = createServer(async (request, response) => {
  // Pages of this machine are let in; the origin of yours belongs here.
  const { origin = "" } = request.headers;
  if (/^http:\/\/(127\.0\.0\.1|localhost):\d+$/.test(origin)) response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Headers", "content-type");
  if (request.method !== "POST") return response.writeHead(204).end();

  const input = await json(request);
  const encoder = new EventEncoder();
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const run = new MastraAgent({ agent, agentId: "desk", resourceId: "user" }).run(input).subscribe({
    next: (event) => response.write(encoder.encodeSSE(event)),
    error: (problem) => response.end(encoder.encodeSSE({ type: "RUN_ERROR", message: String(problem) })),
    complete: () => response.end(),
  });
  response.on("close", () => run.unsubscribe());
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));
