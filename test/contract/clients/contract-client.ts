import type { EmbeddedServer } from '../../../src/transports/kind.js';
import type { JsonObject } from '../../../src/wire/message.js';

/** Where a server of the suite is. */
export type Address =
  | { readonly kind: 'in-process'; readonly server: EmbeddedServer }
  | { readonly kind: 'stdio'; readonly file: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'http'; readonly url: string };

/** One implementation of the protocol's client: ours, or the oracle. */
export interface ContractClientKind {
  readonly name: 'ours' | 'oracle';
  /** Tells the client, or how connecting failed. */
  connect(address: Address, options: ConnectOptions): Promise<ContractClient | Failure>;
}

export interface ConnectOptions {
  /** For the handshake, and for each call that says nothing else. */
  readonly timeoutMs: number;
  readonly capabilities?: JsonObject;
  readonly handlers?: Readonly<Record<string, (params: JsonObject) => object | Promise<object>>>;
  readonly onNotification?: (method: string, params: unknown) => void;
}

/** What the suite asks of a client. Contract: nothing rejects; what goes wrong is an outcome. */
export interface ContractClient {
  readonly greeting: Greeting;
  listTools(): Promise<Outcome>;
  call(name: string, input?: JsonObject, options?: CallOptions): Promise<Outcome>;
  request(method: string, params: JsonObject): Promise<Outcome>;
  close(): Promise<void>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<unknown>;
}

export interface Greeting {
  readonly version: string | undefined;
  readonly server: { readonly name: string; readonly version: string };
  readonly capabilities: unknown;
  readonly instructions: string | undefined;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: unknown) => void;
}

/** What became of a call, in words that both clients share. */
export type Outcome = { readonly ok: unknown } | Failure;

export interface Failure {
  readonly error: FailureKind;
  /** Of the error that the server itself answered. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type FailureKind =
  | 'rpc'
  | 'timeout'
  | 'cancelled'
  | 'closed'
  | 'bad-answer'
  | 'too-large'
  | 'unsupported'
  | 'session-lost'
  | 'unauthorized'
  | 'usage'
  | 'start-failed'
  | 'http'
  | 'unknown';

export function isFailure(result: object): result is Failure {
  return 'error' in result;
}

/** What a tool said first; undefined when it failed or said nothing. */
export function textOf(outcome: Outcome): string | undefined {
  if (!('ok' in outcome)) return undefined;
  return (outcome.ok as { readonly content: readonly { readonly text: string }[] }).content[0]?.text;
}
