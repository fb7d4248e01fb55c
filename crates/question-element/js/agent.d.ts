/**
 * The sets of limits that ship, and the members that they offer beside their own: `blocking`, `input`, `preview`, `showIf` and `value`,
 * as in `"runtime+input+value"`.
 */
export type Profile = `${"runtime" | "coding" | "chat"}${"" | `+${string}`}`;

export interface Option {
  label: string;
  description?: string;
  preview?: string;
  /** What the agent gets beside the label. */
  value?: string;
}

/** What a question asks for instead of a choice. Numbers and dates may have bounds; a number may have a step and a unit. */
export interface Input {
  type: "text" | "lines" | "email" | "url" | "number" | "integer" | "date" | "datetime" | "json" | "rank" | "boolean" | "choice" | "approval";
  min?: number | string;
  max?: number | string;
  step?: number;
  unit?: string;
  /** The text or choice that is there from the start. */
  default?: unknown;
  /** A JSON Schema of the JSON: its types, members and items. */
  schema?: unknown;
}

/** The answer to an earlier question without which a question is not asked. */
export interface ShowIf {
  /** The text or the header of the earlier question. */
  question: string;
  /** The label or value of the option that must be chosen, or what must be typed. */
  is: string;
}

export interface Question {
  showIf?: ShowIf;
  question: string;
  header?: string;
  multiSelect: boolean;
  input?: Input;
  options: Option[];
}

export interface Ask {
  questions: Question[];
  /** The sub-agent, tool or server that asks. */
  askedBy?: string;
  /** The agent's reason to ask. */
  why?: string;
  /** False: the agent goes on, and the answer comes as a later message of the user. */
  blocking?: boolean;
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** The JSON Schema of the input. */
  parameters: Record<string, unknown>;
  /** Advice on using the tool well, for the system prompt. */
  guidance: string;
}

export interface Violation {
  /** The place, such as `questions[1].options`; empty for the whole input. */
  path: string;
  code: string;
  message: string;
}

export interface Verdict {
  valid: boolean;
  /** The repaired ask, as a card shows it. */
  ask: Ask | null;
  repairs: { path: string; code: string }[];
  violations: Violation[];
  /** The text for the model if it is not valid. */
  message: string | null;
}

/** The choice in one question. */
export interface Pick {
  question: number;
  selected: number[];
  other?: string;
  note?: string;
  skipped?: boolean;
}

/** The parts of an answer that the flat answers lack. */
export interface Detail {
  index: number;
  header?: string;
  selected: { index: number; label: string }[];
  other?: string;
  /** What an `input` asks for: a number, a text, the labels of a ranking in order, or true or false. */
  value?: number | string | string[] | boolean;
  note?: string;
  status: "answered" | "skipped";
}

export type Outcome =
  | { outcome: "answered"; answers: Record<string, string>; details?: Detail[]; message: string }
  | { outcome: "replied_in_chat"; text: string; picks: Pick[] }
  | { outcome: "declined" | "expired" | "superseded" | "cancelled" | "withdrawn" };

/** The result says nothing of an answer. */
export interface NotRead {
  outcome: null;
  violations: Violation[];
}

/** Loads the program, once; what follows throws before. `source` is what `fetch` takes, a response, bytes or a module. */
export function load(source?: unknown): Promise<void>;

/** The definition of the tool. Throws where there is no such profile. */
export function toolDefinition(profile?: Profile): ToolDefinition;

/** The verdict on a call's arguments, as an object or as the text of JSON. */
export function check(profile: Profile, args: unknown): Verdict;

/** Reads what came back for an ask. Throws where the ask can't be read. */
export function parseReply(ask: Ask | string, reply: unknown): Outcome | NotRead;

/** The answer in a typed chat message, with the picks so far. */
export function matchMessage(ask: Ask | string, text: string, picks?: Pick[]): Outcome;
