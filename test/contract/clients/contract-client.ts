import type { JsonObject } from '../../../src/base/json.js';
import type { ProcessRegistry } from '../../../src/edge/processes/process-registry.js';
import type { ControlChannel } from '../../../src/transports/in-process/control-channel.js';
import type { Account } from '../../../src/model/account.js';
import type { EmbeddedServer } from '../../../src/transports/kind.js';
import type { SubscriptionFilter } from '../../../src/wire/eras/era.js';
import type { Era, Transport } from '../behaviour.js';

/** How to reach a server of the suite. */
export type Address =
  | { readonly kind: 'in-process'; readonly server: EmbeddedServer }
  | { readonly kind: 'stdio'; readonly file: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'http' | 'sse' | 'ws'; readonly url: string }
  | { readonly kind: 'connector'; readonly url: string; readonly account: Account }
  | { readonly kind: 'sdk'; readonly control: ControlChannel };

/** One MCP client under test: Plugboard's, or the official SDK's as oracle. */
export interface ContractClientKind {
  readonly name: 'ours' | 'oracle';
  readonly transports: readonly Transport[];
  /** The era option that makes this client speak to a server of this era. */
  eraFor(era: Era, transport: Transport): ConnectOptions['era'];
  /** Never rejects: resolves with the client, or with the failure. */
  connect(address: Address, options: ConnectOptions): Promise<ContractClient | Failure>;
}

export interface ConnectOptions {
  /** For the handshake, and for each call that has no timeout of its own. */
  readonly timeoutMs: number;
  /** `auto` detects the era. */
  readonly era: Era | 'auto';
  readonly capabilities?: JsonObject;
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly onNotification?: (method: string, params: unknown) => void;
  /** The registry for the processes that our client starts. */
  readonly processes?: ProcessRegistry;
}

export type Handler = (params: JsonObject, signal: AbortSignal) => object | Promise<object>;

/** The client as the suite uses it. Contract: never rejects; a failure is an `Outcome`. */
export interface ContractClient {
  readonly handshake: Handshake;
  listTools(): Promise<Outcome>;
  call(name: string, input?: JsonObject, options?: CallOptions): Promise<Outcome>;
  request(method: string, params: JsonObject): Promise<Outcome>;
  read(uri: string): Promise<Outcome>;
  /** Subscribes to these changes, in place of the previous subscription. */
  watch(wanted: SubscriptionFilter): Promise<void>;
  close(): Promise<void>;
  /** Resolves when the connection has ended, on either side. */
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

/** The outcome of a call, in terms that both clients share. */
export type Outcome = { readonly ok: unknown } | Failure;

export interface Failure {
  readonly error: FailureKind;
  /** The error that the server responded with. */
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

/** The text of a result's first block; undefined when the call failed or the result is empty. */
export function textOf(outcome: Outcome): string | undefined {
  if (!('ok' in outcome)) return undefined;
  return (outcome.ok as { readonly content: readonly { readonly text: string }[] }).content[0]?.text;
}
