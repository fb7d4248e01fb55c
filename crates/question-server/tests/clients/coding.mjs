// The coding desk.

import assert from "node:assert/strict";
import { ASKING_TOOL, Person } from "./person.mjs";

const TOOL = { ...ASKING_TOOL, name: "AskUserQuestion" };

async function developer(world, options = { run: { tools: [TOOL] } }) {
  return new Person(world, await world.houses.desk("coding-desk"), options);
}

/** The first option of every question. */
function firstOfAll(questions) {
  const pick = ({ question, options }) => [question, options[0].label];
  return Object.fromEntries(questions.map(pick));
}

export async function four_questions_at_once(world) {
  const person = await developer(world);
  await person.says("Set up a new service");
  const { questions } = person.waiting();
  assert.equal(questions.length, 4);
  const answers = firstOfAll(questions);
  const done = await person.answers(answers);
  for (const answer of Object.values(answers)) assert.ok(done.includes(answer), done);
  assert.match(done, /done as you wish/);
  person.isAskedNothing();
}

/** The user's words beside their answers do not make the desk forget them. */
export async function four_questions_and_a_word_beside(world) {
  const person = await developer(world);
  await person.says("Set up a new service");
  const { questions } = person.waiting();
  const done = await person.answers(firstOfAll(questions), "That is what we have elsewhere, too.");
  assert.match(done, /done as you wish/);
}

export async function what_sub_agents_report(world) {
  const person = await developer(world);
  const report = await person.says("Have sub-agents look at it");
  assert.match(report, /My sub-agents report/);
  person.isAskedNothing();
}
