import type { JsonObject } from '../base/json.js';
import type { Implementation } from '../model/implementation.js';
import type { InputRelay } from '../model/tool.js';
import type { MarkedArgument } from './http/param-headers.js';

/**
 * What one address serves to one principal. The rooms above implement it; both eras and all transports of this room ask
 * it. Everything here is free of eras: params and results are as in 2026-07-28, without the envelope of a request and
 * without `resultType: "complete"`. What an older revision cannot carry is translated by this room.
 */
export interface Endpoint {
  /** What `initialize` and `server/discover` say. Contract: may wait, never rejects. */
  describe(client: Client): Promise<EndpointDescription>;
  /**
   * Answers a request, but for those that this room answers itself: initialize, ping, server/discover,
   * logging/setLevel, resources/subscribe and unsubscribe, subscriptions/listen. Contract: may reject with a
   * `JsonRpcFailure`; of any other error the client learns only that there was one.
   */
  request(request: ClientRequest): Promise<Served>;
  /** Tells the client of changes until the watch is disposed of. */
  watch(client: Client, wanted: WatchedChanges, tell: (change: EndpointChange) => void): Watch;
  /**
   * The arguments of a tool that a modern client over HTTP has to repeat in headers. A promise only where they have to be
   * looked up first. Contract: must neither throw nor reject.
   */
  mirrored(tool: string): readonly MarkedArgument[] | Promise<readonly MarkedArgument[]>;
  /**
   * Whether a method is of a capability that the address declares, as far as that is known: others are unknown methods to
   * its clients. Contract: must not throw.
   */
  serves(method: string): boolean;
  /** Whether the request may be made again after its first attempt was lost: it only reads. Contract: must not throw. */
  mayRepeat(method: string, params: JsonObject): boolean;
  /** The client's roots have changed: they are asked for again. */
  rootsChanged(client: Client): void;
  /** The client has ended its session: what it owns can be closed. Called at most once for each client. */
  left(client: Client): void;
}

/** A result; serialised where the same bytes go to many. */
export type Served = JsonObject | SerializedResult;

/** A result as JSON, in the form of the client's revision: see `toRevision`. */
export class SerializedResult {
  /** In UTF-8: to encode a long list for each client would cost more than all else. */
  readonly bytes: Buffer;

  constructor(json: string) {
    this.bytes = Buffer.from(json, 'utf8');
  }
}

export interface EndpointDescription {
  readonly server: Implementation;
  /** Of the union of all servers; cut to the client's revision by this room. */
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/**
 * One client of an endpoint: a legacy session, a stdio connection; for modern requests over HTTP, which belong to no
 * session, all with the same principal, client and capabilities. The same object for as long as it is used.
 */
export interface Client {
  readonly principal: string;
  readonly era: 'legacy' | 'modern';
  /** The protocol version that the client speaks. */
  readonly revision: string;
  readonly info: Implementation;
  /** The client's own capabilities, bounded, unknown ones included. */
  readonly capabilities: JsonObject;
  /** Whose upstream lines the calls use: the session, the stdio connection, or what stands for a session. */
  readonly owner: string;
  /** Whether it is one client for certain: a session, a connection, or a header says so. */
  readonly isDistinct: boolean;
  /** A legacy client's level for log messages; undefined: none. */
  readonly logLevel: string | undefined;
  /** Whether the client can be reached outside a request: a legacy client with an open stream, or on stdio. */
  readonly isReachable: boolean;
  /**
   * Asks the client outside of a request. Rejects with a `JsonRpcFailure` where it cannot be asked.
   * Contract of `signal`: withdraws the question.
   */
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
  /** Sends a notification outside of a request, such as `notifications/elicitation/complete`; dropped where nobody listens. */
  notify(method: string, params: JsonObject): void;
}

/** A request of a client. It may outlive the HTTP request that brought it: a question parks it until the retry. */
export interface ClientRequest {
  readonly client: Client;
  readonly method: string;
  /** Without the keys of the protocol in `_meta`; those of the client (traceparent, its own) are there. */
  readonly params: JsonObject;
  /** Aborts when the client cancels or is gone for good. */
  readonly signal: AbortSignal;
  /** Present on the retry of a modern client that answers questions of the server itself, relayed by `relays`. */
  readonly inputs: InputRelay | undefined;
  /**
   * Whether a result with `resultType: "input_required"` may be returned as the server sent it: for a modern client. This
   * room seals its `requestState`.
   */
  readonly relays: boolean;
  /** The user has allowed this call when it was made first: it need not be asked about again. */
  readonly isPermitted: boolean;
  /** Remembers that the user has allowed this call, for further rounds of the same call. */
  permit(): void;
  /** The lowest level of log messages that the client wants for this request; undefined: none. */
  readonly logLevel: string | undefined;
  /** Undefined where the client wants no progress. */
  readonly onProgress: ((progress: { progress: number; total?: number; message?: string }) => void) | undefined;
  /** Sends a log message that belongs to this request. The level has been compared. */
  log(message: { level: string; logger?: string; data: unknown }): void;
  /**
   * Asks the client in mid-call: a legacy client on the stream of the request, a modern one by `input_required`. Rejects
   * with a `JsonRpcFailure` where the client declared no such capability or cannot be reached.
   */
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>;
}

/** `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface Question {
  readonly method: string;
  readonly params: JsonObject;
}

/** Which changes a client wants to be told of. */
export interface WatchedChanges {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  /** URIs, as the client knows them. */
  readonly uris: readonly string[];
  readonly tasks: readonly string[];
}

/** A notification: `notifications/tools/list_changed`, `notifications/resources/updated`, `notifications/tasks` ... */
export interface EndpointChange {
  readonly method: string;
  readonly params: JsonObject;
}

export interface Watch extends Disposable {
  /** The part of what was wanted that is watched. Resolves when the servers have been told. Never rejects. */
  readonly honoured: Promise<WatchedChanges>;
  /** Watches one more resource. Resolves when its server has been told. Never rejects. */
  add(uri: string): Promise<void>;
  remove(uri: string): void;
}
