// `import type {} from "question-card/react"` lets React 19 know <question-card>.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { QuestionCard, QuestionCardEvents, QuestionCardProps } from "./question-card.js";

type Handlers = { [Name in keyof QuestionCardEvents as `on${Name}`]?: (event: QuestionCardEvents[Name]) => void };
type CardAttributes = Omit<DetailedHTMLProps<HTMLAttributes<QuestionCard>, QuestionCard>, "onChange"> & QuestionCardProps & Handlers & { class?: string; "no-shadow"?: boolean | string };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "question-card": CardAttributes;
    }
  }
}
