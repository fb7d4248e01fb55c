import { define, load, type QuestionCard } from "question-card";
import "question-card/define";
import { check, parseReply, toolDefinition, matchMessage } from "question-card/agent";
define();
void load("de");
const card: QuestionCard = document.querySelector("question-card")!;
card.addEventListener("reply", (event) => {
  const answers: Record<string, string> = event.detail.answers;
  event.respondWith(fetch("/", { body: event.detail.json + event.detail.message + answers.x }));
});
card.addEventListener("draft", (event) => event.detail.picks[0]?.selected);
card.addEventListener("click", () => {});
card.append("x");
card.status = { type: "running" };
card.expiresAt = new Date();
const reached: boolean = card.focus();
card.result = { answers: {} };
const verdict = check("chat", {});
if (verdict.ask) { const outcome = parseReply(verdict.ask, "x"); if (outcome.outcome === "answered") outcome.message.length; }
toolDefinition("runtime").parameters;
// @ts-expect-error: there is no such profile
toolDefinition("poet");
matchMessage("{}", "x");
