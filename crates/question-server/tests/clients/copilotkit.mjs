// CopilotKit's runtime in front of the server, and its client in front of that: `node copilotkit.mjs SERVER PACKAGES`, where PACKAGES is a
// folder in which `@copilotkit/runtime` is installed. `cargo xtask agents clients` brings and runs it.

import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Houses } from "./house.mjs";
import * as booking from "./booking.mjs";
import * as coding from "./coding.mjs";

const [server, packages] = process.argv.slice(2);
const require = createRequire(join(packages, "/"));
const { CopilotRuntime } = require("@copilotkit/runtime/v2");
const { createCopilotNodeListener } = require("@copilotkit/runtime/v2/node");
// The one that the runtime itself has.
const client = createRequire(require.resolve("@copilotkit/runtime"))("@ag-ui/client");

const houses = new Houses(server);
const agents = {};
for (const name of ["front-desk", "coding-desk"]) {
  agents[name] = new client.HttpAgent({ url: `${await houses.desk(name)}/agent` });
}
const runtime = createServer(createCopilotNodeListener({ runtime: new CopilotRuntime({ agents }), basePath: "/api" }));
runtime.listen(0, "127.0.0.1");
await once(runtime, "listening");

/** The path in the runtime of each desk, by its address. */
const urls = new Map();
for (const name of Object.keys(agents)) {
  urls.set(await houses.desk(name), `http://127.0.0.1:${runtime.address().port}/api/agent/${name}/run`);
}
const world = { houses, client, version: "0.0.59", url: (address) => urls.get(address) };
let failures = 0;
for (const [name, journey] of [booking, coding].flatMap((module) => Object.entries(module))) {
  const title = `CopilotKit's runtime: ${name.replaceAll("_", " ")}`;
  try {
    await journey(world);
    console.log(`ok      ${title}`);
  } catch (problem) {
    failures += 1;
    console.log(`FAILED  ${title}\n${problem?.stack ?? problem}`);
  }
}
runtime.closeAllConnections();
runtime.close();
await houses.close();
process.exit(failures === 0 ? 0 : 1);
