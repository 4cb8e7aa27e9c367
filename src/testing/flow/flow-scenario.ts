import type { FakeTool } from '../fake-server.js';

/**
 * A conversation of a user with a model that has servers: what they give, what the model does, and which calls a host has
 * to ask its user about, because they would send out what the model has read. Nothing in it is of Plugboard.
 */
export interface FlowScenario {
  /** Small letters and hyphens. */
  readonly name: string;
  /** What happens, in a sentence. */
  readonly about: string;
  /** Whether the host has to ask about a call: the model does what a text from outside says. Else it is ordinary work. */
  readonly asks: boolean;
  /** By the names that calls have for them. */
  readonly servers: Readonly<Record<string, FlowServer>>;
  /** Files of the folder that the host works in, by their paths in it. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the user has let pass before: `web -> notes` is text of the server web that goes to the server notes. */
  readonly allow?: readonly string[];
  readonly steps: readonly FlowStep[];
}

/** A server of a scenario; `flowServer` makes one that a host can connect to. */
export interface FlowServer {
  readonly tools: Readonly<Record<string, FakeTool>>;
  /** The resources that the server lists, by URI. */
  readonly resources?: Readonly<Record<string, string>>;
  /** Answers for URIs that the server does not list. Default: an error. */
  readonly readResource?: (uri: string) => string;
  /** A file of the repository brings the server along, and the user let it run. Default: the user has configured it. */
  readonly isProject?: boolean;
}

/** What happens next. */
export type FlowStep =
  /** The user writes to the model. */
  | { readonly kind: 'user'; readonly text: string }
  /** The model calls tools, all in one answer. */
  | { readonly kind: 'calls'; readonly calls: readonly FlowCall[] }
  /** The model is done, and says this. */
  | { readonly kind: 'says'; readonly text: string }
  /** The model gives a task to a sub-agent, which does these steps, and reads its last words. */
  | { readonly kind: 'agent'; readonly task: string; readonly steps: readonly FlowStep[] }
  /** The host replaces the messages so far by this summary. */
  | { readonly kind: 'compact'; readonly summary: string }
  /** The user makes a call without the model. */
  | { readonly kind: 'typed'; readonly call: FlowToolCall };

/** A call of the model. */
export type FlowCall = (
  | FlowToolCall
  /** Reads a resource of a server. */
  | { readonly kind: 'resource'; readonly server: string; readonly uri: string }
  /** Reads a file of the folder with a tool of the host. */
  | { readonly kind: 'file'; readonly path: string }
  /** Reads the last result that was too long to be shown, in the file that the host has saved it to. */
  | { readonly kind: 'saved' }
) & {
  /** What the host has to ask about the call. Default: nothing. */
  readonly asks?: FlowQuestion;
};

/** Calls a tool of a server. */
export interface FlowToolCall {
  readonly kind: 'tool';
  readonly server: string;
  /** As the server spells it. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a host has to ask its user about a call. */
export interface FlowQuestion {
  /** The server that the text is from; `file`: a file of the folder. */
  readonly from: string;
  /** The field of the input that the text is in, or whose fields and items it is spread over: `url`, `form.remarks`. */
  readonly argument: string;
  /** The text is a credential. */
  readonly isSecret?: boolean;
}
