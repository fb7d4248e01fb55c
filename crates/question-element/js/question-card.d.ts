import type { Detail, Pick } from "./agent.js";
import type { Word } from "./words.js";

export type { Ask, Detail, Option, Pick, Question } from "./agent.js";

/** The state of a call; also in the words of CopilotKit, assistant-ui and the AI SDK. */
export type Status =
  | "streaming" | "ready" | "answerable" | "answered" | "declined" | "superseded" | "expired" | "interrupted" | "settled"
  | "inProgress" | "executing" | "complete"
  | "running" | "requires-action" | "incomplete"
  | "input-streaming" | "input-available" | "output-available" | "output-error"
  | (string & {});

/** A whole call, under the names that protocols have for its parts. */
export interface Call {
  id?: string;
  toolCallId?: string;
  args?: unknown;
  input?: unknown;
  arguments?: unknown;
  function?: { arguments: string };
  result?: unknown;
  output?: unknown;
  state?: Status;
  status?: Status | { type: string };
}

export interface ReplyDetail {
  toolCallId: string;
  /** The answers by their questions, as the agent reads them. */
  answers: Record<string, string>;
  /** The parts of an answer that the flat answers lack, if there are any. */
  details?: Detail[];
  /** The answers as the next user message. */
  message: string;
  /** `answers` and `details` as the text of the tool's result. */
  json: string;
}

export interface CallDetail {
  toolCallId: string;
}

export interface DeclineDetail extends CallDetail {
  /** The text of the tool's result, as the agent reads it. */
  text: string;
}

/** A reply or a refusal of the user. Until the host takes it and reports the result, the card shows it as on its way. */
export interface ReplyEvent<T = ReplyDetail> extends CustomEvent<T> {
  /**
   * Takes it. Once the promise settles, the card is a receipt, or shows the reason and the form again. Without it the card waits for
   * `result`, `status` or `fail`. Call it once and before anything is awaited: after the event it throws an `InvalidStateError`.
   */
  respondWith(promise?: PromiseLike<unknown> | unknown): void;
}

export interface QuestionCardEvents {
  /** The user answered. */
  reply: ReplyEvent;
  /** The user declined to answer. */
  decline: ReplyEvent<DeclineDetail>;
  /** The picks so far changed. */
  draft: CustomEvent<CallDetail & { picks: Pick[] }>;
  /** The user goes on in the chat, with these picks. Needs `reply-in-chat`. */
  "reply-in-chat": CustomEvent<CallDetail & { picks: Pick[] }>;
  /** A text that came too late is to be sent as a message. It stays on the card until the promise of `respondWith` is kept, and without it. Needs `late-messages`. */
  "late-message": ReplyEvent<CallDetail & { text: string }>;
  /** The user changed an answer that was sent; `message` says so to the agent. Once the promise of `respondWith` is kept, the receipt has both answers; without it, or if it fails, the card stays open. Needs `can-change`. */
  "change-answer": ReplyEvent;
  /** The user asks for more time. Needs `more-time`. */
  extend: CustomEvent<CallDetail>;
  /** An answer is waited for now. */
  "qc-waiting": CustomEvent<null>;
  /** The ask is over. `preventDefault` leaves the focus to the page. */
  "qc-resolved": CustomEvent<null>;
  /** The program of the card could not be loaded. */
  "qc-error": CustomEvent<{ reason: unknown }>;
}

/** A sheet of words: those of another language, or some of a host's own. Words that it lacks stay as they are; mistakes in it are named on the console. */
export type Labels = { lang?: string; dir?: "ltr" | "rtl" } & { [word in Word]?: string | Plurals };

/** The forms of a text that depends on a number, by the categories of Unicode's CLDR. */
export interface Plurals {
  zero?: string;
  one?: string;
  two?: string;
  few?: string;
  many?: string;
  other: string;
}

/**
 * The properties, most of them attributes too. An attribute has the property's name in lower case with dashes; `scope` is `draft-scope`. One that
 * takes one of several words means the first one where it is not set.
 */
export interface QuestionCardProps {
  /** The call; drafts are kept under it and the scope. Another id is another call. */
  toolCallId?: string;
  /** The arguments so far, as an object that grows or as the text of JSON. */
  args?: unknown;
  /** A whole call, as from a history. No attribute. */
  call?: Call;
  /** The result of the call. No attribute. */
  result?: unknown;
  /** The answer that the user changed `result` to, as in `json` of `change-answer`. No attribute. */
  changed?: unknown;
  /** The state of the call. */
  status?: Status | { type: string };
  /** A deadline, in milliseconds since the Unix epoch. */
  expiresAt?: number | Date;
  /** True if the host keeps the reply until another ask has its own. */
  held?: boolean;
  /** The host's own words in place of the language's. */
  labels?: Labels;
  /** `explicit`: nothing is sent before Submit. `on-pick`: one tap answers a single question of one choice. */
  mode?: "explicit" | "on-pick";
  /** The layout of several questions: below each other, or one at a time. */
  layout?: "stacked" | "stepped";
  /** Names the conversation, such as its thread id: agents number their calls. */
  scope?: string;
  /** The most characters of each typed text. */
  maxLength?: number;
  /** The milliseconds in which "Don't answer" can be undone, and nothing is told: 5000, or none if it is 0. */
  undoWithin?: number;
  /** `session` keeps choices and typed text over a reload. */
  persist?: "none" | "session";
  /** True if the ask came while the page was open, and not with a history. */
  fresh?: boolean;
  /** True if the card can only be read. */
  readonly?: boolean;
  /** True if each question has a "Skip". */
  allowSkip?: boolean;
  /** True if no question takes a note. */
  noNotes?: boolean;
  /** Shows texts of the agent as they were written, and no part of Markdown. */
  plainText?: boolean;
  /** Shows "Reply in chat instead". */
  replyInChat?: boolean;
  /** Shows "Send as a message" and "Ask again". */
  lateMessages?: boolean;
  /** Shows "Change" in the receipt of an answer. */
  canChange?: boolean;
  /** Shows "More time". */
  moreTime?: boolean;
}

export interface QuestionCard extends QuestionCardProps {}

export class QuestionCard extends HTMLElement {
  /** The state of the card, such as `streaming`, `awaiting`, `submitting`, `failed`, `answered`; also as `:state(awaiting)`. */
  readonly state: string;
  /** A stream for the text of the arguments, as of `response.body.pipeTo(card.writable)`: text or UTF-8. */
  readonly writable: WritableStream<string | BufferSource>;

  /** Takes the next piece of the arguments' text. */
  append(delta: string): void;
  /** Ends the arguments. */
  finish(): void;
  /** Reports that the reply did not reach the agent. */
  fail(reason: string): void;
  /** Forgets the call, for one that comes in its place. */
  reset(): void;
  /** Moves the focus to where the user would go on. False where there is nothing to go to. */
  // @ts-ignore: an element's own gives nothing back.
  focus(): boolean;

  addEventListener<K extends keyof QuestionCardEvents>(
    type: K,
    listener: (this: QuestionCard, event: QuestionCardEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<K extends keyof QuestionCardEvents>(
    type: K,
    listener: (this: QuestionCard, event: QuestionCardEvents[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/** Makes the element known to the page, once; on a server it does nothing. Importing "question-card/define" does that. */
export function define(name?: string): void;

/** Loads the program, and the words of a language, before a card needs them. `source` is where the WebAssembly is, if not beside its JavaScript. */
export function load(lang?: string, source?: unknown): Promise<unknown>;

declare global {
  interface HTMLElementTagNameMap {
    "question-card": QuestionCard;
  }
}
