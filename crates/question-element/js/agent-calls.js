// The calls of the agent's side: values in, values out.
import * as program from "./wasm/agent.js";

const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** Calls the program. Throws an `Error` with its reason if it fails. */
function told(call) {
  try {
    return JSON.parse(call());
  } catch (reason) {
    throw typeof reason === "string" ? new Error(reason) : reason;
  }
}

/** The definition of the tool under a profile: name, description, JSON Schema of its input, and guidance for the system prompt. */
export const toolDefinition = (profile = "runtime") => told(() => program.toolDefinition(profile));

/** Checks a call's arguments, given as an object or as JSON text. */
export const check = (profile, args) => told(() => program.check(profile, textOf(args)));

/** Reads the reply to an ask. */
export const parseReply = (ask, reply) => told(() => program.parseReply(textOf(ask), textOf(reply)));

/** The answers in a typed chat message, with the picks so far. */
export const matchMessage = (ask, text, picks = []) => told(() => program.matchMessage(textOf(ask), text, textOf(picks)));
