import type { JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Diary } from './diary.js';

/** One call of a tool, and what the tool can do during it; every server of the suite provides one. */
export interface ToolTurn {
  readonly id: RequestId;
  readonly input: JsonObject;
  readonly meta: JsonObject;
  /** The input responses that came with another attempt of the call (modern era). */
  readonly inputs: Inputs;
  readonly connection: ToolConnection;
  /** Sends a notification that belongs to this call. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Sends a request to the client and resolves with its response: `{ result }` or `{ error }`. */
  readonly ask: (method: string, params?: JsonObject) => Promise<JsonObject>;
}

/** The client's input responses, and the state that the server gave the client to return. */
export interface Inputs {
  readonly inputResponses?: unknown;
  readonly requestState?: unknown;
}

/** What the calls of one connection share. */
export interface ToolConnection {
  readonly diary: Diary;
  /** Releases calls of `wait`, by key. */
  readonly gates: Map<unknown, () => void>;
  /** All attempts of a call of `rounds`, by key. */
  readonly tries: Map<unknown, Try[]>;
  /** Sends a notification that belongs to no call. */
  announce(method: string, params?: JsonObject): Promise<void>;
  /** Ends the server as a crash does. */
  die(): void;
}

export interface Try extends Inputs {
  readonly id: RequestId;
}

/** Thrown by a tool whose call is to get a JSON-RPC error. */
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

/** A result that requires input first; only in the modern era. */
export interface Question {
  readonly resultType: 'input_required';
  readonly inputRequests?: unknown;
  readonly requestState?: unknown;
}

export function text(said: string): ToolAnswer {
  return { content: [{ type: 'text', text: said }] };
}
