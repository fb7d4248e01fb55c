// `import type {} from "question-card/react"` lets React 19 know <question-card>. `QuestionCard` is a component around it.
import type { DetailedHTMLProps, HTMLAttributes, ReactElement } from "react";
import type { QuestionCard as CardElement, QuestionCardEvents, QuestionCardProps } from "./question-card.js";

type Handlers = { [Name in keyof QuestionCardEvents as `on${Name}`]?: (event: QuestionCardEvents[Name]) => void };
type CardAttributes = Omit<DetailedHTMLProps<HTMLAttributes<CardElement>, CardElement>, "onChange"> & QuestionCardProps & Handlers & { class?: string; "no-shadow"?: boolean | string };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "question-card": CardAttributes;
    }
  }
}

type Pascal<Name extends string> = Name extends `${infer Word}-${infer Rest}` ? `${Capitalize<Word>}${Pascal<Rest>}` : Capitalize<Name>;
/**
 * Handlers get the event, as those of React do; `event.detail` says what was done. If a handler returns a promise, the card waits for that.
 * `onLateMessage` takes the text, unless it returns false.
 */
type Told = {
  [Name in keyof QuestionCardEvents as `on${Pascal<Name>}`]?: (event: QuestionCardEvents[Name]) => PromiseLike<unknown> | boolean | void;
};

/** One call as a card. Another `toolCallId` is another card. */
export function QuestionCard(props: Omit<CardAttributes, keyof Handlers> & Told): ReactElement;
