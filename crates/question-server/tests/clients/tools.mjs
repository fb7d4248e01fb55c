// Tools that the client runs itself.

import assert from "node:assert/strict";
import { ASKING_TOOL, Person } from "./person.mjs";

const WEATHER = {
  name: "get_weather",
  description: "The weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

const ASK = JSON.stringify({
  questions: [{ question: "Which?", options: [{ label: "One" }, { label: "Two" }] }],
});

/** Calls behind the first wait for its result; the client sees each when it is due. */
export async function calls_side_by_side(world) {
  const calls = [
    { name: "get_weather", arguments: '{"city":"Graz"}' },
    { name: "ask_user_question", arguments: ASK },
    { name: "no_such_tool", arguments: "{}" },
  ];
  const address = await world.houses.scripted([["One moment. ", ...calls], ["Done."]]);
  const person = new Person(world, address, { run: { tools: [WEATHER, ASKING_TOOL] } });
  await person.says("go");
  const [weather, ...others] = person.open();
  assert.deepEqual(others, []);
  assert.deepEqual(weather.function, { name: "get_weather", arguments: '{"city":"Graz"}' });
  person.brings("Sunny", weather.id);
  await person.runs();
  person.isAsked("Which?");
  assert.equal(await person.answers({ "Which?": "Two" }), "Done.");
  person.isAskedNothing();
}
