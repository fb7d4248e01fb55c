import type { Ask, Detail, Pick } from "./agent.js";

export type { Ask, Detail, Option, Pick, Question } from "./agent.js";

/** Where a call stands; also in the words of CopilotKit, assistant-ui and the AI SDK. */
export type Status =
  | "streaming" | "ready" | "answerable" | "answered" | "declined" | "superseded" | "expired" | "interrupted"
  | "inProgress" | "executing" | "complete"
  | "running" | "requires-action" | "incomplete"
  | "input-streaming" | "input-available" | "output-available" | "output-error"
  | (string & {});

/** A whole call, under the names that protocols have for its parts. */
export interface Call {
  id?: string;
  toolCallId?: string;
  args?: Ask | string | object;
  input?: Ask | string | object;
  arguments?: string | object;
  function?: { arguments: string };
  result?: unknown;
  output?: unknown;
}

export interface ReplyDetail {
  toolCallId: string;
  /** The answers by their questions, as the agent reads them. */
  answers: Record<string, string>;
  /** What the flat answers alone would lose, where they would. */
  details?: Detail[];
  /** The answers as the next user message. */
  message: string;
  /** `answers` and `details` as the text of the tool's result. */
  json: string;
}

export interface CallDetail {
  toolCallId: string;
}

export interface CancelDetail extends CallDetail {
  /** The text of the tool's result, as the agent reads it. */
  text: string;
}

/**
 * The user answered, or cancelled. Unless the host calls `respondWith` or `preventDefault`, that counts as sent. After `preventDefault` the
 * card waits for `result`, `status` or `fail`.
 */
export interface ReplyEvent<T = ReplyDetail> extends CustomEvent<T> {
  /** Shows the card as on its way until this settles: then its receipt, or the reason and the form again. */
  respondWith(promise: PromiseLike<unknown>): void;
}

export interface QuestionCardEvents {
  /** The user answered. */
  reply: ReplyEvent;
  /** The user cancelled the question. */
  cancel: ReplyEvent<CancelDetail>;
  /** The picks so far changed. */
  change: CustomEvent<CallDetail & { picks: Pick[] }>;
  /** The user goes on in the chat, with these picks. Needs `reply-in-chat`. */
  "reply-in-chat": CustomEvent<CallDetail & { picks: Pick[] }>;
  /** What came too late is to be sent as a message; `preventDefault` refuses. Needs `late-messages`. */
  message: CustomEvent<CallDetail & { text: string }>;
  /** The user asks for more time. Needs `more-time`. */
  extend: CustomEvent<CallDetail>;
  /** An answer is waited for now. */
  "qc-waiting": CustomEvent<null>;
  /** The ask is over. */
  "qc-resolved": CustomEvent<null>;
  /** The program of the card could not be loaded. */
  "qc-error": CustomEvent<{ reason: unknown }>;
}

/** What frameworks may set, as properties or as attributes. */
export interface QuestionCardProps {
  toolCallId?: string;
  args?: object | string;
  call?: Call;
  result?: unknown;
  status?: Status | { type: string };
  /** A deadline, in milliseconds since the Unix epoch. */
  expiresAt?: number | Date;
  /** Whether the host keeps the reply until another ask has its own. */
  held?: boolean;
  mode?: "explicit" | "on-pick";
  /** How several questions are laid out: below each other, or one at a time. */
  layout?: "stacked" | "stepped";
  /** Names the conversation, such as its thread id: agents number their calls. */
  scope?: string;
  headingLevel?: number;
  maxLength?: number;
  claimFocus?: "never" | "if-idle";
  persist?: "none" | "session";
  fresh?: boolean;
  readonly?: boolean;
  allowSkip?: boolean;
  noNotes?: boolean;
  noShortcuts?: boolean;
  replyInChat?: boolean;
  lateMessages?: boolean;
  moreTime?: boolean;
}

export class QuestionCard extends HTMLElement implements QuestionCardProps {
  toolCallId: string | undefined;
  /** The arguments so far, as an object that grows or as the text of JSON. */
  args: object | string | undefined;
  /** A whole call, as from a history. */
  call: Call | undefined;
  /** What came back for the call. */
  get result(): string | undefined;
  set result(result: unknown);
  status: Status | { type: string } | undefined;
  get expiresAt(): number | undefined;
  set expiresAt(at: number | Date | undefined);
  held: boolean;
  mode: "explicit" | "on-pick";
  layout: "stacked" | "stepped";
  scope: string;
  headingLevel: number | undefined;
  maxLength: number | undefined;
  claimFocus: "never" | "if-idle";
  persist: "none" | "session";
  fresh: boolean;
  readonly: boolean;
  allowSkip: boolean;
  noNotes: boolean;
  noShortcuts: boolean;
  replyInChat: boolean;
  lateMessages: boolean;
  moreTime: boolean;
  /** How the card stands, such as `streaming`, `awaiting`, `submitting`, `failed`, `answered`. */
  readonly state: string;

  /** Takes the next piece of the arguments' text. */
  append(delta: string): void;
  /** Ends the arguments. */
  finish(): void;
  /** What was given to the host did not reach the agent. */
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

/** Makes the element known to the page, once. Importing "question-card/define" does that. */
export function define(name?: string): void;

/** Loads the program of a language before a card needs it. `source` is where its WebAssembly is, if not beside its JavaScript. */
export function load(lang?: string, source?: unknown): Promise<unknown>;

declare global {
  interface HTMLElementTagNameMap {
    "question-card": QuestionCard;
  }
}
