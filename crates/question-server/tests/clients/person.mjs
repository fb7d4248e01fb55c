// Somebody in front of a client, which is driven as an app drives it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

const ASKING = ["ask_user_question", "AskUserQuestion"];

/** The tool as an app declares it that answers it by a tool message. */
export const ASKING_TOOL = {
  name: "ask_user_question",
  description: "Asks the user.",
  parameters: { type: "object", properties: { questions: { type: "array" } } },
};

export class Person {
  /** `run` goes with each run: `tools`, `forwardedProps`. `url` is the address of the server's agent, if a proxy is before it. */
  constructor({ client, version, url = (address) => `${address}/agent` }, address, { threadId = randomUUID(), run = {} } = {}) {
    this.address = address;
    this.version = version;
    this.run = run;
    this.agent = new client.HttpAgent({ url: url(address), threadId });
  }

  get threadId() {
    return this.agent.threadId;
  }

  /** Sends a message, and returns the agent's answer. */
  says(text) {
    this.agent.addMessage({ id: randomUUID(), role: "user", content: text });
    return this.runs();
  }

  /** Answers what waits by a tool message, with a message of the user's behind it where one is given. */
  answers(answers, beside) {
    this.brings(JSON.stringify({ answers }), this.waiting().id);
    return beside === undefined ? this.runs() : this.says(beside);
  }

  /** Adds the result of a call. */
  brings(content, toolCallId) {
    this.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId, content });
  }

  /** Runs the agent, and gives what it says. */
  async runs(more = {}, subscriber) {
    const before = new Set(this.agent.messages.map((message) => message.id));
    let failed;
    await this.agent.runAgent(
      { ...this.run, ...more },
      {
        ...subscriber,
        onRunErrorEvent: ({ event }) => {
          failed = event.message;
        },
      },
    );
    if (failed !== undefined) throw new Error(`the run failed: ${failed}`);
    const said = this.agent.messages.filter(
      (message) => message.role === "assistant" && !before.has(message.id),
    );
    return said.map((message) => message.content ?? "").join("");
  }

  /** The calls that have no result. */
  open() {
    const messages = this.agent.messages;
    const answered = messages.filter(({ role }) => role === "tool").map((tool) => tool.toolCallId);
    const calls = messages.flatMap((message) => message.toolCalls ?? []);
    return calls.filter((call) => !answered.includes(call.id));
  }

  /** The ask that waits: its call's id and what it asks. */
  waiting() {
    const asks = this.open().filter((call) => ASKING.includes(call.function.name));
    assert.equal(asks.length, 1, `one question waits, not ${JSON.stringify(asks)}`);
    const [{ id, function: { arguments: text } }] = asks;
    return { id, questions: JSON.parse(text).questions };
  }

  /** True if this waits for an answer. */
  isAsked(...questions) {
    const asked = this.waiting().questions.map(({ question }) => question);
    assert.deepEqual(asked, questions);
  }

  isAskedNothing() {
    assert.deepEqual(this.open(), []);
  }

  /** The conversation as the server has it. */
  async stored() {
    const response = await fetch(`${this.address}/conversations/${this.threadId}`);
    return response.json();
  }

  /** Speaks to the server beside the client. */
  async posts(path, body) {
    const response = await fetch(`${this.address}/conversations/${this.threadId}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
  }
}
