// The front desk, from the greeting to the booking.

import assert from "node:assert/strict";
import { ASKING_TOOL, Person } from "./person.mjs";

const SERVICE = "Which service do you need?";
const SCHEDULING = "Standard or rush scheduling?";
const ESTIMATE = "Proceed with this estimate?";
const BOOKED = "Booked: Brake service, rush scheduling, $239.00";

async function customer(world, options) {
  return new Person(world, await world.houses.desk("front-desk"), options);
}

/** As an app does it that knows the tool. */
export async function a_booking_by_tool_messages(world) {
  const person = await customer(world, { run: { tools: [ASKING_TOOL] } });
  const welcome = await person.says("hello");
  assert.match(welcome, /^Hello, and welcome/);
  person.isAsked(SERVICE);
  await person.answers({ [SERVICE]: "Brake service" });
  person.isAsked(SCHEDULING);
  await person.answers({ [SCHEDULING]: "Rush" });
  person.isAsked(ESTIMATE);
  const booked = await person.answers({ [ESTIMATE]: "Yes" });
  assert.ok(booked.startsWith(BOOKED), booked);
  person.isAskedNothing();
}

/** As an app does it that shows what was picked as the user's own message, which says nothing of the call. */
export async function a_booking_by_tool_and_user_messages(world) {
  const person = await customer(world, { run: { tools: [ASKING_TOOL] } });
  await person.says("hello");
  await person.answers({ [SERVICE]: "Brake service" }, "Brake service");
  person.isAsked(SCHEDULING);
  await person.answers({ [SCHEDULING]: "Rush" }, "As soon as you can!");
  person.isAsked(ESTIMATE);
  const booked = await person.answers({ [ESTIMATE]: "Yes" }, "Yes");
  assert.ok(booked.startsWith(BOOKED), booked);
}

/** As an app does it that knows no tool at all. */
export async function a_booking_by_typing(world) {
  const person = await customer(world);
  await person.says("brake service, please");
  person.isAsked(SCHEDULING);
  await person.says("rush");
  person.isAsked(ESTIMATE);
  const booked = await person.says("yes");
  assert.ok(booked.startsWith(BOOKED), booked);
  person.isAskedNothing();
}

/** In another tab, which knows the conversation's id alone. */
export async function a_booking_that_is_taken_up_again(world) {
  const before = await customer(world, { run: { tools: [ASKING_TOOL] } });
  await before.says("hello");
  await before.answers({ [SERVICE]: "Brake service" });

  const person = await customer(world, { threadId: before.threadId, run: before.run });
  person.agent.setMessages((await person.stored()).messages);
  person.isAsked(SCHEDULING);
  await person.answers({ [SCHEDULING]: "Rush" });
  const booked = await person.answers({ [ESTIMATE]: "Yes" });
  assert.ok(booked.startsWith(BOOKED), booked);
}

/** The response was lost, and the same is sent again. */
export async function the_same_said_again(world) {
  const before = await customer(world);
  await before.says("hello");
  const person = await customer(world, { threadId: before.threadId });
  person.agent.setMessages(before.agent.messages.slice(0, 1));
  const welcome = await person.runs();
  assert.match(welcome, /^Hello, and welcome/);
  person.isAsked(SERVICE);
}
