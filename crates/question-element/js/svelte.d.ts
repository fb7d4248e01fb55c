// `import type {} from "question-card/svelte"` lets Svelte 5 know <question-card>.
import type { HTMLAttributes } from "svelte/elements";
import type { QuestionCard, QuestionCardEvents, QuestionCardProps } from "./question-card.js";

type Handlers = { [Name in keyof QuestionCardEvents as `on${Name}`]?: (event: QuestionCardEvents[Name]) => void };

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "question-card": Omit<HTMLAttributes<QuestionCard>, keyof Handlers> & QuestionCardProps & Handlers & { "no-shadow"?: boolean | string };
  }
}
