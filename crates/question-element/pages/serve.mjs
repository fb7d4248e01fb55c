// Serves the built pages under the policy that the package promises to keep, and the view under that of MCP hosts:
// `node serve.mjs FOLDER`. Not under Trusted Types, which frameworks ask policies of their own for. Those that talk to an agent find it here
// too, scripted, in the protocol of each.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { agUi, uiMessages } from "./shared/wire.mjs";

const folder = process.argv[2];
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'";
const ofHosts = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'";
const agents = { "/ag-ui": agUi, "/ui-messages": uiMessages };

const server = createServer(async (request, response) => {
  const path = normalize(new URL(request.url, "http://localhost").pathname);
  if (request.method === "POST" && agents[path]) {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.writeHead(200, { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" });
    for await (const event of agents[path](JSON.parse(body))) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
    return;
  }
  const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
  try {
    const content = await readFile(file);
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "content-security-policy": /\/card[^/]*\.html$/.test(path) ? ofHosts : policy });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));
