// `import type {} from "question-card/vue"` lets templates of Vue 3 know <question-card>.
import type { DefineComponent } from "vue";
import type { QuestionCardEvents, QuestionCardProps } from "./question-card.js";

type Handlers = { [Name in keyof QuestionCardEvents as `on${Capitalize<Name>}`]?: (event: QuestionCardEvents[Name]) => void };

declare module "vue" {
  interface GlobalComponents {
    "question-card": DefineComponent<QuestionCardProps & Handlers & { noShadow?: boolean }>;
  }
}
