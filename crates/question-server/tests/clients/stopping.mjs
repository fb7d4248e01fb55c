// Runs and questions that somebody puts an end to, and runs that fail.

import assert from "node:assert/strict";
import { ASKING_TOOL, Person } from "./person.mjs";

const never = () => new Promise(() => {});

/** Runs the agent, does `then` once it has said something, and gives the run's promise. */
async function speaking(person, then) {
  person.agent.addMessage({ id: `go-${person.threadId}`, role: "user", content: "go" });
  let done;
  const onTextMessageContentEvent = () => {
    done ??= Promise.resolve(then());
  };
  const run = person.runs({ runId: `run-${person.threadId}` }, { onTextMessageContentEvent });
  const [ended] = await Promise.allSettled([run]);
  assert.ok(done, `the agent says nothing: ${ended.reason?.stack}`);
  await done;
  return ended;
}

export async function a_run_that_its_user_stops(world) {
  const address = await world.houses.scripted([["Let me think", never()], ["Yes."]]);
  const person = new Person(world, address);
  // To the clients that is a failure, of one kind or another.
  await speaking(person, () => person.agent.abortRun());
  assert.equal(await person.says("are you there"), "Yes.");
}

export async function a_run_that_somebody_else_cancels(world) {
  const address = await world.houses.scripted([["Let me think", never()], ["Yes."]]);
  const person = new Person(world, address);
  const ended = await speaking(person, () =>
    person.posts("cancel", { runId: `run-${person.threadId}` }),
  );
  assert.equal(ended.status, "fulfilled", ended.reason?.stack);
  assert.equal(await person.says("are you there"), "Yes.");
}

export async function a_question_that_is_cancelled(world) {
  const address = await world.houses.desk("front-desk");
  const person = new Person(world, address, { run: { tools: [ASKING_TOOL] } });
  await person.says("hello");
  const { id } = person.waiting();
  const { state } = await person.posts("cancel", { toolCallId: id });
  assert.equal(state.type, "idle");
  // The client was not there when it was cancelled: it learns of it as any client does that comes back.
  person.agent.setMessages((await person.stored()).messages);
  person.isAskedNothing();
  await person.says("An oil change, please");
  person.isAsked("Standard or rush scheduling?");
}

export async function a_run_that_fails_and_is_tried_again(world) {
  const address = await world.houses.scripted([400, ["Here I am."]]);
  const person = new Person(world, address);
  await assert.rejects(person.says("hello"), /the run failed: .*refuses/);
  assert.equal(await person.runs(), "Here I am.");
}
