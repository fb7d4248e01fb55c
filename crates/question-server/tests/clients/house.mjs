// Servers, each started when it is first asked for, and a model's endpoint that says what a test wants.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";

export class Houses {
  #program;
  #desks = new Map();
  #servers = [];
  #models = [];

  constructor(program) {
    this.#program = program;
    process.once("exit", () => this.#end());
  }

  /** The address of a server with this desk, shared by all journeys. */
  desk(name) {
    if (!this.#desks.has(name)) {
      this.#desks.set(name, this.#start(["--model", name]));
    }
    return this.#desks.get(name);
  }

  /** The address of a server whose model gives these answers one after the other: see `Model`. */
  async scripted(answers) {
    const model = new Model(answers);
    const url = await model.listen();
    this.#models.push(model);
    const environment = { OPENAI_BASE_URL: url, OPENAI_MODEL: "scripted", OPENAI_API_KEY: "" };
    return this.#start(["--model", "openai"], environment);
  }

  async close() {
    this.#end();
    await Promise.all(this.#models.map((model) => model.close()));
  }

  #end() {
    for (const server of this.#servers) server.kill();
  }

  async #start(args, environment = {}) {
    const settings = ["--port", "0", "--pace", "0", "--log", "off", "--database", "memory"];
    const server = spawn(this.#program, [...settings, ...args], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#servers.push(server);
    for await (const line of createInterface({ input: server.stdout })) {
      const address = line.match(/^listening on (\S+)$/)?.[1];
      if (address) return address;
    }
    throw new Error("the server does not say where it listens");
  }
}

/**
 * An endpoint of chat completions. An answer is a status, which refuses, or a list of what is streamed: a text, a call `{name, arguments}`, or a
 * promise that is waited for.
 */
class Model {
  #answers;
  #server = createServer((request, response) => this.#answer(request, response));

  constructor(answers) {
    this.#answers = [...answers];
  }

  async listen() {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  close() {
    this.#server.closeAllConnections();
    return new Promise((closed) => this.#server.close(closed));
  }

  async #answer(request, response) {
    request.resume();
    const answer = this.#answers.shift() ?? ["I have nothing to say any more."];
    if (typeof answer === "number") {
      response.writeHead(answer).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const write = (delta) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    let index = 0;
    for (const piece of answer) {
      if (piece instanceof Promise) {
        await piece;
      } else if (typeof piece === "string") {
        write({ content: piece });
      } else {
        const { name } = piece;
        write({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: piece.arguments } }] });
        index += 1;
      }
    }
    response.end("data: [DONE]\n\n");
  }
}
