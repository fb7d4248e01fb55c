// The agent's side of the tool, without a page: its definition, the check of a call's arguments, and the reply to an ask.
import init from "./wasm/agent.js";

let loading;

/** Loads the program, once. In Node there is nothing to wait for. */
export function load(source) {
  loading ??= init(source === undefined ? undefined : { module_or_path: source }).then(() => {});
  // A failed load can be tried again.
  loading.catch(() => (loading = undefined));
  return loading;
}

export { check, matchMessage, parseReply, toolDefinition } from "./agent-calls.js";
