// A page whose tests make elements by hand. It records every event of the element's at its document.
import { QuestionCard, define, load } from "./question-card/question-card.js";
import * as agent from "./question-card/agent.js";

const ask = {
  questions: [
    { question: "Which database?", header: "Database", multiSelect: false, options: [{ label: "Postgres" }, { label: "SQLite", description: "One file" }] },
    { question: "Which features?", header: "Features", multiSelect: true, options: [{ label: "Search" }, { label: "Export" }] },
  ],
};
const heard = [];
for (const name of ["reply", "decline", "draft", "reply-in-chat", "late-message", "change-answer", "extend", "qc-waiting", "qc-resolved", "qc-error"]) {
  document.addEventListener(name, (event) => heard.push([name, event.detail, event.target.tagName]));
}
// An agent that takes whatever no other listener has taken, unless a test has it keep silent.
for (const name of ["reply", "decline", "late-message", "change-answer"]) {
  document.addEventListener(name, (event) => {
    try {
      if (!window.silent) event.respondWith();
    } catch {
      // It was taken.
    }
  });
}
// The memory of each program that is loaded.
const memories = [];
const instantiate = WebAssembly.instantiateStreaming;
WebAssembly.instantiateStreaming = async (...given) => {
  const made = await instantiate(...given);
  // Its names are short ones.
  memories.push(Object.values(made.instance.exports).find((it) => it instanceof WebAssembly.Memory));
  return made;
};

const put = (properties = {}, attributes = {}) => {
  const element = document.createElement("question-card");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  Object.assign(element, properties);
  document.querySelector("main").append(element);
  return element;
};
define();
Object.assign(window, { QuestionCard, agent, ask, define, heard, load, memories, put });
