// Asks that end their run with an interrupt, for who asks for that.

import assert from "node:assert/strict";
import { Person } from "./person.mjs";

const SERVICE = "Which service do you need?";
const SCHEDULING = "Standard or rush scheduling?";
const ESTIMATE = "Proceed with this estimate?";

export async function interrupts_that_are_resumed(world) {
  const address = await world.houses.desk("front-desk");
  const run = { forwardedProps: { interrupts: true } };
  const person = new Person(world, address, { run });
  await person.says("hello");
  person.isAsked(SERVICE);
  if (person.agent.pendingInterrupts === undefined) {
    // This client knows of no interrupts; it can read them, and its user can type.
    await person.says("brake service");
    person.isAsked(SCHEDULING);
    return;
  }
  const resume = (entry) => {
    const [interrupt, ...others] = person.agent.pendingInterrupts;
    assert.deepEqual(others, []);
    assert.equal(interrupt.toolCallId, person.waiting().id);
    return person.runs({ resume: [{ interruptId: interrupt.id, ...entry }] });
  };
  await resume({ status: "resolved", payload: { answers: { [SERVICE]: "Brake service" } } });
  person.isAsked(SCHEDULING);
  const assumed = await resume({ status: "cancelled" });
  assert.match(assumed, /I assume standard scheduling/);
  person.isAsked(ESTIMATE);
  const booked = await resume({ status: "resolved", payload: { answers: { [ESTIMATE]: "Yes" } } });
  assert.match(booked, /^Booked: Brake service, standard scheduling, \$189\.00/);
  assert.deepEqual(person.agent.pendingInterrupts, []);
  person.isAskedNothing();
}
