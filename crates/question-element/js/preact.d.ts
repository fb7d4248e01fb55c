// `import type {} from "question-card/preact"` lets Preact know <question-card>.
import type { HTMLAttributes } from "preact";
import type { QuestionCard, QuestionCardEvents, QuestionCardProps } from "./question-card.js";

type Handlers = { [Name in keyof QuestionCardEvents as `on${Name}`]?: (event: QuestionCardEvents[Name]) => void };

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "question-card": Omit<HTMLAttributes<QuestionCard>, keyof QuestionCardProps | keyof Handlers> & QuestionCardProps & Handlers & { "no-shadow"?: boolean };
    }
  }
}
