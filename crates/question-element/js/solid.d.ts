// `import type {} from "question-card/solid"` lets Solid know <question-card>: `prop:args={…}`, `on:reply={…}`.
import type { JSX } from "solid-js";
import type { QuestionCard, QuestionCardEvents, QuestionCardProps } from "./question-card.js";

type Properties = { [Name in keyof QuestionCardProps as `prop:${Name}`]?: QuestionCardProps[Name] };
type Handlers = { [Name in keyof QuestionCardEvents as `on:${Name}`]?: (event: QuestionCardEvents[Name]) => void };

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements {
      "question-card": Omit<JSX.HTMLAttributes<QuestionCard>, keyof Handlers> & Properties & Handlers & { "tool-call-id"?: string; "no-shadow"?: boolean };
    }
  }
}
