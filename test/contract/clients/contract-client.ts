import type { JsonObject } from '../../../src/base/json.js';
import type { ProcessRegistry } from '../../../src/edge/processes/process-registry.js';
import type { ControlChannel } from '../../../src/transports/in-process/control-channel.js';
import type { Account } from '../../../src/model/account.js';
import type { EmbeddedServer } from '../../../src/transports/kind.js';
import type { SubscriptionFilter } from '../../../src/wire/eras/era.js';
import type { Era, Transport } from '../behaviour.js';

/** Where a server of the suite is. */
export type Address =
  | { readonly kind: 'in-process'; readonly server: EmbeddedServer }
  | { readonly kind: 'stdio'; readonly file: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'http' | 'sse' | 'ws'; readonly url: string }
  | { readonly kind: 'connector'; readonly url: string; readonly account: Account }
  | { readonly kind: 'sdk'; readonly control: ControlChannel };

/** One implementation of the protocol's client: ours, or the oracle. */
export interface ContractClientKind {
  readonly name: 'ours' | 'oracle';
  readonly transports: readonly Transport[];
  /** What it has to be told so that it speaks to a server of this era. */
  eraFor(era: Era, transport: Transport): ConnectOptions['era'];
  /** Tells the client, or how connecting failed. */
  connect(address: Address, options: ConnectOptions): Promise<ContractClient | Failure>;
}

export interface ConnectOptions {
  /** For the handshake, and for each call that says nothing else. */
  readonly timeoutMs: number;
  /** Which era to speak; `auto` finds out. */
  readonly era: Era | 'auto';
  readonly capabilities?: JsonObject;
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly onNotification?: (method: string, params: unknown) => void;
  /** Where a client of ours keeps what it starts. */
  readonly processes?: ProcessRegistry;
}

export type Handler = (params: JsonObject, signal: AbortSignal) => object | Promise<object>;

/** What the suite asks of a client. Contract: nothing rejects; what goes wrong is an outcome. */
export interface ContractClient {
  readonly handshake: Handshake;
  listTools(): Promise<Outcome>;
  call(name: string, input?: JsonObject, options?: CallOptions): Promise<Outcome>;
  request(method: string, params: JsonObject): Promise<Outcome>;
  /** What stands in a resource. */
  read(uri: string): Promise<Outcome>;
  /** What to be told of from now on, in place of what was said before. */
  watch(wanted: SubscriptionFilter): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<unknown>;
}

export interface Handshake {
  readonly version: string | undefined;
  readonly server: { readonly name: string; readonly version: string } | undefined;
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
  | 'unreachable'
  | 'http'
  | 'input'
  | 'unknown';

export function isFailure(result: object): result is Failure {
  return 'error' in result;
}

/** What a tool said first; undefined when it failed or said nothing. */
export function textOf(outcome: Outcome): string | undefined {
  if (!('ok' in outcome)) return undefined;
  return (outcome.ok as { readonly content: readonly { readonly text: string }[] }).content[0]?.text;
}
