import type { Detail, Pick } from "./agent.js";

export type { Ask, Detail, Option, Pick, Question } from "./agent.js";

/** Where a call stands; also in the words of CopilotKit, assistant-ui and the AI SDK. */
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

export interface DeclineDetail extends CallDetail {
  /** The text of the tool's result, as the agent reads it. */
  text: string;
}

/** What the user gives to the host. Until the host takes it, and says what came of it, the card shows it as on its way. */
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
  /** What came too late is to be sent as a message. Without `respondWith` it stays on the card. Needs `late-messages`. */
  "late-message": ReplyEvent<CallDetail & { text: string }>;
  /** The user asks for more time. Needs `more-time`. */
  extend: CustomEvent<CallDetail>;
  /** An answer is waited for now. */
  "qc-waiting": CustomEvent<null>;
  /** The ask is over. `preventDefault` leaves the focus to the page. */
  "qc-resolved": CustomEvent<null>;
  /** The program of the card could not be loaded. */
  "qc-error": CustomEvent<{ reason: unknown }>;
}

/** The card's own words, of which a host can have its own. Those that depend on numbers are the language's. */
export interface Labels {
  /** Names the form where nothing else does. */
  title?: string;
  /** The hint under a question that takes one option. */
  selectOne?: string;
  /** The hint where a tap on an option sends it. */
  pickOne?: string;
  /** The hint under a question that takes several. */
  selectMany?: string;
  /** The label of the row for an answer of one's own. */
  other?: string;
  /** Shown in the empty text field of that row; never its name. */
  otherPlaceholder?: string;
  /** Under a text that is on the screen but not part of the answer. */
  otherUnsent?: string;
  /** Opens the field for a note beside the answer. */
  addNote?: string;
  /** Names that field. */
  note?: string;
  /** Skips a question. */
  skip?: string;
  /** Under a question that is skipped. */
  skipping?: string;
  /** The main button. */
  submit?: string;
  /** The button beside the text field where a tap on an option answers. */
  send?: string;
  /** Why the buttons do not act yet. */
  submitWait?: string;
  /** Declines the question. */
  cancel?: string;
  /** What the Cancel button says where answers would be lost. */
  cancelConfirm?: string;
  /** Takes the Cancel back. */
  keepAnswering?: string;
  /** Hands the question to the host's composer. */
  replyInChat?: string;
  /** Shown before the first question has begun. */
  composing?: string;
  /** Shown where the arguments cannot be used. */
  malformed?: string;
  /** Names the text field where the arguments cannot be used. */
  malformedAnswer?: string;
  /** Enter, with nothing to confirm. */
  nudge?: string;
  /** The error of an own answer without text. */
  errorOther?: string;
  /** Shows the question before. */
  back?: string;
  /** Shows the question after. */
  onward?: string;
  /** Asks for more of it. */
  moreTime?: string;
  /** While the reply is on its way. */
  sending?: string;
  /** While the reply is kept until another ask has its answer too. */
  held?: string;
  /** Takes a reply back that is kept. */
  change?: string;
  /** Leads from there to the ask that still waits. */
  nextAsk?: string;
  /** A reply that had been given is open again. */
  takenBack?: string;
  /** Sends once more what did not go through, where a tap sends. */
  tryAgain?: string;
  /** The reply went through. */
  sent?: string;
  /** The ask was answered while it was on the screen, and not here. */
  answeredElsewhere?: string;
  /** Between the answers of one question where they stand in one line. */
  list?: string;
  /** Before a chosen answer, for those who do not see its mark. */
  selectedPrefix?: string;
  /** A receipt's state: answered. */
  answered?: string;
  /** A receipt's state, and announced: the user would not answer. */
  cancelled?: string;
  /** A receipt's state: answered in the composer. */
  repliedInChat?: string;
  /** A receipt's state: the user went on with something else. */
  superseded?: string;
  /** A receipt's state: the deadline passed. */
  expired?: string;
  /** A receipt's state: the run or the connection broke off. */
  interrupted?: string;
  /** A receipt's state: the agent went on, and the record has what it says of the answer. */
  settled?: string;
  /** The state of a record that can only be read: nobody answered so far. */
  notAnswered?: string;
  /** In a receipt, shows all of a long question. */
  showAll?: string;
  /** In a receipt, shows what could be chosen. */
  showOptions?: string;
  /** In a receipt, a question that the user skipped. */
  skipped?: string;
  /** In a receipt, a question without an answer. */
  noAnswer?: string;
  /** Before what was typed or chosen and never sent. */
  late?: string;
  /** Copies it. */
  copy?: string;
  /** It was copied. */
  copied?: string;
  /** Copies all questions and answers of a receipt. */
  copyAnswers?: string;
  /** The browser would not copy. */
  copyFailed?: string;
  /** Before a question in what is copied. */
  copyQuestion?: string;
  /** Before its answer there. */
  copyAnswer?: string;
  /** Sends it as a message of its own. */
  sendAsMessage?: string;
  /** Why it cannot be sent as a message at this moment, where the host would not take it. */
  notNow?: string;
  /** Puts it away. */
  dismiss?: string;
  /** Sends a question back whose time ran out, as a message that begins with these words. */
  askAgain?: string;
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
  /** What came back for the call. No attribute. */
  result?: unknown;
  /** Where the call stands. */
  status?: Status | { type: string };
  /** A deadline, in milliseconds since the Unix epoch. */
  expiresAt?: number | Date;
  /** Whether the host keeps the reply until another ask has its own. */
  held?: boolean;
  /** The host's own words in place of the language's. */
  labels?: Labels;
  /** `explicit`: nothing is sent before Submit. `on-pick`: one tap answers a single question of one choice. */
  mode?: "explicit" | "on-pick";
  /** How several questions are laid out: below each other, or one at a time. */
  layout?: "stacked" | "stepped";
  /** Names the conversation, such as its thread id: agents number their calls. */
  scope?: string;
  /** Makes the name of the form a heading of this level. */
  headingLevel?: number;
  /** The most characters of each typed text. */
  maxLength?: number;
  /** Whether the card may take the focus when its question has arrived. */
  claimFocus?: "never" | "if-idle";
  /** Whether what was chosen and typed outlives a reload. */
  persist?: "none" | "session";
  /** Whether the ask came while the page was open, and not with a history. */
  fresh?: boolean;
  /** Whether the card can only be read. */
  readonly?: boolean;
  /** Whether each question has a "Skip". */
  allowSkip?: boolean;
  /** The words of a button that leaves all open questions to the agent, each skipped with these words as its note. */
  agentDecides?: string;
  /** Whether no question takes a note. */
  noNotes?: boolean;
  /** Whether digits choose nothing. */
  noShortcuts?: boolean;
  /** Shows "Reply in chat instead". */
  replyInChat?: boolean;
  /** Shows "Send as a message" and "Ask again". */
  lateMessages?: boolean;
  /** Shows "More time". */
  moreTime?: boolean;
}

export interface QuestionCard extends QuestionCardProps {}

export class QuestionCard extends HTMLElement {
  /** How the card stands, such as `streaming`, `awaiting`, `submitting`, `failed`, `answered`; also as `:state(awaiting)`. */
  readonly state: string;
  /** A stream for the text of the arguments, as of `response.body.pipeTo(card.writable)`: text or UTF-8. */
  readonly writable: WritableStream<string | BufferSource>;

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

/** Makes the element known to the page, once; on a server it does nothing. Importing "question-card/define" does that. */
export function define(name?: string): void;

/** Loads the program of a language before a card needs it. `source` is where its WebAssembly is, if not beside its JavaScript. */
export function load(lang?: string, source?: unknown): Promise<unknown>;

declare global {
  interface HTMLElementTagNameMap {
    "question-card": QuestionCard;
  }
}
