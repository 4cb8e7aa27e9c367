import type { JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Diary } from './diary.js';

/** One call of a tool, and what the tool can do meanwhile; every server of the suite provides it. */
export interface ToolTurn {
  readonly id: RequestId;
  readonly input: JsonObject;
  readonly meta: JsonObject;
  /** What came with another try of the same call, in the new era. */
  readonly inputs: Inputs;
  readonly connection: ToolConnection;
  /** Sends a note that belongs to this call. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Asks the client and tells its whole reply: `{ result }` or `{ error }`. */
  readonly ask: (method: string, params?: JsonObject) => Promise<JsonObject>;
}

/** The answers of the client, and the server's own memory of the matter. */
export interface Inputs {
  readonly inputResponses?: unknown;
  readonly requestState?: unknown;
}

/** What outlives a call. */
export interface ToolConnection {
  readonly diary: Diary;
  /** The calls of `wait` that may be released, by their key. */
  readonly gates: Map<unknown, () => void>;
  /** Every try of a call of `rounds`, by its key. */
  readonly tries: Map<unknown, Try[]>;
  /** Sends a note that belongs to no call. */
  announce(method: string, params?: JsonObject): Promise<void>;
  /** Goes down as a crash would. */
  die(): void;
}

export interface Try extends Inputs {
  readonly id: RequestId;
}

/** What a tool throws to have its call answered with an error of JSON-RPC. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type ToolResult = ToolAnswer | Question;

interface ToolAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError?: boolean;
}

/** What a server has to know first; only in the new era does it ask so. */
export interface Question {
  readonly resultType: 'input_required';
  readonly inputRequests?: unknown;
  readonly requestState?: unknown;
}

export function text(said: string): ToolAnswer {
  return { content: [{ type: 'text', text: said }] };
}
