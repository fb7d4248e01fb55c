// The agent's side of the tool, for Node, which reads its program from beside this file.
import { readFileSync } from "node:fs";
import { initSync } from "./wasm/agent.js";

initSync({ module: readFileSync(new URL("./wasm/agent_bg.wasm", import.meta.url)) });

/** The program is loaded with this module. */
export async function load() {}

export { check, matchMessage, parseReply, toolDefinition } from "./agent-calls.js";
